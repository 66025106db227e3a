import type { JsonValue } from "../../core/json.ts";
import { type CelBudget, fail } from "./budget.ts";
import type { CelCall } from "./node.ts";
import { asJsonNumber, celTypeOf, isList, isMap, keysOf } from "./operators.ts";

/** Calls a function or a method that is not a macro. */
export function callFunction(
  { name, position }: CelCall,
  target: JsonValue,
  argument: JsonValue | undefined,
  budget: CelBudget,
): JsonValue {
  switch (name) {
    case "dyn":
      return target;
    case "size":
      return sizeOf(target, position, budget);
    case "string":
      return toText(target, position);
    case "int":
    case "double":
      if (typeof target === "string") budget.payForText(target.length);
      return toNumber(name, target, position);
  }
  if (typeof target !== "string") return fail(`.${name}() works on text, not on ${celTypeOf(target)}`, position);
  budget.payForText(target.length);
  switch (name) {
    case "lowerAscii":
      return changeCase(target, /[A-Z]+/g, (part) => part.toLowerCase(), budget);
    case "upperAscii":
      return changeCase(target, /[a-z]+/g, (part) => part.toUpperCase(), budget);
    case "trim":
      return target.trim();
  }
  if (typeof argument !== "string") return fail(`.${name}() takes text, not ${celTypeOf(argument ?? null)}`, position);
  budget.payForText(argument.length);
  switch (name) {
    case "startsWith":
      return target.startsWith(argument);
    case "endsWith":
      return target.endsWith(argument);
    case "contains":
      // With many partial matches, the engine compares the whole argument at each place.
      budget.pay((target.length * Math.min(argument.length, target.length)) / comparisonsPerUnit);
      return target.includes(argument);
  }
}

const comparisonsPerUnit = 512;

/** The size of a text is its number of code points. */
function sizeOf(value: JsonValue, position: number, budget: CelBudget): number {
  if (isList(value)) return value.length;
  if (isMap(value)) {
    return keysOf(value, budget).length;
  }
  if (typeof value !== "string")
    return fail(`size() works on text, lists and maps, not on ${celTypeOf(value)}`, position);
  budget.pay(value.length / 10);
  return countCodePoints(value);
}

/** The same number as a loop with `of`, which takes five times as long. */
function countCodePoints(text: string): number {
  let pairs = 0;
  let before = 0;
  for (let index = 0; index < text.length; index++) {
    // The first six bits tell the halves of surrogate pairs from everything else.
    const kind = text.charCodeAt(index) & 0xfc00;
    if (kind === 0xdc00 && before === 0xd800) pairs++;
    before = kind;
  }
  return text.length - pairs;
}

function toText(value: JsonValue, position: number): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return fail(`string() takes a number, a boolean or text, not ${celTypeOf(value)}`, position);
}

const textOf = { int: /^[-+]?\d{1,20}$/, double: /^[-+]?\d{1,20}(\.\d{1,20})?([eE][-+]?\d{1,3})?$/ };

function toNumber(name: "int" | "double", value: JsonValue, position: number): number {
  const number = typeof value === "string" && textOf[name].test(value) ? Number(value) : value;
  if (typeof number === "number") return asJsonNumber(name === "int" ? Math.trunc(number) : number, position);
  if (typeof value === "string") return fail(`${name}() finds no number in the text`, position);
  return fail(`${name}() takes a number or text, not ${celTypeOf(value)}`, position);
}

/** Only A to Z change. The engine's own conversion is fast, and correct for ASCII. */
function changeCase(text: string, letters: RegExp, change: (part: string) => string, budget: CelBudget): string {
  if (/^[\0-\x7f]*$/.test(text)) return change(text);
  // At worst every other character is a part of its own.
  budget.pay(text.length);
  return text.replace(letters, change);
}
