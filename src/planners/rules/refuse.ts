import { AgentError, type AgentErrorDetails } from "../../core/errors.ts";
import { cutText } from "../../core/text.ts";
import { type MatchInput, textBetween } from "./match-input.ts";

type Details = AgentErrorDetails["cannot-plan"];

/** Why a request is not planned. */
export interface Refusal extends Pick<Details, "reason" | "readings" | "missing"> {
  /** The same for people. */
  readonly why: string;
  /** The clauses that were not understood, from the first to the last. */
  readonly first: number;
  readonly last: number;
}

/** Ends planning; its caller adds what can be planned instead. */
export class Refused extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.why);
  }
}

const maxQuoted = 120;

/** The error for a request that is not planned: why, what was understood, and requests like it that are planned. */
export function refusalError(
  { reason, readings, missing, why, first, last }: Refusal,
  input: MatchInput,
  examples: readonly string[],
): AgentError<"cannot-plan"> {
  const [from, to] = spanOf(input, first, last);
  const rejected = cutText(textBetween(input, from, to), maxQuoted);
  const rest = [textBetween(input, 0, from), textBetween(input, to, input.tokens.length)];
  const texts = rest.map(trimConnectors).filter((text) => text !== "");
  const understood = cutText(texts.join(" … "), maxQuoted);
  return new AgentError("cannot-plan", `The request cannot be planned: ${why}.`, {
    details: {
      reason,
      examples,
      ...(readings && { readings }),
      ...(missing !== undefined && { missing }),
      ...(understood !== "" && { understood }),
      ...(rejected !== "" && { rejected }),
    },
  });
}

/** The tokens of some clauses: where the first is and where the next one would be. All, if there are only courtesies. */
export function spanOf({ clauses, tokens }: MatchInput, first: number, last: number): readonly [number, number] {
  if (clauses.length === 0) return [0, tokens.length];
  const from = clauses[first]?.start ?? 0;
  return [from, clauses[last]?.end ?? from];
}

/** The words of the clauses, short enough to be quoted. */
export function quoteClauses(input: MatchInput, first: number, last: number): string {
  return `"${cutText(textBetween(input, ...spanOf(input, first, last)), maxQuoted)}"`;
}

/** Reads only as much as may be quoted: the end is searched for from each separator on. */
function trimConnectors(text: string): string {
  return cutText(text, 2 * maxQuoted).replace(/^(?:[\s,;.!?&]|(?:and|then)\b)+|(?:[\s,;.!?&]|\b(?:and|then))+$/giu, "");
}
