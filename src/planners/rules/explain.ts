import type { AgentErrorDetails } from "../../core/errors.ts";
import type { PlanStep } from "../../core/plan.ts";
import type { Match } from "./matches.ts";
import { type RequestText, textBetween } from "./request.ts";

/** Some words of a request, and what explains them. @inline */
interface ExplainedWords {
  readonly text: string;
  /** `phrase`: words of the phrase itself; `slot`: the slot named `slot`; `courtesy`: left out, such as "please". */
  readonly by: "phrase" | "slot" | "courtesy";
  readonly slot?: string;
}

/** A part of a request, and the phrase that matched it. @inline */
interface ExplainedPart {
  readonly text: string;
  readonly tool: string;
  /** The phrase as the tool defines it. */
  readonly phrase: string;
  readonly words: readonly ExplainedWords[];
  /** The steps it became. */
  readonly stepIds: readonly string[];
  /** All this in one line. */
  readonly summary: string;
}

/** A plan, and how each part of the request led to it; or why there is none. @group Planners */
export interface RequestExplanation {
  readonly steps: readonly PlanStep[];
  readonly parts: readonly ExplainedPart[];
  /** The details of the refusal, if the request is refused. */
  readonly refusal?: AgentErrorDetails["cannot-plan"] & { readonly message: string };
}

/** Reports which phrase of which tool matched which words, between two tokens. @internal */
export function explainMatch(
  match: Match,
  request: RequestText,
  { start, end, stepIds }: { readonly start: number; readonly end: number; readonly stepIds: readonly string[] },
): ExplainedPart {
  const { rules, rule, pieces } = match;
  const runs: { by: ExplainedWords["by"]; slot?: string; start: number; end: number }[] = [];
  const push = (from: number, to: number, by: ExplainedWords["by"], slot?: string) => {
    const last = runs.at(-1);
    if (to <= from) return;
    if (last !== undefined && last.by === by && last.slot === slot && by !== "slot") last.end = to;
    else runs.push({ by, start: from, end: to, ...(slot !== undefined && { slot }) });
  };
  push(start, match.start, "courtesy");
  for (const piece of pieces) {
    if (piece.kind === "slot") push(piece.start, piece.end, "slot", piece.name);
    else push(piece.start, piece.end, "phrase");
  }
  if (pieces.length === 0) push(match.start, match.end, "phrase");
  push(match.end, end, "courtesy");
  const words = runs.map(({ by, slot, ...place }): ExplainedWords => {
    return { text: textBetween(request, place.start, place.end), by, ...(slot !== undefined && { slot }) };
  });
  const slots = words.flatMap(({ slot, text }) => (slot === undefined ? [] : [`${slot}: "${text}"`]));
  const { name } = rules.tool;
  const said = `rule "${rule.example}" of ${name}`;
  const phrase = rule.source.phrase;
  return {
    text: textBetween(request, start, end),
    tool: name,
    phrase,
    words,
    stepIds,
    summary: [said, ...slots].join("; "),
  };
}
