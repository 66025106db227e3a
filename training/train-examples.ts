import { type ExampleWeights, sharesOf } from "../src/language/example-classifier.ts";
import { exampleFeatures } from "../src/language/example-features.ts";
import { unpackVectors, type WordVectors } from "../src/language/word-vectors.ts";
import { drawEpisode, type Kind, kindsOf, type Trial, trainExampleWeights } from "./episodes.ts";
import { createRandom, shuffle } from "./random.ts";
import type { LabelledSentence } from "./read-shared.ts";
import { packVectors, stemsOfText, trainVectors } from "./train-vectors.ts";

/** What is as sure as this is planned. */
const threshold = 0.7;
/** How much of what no tool means should be refused at the threshold: out of scope, and of other kinds. */
const toRefuse = { "out of scope": 0.955, neighbour: 0.875 } as const;
const toolCounts = [20, 10, 30, 20, 4, 1, 2];
const exampleCounts = [5, 10, 5, 10, 3, 1];
const size = { words: 2_000, dimensions: 24 };

interface Kinds {
  readonly kinds: readonly Kind[];
  readonly none: readonly (readonly string[])[];
  readonly vectors: WordVectors;
}

/** The kinds of requests in CLINC150, which has the most of them, and what is of none. */
function kindsIn(labelled: readonly LabelledSentence[]): Omit<Kinds, "vectors"> {
  const rows = labelled.filter(({ dataset }) => dataset === "clinc150");
  const isNone = ({ intent }: LabelledSentence) => intent === "oos";
  return {
    kinds: kindsOf(rows.filter((row) => !isNone(row))),
    none: rows.filter(isNone).map(({ text }) => stemsOfText(text)),
  };
}

const without = (labelled: readonly LabelledSentence[], set: string) =>
  labelled.filter(({ dataset }) => dataset !== set);

/** Learns word vectors from all sets, and from CLINC150, which vectors of the other sets do not know, how to use them. */
export function trainExamples(labelled: readonly LabelledSentence[]): ExampleWeights {
  const unseen = unpackVectors(packVectors(trainVectors(without(labelled, "clinc150"), size)));
  const weights = learnWeights({ ...kindsIn(labelled), vectors: unseen }, createRandom(11));
  return { vectors: packVectors(trainVectors(labelled, size)), weights };
}

function learnWeights(kinds: Kinds, random: () => number): readonly number[] {
  const draw = (episodes: number, queries: number, tools: readonly number[], examples: readonly number[]) =>
    Array.from({ length: episodes }).flatMap((_, at) =>
      drawEpisode(
        kinds,
        { tools: tools[at % tools.length] ?? 20, examples: examples[at % examples.length] ?? 5, queries },
        random,
      ),
    );
  const weights = trainExampleWeights(draw(210, 60, toolCounts, exampleCounts), { random });
  return calibrate(weights, draw(50, 200, [20], [5, 10]));
}

/** Shifts the score of all tools until enough of what none of them means is below the threshold, and rounds. */
function calibrate(weights: readonly number[], trials: readonly Trial[]): readonly number[] {
  const bias = exampleFeatures.indexOf("bias");
  const shifted = (by: number) =>
    weights.map((weight, at) => Math.round(1_000 * (at === bias ? weight + by : weight)) / 1_000);
  for (let by = 2; by > -4; by -= 0.02) {
    const refuses = (["out of scope", "neighbour"] as const).every(
      (source) => refusedOf(trials, shifted(by), source) >= toRefuse[source],
    );
    if (refuses) return shifted(by);
  }
  return shifted(-4);
}

function refusedOf(trials: readonly Trial[], weights: readonly number[], source: Trial["source"]): number {
  const asked = trials.filter((trial) => trial.source === source);
  return asked.filter(({ features }) => judge(features, weights).tool === -1).length / asked.length;
}

function judge(features: Float64Array, weights: readonly number[]): { readonly tool: number } {
  const shares = sharesOf(features, weights);
  let tool = 0;
  for (let at = 1; at < shares.length; at++) if ((shares[at] ?? 0) > (shares[tool] ?? 0)) tool = at;
  return { tool: (shares[tool] ?? 0) >= threshold ? tool : -1 };
}

/** How well tools of one's own are understood. */
export interface ExampleScores {
  readonly examples: number;
  readonly right: number;
  readonly wrong: number;
  readonly asked: number;
  readonly refused: Readonly<Record<"out of scope" | "neighbour", number>>;
  readonly toRefuse: Readonly<Record<"out of scope" | "neighbour", number>>;
}

/** What is learned from, and what it is then measured on. */
interface Split {
  readonly learn: Kinds;
  readonly test: Kinds;
}

/**
 * Twenty tools at once of kinds of requests that neither the vectors nor the weights have seen: for CLINC150 each half of
 * its kinds after learning from the other, for another set its kinds after learning from all of CLINC150.
 */
export function checkExamples(
  labelled: readonly LabelledSentence[],
  counts: readonly number[],
  set = "clinc150",
): readonly ExampleScores[] {
  const splits = set === "clinc150" ? halves(labelled) : [leaveOut(labelled, set)];
  const learned = splits.map(({ learn }) => learnWeights(learn, createRandom(11)));
  return counts.map((examples) => {
    const trials = splits.flatMap(({ test }, at) => {
      const random = createRandom(13);
      return Array.from({ length: 25 }).flatMap(() =>
        drawEpisode(test, { tools: 20, examples, queries: 300 }, random).map(({ features, right, source }) => ({
          source,
          right,
          tool: judge(features, learned[at] ?? []).tool,
        })),
      );
    });
    return scoresOf(examples, trials);
  });
}

function halves(labelled: readonly LabelledSentence[]): readonly Split[] {
  const vectors = unpackVectors(packVectors(trainVectors(without(labelled, "clinc150"), size)));
  const { kinds, none } = kindsIn(labelled);
  const order = shuffle(kinds, createRandom(7));
  const half = (rest: number) => ({
    kinds: order.filter((_, at) => at % 2 === rest),
    none: none.filter((_, at) => at % 2 === rest),
    vectors,
  });
  return [
    { learn: half(0), test: half(1) },
    { learn: half(1), test: half(0) },
  ];
}

function leaveOut(labelled: readonly LabelledSentence[], set: string): Split {
  const others = without(labelled, set);
  const { kinds, none } = kindsIn(labelled);
  const unseen = unpackVectors(packVectors(trainVectors(without(others, "clinc150"), size)));
  const vectors = unpackVectors(packVectors(trainVectors(others, size)));
  const enough = kindsOf(labelled.filter(({ dataset }) => dataset === set)).filter(
    ({ sentences }) => sentences.length > 40,
  );
  return { learn: { kinds, none, vectors: unseen }, test: { kinds: enough, none, vectors } };
}

function scoresOf(
  examples: number,
  trials: readonly { readonly source: Trial["source"]; readonly right: number; readonly tool: number }[],
): ExampleScores {
  const count = (source: Trial["source"], fits: (trial: { right: number; tool: number }) => boolean = () => true) =>
    trials.filter((trial) => trial.source === source && fits(trial)).length;
  const isRefused = ({ tool }: { tool: number }) => tool === -1;
  return {
    examples,
    right: count("own", ({ right, tool }) => tool === right),
    wrong: count("own", ({ right, tool }) => tool !== -1 && tool !== right),
    asked: count("own"),
    refused: { "out of scope": count("out of scope", isRefused), neighbour: count("neighbour", isRefused) },
    toRefuse: { "out of scope": count("out of scope"), neighbour: count("neighbour") },
  };
}
