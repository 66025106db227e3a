import type { PlanStep } from "../../core/plan.ts";
import { type MatchInput, textBetween } from "./match-input.ts";
import type { PhraseMatch } from "./match-phrases.ts";
import { capturesOf } from "./slot-values.ts";

/** Some words of a request, and what matched them. @inline */
interface ExplainedWords {
  readonly text: string;
  /**
   * `phrase`: words of the phrase itself, or that an example of the same meaning has; `slot`: the slot named `slot`; `courtesy`:
   * left out, such as "please"; `other`: words that no example has.
   */
  readonly by: "phrase" | "slot" | "courtesy" | "other";
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
  const { rules, phraseIndex, firstClause, lastClause } = match;
  const start = input.clauses[firstClause]?.start ?? match.start;
  const end = input.clauses[lastClause]?.end ?? match.end;
  const words: ExplainedWords[] = [];
  const push = (from: number, to: number, entry: Omit<ExplainedWords, "text">) => {
    if (to > from) words.push({ text: textBetween(input, from, to), ...entry });
  };
  const pushPhrase = (from: number, to: number) => {
    for (const run of runsOf(match, from, to)) push(run.start, run.end, { by: run.by });
  };
  push(start, match.start, { by: "courtesy" });
  let at = match.start;
  const slots: string[] = [];
  for (const [name, capture] of capturesOf(match)) {
    pushPhrase(at, capture.start);
    push(capture.start, capture.end, { by: "slot", slot: name });
    slots.push(`${name}: "${textBetween(input, capture.start, capture.end)}"`);
    at = capture.end;
  }
  pushPhrase(at, match.end);
  push(match.end, end, { by: "courtesy" });
  const said = words.filter(({ by }) => by === "phrase").map(({ text }) => text);
  const summary = [describeMatch(match, said), ...slots, ...nextBest(match)].join("; ");
  const phrase = rules.rules[phraseIndex]?.source.phrase ?? "";
  return { text: textBetween(input, start, end), tool: rules.tool.name, phrase, words, stepIds, summary };
}

interface Run {
  readonly start: number;
  readonly end: number;
  readonly by: "phrase" | "other";
}

/** The words outside of slots, by whether examples have them: of a phrase that fits, all belong to it. */
function runsOf({ likeness }: PhraseMatch, from: number, to: number): readonly Run[] {
  if (likeness === undefined) return [{ start: from, end: to, by: "phrase" }];
  const runs: Run[] = [];
  for (let at = from; at < to; at++) {
    const by = likeness.known.has(at) ? "phrase" : "other";
    const last = runs.at(-1);
    if (last?.by === by) runs[runs.length - 1] = { ...last, end: at + 1 };
    else runs.push({ start: at, end: at + 1, by });
  }
  return runs;
}

const percent = (probability: number) => `${Math.round(100 * probability)} %`;

function describeMatch({ rules, phraseIndex, reading, likeness }: PhraseMatch, said: readonly string[]): string {
  const { name } = rules.tool;
  if (reading !== undefined) return `${name} understands "${reading.meaning}", ${percent(reading.probability)} sure`;
  const rule = rules.rules[phraseIndex];
  if (likeness === undefined) return `rule "${rule?.example ?? ""}" of ${name}`;
  const words = said.map((text) => `"${text}"`).join(", ");
  return `like "${rule?.source.phrase}" of ${name} by ${words}, ${percent(likeness.probability)} sure`;
}

function nextBest({ next }: PhraseMatch): readonly string[] {
  if (next === undefined) return [];
  return [`next best: "${next.meaning}" of ${next.tool}, ${percent(next.probability)}`];
}
