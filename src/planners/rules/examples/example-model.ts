import { classifyByExamples, type ExampleWeights } from "../../../language/example-classifier.ts";
import { buildExampleIndex, type ExampleIndex } from "../../../language/example-index.ts";
import type { Token } from "../../../language/tokens.ts";
import { wordForms } from "../../../language/word-forms.ts";
import { slotStem, stemsOf, unpackVectors, type WordVectors } from "../../../language/word-vectors.ts";
import type { ToolRules } from "../tool-rules.ts";
import type { ExampleSentence } from "./example-sentence.ts";
import type { FrameSlot, SlotFrame } from "./find-slots.ts";

/** Examples of a tool that mean the same: they share all of the input that their words do not say. */
export interface ExampleMeaning {
  readonly rules: ToolRules;
  readonly examples: readonly MeaningExample[];
  readonly frame: SlotFrame;
  readonly words: ReadonlySet<string>;
}

/** One example. */
export interface MeaningExample {
  readonly phraseIndex: number;
  readonly text: string;
  readonly stems: readonly string[];
  /** Which of the frame's slots it has, as bits. */
  readonly slots: number;
}

/** What some tools give as examples, ready to be compared with requests. */
export interface ExampleModel {
  readonly meanings: readonly ExampleMeaning[];
  readonly vectors: WordVectors;
  /** How probable each meaning is; see {@link classifyByExamples}. */
  classify(stems: readonly string[], replaced?: ReadonlyMap<number, readonly string[]>): Float64Array;
}

/** More slots in one meaning are not looked for. */
const maxSlots = 5;

let unpacked: { readonly from: ExampleWeights; readonly vectors: WordVectors } | undefined;

/** Learns what the examples of some tools mean; undefined if they have none. Linear in the examples. */
export function learnExamples(tools: readonly ToolRules[], learned: ExampleWeights): ExampleModel | undefined {
  const meanings = tools.flatMap(meaningsOf);
  if (meanings.length === 0) return undefined;
  if (unpacked?.from !== learned) unpacked = { from: learned, vectors: unpackVectors(learned.vectors) };
  const { vectors } = unpacked;
  const index: ExampleIndex = buildExampleIndex(
    vectors,
    meanings.map(({ examples }) => examples.map(({ stems }) => stems)),
  );
  return {
    meanings,
    vectors,
    classify: (stems, replaced) => classifyByExamples(index, learned.weights, stems, replaced),
  };
}

/** The stems of tokens, one for each; of a sign the sign. */
export function stemsOfTokens(tokens: readonly Token[]): readonly string[] {
  return stemsOf(wordForms(tokens));
}

/** The stems that are compared, with one for the words of each slot. */
export function comparedStems(
  stems: readonly string[],
  slots: readonly { readonly start: number; readonly end: number }[] = [],
): readonly string[] {
  const kept: string[] = [];
  for (const [at, word] of stems.entries()) {
    const slot = slots.find(({ start, end }) => at >= start && at < end);
    if (slot === undefined) {
      if (/[\p{L}‹]/u.test(word)) kept.push(word);
    } else if (at === slot.start) kept.push(slotStem);
  }
  return kept;
}

function meaningsOf(rules: ToolRules): readonly ExampleMeaning[] {
  const groups = new Map<string, { phraseIndex: number; sentence: ExampleSentence }[]>();
  for (const [phraseIndex, { sentence }] of rules.rules.entries()) {
    if (sentence === undefined) continue;
    const group = groups.get(sentence.meaning);
    if (group === undefined) groups.set(sentence.meaning, [{ phraseIndex, sentence }]);
    else group.push({ phraseIndex, sentence });
  }
  return [...groups.values()].map((group) => toMeaning(rules, group));
}

function toMeaning(
  rules: ToolRules,
  group: readonly { phraseIndex: number; sentence: ExampleSentence }[],
): ExampleMeaning {
  const slots = new Map<string, FrameSlot & { before: Set<string>; after: Set<string>; readonly at: number }>();
  const words = new Set<string>();
  const examples = group.map(({ phraseIndex, sentence }): MeaningExample => {
    const stems = stemsOfTokens(sentence.tokens);
    let mask = 0;
    for (const { name, start, end } of sentence.slots) {
      const type = rules.rules[phraseIndex]?.slots.get(name);
      if (type === undefined || (!slots.has(name) && slots.size === maxSlots)) continue;
      const slot = slots.get(name) ?? {
        name,
        type,
        before: new Set<string>(),
        after: new Set<string>(),
        at: slots.size,
      };
      slots.set(name, slot);
      slot.before.add(stems[start - 1] ?? "^");
      slot.after.add(stems[end] ?? "$");
      mask |= 1 << slot.at;
    }
    const compared = comparedStems(stems, sentence.slots);
    for (const word of compared) words.add(word);
    return { phraseIndex, text: rules.rules[phraseIndex]?.source.phrase ?? "", stems: compared, slots: mask };
  });
  const sets = new Set(examples.map((example) => example.slots));
  return { rules, examples, words, frame: { slots: [...slots.values()], words, sets } };
}
