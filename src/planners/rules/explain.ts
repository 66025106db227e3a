import { AgentError } from "../../core/errors.ts";
import type { PlanStep } from "../../core/plan.ts";
import { cutText } from "../../core/text.ts";
import { commonWords } from "../../english/small-words.ts";
import { type MatchInput, textBetween } from "./match-input.ts";
import type { PhraseMatch } from "./match-phrases.ts";
import { capturesOf } from "./slot-values.ts";
import type { ToolRules } from "./tool-rules.ts";

/** What a refusal contains. @internal */
interface Refusal {
  readonly reason: string;
  /** The clauses that were not understood, from the first to the last. */
  readonly first: number;
  readonly last: number;
}

const maxExamples = 12;
const maxQuoted = 120;

/** The error for a request that is not planned: why, what was understood, and the phrases that come nearest. @internal */
export function refuse(
  { reason, first, last }: Refusal,
  input: MatchInput,
  tools: readonly ToolRules[],
): AgentError<"cannot-plan"> {
  const from = input.clauses[first]?.start ?? 0;
  const to = input.clauses[last]?.end ?? from;
  const rejected = cutText(textBetween(input, from, to), maxQuoted);
  const rest = [textBetween(input, 0, from), textBetween(input, to, input.tokens.length)];
  const texts = rest.map(trimConnectors).filter((text) => text !== "");
  const understood = cutText(texts.join(" … "), maxQuoted);
  const capabilities = nearestExamples(tools, new Set(input.words.slice(from, to)));
  const hint =
    capabilities.length > 0
      ? ` I can plan, for example: ${capabilities.slice(0, 4).join("; ")}.`
      : " No tool has phrases.";
  return new AgentError("cannot-plan", `The request cannot be planned: ${reason}.${hint}`, {
    details: { reason, capabilities, ...(understood !== "" && { understood }), ...(rejected !== "" && { rejected }) },
  });
}

/** The words of the clauses, short enough to be quoted. @internal */
export function quoteClauses(input: MatchInput, first: number, last: number): string {
  const text = textBetween(input, input.clauses[first]?.start ?? 0, input.clauses[last]?.end ?? 0);
  return `"${cutText(text, maxQuoted)}"`;
}

/** Reads only as much as may be quoted: the end is searched for from each separator on. */
function trimConnectors(text: string): string {
  return cutText(text, 2 * maxQuoted).replace(/^(?:[\s,;.!?&]|(?:and|then)\b)+|(?:[\s,;.!?&]|\b(?:and|then))+$/giu, "");
}

/** Examples of phrases that share words with what was not understood, the most first; then some of each tool. */
function nearestExamples(tools: readonly ToolRules[], words: ReadonlySet<string>): readonly string[] {
  const wanted = new Set([...words].filter((word) => !commonWords.has(word)));
  const near: { readonly example: string; readonly shared: number }[] = [];
  const first: string[] = [];
  for (const { rules } of tools) {
    for (const { example, exampleWords } of rules) {
      let shared = 0;
      for (const word of exampleWords) if (wanted.has(word)) shared++;
      if (shared > 0) near.push({ example, shared });
    }
  }
  // Of those with equally many, the shortest is best.
  near.sort((left, right) => right.shared - left.shared || left.example.length - right.example.length);
  for (let index = 0; index < maxExamples; index++) {
    for (const { rules } of tools) first.push(...rules.slice(index, index + 1).map(({ example }) => example));
  }
  const examples = new Set([
    ...near.map(({ example }) => example),
    ...first.filter((example) => !/^\{\S*\}$/.test(example)),
  ]);
  return [...examples].slice(0, maxExamples);
}

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
