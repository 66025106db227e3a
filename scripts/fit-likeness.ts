import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { Likeness, likenessConstants, weigh } from "../src/planners/rules/likeness.ts";

/*
 * npx tsx scripts/fit-likeness.ts ../shared/eval/training    prints the constants of src/planners/rules/likeness.ts
 *
 * Tools are drawn from the kinds of requests in CLINC150, each known by a few of its sentences. Half of the kinds fit the
 * constants by which the other half is measured, and the other way round; what is printed at last is fitted on both.
 * Sentences of kinds that are no tool, out of scope and of the other sets should be refused.
 */

const [folder = "../shared/eval/training", count = "60"] = process.argv.slice(2);

interface Query {
  readonly text: string;
  /** The place of the tool; -1 for none of them. */
  readonly tool: number;
  readonly sort: "tool" | "near" | "other";
}

interface Row {
  readonly compared: readonly { readonly marks: readonly number[] }[];
  readonly query: Query;
  readonly tools: number;
  readonly examples: number;
}

/** Sentences of other sets that may mean the same as a kind of CLINC150, by words of both names. */
const same: readonly (readonly [kind: RegExp, other: RegExp])[] = [
  [/weather/, /weather/i],
  [/song|playlist|music/, /music|play/i],
  [/alarm|timer/, /alarm/],
  [/calendar|meeting|reminder|holiday/, /calendar/],
  [/restaurant|reserv|order/, /restaurant|recommendation|takeaway|order/i],
  [/^(time|date|timezone|next_holiday)$/, /datetime/],
  [/traffic|directions|distance/, /transport/],
  [/definition|spelling|translate/, /definition|factoid/],
  [/smart_home/, /iot/],
  [/volume/, /audio/],
  [/shopping|todo/, /list/],
  [/ingredients|calories|cook/, /cooking/],
  [/cancel/, /commandstop|cancel/],
  [/repeat|^(yes|no|maybe|thank_you|greeting|goodbye|cancel|what_can|carry_on)/, /general/],
  [
    /^(are_you|how_old|what_is_your|where_are|who_|do_you|what_are_your|fun_fact|flip|roll|user_name|change_)/,
    /quirky|fact/,
  ],
  [/card|freeze|fraud|account_blocked/, /card|lost|compromised|not_recognised|terminate/],
  [/transfer/, /transfer|beneficiary|receiving/],
  [/interest|income|payday|deposit|bill/, /balance|deposit|payment/],
  [/conversion/, /exchange|currency/],
];

function read(name: string): readonly { readonly text: string; readonly intent: string }[] {
  const lines = gunzipSync(readFileSync(join(folder, `${name}.jsonl.gz`)))
    .toString()
    .trim()
    .split("\n");
  return lines.map((line) => JSON.parse(line)).filter(({ intent }) => intent !== null);
}

/** Always the same numbers. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const kinds = new Map<string, string[]>();
for (const { text, intent } of read("clinc150")) kinds.set(intent, [...(kinds.get(intent) ?? []), text]);
const outOfScope = kinds.get("oos") ?? [];
const names = [...kinds.keys()].filter((name) => name !== "oos" && (kinds.get(name)?.length ?? 0) >= 60).sort();
const others = ["nlu-eval", "slurp", "banking77", "snips"].flatMap(read);

/** Rows of `count` draws of some tools, each known by some examples. */
function draw(from: readonly string[], seed: number): readonly Row[] {
  const random = createRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const shuffle = <T>(list: readonly T[]) =>
    list
      .map((each) => [random(), each] as const)
      .sort((a, b) => a[0] - b[0])
      .map(([, each]) => each);
  const sizes = [
    [20, 5],
    [20, 10],
    [8, 3],
    [20, 5],
    [20, 10],
    [8, 10],
    [20, 5],
    [20, 10],
    [3, 5],
    [20, 5],
    [20, 10],
    [1, 5],
    [1, 10],
  ] as const;
  return Array.from({ length: Number(count) * 2 }, (_, index) => {
    const [tools, examples] = sizes[index % sizes.length] ?? [20, 5];
    const shuffled = shuffle(from);
    const mine = shuffled.slice(0, tools);
    const sentences = mine.map((name) => shuffle(kinds.get(name) ?? []));
    const likeness = new Likeness(sentences.map((list) => list.slice(0, examples)));
    return Array.from({ length: 100 }, (): Row => {
      const chance = random();
      const tool = Math.floor(random() * tools);
      let query: Query = { text: pick(sentences[tool]?.slice(examples) ?? []), tool, sort: "tool" };
      if (chance > 0.74) {
        let other = pick(others);
        while (mine.some((name) => same.some(([kind, its]) => kind.test(name) && its.test(other.intent))))
          other = pick(others);
        query = { text: other.text, tool: -1, sort: "other" };
      } else if (chance > 0.4) {
        const text = pick(chance > 0.7 ? outOfScope : (kinds.get(pick(shuffled.slice(tools))) ?? []));
        query = { text, tool: -1, sort: "near" };
      }
      return { compared: likeness.compare(query.text), query, tools, examples };
    });
  }).flat();
}

/** Weights by which the share of the right tool, or of none, is highest. */
function fitWeights(rows: readonly Row[]): readonly number[] {
  const weights = likenessConstants.weights.map(() => 0);
  const squares = weights.map(() => 1);
  for (let step = 0; step < rows.length * 30; step++) {
    const { compared, query } = rows[(step * 7919) % rows.length] as Row;
    const powers = compared.map(({ marks }) =>
      Math.exp(marks.reduce((sum, mark, at) => sum + mark * (weights[at] ?? 0), 0)),
    );
    const total = powers.reduce((sum, power) => sum + power, 1);
    for (const at of weights.keys()) {
      const error = compared.reduce(
        (sum, { marks }, tool) =>
          sum + ((powers[tool] ?? 0) / total - (tool === query.tool ? 1 : 0)) * (marks[at] ?? 0),
        0,
      );
      squares[at] = (squares[at] ?? 0) + error ** 2;
      weights[at] = (weights[at] ?? 0) - (0.2 * error) / Math.sqrt(squares[at] ?? 1);
    }
  }
  return weights;
}

interface Judged extends Row {
  readonly logOdds: number;
  readonly isRight: boolean;
}

const judge = (rows: readonly Row[], weights: readonly number[]): readonly Judged[] =>
  rows.map((row) => {
    const { best, logOdds } = weigh(row.compared, weights);
    return { ...row, logOdds, isRight: best === row.query.tool };
  });

/** Percent of the rows of a sort of which something is true. */
function percent(rows: readonly Judged[], sort: Query["sort"], test: (row: Judged) => boolean): number {
  const all = rows.filter(({ query }) => query.sort === sort);
  return (100 * all.filter(test).length) / Math.max(1, all.length);
}

/** Percent of other sentences that are planned, in the shares in which the data has them: 14 thousand and 31. */
const wrongly = (rows: readonly Judged[], test: (row: Judged) => boolean) =>
  0.3 * percent(rows, "near", test) + 0.7 * percent(rows, "other", test);

/** The least log-odds at which at most so many percent of other sentences are planned. */
function barOf(rows: readonly Judged[], most: number): number {
  let [low, high] = [-5, 10];
  for (let step = 0; step < 30; step++) {
    const middle = (low + high) / 2;
    if (wrongly(rows, ({ logOdds }) => logOdds >= middle) > most) low = middle;
    else high = middle;
  }
  return high;
}

const halves = [names.filter((_, at) => at % 2 === 0), names.filter((_, at) => at % 2 === 1)] as const;
const rows = halves.map((half, at) => draw(half, at + 1));
const [left = [], right = []] = rows;
const judged = [...judge(right, fitWeights(left)), ...judge(left, fitWeights(right))];
const few = barOf(
  judged.filter(({ tools }) => tools < 20),
  0.9,
);
const many = barOf(
  judged.filter(({ tools }) => tools === 20),
  0.9,
);
const grows = Math.max(0, (many - few) / (Math.log(20) - Math.log(3)));
const bar = [many - grows * Math.log(20), grows];
const ask = barOf(judged, 5);
const isPlanned = ({ logOdds, tools }: Judged) => logOdds >= (bar[0] ?? 0) + (bar[1] ?? 0) * Math.log(tools);
console.log(
  "| tools | examples | found | wrong tool | near | others | found or asked | wrong tool first | near asked | others asked |",
);
console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
for (const key of new Set(judged.map(({ tools, examples }) => `${tools} | ${examples}`))) {
  const mine = judged.filter(({ tools, examples }) => `${tools} | ${examples}` === key);
  const cells = [isPlanned, ({ logOdds }: Judged) => logOdds >= ask].flatMap((test) => [
    percent(mine, "tool", (row) => test(row) && row.isRight),
    percent(mine, "tool", (row) => test(row) && !row.isRight),
    ...(["near", "other"] as const).map((sort) => percent(mine, sort, test)),
  ]);
  console.log(`| ${key} | ${cells.map((cell) => cell.toFixed(1)).join(" | ")} |`);
}
console.log(`of other sentences ${wrongly(judged, isPlanned).toFixed(2)} % are planned`);
const round = (list: readonly number[]) => `[${list.map((each) => Number(each.toFixed(2))).join(", ")}]`;
console.log(`weights: ${round(fitWeights([...left, ...right]))},\nbar: ${round(bar)},\nask: ${ask.toFixed(2)},`);
