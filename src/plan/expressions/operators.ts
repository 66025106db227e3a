import type { JsonObject, JsonValue } from "../../core/json.ts";
import { jsonTypeOf } from "../../core/json-schema.ts";
import { type CelBudget, fail } from "./budget.ts";
import type { CelBinary } from "./node.ts";

/** What CEL calls the types of JSON. */
export function celTypeOf(value: JsonValue): string {
  return celTypes[jsonTypeOf(value)] ?? "a number";
}

const celTypes: Readonly<Record<string, string>> = {
  array: "a list",
  object: "a map",
  null: "null",
  string: "text",
  boolean: "a boolean",
};

/** Whether a value is a list; `Array.isArray` alone does not narrow to read-only ones. */
export function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Whether a value is a map. */
export function isMap(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The item of a list, or the own property of a map. Anything else fails. */
export function accessValue(value: JsonValue, key: JsonValue, position: number): JsonValue {
  if (isMap(value) && typeof key === "string") {
    const found = Object.hasOwn(value, key) ? value[key] : undefined;
    return found === undefined ? fail(`there is no key ${quote(key)}`, position, value) : found;
  }
  if (isList(value) && typeof key === "number") {
    const found = Number.isInteger(key) && key >= 0 ? value[key] : undefined;
    return found === undefined ? fail(`there is no item ${key} in a list of ${value.length}`, position) : found;
  }
  const wanted = typeof key === "string" || typeof key === "number" ? quote(key) : celTypeOf(key);
  const hint = key === "length" && (isList(value) || typeof value === "string") ? "; for its length write size(…)" : "";
  return fail(`there is no ${wanted} in ${celTypeOf(value)}${hint}`, position);
}

/** The keys of a map. Their number is known only once they are listed, so they are paid for afterwards. */
export function keysOf(map: JsonObject, budget: CelBudget): readonly string[] {
  const keys = Object.keys(map);
  // Each key of a large map takes about twice as long.
  budget.pay(keys.length * (keys.length > 128 ? 4 : 2));
  return keys;
}

/** A short form of a key for a message. */
function quote(key: string | number): string {
  return typeof key === "string" && key.length > 80 ? `${JSON.stringify(key.slice(0, 80))}…` : JSON.stringify(key);
}

/** Applies an operator to two values. */
export function applyOperator(node: CelBinary, left: JsonValue, right: JsonValue, budget: CelBudget): JsonValue {
  switch (node.operator) {
    case "==":
      return areEqual(left, right, budget);
    case "!=":
      return !areEqual(left, right, budget);
    case "in":
      return isIn(left, right, node.position, budget);
  }
  if (typeof left === "number" && typeof right === "number") return calculate(node, left, right);
  if (typeof left === "string" && typeof right === "string") {
    budget.payForText(left.length + right.length);
    return combineTexts(node, left, right);
  }
  if (node.operator === "+" && isList(left) && isList(right)) {
    budget.pay((left.length + right.length) / 2);
    return left.concat(right);
  }
  return typeMismatch(node, left, right);
}

function typeMismatch({ operator, position }: CelBinary, left: JsonValue, right: JsonValue): never {
  return fail(`${operator} does not work on ${celTypeOf(left)} and ${celTypeOf(right)}`, position);
}

function calculate(node: CelBinary, left: number, right: number): number | boolean {
  const { operator, position } = node;
  switch (operator) {
    case "+":
      return asJsonNumber(left + right, position);
    case "-":
      return asJsonNumber(left - right, position);
    case "*":
      return asJsonNumber(left * right, position);
    case "/":
      return right === 0 ? fail("division by zero", position) : asJsonNumber(left / right, position);
    case "%":
      return right === 0 ? fail("division by zero", position) : asJsonNumber(left % right, position);
    default:
      return compare(node, left, right);
  }
}

/** JSON has no infinity and no negative zero: after a resume the value would be another one. */
export function asJsonNumber(value: number, position: number): number {
  return Number.isFinite(value) ? value + 0 : fail("the result is too large for a number", position);
}

function combineTexts(node: CelBinary, left: string, right: string): string | boolean {
  return node.operator === "+" ? left + right : compare(node, left, right);
}

/** Compares two values of one type that has an order. */
function compare<TValue extends number | string>(node: CelBinary, left: TValue, right: TValue): boolean {
  switch (node.operator) {
    case "<":
      return left < right;
    case "<=":
      return left <= right;
    case ">":
      return left > right;
    case ">=":
      return left >= right;
    default:
      return typeMismatch(node, left, right);
  }
}

function isIn(value: JsonValue, holder: JsonValue, position: number, budget: CelBudget): boolean {
  if (isMap(holder)) {
    if (typeof value !== "string") return false;
    budget.payForKey(value.length);
    return Object.hasOwn(holder, value);
  }
  if (!isList(holder)) return fail(`in does not look into ${celTypeOf(holder)}`, position);
  for (const item of holder) if (areEqual(value, item, budget)) return true;
  return false;
}

/** As in CEL, values of different types are not equal, and maps have no order. */
function areEqual(left: JsonValue, right: JsonValue, budget: CelBudget): boolean {
  budget.pay(0.5);
  if (typeof left !== "object" || typeof right !== "object") {
    if (typeof left === "string" && typeof right === "string" && left.length === right.length) {
      budget.payForText(left.length);
    }
    return left === right;
  }
  if (left === right) return true;
  if (isList(left)) {
    if (!isList(right) || left.length !== right.length) return false;
    return left.every((item, index) => areEqual(item, right[index] as JsonValue, budget));
  }
  if (!isMap(left) || !isMap(right)) return false;
  return areMapsEqual(left, right, budget);
}

function areMapsEqual(left: JsonObject, right: JsonObject, budget: CelBudget): boolean {
  const keys = keysOf(left, budget);
  const count = keysOf(right, budget).length;
  if (keys.length !== count) return false;
  return keys.every(
    (key) => Object.hasOwn(right, key) && areEqual(left[key] as JsonValue, right[key] as JsonValue, budget),
  );
}
