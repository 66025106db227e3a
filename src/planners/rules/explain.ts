import type { PlanStep } from "../../core/plan.ts";
import { type MatchInput, textBetween } from "./match-input.ts";
import type { PhraseMatch } from "./match-phrases.ts";
import { capturesOf } from "./slot-values.ts";

/** Some words of a request, and what matched them. @inline */
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

/** A plan, and how each part of the request led to it. @group Planners */
export interface RequestExplanation {
  readonly steps: readonly PlanStep[];
  readonly parts: readonly ExplainedPart[];
}

/** Reports which phrase of which tool matched which words. @internal */
export function explainMatch(match: PhraseMatch, input: MatchInput, stepIds: readonly string[]): ExplainedPart {
  const { rules, phraseIndex, firstClause, lastClause, reading } = match;
  const rule = rules.rules[phraseIndex];
  const start = input.clauses[firstClause]?.start ?? match.start;
  const end = input.clauses[lastClause]?.end ?? match.end;
  const words: ExplainedWords[] = [];
  const push = (from: number, to: number, entry: Omit<ExplainedWords, "text">) => {
    if (to > from) words.push({ text: textBetween(input, from, to), ...entry });
  };
  push(start, match.start, { by: "courtesy" });
  let at = match.start;
  const slots: string[] = [];
  for (const [name, capture] of capturesOf(match)) {
    push(at, capture.start, { by: "phrase" });
    push(capture.start, capture.end, { by: "slot", slot: name });
    slots.push(`${name}: "${textBetween(input, capture.start, capture.end)}"`);
    at = capture.end;
  }
  push(at, match.end, { by: "phrase" });
  push(match.end, end, { by: "courtesy" });
  const example = rule?.example ?? "";
  const tool = rules.tool.name;
  const rounded = Math.round(100 * (reading?.probability ?? 0));
  const named =
    reading === undefined
      ? `rule "${example}" of ${tool}`
      : `${tool} understands "${reading.meaning}", ${rounded} % sure`;
  const summary = [named, ...slots].join("; ");
  return { text: textBetween(input, start, end), tool, phrase: rule?.source.phrase ?? "", words, stepIds, summary };
}
