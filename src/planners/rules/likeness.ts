import { mayHoldDate } from "../../dates/date-words.ts";
import { auxiliaries, isVerb, lightVerbs, questionWords, smallWords, verbsLike } from "../../english/word-classes.ts";
import { wordSet } from "../../english/word-set.ts";
import { tokenize } from "../../language/tokens.ts";
import { stem } from "../../language/word-forms.ts";
import type { ToolRules } from "./phrase-rules.ts";

// Trains two softmax classifiers on all examples, one over words and one over letters. `weights` combine their results.

export const likenessConstants = {
  weights: [2.52, 1.17, 1.01, 4.07, 2.84, -0.55, 1.62, 0.42, 0.32, -0.07, 0.2],
  /** Minimum log-odds to plan: the first value plus the second times the natural logarithm of the number of tools. */
  bar: [0.63, 0.59] as const,
  /** Minimum log-odds to ask. */
  ask: -0.23,
};

const minExamples = 3;
const maxExamples = 20;
const maxWords = 40;

const leadIns = wordSet(
  "please me us you can could would will i just tell know say show give let help wish want need like to",
);
const tellingVerbs = wordSet("check find list display read see view get look");
const lightWords = new Set([
  ...[...smallWords, ...lightVerbs, ...questionWords, ...leadIns],
  ...wordSet("he she him his her too very really much many here thing"),
]);

interface Sentence {
  readonly words: readonly string[];
  readonly stems: readonly string[];
  readonly isContent: readonly boolean[];
  readonly kinds: readonly string[];
}

function readSentence(text: string, isFrame = false): Sentence {
  const tokens = tokenize(text, maxWords).filter(({ kind }) => kind !== "sign");
  const said = tokens.map(({ kind, norm }) => (kind === "word" ? norm : "#"));
  const isContent = said.map((word) => word !== "#" && !lightWords.has(word));
  const words = said.map((word, at) => (isFrame && isContent[at] ? "_" : word));
  const kinds = tokens.map(({ kind, norm }) => (kind === "word" && mayHoldDate(norm) ? "a date" : `a ${kind}`));
  return { words, stems: words.map(stem), isContent, kinds: [...moodOf(words), ...kinds] };
}

type Parts = ReadonlyMap<string, number>;

function wordsOf({ stems, isContent }: Sentence): Parts {
  const pairs = [...stems, ""].map((word, at) => [`${stems[at - 1] ?? ""} ${word}`, 0.6] as const);
  return sumUp([...stems.map((word, at) => [word, isContent[at] ? 1 : 0.85] as const), ...pairs]);
}

function lettersOf({ words, isContent }: Sentence): Parts {
  const parts: [string, number][] = [];
  for (const [at, word] of words.entries())
    for (let end = 3; end <= word.length + 2; end++)
      for (const length of [3, 4])
        if (end >= length) parts.push([`<${word}>`.slice(end - length, end), isContent[at] ? 1 : 0.55]);
  return sumUp(parts);
}

function sumUp(parts: readonly (readonly [part: string, weight: number])[]): Parts {
  const sums = new Map<string, number>();
  for (const [part, weight] of parts) sums.set(part, (sums.get(part) ?? 0) + weight);
  return sums;
}

function moodOf(words: readonly string[]): readonly string[] {
  const asked = words.find((word) => questionWords.has(word));
  if (asked !== undefined) return [asked];
  const begins = words.find((word) => !leadIns.has(word)) ?? "";
  if ((auxiliaries.has(words[0] ?? "") && words[1] !== "you") || auxiliaries.has(begins)) return ["yes or no"];
  if (tellingVerbs.has(begins)) return ["do"];
  return isVerb(begins) || verbsLike(begins).length > 1 ? ["do", stem(begins)] : ["say"];
}

type Vector = readonly (readonly [place: number, value: number])[];

class Softmax {
  readonly #places = new Map<string, number>();
  readonly #rarity: readonly number[];
  readonly #weights: Float64Array;
  readonly #bias: Float64Array;
  readonly #examples: readonly Vector[];

  constructor(examples: readonly (readonly [Parts, tool: number])[], none: readonly Parts[], classes: number) {
    const counts = sumUp(examples.flatMap(([parts]) => [...parts.keys()].map((part) => [part, 1] as const)));
    for (const part of counts.keys()) this.#places.set(part, this.#places.size);
    this.#rarity = [...counts.values(), 0].map((count) => Math.log((examples.length + 1) / (count + 0.5)));
    this.#weights = new Float64Array(counts.size * classes);
    this.#bias = new Float64Array(classes);
    this.#examples = examples.map(([parts]) => this.vectorOf(parts));
    const noneRate = 6 / Math.max(2, classes - 1);
    const rows = [
      ...examples.map(([parts, tool]) => ({ vector: this.vectorOf(parts), tool, rate: 3 })),
      ...none.map((parts) => ({ vector: this.vectorOf(parts), tool: classes - 1, rate: noneRate })),
    ];
    for (let epoch = 0; epoch < 10; epoch++)
      for (const step of rows.keys()) {
        const row = rows[(step * 7919 + epoch) % rows.length];
        if (row !== undefined) this.#learn(row.vector, row.tool, row.rate / (1 + epoch * 0.2));
      }
  }

  #learn(vector: Vector, tool: number, rate: number): void {
    const [weights, bias] = [this.#weights, this.#bias];
    for (const [each, share] of this.sharesOf(vector).entries()) {
      const change = rate * (share - (each === tool ? 1 : 0));
      if (Math.abs(change) < 0.003) continue;
      bias[each] = (bias[each] ?? 0) - 0.02 * change;
      for (const [place, value] of vector) {
        const at = place * bias.length + each;
        weights[at] = (weights[at] ?? 0) - change * value;
      }
    }
  }

  vectorOf(parts: Parts): Vector {
    const vector = [...parts].map(([part, weight]) => {
      const place = this.#places.get(part) ?? this.#places.size;
      return [place, weight * Math.max(0.05, this.#rarity[place] ?? 0)] as const;
    });
    const length = Math.hypot(...vector.map(([, value]) => value)) || 1;
    return vector.flatMap(([place, value]) => (place < this.#places.size ? [[place, value / length] as const] : []));
  }

  sharesOf(vector: Vector): Float64Array {
    const sums = Float64Array.from(this.#bias);
    for (const [place, value] of vector)
      for (let each = 0, at = place * sums.length; each < sums.length; each++, at++)
        sums[each] = (sums[each] ?? 0) + (this.#weights[at] ?? 0) * value;
    const highest = Math.max(...sums);
    const powers = sums.map((sum) => Math.exp(sum - highest));
    const total = powers.reduce((sum, power) => sum + power, 0);
    return powers.map((power) => power / total);
  }

  nearness(vector: Vector): number[] {
    const said = new Map(vector);
    return this.#examples.map((example) => example.reduce((sum, [at, value]) => sum + value * (said.get(at) ?? 0), 0));
  }
}

export class Likeness {
  readonly #tools: readonly { readonly texts: readonly string[]; readonly counts: Parts }[];
  readonly #words: Softmax;
  readonly #letters: Softmax;

  constructor(tools: readonly (readonly string[])[]) {
    const read = tools.map((texts) => texts.map((each) => readSentence(each)));
    this.#tools = read.map((examples, tool) => {
      const counted = examples.flatMap(({ stems, kinds }) => [...new Set([...stems, ...kinds])]);
      return { texts: tools[tool] ?? [], counts: sumUp(counted.map((each) => [each, 1])) };
    });
    const all = read.flatMap((examples, tool) => examples.map((example) => [example, tool] as const));
    const none = tools.flat().map((each) => readSentence(each, true));
    const softmaxOf = (split: (sentence: Sentence) => Parts) => {
      const rows = all.map(([example, tool]) => [split(example), tool] as const);
      return new Softmax(rows, none.map(split), tools.length + 1);
    };
    this.#words = softmaxOf(wordsOf);
    this.#letters = softmaxOf(lettersOf);
  }

  compare(text: string) {
    const sentence = readSentence(text);
    const vector = this.#words.vectorOf(wordsOf(sentence));
    const words = this.#words.sharesOf(vector);
    const letters = this.#letters.sharesOf(this.#letters.vectorOf(lettersOf(sentence)));
    const nearness = this.#words.nearness(vector);
    const content = [...new Set(sentence.stems.filter((_, at) => sentence.isContent[at]))];
    const [mood = "", ...kinds] = sentence.kinds;
    return this.#tools.map(({ texts, counts }, at) => {
      const near = nearness.splice(0, texts.length);
      const nearest = Math.max(...near);
      const cores = content.map((word) => {
        const shares = this.#tools.map((each) => (each.counts.get(word) ?? 0) / each.texts.length);
        return (shares[at] ?? 0) ** 2 / (shares.reduce((sum, share) => sum + share, 0) || 1);
      });
      const marks = [
        ...[1, Math.log((words[at] ?? 0) + 1e-3), Math.log((letters[at] ?? 0) + 1e-3)],
        ...[nearest, near.reduce((sum, each) => sum + each, 0) / near.length],
        ...[Math.min(4, content.filter((word) => !counts.has(word)).length), Math.max(0, ...cores)],
        ...[Math.log(((counts.get(mood) ?? 0) + 0.3) / (texts.length + 1.5)), Math.log(1 + sentence.words.length)],
        ...[Math.log(texts.length), Math.log(this.#tools.length)],
      ];
      const hasKinds = kinds.every((kind) => kind === "a word" || counts.has(kind));
      return { marks, example: texts[near.indexOf(nearest)] ?? "", hasKinds };
    });
  }
}

export function weigh(compared: readonly { readonly marks: readonly number[] }[], weights: readonly number[]) {
  const scores = compared.map(({ marks }) => marks.reduce((sum, mark, at) => sum + mark * (weights[at] ?? 0), 0));
  const best = scores.indexOf(Math.max(...scores));
  const rest = scores.reduce((sum, score, at) => sum + (at === best ? 0 : Math.exp(score)), 1);
  return { best, logOdds: (scores[best] ?? 0) - Math.log(rest) };
}

const made = new WeakMap<ToolRules, { readonly known: readonly ToolRules[]; readonly likeness: Likeness }>();

export function findLike(rules: readonly ToolRules[], text: string) {
  const known = rules.filter((each) => examplesOf(each).length >= minExamples);
  const [first] = known;
  if (first === undefined) return undefined;
  let last = made.get(first);
  if (last?.known.length !== known.length || known.some((each, at) => each !== last?.known[at])) {
    last = { known, likeness: new Likeness(known.map(examplesOf)) };
    made.set(first, last);
  }
  const compared = last.likeness.compare(text);
  const { weights, bar, ask } = likenessConstants;
  const { best, logOdds } = weigh(compared, weights);
  const { example = "", hasKinds = false } = compared[best] ?? {};
  if (!hasKinds || logOdds < ask) return undefined;
  return { tool: known[best]?.tool.name, example, isSure: logOdds >= bar[0] + bar[1] * Math.log(known.length) };
}

function examplesOf({ tool, schemas, rules }: ToolRules): readonly string[] {
  const isPlain = tool.declaredEffect === "pure" && tool.declaredNeedsApproval === false;
  const takesNothing = schemas.input.type === "object" && Object.keys(schemas.input.properties ?? {}).length === 0;
  const texts = rules.map(({ source }) => source.phrase).filter((phrase) => !/[()[\]{}|]/.test(phrase));
  return isPlain && takesNothing && texts.length === rules.length ? [...new Set(texts)].slice(0, maxExamples) : [];
}
