import { mayHoldDate } from "../../../dates/date-words.ts";
import { courtesyWords } from "../../../english/courtesies.ts";
import { mentionsResult, readAnaphor } from "../../../english/references.ts";
import { smallWords } from "../../../english/small-words.ts";
import { rarityOf } from "../../../language/word-vectors.ts";
import { isFiller } from "../courtesy.ts";
import { type MatchInput, textBetween } from "../match-input.ts";
import type { Likeness } from "../match-phrases.ts";
import type { Capture } from "../phrase-run.ts";
import type { ToolRules } from "../tool-rules.ts";
import {
  comparedStems,
  type ExampleMeaning,
  type ExampleModel,
  type MeaningExample,
  stemsOfTokens,
} from "./example-model.ts";
import { type FilledSlot, findSlots } from "./find-slots.ts";

/** How some words are understood by the examples of a tool. */
export interface ExampleReading {
  readonly rules: ToolRules;
  /** The phrase whose input it takes: the nearest example with the same slots. */
  readonly phraseIndex: number;
  readonly captures: Capture | undefined;
  readonly likeness: Likeness;
  /** Words that fit nowhere, though they may say what is wanted: then it is not planned. */
  readonly left: string | undefined;
}

/** A word as rare as this says what a sentence is about. */
const frameRarity = 3.5;
/** What is less sure is not even a next best reading. */
const minShare = 0.02;
/** How many meanings are looked at more closely. */
const maxLookedAt = 4;
/** A request that is as sure as this by itself is a wish of its own. */
const ownWish = 0.5;

/** How the examples of tools understand the words from one to before another, the surest first. */
export function readByExamples(
  model: ExampleModel,
  input: MatchInput,
  { start, end }: { start: number; end: number },
): readonly ExampleReading[] {
  const stems = stemsOfTokens(input.tokens);
  return classifyWords(model, input, { stems, start, end }).flatMap((found) => {
    const { meaning, filled, probability } = found;
    const example = nearestExample(meaning, filled, comparedStems(stems.slice(start, end), shifted(filled, start)));
    if (example === undefined) return [];
    if (example.slots !== 0 && !hasFrame(model, found, example, { stems, start, end })) return [];
    const left =
      unaccounted(model, input, { meaning, filled, stems, start, end }) ??
      otherWish(model, input, { meaning, filled, stems, start, end }) ??
      (needsSameWords(meaning.rules) ? notSaid(example, stems.slice(start, end)) : undefined);
    const { rules } = meaning;
    const known = new Set<number>();
    for (let at = start; at < end; at++) if (meaning.words.has(stems[at] ?? "")) known.add(at);
    const likeness = { probability, known };
    return [{ rules, phraseIndex: example.phraseIndex, captures: capturesOf(found, example), likeness, left }];
  });
}

/**
 * Whether the words around the slots are those of the examples: one that says something, and all that the examples with these
 * slots share. Without them anything would be a value: "play some jazz" is not a city.
 */
function hasFrame(
  { vectors }: ExampleModel,
  { meaning, filled }: Classified,
  example: MeaningExample,
  { stems, start, end }: Span,
): boolean {
  const isInside = (at: number) => filled.some((slot) => at >= slot.start && at < slot.end);
  const outside = new Set(stems.filter((_, at) => at >= start && at < end && !isInside(at)));
  const saysSomething = (word: string) => /^\p{L}/u.test(word) && rarityOf(vectors, word) >= frameRarity;
  const alike = meaning.examples.filter(({ slots }) => slots === example.slots).map((each) => new Set(each.stems));
  const shared = example.stems.filter((word) => saysSomething(word) && alike.every((words) => words.has(word)));
  return (
    shared.every((word) => outside.has(word)) &&
    [...outside].some((word) => meaning.words.has(word) && saysSomething(word))
  );
}

interface Span {
  readonly stems: readonly string[];
  readonly start: number;
  readonly end: number;
}

interface Classified {
  readonly meaning: ExampleMeaning;
  readonly filled: readonly FilledSlot[];
  readonly probability: number;
}

function shifted(filled: readonly FilledSlot[], start: number) {
  return filled.map((slot) => ({ start: slot.start - start, end: slot.end - start }));
}

/** Which meanings the words may have, the surest first, and which of the words fill their slots. */
function classifyWords(model: ExampleModel, input: MatchInput, { stems, start, end }: Span): readonly Classified[] {
  const own = stems.slice(start, end);
  const plain = comparedStems(own);
  if (plain.length === 0) return [];
  const first = model.classify(plain);
  const ranked = [...first.keys()]
    .sort((left, right) => (first[right] ?? 0) - (first[left] ?? 0))
    .slice(0, maxLookedAt);
  const filled = new Map<number, readonly FilledSlot[]>();
  const replaced = new Map<number, readonly string[]>();
  for (const at of ranked) {
    const meaning = model.meanings[at];
    if (meaning === undefined || meaning.frame.slots.length === 0) continue;
    const found = findSlots(meaning.frame, {
      input,
      stems,
      start,
      end,
      costOutside: (position) => costOutside(model, input, { meaning, stems, position }),
    });
    filled.set(at, found ?? []);
    if (found !== undefined) replaced.set(at, comparedStems(own, shifted(found, start)));
  }
  const shares = replaced.size === 0 ? first : model.classify(plain, replaced);
  return ranked
    .flatMap((at) => {
      const meaning = model.meanings[at];
      const probability = shares[at] ?? 0;
      return meaning === undefined || probability < minShare
        ? []
        : [{ meaning, filled: filled.get(at) ?? [], probability }];
    })
    .sort((left, right) => right.probability - left.probability);
}

const smallCost = 0.3;
const valueCost = 5;

/** How badly a word fits outside of the slots. */
function costOutside(
  { vectors }: ExampleModel,
  { tokens, words }: MatchInput,
  { meaning, stems, position }: { meaning: ExampleMeaning; stems: readonly string[]; position: number },
): number {
  const word = words[position] ?? "";
  const kind = tokens[position]?.kind;
  if (meaning.words.has(stems[position] ?? "") || isFiller(word)) return 0;
  if (kind === "number" || kind === "quote") return valueCost;
  if (smallWords.has(word) || courtesyWords.has(word)) return smallCost;
  return Math.max(1, rarityOf(vectors, stems[position] ?? "") / 3);
}

/** The example with the same slots that shares most words. */
function nearestExample(
  { examples }: ExampleMeaning,
  filled: readonly FilledSlot[],
  stems: readonly string[],
): MeaningExample | undefined {
  const mask = filled.reduce((bits, { slot }) => bits | (1 << slot), 0);
  const said = new Set(stems);
  let best: MeaningExample | undefined;
  let most = -1;
  for (const example of examples) {
    if (example.slots !== mask) continue;
    const shared = example.stems.filter((word) => said.has(word)).length / Math.sqrt(example.stems.length);
    if (shared > most) [best, most] = [example, shared];
  }
  return best;
}

function capturesOf({ meaning, filled }: Classified, { phraseIndex }: MeaningExample): Capture | undefined {
  const names = meaning.rules.rules[phraseIndex]?.program().slots.map(({ name }) => name) ?? [];
  let captures: Capture | undefined;
  for (const { slot, start, end, value } of filled) {
    const name = meaning.frame.slots[slot]?.name ?? "";
    captures = { slot: names.indexOf(name), start, end, value, before: captures };
  }
  return captures;
}

const denials = new Set("not never no without except cannot nothing none neither nor unless".split(" "));
/** A word as rare as this may be what is wanted. */
const contentRarity = 4.5;

/** The first word that no slot takes and no example has, if it may be a value, a denial, or a result. */
function unaccounted(
  { vectors }: ExampleModel,
  input: MatchInput,
  { meaning, filled, stems, start, end }: Span & { meaning: ExampleMeaning; filled: readonly FilledSlot[] },
): string | undefined {
  const { tokens, words, text } = input;
  const takesText = meaning.frame.slots.some(({ type }) => type.kind === "text");
  const isName = (at: number) => at > start && /^\p{Lu}\p{Ll}/u.test(text.slice(tokens[at]?.start, tokens[at]?.end));
  for (let at = start; at < end; at++) {
    if (filled.some((slot) => at >= slot.start && at < slot.end)) continue;
    const word = words[at] ?? "";
    const own = stems[at] ?? "";
    if (meaning.words.has(own) || isFiller(word)) continue;
    const kind = tokens[at]?.kind;
    const isDate = input.dates.some((date) => at >= date.start && at < date.end) || mayHoldDate(word);
    const isValue = isDate || kind === "number" || kind === "quote" || own.startsWith("‹") || isName(at);
    const refers = (readAnaphor(words, at) ?? 0) > at + 1 || (start > 0 && mentionsResult(words, at, at + 1));
    const isContent = takesText && !smallWords.has(word) && rarityOf(vectors, own) >= contentRarity;
    if (isValue || denials.has(word) || refers || isContent) return textBetween(input, at, at + 1);
  }
  return undefined;
}

/** What follows "and", if it is a wish by itself, or says nothing that the examples know. */
function otherWish(
  model: ExampleModel,
  input: MatchInput,
  { meaning, filled, stems, start, end }: Span & { meaning: ExampleMeaning; filled: readonly FilledSlot[] },
): string | undefined {
  const isKnown = (at: number) =>
    filled.some((slot) => at >= slot.start && at < slot.end) ||
    (meaning.words.has(stems[at] ?? "") && !smallWords.has(input.words[at] ?? ""));
  for (const clause of input.clauses) {
    if (clause.start <= start || clause.start >= end) continue;
    const { start: from } = clause;
    const says = Array.from({ length: Math.min(clause.end, end) - from }, (_, at) => from + at).some(isKnown);
    const [found] = classifyWords(model, input, { stems, start: from, end });
    const isOwn = found !== undefined && found.probability >= ownWish;
    // Saying the same once more makes one wish, unless it is about something else.
    const isAgain = isOwn && found.meaning === meaning && found.filled.length === 0;
    if (!says || (isOwn && !isAgain)) return textBetween(input, from, end);
  }
  return undefined;
}

/** What cannot be undone, or somebody must approve, has to be said with the words of an example. */
function needsSameWords({ tool }: ToolRules): boolean {
  return tool.declaredEffect === "once" || tool.declaredEffect === "by-input" || tool.declaredNeedsApproval !== false;
}

function notSaid(example: MeaningExample, stems: readonly string[]): string | undefined {
  const said = new Set(stems);
  return example.stems.find((word) => /^\p{L}/u.test(word) && !smallWords.has(word) && !said.has(word));
}
