import type { AgentErrorDetails, ExplainedWords } from "../../core/errors.ts";
import type { PlanStep } from "../../core/plan.ts";
import type { Piece } from "./match.ts";
import { type RequestText, textBetween } from "./request.ts";
import type { Match } from "./slot-values.ts";

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

/** A plan, and how each part of the request led to it; or why there is none, and the parts that were understood. @group Planners */
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
  const slots = pieces.flatMap((piece) =>
    piece.name === undefined ? [] : [`${piece.name}: "${textBetween(request, piece.start, piece.end)}"`],
  );
  const { name } = rules.tool;
  return {
    text: textBetween(request, start, end),
    tool: name,
    phrase: rule.source.phrase,
    words: explainWords(request, { start, end, matches: [match], left: [] }),
    stepIds,
    summary: [`rule "${rule.example}" of ${name}`, ...slots].join("; "),
  };
}

/**
 * The words between two tokens with what the matches explain; others are left out, such as courtesies, or, in the places of
 * `left`, not understood. @internal
 */
export function explainWords(
  request: RequestText,
  {
    start,
    end,
    matches,
    left,
  }: {
    readonly start: number;
    readonly end: number;
    readonly matches: readonly Match[];
    readonly left: readonly Pick<Match, "start" | "end">[];
  },
): readonly ExplainedWords[] {
  const byToken: (Piece | "phrase" | "left" | "courtesy")[] = request.tokens.map(() => "courtesy");
  for (const place of left) byToken.fill("left", place.start, place.end);
  for (const match of matches) {
    byToken.fill("phrase", match.start, match.end);
    for (const piece of match.pieces) if (piece.kind === "slot") byToken.fill(piece, piece.start, piece.end);
  }
  const words: ExplainedWords[] = [];
  for (let at = start; at < end; ) {
    const by = byToken[at] ?? "left";
    const from = at;
    while (at < end && (byToken[at] ?? "left") === by) at++;
    const text = textBetween(request, from, at);
    words.push(typeof by === "string" ? { text, by } : { text, by: "slot", ...(by.name && { slot: by.name }) });
  }
  return words;
}
