import * as z from "zod/v4";
import type { PhraseReference, SlotValue, ToolPhraseOptions } from "../../core/tool.ts";
import { unitKinds } from "../../english/units.ts";
import { readArithmetic } from "./arithmetic-language.ts";
import { variableNames as names } from "./variable-names.ts";

const units = new Map(
  Object.entries(unitKinds).flatMap(([kind, sizes]) =>
    Object.entries(sizes).map(([unit, [size]]) => [unit, { kind, size }] as const),
  ),
);
const synonyms = Object.fromEntries(
  Object.values(unitKinds).flatMap((sizes) => Object.entries(sizes).map(([unit, [, ...names]]) => [unit, names])),
);
const unit = z.enum([...units.keys()]).meta({ synonyms });
const degree = z
  .enum(["celsius", "fahrenheit"])
  .meta({ synonyms: { celsius: ["centigrade", "c"], fahrenheit: ["f"] } });

function withAmount(
  amount: SlotValue | undefined,
  make: (amount: string) => string,
): CalculatorPhraseInput | undefined {
  if (amount === undefined) return { expression: make("1") };
  if (typeof amount === "number") return { expression: make(amount < 0 ? `(${amount})` : String(amount)) };
  return { expression: make("x"), variables: { x: amount as unknown as number } };
}

function converting(phrase: string): ToolPhraseOptions<CalculatorPhraseInput> {
  return {
    phrase,
    slots: { amount: z.number(), from: unit, to: unit },
    toInput({ amount, from, to }) {
      const source = units.get(String(from));
      const target = units.get(String(to));
      if (source === undefined || target === undefined || source.kind !== target.kind) return undefined;
      return withAmount(amount, (value) => {
        const small = source.size === "1" ? value : `${value} * ${source.size}`;
        return target.size === "1" ? small : `${small} / ${target.size}`;
      });
    },
  };
}

function convertingDegrees(phrase: string): ToolPhraseOptions<CalculatorPhraseInput> {
  return {
    phrase,
    slots: { amount: z.number(), from: degree, to: degree },
    toInput({ amount, from, to }) {
      if (from === to || amount === undefined) return undefined;
      return withAmount(amount, (value) => (to === "celsius" ? `(${value} - 32) * 5 / 9` : `${value} * 9 / 5 + 32`));
    },
  };
}

/** Phrases that ask for another unit. */
const conversionPhrases: readonly ToolPhraseOptions<CalculatorPhraseInput>[] = [
  converting(
    "how many {to} [(is|are|is there|are there|do you get|make|equal|fit)] [(in|up|into|for|to)] [{amount}] {from}",
  ),
  converting("how many {to} (does|do|would|is|are) [{amount}] {from} [(make|equal|have|contain)]"),
  converting("(convert|change|turn|express|transform) [{amount}] {from} (to|into|in|as) {to}"),
  converting(
    "[(what is|what are|how much is|how much are)] {amount} {from} (to|in|into|as|expressed in|converted to) {to}",
  ),
  converting("{amount} {from} (is|are|equals|equal|makes|make) how many {to}"),
  converting("(convert|change|turn) {amount} (from|in) {from} (to|into) {to}"),
  convertingDegrees(
    "[(what is|convert|change|how much is)] {amount} [degrees|degree] {from} (to|in|into|as) [degrees] {to}",
  ),
];

function ofTwo(
  phrase: string,
  make: (first: string, second: string) => string,
): ToolPhraseOptions<CalculatorPhraseInput> {
  return {
    phrase,
    slots: { first: z.number(), second: z.number() },
    toInput({ first, second }) {
      if (typeof first !== "number" || typeof second !== "number") return undefined;
      return {
        expression: make(first < 0 ? `(${first})` : String(first), second < 0 ? `(${second})` : String(second)),
      };
    },
  };
}

const percent = "(percent|percentage|per cent|percents|%)";
const partOfWhole = (whole: string, part: string) => `${part} / ${whole} * 100`;
const shareOf = (part: string, whole: string) => `${part} / ${whole} * 100`;

/** Phrases that ask which percentage something is, or for a sum with only "and" in it. */
const percentPhrases: readonly ToolPhraseOptions<CalculatorPhraseInput>[] = [
  ofTwo(`(what|which) ${percent} of {first} (is|are|would be) {second}`, partOfWhole),
  ofTwo(`(what|which) ${percent} (is|are|would) {first} [be] (of|out of) {second}`, shareOf),
  ofTwo(`{first} (is|are|would be) (what|which) ${percent} (of|out of) {second}`, shareOf),
  ofTwo(`[(what is|calculate|express)] {first} (out of|of|over) {second} (as a|in|as) ${percent}`, shareOf),
  ofTwo(
    "(what is|what are|how much is|how much are) {first} and {second} [together]",
    (first, second) => `${first} + ${second}`,
  ),
];

const shape = "[(room|rectangle|area|space|floor|garden|field|wall|rectangular room|yard|plot|square)]";
const sides = { width: z.number(), height: z.number() };

function area(
  phrase: string,
  make: (width: string, height: string) => string,
): ToolPhraseOptions<CalculatorPhraseInput> {
  return {
    phrase,
    slots: { ...sides, unit },
    toInput({ width, height }) {
      const isNamed = typeof width === "number" && typeof height === "number" && width > 0 && height > 0;
      return isNamed ? { expression: make(String(width), String(height)) } : undefined;
    },
  };
}

const rectangle = `{width} [{unit}] (by|x) {height} [{unit}] ${shape}`;

/** Phrases that ask for the size of a rectangle. */
const areaPhrases: readonly ToolPhraseOptions<CalculatorPhraseInput>[] = [
  area(`[what is] [the] area of ${rectangle}`, (width, height) => `${width} * ${height}`),
  area(
    `(how many|how much) square [{unit}] (is|are|are in|are there in|in|does) ${rectangle} [(have|cover)]`,
    (width, height) => `${width} * ${height}`,
  ),
  area(`[what is] [the] perimeter of ${rectangle}`, (width, height) => `2 * (${width} + ${height})`),
];

/** The input that a phrase of the calculator creates; a variable may be a reference until the plan runs. */
interface CalculatorPhraseInput {
  readonly expression: string;
  readonly variables?: Readonly<Record<string, number>>;
}

const nouns = "(results|answers|numbers|values|totals|sums|outcomes|products|figures|amounts)";
const two = `(both [of (them|these|those)]|both [the|of the|these|those] ${nouns}|[the|these|those] [last] two [${nouns}])`;
const all = `(them|them all|all of them|these|those|all [of] [the|these|those] ${nouns}|(the|these|those) ${nouns}|everything)`;

type Combine = (names: readonly string[]) => string;

const sum: Combine = (names) => names.join(" + ");
const product: Combine = (names) => names.join(" * ");
const average: Combine = (names) => `(${names.join(" + ")}) / ${names.length}`;

/** Takes several earlier results at once: "add both answers" takes two, "add them up" takes all. */
function combining(frame: string, combine: Combine): readonly ToolPhraseOptions<CalculatorPhraseInput>[] {
  const withResults = (operands: string, fits: (count: number) => boolean) => ({
    phrase: frame.replaceAll("@", operands),
    toInput(_: unknown, { before }: { before?: { results: readonly PhraseReference[] } | undefined }) {
      const results = before?.results ?? [];
      if (results.length > names.length || !fits(results.length)) return undefined;
      const used = names.slice(0, results.length).split("");
      const variables = Object.fromEntries(used.map((name, index) => [name, results[index]]));
      return { expression: combine(used), variables: variables as unknown as Record<string, number> };
    },
  });
  return [withResults(two, (count) => count === 2), withResults(all, (count) => count >= 2)];
}

const first = `(the (first|former) [(one|result|answer|number)])`;
const second = `(the (second|latter|other|last) [(one|result|answer|number)])`;

/** Takes two earlier results by their places, whichever is named first: `@1` and `@2`. */
function ofFirst(frame: string, combine: Combine): readonly ToolPhraseOptions<CalculatorPhraseInput>[] {
  const inOrder = (named: string, combine: Combine) => ({
    ...combining(named, combine)[0],
    phrase: named,
  });
  const swap: Combine = ([one = "", other = ""]) => combine([other, one]);
  return [
    inOrder(frame.replace("@1", first).replace("@2", second), combine),
    inOrder(frame.replace("@1", second).replace("@2", first), swap),
  ];
}

/** Phrases that combine several earlier results. */
const combiningPhrases: readonly ToolPhraseOptions<CalculatorPhraseInput>[] = [
  ...combining("(add|sum|total|combine|add up|sum up|total up|put) @ [(together|up)]", sum),
  ...combining("(the sum|sum|the total|total) of @", sum),
  ...combining("what do @ (add up to|come to|make) [together]", sum),
  ...combining("multiply @ [(together|with each other)]", product),
  ...combining("(the product|product) of @", product),
  ...combining("[take] (the average|average|the mean|mean) [of] @", average),
  ...ofFirst("(subtract|take|deduct) @1 from @2", ([first, second]) => `${second} - ${first}`),
  ...ofFirst("(multiply) @1 (by|with|and) @2", ([first, second]) => `${first} * ${second}`),
  ...ofFirst("divide @1 by @2", ([first, second]) => `${first} / ${second}`),
  ...ofFirst("add @1 (to|and) @2", ([first, second]) => `${first} + ${second}`),
  ...combining("(the difference|difference) (between|of) @", (names) => `abs(${names.join(" - ")})`).slice(0, 1),
];

/** A cheap check before the text is read: arithmetic is short, but a text may have any length. */
const spoken = z.string().max(10_000);

const problem =
  "[(this|the|that|following|my|these)] [(math|maths|simple|quick|following)] (problem|equation|question|sum|sums|calculation|expression|math|maths|arithmetic|operation)";
const answer = "[the] [(final|exact|total)] (result|value|answer|sum|total|solution|outcome)";

const frames = [
  "{expression}",
  `(calculate|compute|evaluate|solve|work out|figure out|determine|do|run|find|get|answer|resolve|give|provide|know|calculating|computing|solving) [me|us] [${answer}] [(of|for|to|when|if)] [${problem}] [(you|i|we)] {expression} [(for me)]`,
  `(what is|what are|how much is|how much are|what would be|what was|what will be|what should be|how many is|how many are) [${answer}] [(of|to|for|when|if)] [${problem}] [(you|i|we)] {expression}`,
  "(what|how much) (does|do|would|will|did) {expression} (equal|equals|make|come to|give|add up to|amount to|come out to|be|yield|total|work out to|sum to)",
  "(what|how much) (do|would|will|did) (you|i|we) (get|have) (if|when|by|from|after) [(you|i|we)] {expression}",
  "(how much|what) (is|would be|will be|do i have|do you have|do we have) (left|remaining|left over|over) (after|when|if|by|from) [(you|i|we)] {expression}",
  "(what is|tell me) {expression} (equal to|as a number|in total|exactly|equal|come to)",
  "(how many|what) times (does|do|can|will|would) {expression}",
  `(tell|give|show) me [${answer}] [(of|to|for|when|if)] [${problem}] [(you|i|we)] {expression}`,
  "(can|could) you [(do|calculate|compute)] the (math|maths|calculation|sum) (for|of|on) {expression}",
  "(use|using) [the|a|my] calculator [(to|and|for)] [(calculate|compute|work out|find|do)] {expression}",
  "(i (want|need|would like) to (calculate|compute|know|work out|find)) [what] {expression} [(is|equals|makes)]",
  "if (i|you|we) [have] {expression} (what|how much|how many) (do|would|will) (i|you|we) (get|have) [left]",
  "(what|how much) {expression} (is|equals|makes|comes to|amounts to|would be|will be)",
  "(result|answer|value|solution|sum|total) (of|to|for) [(when|if)] {expression}",
  `${answer} (of|to|for|when) ${problem} {expression}`,
  `${problem} {expression}`,
  "(math|maths|calculator|calc|calculation|equation|problem) [problem] {expression}",
];

/** A date or a telephone number looks like arithmetic but is not. */
const dateOrNumber = /^(?:\d{1,2}\/\d{1,2}\/\d{2,4}|\d{4}-\d\d?-\d\d?|(?:\d-)?\d{3}-(?:\d{3}-)?\d{4})$/;

function arithmetic(phrase: string, hasClaim = false): ToolPhraseOptions<CalculatorPhraseInput> {
  return {
    phrase,
    slots: { expression: spoken },
    toInput({ expression }, { previous }) {
      if (typeof expression !== "string" || dateOrNumber.test(expression)) return undefined;
      const read = readArithmetic(expression, { hasPrevious: previous !== undefined, hasClaim });
      if (read === undefined) return undefined;
      if (!read.usesPrevious) return { expression: read.expression };
      // A reference is in the place of the number until the plan runs.
      return { expression: read.expression, variables: { x: previous as unknown as number } };
    },
  };
}

/** The phrases of arithmetic for the rule planner. Text that only looks like it, such as one number, does not fit. */
export const calculatorPhrases: readonly ToolPhraseOptions<CalculatorPhraseInput>[] = [
  ...frames.map((phrase) => arithmetic(phrase)),
  arithmetic("(is|are|does|do|is it true that|is it right that) [the (answer|result) (of|to)] {expression}", true),
  ...combiningPhrases,
  ...percentPhrases,
  ...conversionPhrases,
  ...areaPhrases,
];
