import type { ClauseDate, ClauseReader } from "../../core/clause-reader.ts";
import { cutText } from "../../core/text.ts";
import type { PhraseContext } from "../../core/tool.ts";
import { readAnaphor } from "../../english/references.ts";
import { smallWords } from "../../english/small-words.ts";
import { wordForms } from "../../language/word-forms.ts";
import type { ExampleModel } from "./examples/example-model.ts";
import { readByExamples } from "./examples/read-by-examples.ts";
import type { MatchInput } from "./match-input.ts";
import type { PhraseMatch } from "./match-phrases.ts";
import type { ToolRules } from "./tool-rules.ts";

/** What reads requests that no phrase fits. */
export interface ClauseReaders {
  /** Those of tools that are trained. */
  readonly trained: ReadonlyMap<ToolRules, ClauseReader>;
  /** What the examples of the other tools say. */
  readonly examples: ExampleModel | undefined;
}

/** Before any is loaded. */
export const noReaders: ClauseReaders = { trained: new Map(), examples: undefined };

/** What is less sure than this is not planned. */
const minProbability = 0.7;
/** More than most phrases cost, as phrases are the precise way. */
const readingCost = 500;
/** How many clauses one wish may have, and how many words: a reader is not given more. */
const maxJoined = 4;
const maxWords = 64;
/** Steps of work for each word that a reader reads: some 10 µs. */
const wordCost = 200;

/** Two readings are close together if each is at least this sure, and one of them is meant as surely as a plan needs. */
const minRival = 0.3;

/** How readers understand the request from a clause on, up to the end of each of the next ones. */
export function readFrom(
  firstClause: number,
  input: MatchInput,
  { readers, laterMatch }: { readers: ClauseReaders; laterMatch: (clause: number) => PhraseMatch | undefined },
): readonly PhraseMatch[] {
  const matches: PhraseMatch[] = [];
  for (let lastClause = firstClause; lastClause < firstClause + maxJoined; lastClause++) {
    const found = readTo(lastClause, { firstClause, input, readers });
    if (found === undefined) break;
    for (const [best, second] of found) {
      if (best === undefined || surenessOf(best) < minProbability || isSeveral(best, laterMatch)) continue;
      if (dropsEnd(best, input, readers)) continue;
      matches.push({ ...best, ...(second && { next: nameOf(second) }) });
    }
    if (input.clauses[lastClause]?.endsHard !== false) break;
  }
  return matches;
}

/** An example is one wish: what is understood from a later clause on is another, unless it says the same again. */
function isSeveral(match: PhraseMatch, laterMatch: (clause: number) => PhraseMatch | undefined): boolean {
  const { firstClause, lastClause, likeness, rules } = match;
  const later = lastClause === firstClause || likeness === undefined ? undefined : laterMatch(lastClause);
  return later !== undefined && (later.rules !== rules || later.captures !== undefined);
}

const anyContext: PhraseContext = {
  previous: { $ref: "earlier" },
  before: undefined,
  nowMs: 0,
  timeZone: "UTC",
};

/** Whether some words do something to what was said before: "bin it", not "that would be great" or "thanks for that". */
function actsOnEarlier(words: readonly string[], start: number, end: number): boolean {
  for (let at = start + 1; at < end; at++)
    if (readAnaphor(words, at) !== undefined && !smallWords.has(words[at - 1] ?? "")) return true;
  return false;
}

/** Whether a reading means no more than it would without its last clauses, which ask for something: that would be lost. */
function dropsEnd({ rules, firstClause, lastClause, reading }: PhraseMatch, input: MatchInput, readers: ClauseReaders) {
  if (reading === undefined) return false;
  const meant = JSON.stringify(reading.toInputs(anyContext));
  const end = input.clauses[lastClause]?.end ?? 0;
  for (let last = firstClause; last < lastClause; last++) {
    const start = input.clauses[last + 1]?.start ?? end;
    if (!actsOnEarlier(input.words, start, end)) continue;
    const found = readTo(last, { firstClause, input, readers }) ?? [];
    const isSame = ({ reading: own }: PhraseMatch) =>
      own !== undefined &&
      own.probability >= minProbability &&
      own.meaning === reading.meaning &&
      JSON.stringify(own.toInputs(anyContext)) === meant;
    if (found.some(([best]) => best !== undefined && best.rules === rules && isSame(best))) return true;
  }
  return false;
}

/** The two readings of a clause, of one tool or of two, that are close together: either may be meant, and nothing else. */
export function rivalsFrom(clause: number, input: MatchInput, readers: ClauseReaders): readonly PhraseMatch[] {
  const found = readTo(clause, { firstClause: clause, input, readers }) ?? [];
  const close = found.flat().filter((match) => surenessOf(match) >= minRival);
  const [best, second] = close.sort((left, right) => surenessOf(right) - surenessOf(left));
  if (best === undefined || second === undefined || surenessOf(best) >= minProbability) return [];
  return surenessOf(best) + surenessOf(second) < minProbability ? [] : [best, second];
}

function surenessOf({ reading, likeness }: PhraseMatch): number {
  return reading?.probability ?? likeness?.probability ?? 0;
}

interface ReadScope {
  readonly firstClause: number;
  readonly input: MatchInput;
  readonly readers: ClauseReaders;
}

function nameOf(match: PhraseMatch) {
  const { rules, phraseIndex, reading } = match;
  const meaning = reading?.meaning ?? rules.rules[phraseIndex]?.source.phrase ?? "";
  return { tool: rules.tool.name, meaning, probability: surenessOf(match) };
}

/** Why a clause that is like an example does not mean the same; undefined if it is like none. */
export function leftOver(clause: number, input: MatchInput, { examples }: ClauseReaders): string | undefined {
  const { start = 0, end = 0 } = input.clauses[clause] ?? {};
  if (examples === undefined || end - start > maxWords) return undefined;
  const [found] = readByExamples(examples, input, { start, end });
  if (found?.left === undefined || found.likeness.probability < minProbability) return undefined;
  const example = found.rules.rules[found.phraseIndex]?.source.phrase ?? "";
  return `it is like "${cutText(example, 60)}" of ${found.rules.tool.name}, but nothing fits "${cutText(found.left, 60)}"`;
}

type Read = readonly (readonly PhraseMatch[])[] | undefined;

/** What was read of a request: the same clauses are asked for again where a refusal is explained. */
const known = new WeakMap<MatchInput, Map<string, Read>>();

function readTo(lastClause: number, scope: ReadScope): Read {
  const { input, firstClause } = scope;
  const read = known.get(input) ?? new Map<string, Read>();
  known.set(input, read);
  const place = `${firstClause} ${lastClause}`;
  if (!read.has(place)) read.set(place, readClauses(lastClause, scope));
  return read.get(place);
}

/** How each reader understands some clauses as one wish, the best first; undefined if they are too long for that. */
function readClauses(lastClause: number, { firstClause, input, readers }: ReadScope): Read {
  const start = input.clauses[firstClause]?.start ?? 0;
  const last = input.clauses[lastClause];
  if (last === undefined || last.end - start > maxWords) return undefined;
  const tokens = input.tokens.slice(start, last.end);
  // A word alone says too little: "list", "tasks".
  if (tokens.length < 2) return [];
  const span = { firstClause, lastClause, start, end: last.end };
  const clause = { text: input.text, tokens, forms: wordForms(tokens), dates: datesIn(input, start, last.end) };
  const trained = [...readers.trained].map(([rules, reader]) => {
    input.work.spend(tokens.length * wordCost);
    return reader.read(clause).map((reading): PhraseMatch => {
      return { ...span, rules, phraseIndex: -1, cost: costOf(reading.probability), captures: undefined, reading };
    });
  });
  return [...trained, readExamples(span, input, readers.examples)];
}

/** How the examples of tools understand some clauses, the best first. */
function readExamples(
  span: { readonly firstClause: number; readonly lastClause: number; readonly start: number; readonly end: number },
  input: MatchInput,
  model: ExampleModel | undefined,
): readonly PhraseMatch[] {
  if (model === undefined) return [];
  input.work.spend((span.end - span.start) * wordCost);
  return readByExamples(model, input, span)
    .filter(({ left }) => left === undefined)
    .map(({ rules, phraseIndex, captures, likeness }) => {
      return { ...span, rules, phraseIndex, captures, cost: costOf(likeness.probability), likeness };
    });
}

function costOf(probability: number): number {
  return readingCost - Math.round(500 * Math.log(probability));
}

/** The dates of some tokens; places count from the first of them. */
function datesIn({ dates }: MatchInput, first: number, end: number): readonly ClauseDate[] {
  const inside = dates.filter((date) => date.leadStart >= first && date.end <= end);
  return inside.map((date) => {
    return { ...date, start: date.start - first, end: date.end - first, leadStart: date.leadStart - first };
  });
}
