import * as z from "zod/v4";
import type { SlotValue, ToolPhraseOptions } from "../../core/tool.ts";
import { unitKinds } from "../../english/units.ts";
import type { CalculatorPhraseInput } from "./phrases-combine.ts";

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
export const conversionPhrases: readonly ToolPhraseOptions<CalculatorPhraseInput>[] = [
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
export const percentPhrases: readonly ToolPhraseOptions<CalculatorPhraseInput>[] = [
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
export const areaPhrases: readonly ToolPhraseOptions<CalculatorPhraseInput>[] = [
  area(`[what is] [the] area of ${rectangle}`, (width, height) => `${width} * ${height}`),
  area(
    `(how many|how much) square [{unit}] (is|are|are in|are there in|in|does) ${rectangle} [(have|cover)]`,
    (width, height) => `${width} * ${height}`,
  ),
  area(`[what is] [the] perimeter of ${rectangle}`, (width, height) => `2 * (${width} + ${height})`),
];
