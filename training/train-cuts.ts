import { featureCount } from "../src/language/sentence-features.ts";
import { tokenFeatures } from "../src/language/token-features.ts";
import { type Token, tokenize } from "../src/language/tokens.ts";
import { wordForms } from "../src/language/word-forms.ts";
import { wishStart } from "../src/planners/rules/clauses.ts";
import type { CutWeights } from "../src/planners/rules/learned-cuts.ts";
import { packWeights } from "./pack.ts";
import { createRandom, shuffle } from "./random.ts";
import type { MarkedSentence } from "./read-sentences.ts";
import type { DevelopmentRow, LabelledSentence } from "./read-shared.ts";
import { trainClassifier } from "./train-classifier.ts";

/** A request, and at which of its words wishes begin. */
export interface CutExample {
  readonly tokens: readonly Token[];
  readonly starts: ReadonlySet<number>;
}

/** What is learned from. */
export interface CutSources {
  readonly sentences: readonly MarkedSentence[];
  readonly rows: readonly DevelopmentRow[];
  readonly labelled: readonly LabelledSentence[];
}

/** How people connect two wishes; the frequent ones are here more than once. */
const connectors = [
  ...[" and ", " and ", " and ", " and then ", " and then ", ", then ", ", then ", ". then ", "; ", ". ", ". ", ", "],
  ...[
    ", and ",
    " and also ",
    ", also ",
    ". also, ",
    ". also ",
    " and after that ",
    ". after that, ",
    ". next, ",
    " then ",
  ],
  ...[" plus ", ", and finally ", ". finally, ", ". and ", "? ", " as well as ", " but ", " also ", ", afterwards "],
  " oh and ",
];
const openings = [
  ["first ", ", then "],
  ["first ", ". second, "],
  ["1. ", " 2. "],
  ["step 1: ", ", step 2: "],
  ["first ", " and second "],
] as const;
const [openingShare, thirdShare] = [0.12, 0.3];
const joinedCount = 16_000;
const labelledCount = 5_000;
/** How many of the joined sentences are about something else. */
const otherShare = 0.2;
/** How often a request of the development part is there: it is like what people say, and there are few. */
const developmentCopies = 4;

/** Single wishes joined to requests of two or three. */
export function joinWishes(texts: readonly string[], count: number, random: () => number): readonly CutExample[] {
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
  return Array.from({ length: count }, () => {
    const [opening, second] = random() < openingShare ? pick(openings) : ["", undefined];
    let text = opening + withoutEnd(pick(texts));
    const places: number[] = [];
    for (const connector of [second ?? pick(connectors), ...(random() < thirdShare ? [pick(connectors)] : [])]) {
      text += connector;
      places.push(text.length);
      text += withoutEnd(pick(texts));
    }
    const tokens = tokenize(text);
    const starts = places.map((place) => tokens.findIndex(({ end }) => end > place));
    return { tokens, starts: new Set(starts.map((start) => wishStart(tokens, start))) };
  });
}

const withoutEnd = (text: string) => text.trim().replace(/[.!?;,]+$/, "");

/** Sentences with the wishes that are marked in them: each begins after the words that connect it. */
export function fromMarked(sentences: readonly MarkedSentence[]): readonly CutExample[] {
  return sentences.map(({ tokens, wishes }) => ({
    tokens,
    starts: new Set(wishes.slice(1).map(({ start }) => wishStart(tokens, start))),
  }));
}

/** The requests of the development part that are one wish, or none. */
export function singleRows(rows: readonly DevelopmentRow[], kind: "plan" | "any"): readonly string[] {
  const single = rows.filter(({ expect }) => (expect.steps?.length ?? 0) < 2);
  const plain = single.filter(({ reason = "" }) => !reason.startsWith("word-problem"));
  return (kind === "any" ? single : plain.filter(({ expect }) => expect.kind === "plan")).map(({ prompt }) => prompt);
}

const refused = new Set(["none", "missing", "small-talk"]);

function examplesOf({ sentences, rows, labelled }: CutSources, random: () => number): readonly CutExample[] {
  const others = shuffle(labelled, random)
    .slice(0, labelledCount)
    .map(({ text }) => text);
  const planned = sentences.filter(
    ({ wishes: [first, ...more] }) => more.length === 0 && !refused.has(first?.operation ?? ""),
  );
  const texts = [
    ...planned.map(({ text }) => text),
    ...singleRows(rows, "plan").flatMap((text) => new Array<string>(developmentCopies).fill(text)),
  ];
  return [
    ...fromMarked(sentences),
    ...joinWishes([...texts, ...others.slice(0, otherShare * texts.length)], joinedCount, random),
    ...[...singleRows(rows, "any"), ...others].map((text) => ({ tokens: tokenize(text), starts: new Set<number>() })),
  ];
}

const noMarks: ReadonlySet<string> = new Set();

/** Learns at which words of a request another wish begins. */
export function trainCuts(sources: CutSources, { keep = 2_000, seed = 1 }: { keep?: number; seed?: number } = {}) {
  const rows = examplesOf(sources, createRandom(seed)).flatMap(({ tokens, starts }) =>
    tokenFeatures(wordForms(tokens), noMarks)
      .map((features, index) => ({ features, classes: [starts.has(index) ? 1 : 0], weight: 1 }))
      .slice(1),
  );
  const { weights } = trainClassifier(rows, { classCount: 2, keep: 2 * keep, epochs: 3, rate: 0.2, seed });
  const odds = new Float64Array(featureCount + 1).map((_, at) => (weights[2 * at + 1] ?? 0) - (weights[2 * at] ?? 0));
  const { scale, text, kept } = packWeights(odds, 1);
  return { weights: { scale, text } satisfies CutWeights, kept };
}
