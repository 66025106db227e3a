import {
  ArithmeticFault,
  add,
  Decimal,
  divide,
  multiply,
  nearestNumber,
  negate,
  remainder,
  subtract,
} from "../../core/decimal.ts";
import { exactNumber, isRecord, type JsonObject, type JsonValue, setOwn } from "../../core/json.ts";
import { jsonTypeOf } from "../../core/json-schema.ts";
import { cutText } from "../../core/text.ts";
import { type CelExpression, type CelNode, type CelNodeOf, type CelOperator, isPartOfData } from "./node.ts";

/** Not an `Error`: a macro may cause a failure for each item, and a stack trace takes longer than the item. */
export class CelFailure {
  constructor(
    readonly message: string,
    readonly position: number,
    readonly holder?: JsonObject,
  ) {}
}

export class CelLimitExceeded {
  constructor(readonly used: number) {}
}

const charactersPerUnit = 32;

/** A cost is paid before the work if it is known by then. A cost of 1 is about 100 ns. */
class CelBudget {
  #spent = 0;

  constructor(private readonly max: number) {}

  pay(cost: number): void {
    this.#spent += cost;
    if (this.#spent > this.max) throw new CelLimitExceeded(Math.ceil(this.#spent));
  }

  payForKey(length: number): void {
    this.pay(length / 4);
  }

  payForText(length: number): void {
    this.pay(length / charactersPerUnit);
  }
}

function fail(message: string, position: number, holder?: JsonObject): never {
  throw new CelFailure(message, position, holder);
}

export const maxCelCost = 1_000_000;

/** A failure after which a macro, `&&` or `||` continues costs this much, because throwing is slow. */
const failureCost = 30;

type LookUpName = (name: string) => JsonValue | undefined;

/** Throws {@link CelFailure}, {@link CelLimitExceeded}, and what `lookUp` throws. */
export function evaluateCel(expression: CelExpression, lookUp: LookUpName, maxCost = maxCelCost): JsonValue {
  const budget = new CelBudget(maxCost);
  try {
    const value = new Evaluation(budget, lookUp).run(expression.root);
    // l.map(x, l) is cheap to create and huge as JSON. A value that is taken from the data unchanged cannot grow.
    if (!isPartOfData(expression.root)) measure(value, budget);
    return value;
  } catch (thrown) {
    // The data is deeper than the stack: outputs have at most 500 levels, but other data has no limit.
    if (thrown instanceof RangeError) throw new CelLimitExceeded(maxCost + 1);
    throw thrown;
  }
}

function measure(value: JsonValue, budget: CelBudget): void {
  budget.pay(0.5);
  if (typeof value === "string") budget.payForText(value.length);
  else if (isList(value)) for (const item of value) measure(item, budget);
  else if (isRecord(value)) {
    for (const key of keysOf(value, budget)) {
      budget.payForText(key.length);
      measure(value[key] as JsonValue, budget);
    }
  }
}

class Evaluation {
  readonly #variables: JsonValue[] = [];
  readonly #values: (JsonValue | undefined)[] = [];

  constructor(
    private readonly budget: CelBudget,
    private readonly lookUp: LookUpName,
  ) {}

  run(node: CelNode): JsonValue {
    this.budget.pay(1);
    switch (node.type) {
      case "literal":
        return node.value;
      case "name":
        return this.#name(node);
      case "variable":
        return this.#variables[node.slot] as JsonValue;
      case "member":
        return accessValue(this.run(node.of), node.key, node.position);
      case "index":
        return this.#index(node);
      case "list":
        return node.items.map((item) => this.run(item));
      case "map":
        return this.#map(node);
      case "choice":
        return this.run(this.#isTrue(node.condition) ? node.yes : node.no);
      case "logical":
        return this.#logical(node);
      case "not":
        return !this.#isTrue(node.of);
      case "negate":
      case "binary": {
        const value = this.#operate(node);
        return value instanceof Decimal ? calculate(node, () => nearestNumber(value, Number.POSITIVE_INFINITY)) : value;
      }
      case "has":
        return this.#has(node);
      case "call": {
        const target = this.run(node.target);
        return callFunction(node, target, node.argument && this.run(node.argument), this.budget);
      }
      case "macro":
        return this.#macro(node);
      default:
        return node satisfies never;
    }
  }

  /** Keeps intermediate results as decimals, and rounds only the last one to a number: 1 / 3 * 3 is 1. */
  #operand(node: CelNode): JsonValue | Decimal {
    if (node.type !== "binary" && node.type !== "negate") return this.run(node);
    this.budget.pay(1);
    return this.#operate(node);
  }

  #operate(node: CelSum): JsonValue | Decimal {
    if (node.type === "negate") {
      const value = this.#operand(node.of);
      if (value instanceof Decimal) return negate(value);
      return typeof value === "number" ? 0 - value : fail(`"-" does not work on ${celTypeOf(value)}`, node.position);
    }
    const [ofDecimals, ofWhole] = arithmetic[node.operator] ?? [];
    if (ofDecimals === undefined || ofWhole === undefined)
      return applyOperator(node, this.run(node.left), this.run(node.right), this.budget);
    const [left, right] = [this.#operand(node.left), this.#operand(node.right)];
    if (!isNumber(left) || !isNumber(right)) return applyOperator(node, toJson(left), toJson(right), this.budget);
    if (Number.isSafeInteger(left) && Number.isSafeInteger(right)) {
      const value = ofWhole(left as number, right as number);
      if (Number.isSafeInteger(value)) return value + 0;
    }
    this.budget.pay(decimalCost);
    return calculate(node, () => ofDecimals(toDecimal(left), toDecimal(right)));
  }

  #name({ name, slot, position }: CelNodeOf<"name">): JsonValue {
    const known = this.#values[slot];
    if (known !== undefined) return known;
    const value = this.lookUp(name);
    if (value === undefined) return fail(`${name} has no value`, position);
    this.#values[slot] = value;
    return value;
  }

  #index({ of, key, position }: CelNodeOf<"index">): JsonValue {
    const value = this.run(of);
    const wanted = this.run(key);
    if (typeof wanted === "string") {
      if (key.type !== "literal") this.budget.pay(3);
      this.budget.payForKey(wanted.length);
    }
    return accessValue(value, wanted, position);
  }

  #isTrue(node: CelNode): boolean {
    const value = this.run(node);
    return typeof value === "boolean" ? value : fail(`${celTypeOf(value)} is neither true nor false`, node.position);
  }

  #map({ entries }: CelNodeOf<"map">): JsonValue {
    const map: Record<string, JsonValue> = {};
    for (const { key, value } of entries) {
      const name = this.run(key);
      if (typeof name !== "string") return fail(`the key of a map must be text, not ${celTypeOf(name)}`, key.position);
      // Maps whose keys are not known in advance are slow to create.
      this.budget.pay(key.type === "literal" ? 1 : 8);
      this.budget.payForKey(name.length);
      if (Object.hasOwn(map, name)) return fail("the map already has this key", key.position);
      setOwn(map, name, this.run(value));
    }
    return map;
  }

  #logical({ left, right, deciding }: CelNodeOf<"logical">): boolean {
    const first = this.#attempt(left);
    if (first === deciding) return deciding;
    const second = this.#isTrue(right);
    if (second === deciding || typeof first === "boolean") return second;
    throw first;
  }

  #attempt(node: CelNode): boolean | CelFailure {
    try {
      return this.#isTrue(node);
    } catch (thrown) {
      if (!(thrown instanceof CelFailure)) throw thrown;
      this.budget.pay(failureCost);
      return thrown;
    }
  }

  #has({ of, key, position }: CelNodeOf<"has">): boolean {
    const value = this.run(of);
    if (value === null) return false;
    if (isRecord(value)) return Object.hasOwn(value, key);
    return fail(`has() works on maps, not on ${celTypeOf(value)}`, position);
  }

  #macro(node: CelNodeOf<"macro">): JsonValue {
    const items = this.#itemsOf(this.run(node.target), node);
    if (node.name === "all" || node.name === "exists") return this.#decide(node, items, node.name === "exists");
    const collected = this.#collect(node, items);
    return node.name === "exists_one" ? collected.length === 1 : collected;
  }

  #itemsOf(target: JsonValue, { name, position }: CelNodeOf<"macro">): readonly JsonValue[] {
    if (isList(target)) return target;
    if (!isRecord(target)) return fail(`.${name}() works on lists and maps, not on ${celTypeOf(target)}`, position);
    return keysOf(target, this.budget);
  }

  #decide({ body, slot }: CelNodeOf<"macro">, items: readonly JsonValue[], deciding: boolean): boolean {
    let failure: CelFailure | undefined;
    for (const item of items) {
      this.#variables[slot] = item;
      const answer = this.#attempt(body);
      if (answer === deciding) return deciding;
      if (answer instanceof CelFailure) failure ??= answer;
    }
    if (failure !== undefined) throw failure;
    return !deciding;
  }

  #collect({ name, body, transform, slot }: CelNodeOf<"macro">, items: readonly JsonValue[]): readonly JsonValue[] {
    const collected: JsonValue[] = [];
    for (const item of items) {
      this.#variables[slot] = item;
      if (name === "map" && transform === undefined) collected.push(this.run(body));
      else if (this.#isTrue(body)) collected.push(transform === undefined ? item : this.run(transform));
    }
    return collected;
  }
}

export function celTypeOf(value: JsonValue): string {
  return nameCelType(jsonTypeOf(value));
}

export function nameCelType(type: string): string {
  return celTypes[type] ?? "a number";
}

const celTypes: Readonly<Record<string, string>> = {
  array: "a list",
  object: "a map",
  null: "null",
  string: "text",
  boolean: "a boolean",
};

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function accessValue(value: JsonValue, key: JsonValue, position: number): JsonValue {
  if (isRecord(value) && typeof key === "string") {
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

/** Pays afterwards, because the number of keys is known only once they are listed. */
function keysOf(map: JsonObject, budget: CelBudget): readonly string[] {
  const keys = Object.keys(map);
  // Each key of a large map takes about twice as long.
  budget.pay(keys.length * (keys.length > 128 ? 4 : 2));
  return keys;
}

function quote(key: string | number): string {
  return JSON.stringify(typeof key === "string" ? cutText(key, 80) : key);
}

function applyOperator(node: CelNodeOf<"binary">, left: JsonValue, right: JsonValue, budget: CelBudget): JsonValue {
  const { operator, position } = node;
  if (operator === "==" || operator === "!=") return areEqual(left, right, budget) === (operator === "==");
  if (operator === "in") return isIn(left, right, position, budget);
  const order = orders[operator];
  if (order && typeof left === "number" && typeof right === "number") return order(left, right);
  if (typeof left === "string" && typeof right === "string") {
    budget.payForText(left.length + right.length);
    if (operator === "+") return left + right;
    if (order) return order(left, right);
  }
  if (operator === "+" && isList(left) && isList(right)) {
    budget.pay((left.length + right.length) / 2);
    return left.concat(right);
  }
  return fail(`"${operator}" does not work on ${celTypeOf(left)} and ${celTypeOf(right)}`, position);
}

/** Operations on decimals, so that 0.1 + 0.2 is 0.3, and faster, equally exact operations on whole numbers. */
const arithmetic: Readonly<Partial<Record<CelOperator, readonly [Operation<Decimal>, Operation<number>]>>> = {
  "+": [add, (left, right) => left + right],
  "-": [subtract, (left, right) => left - right],
  "*": [multiply, (left, right) => left * right],
  "/": [divide, (left, right) => left / right],
  "%": [remainder, (left, right) => left % right],
};

type Operation<T> = (left: T, right: T) => T;

type CelSum = CelNodeOf<"binary"> | CelNodeOf<"negate">;

const decimalCost = 20;

function isNumber(value: JsonValue | Decimal): value is number | Decimal {
  return typeof value === "number" || value instanceof Decimal;
}

function toDecimal(value: number | Decimal): Decimal {
  return typeof value === "number" ? new Decimal(value) : value;
}

function toJson(value: JsonValue | Decimal): JsonValue {
  return value instanceof Decimal ? value.toNumber() : value;
}

function calculate<TResult>({ position }: { readonly position: number }, apply: () => TResult): TResult {
  try {
    return apply();
  } catch (thrown) {
    if (!(thrown instanceof ArithmeticFault)) throw thrown;
    return fail(thrown.message.charAt(0).toLowerCase() + thrown.message.slice(1).replace(/\.$/, ""), position);
  }
}

const orders: Readonly<Partial<Record<CelOperator, <T extends number | string>(left: T, right: T) => boolean>>> = {
  "<": (left, right) => left < right,
  "<=": (left, right) => left <= right,
  ">": (left, right) => left > right,
  ">=": (left, right) => left >= right,
};

function isIn(value: JsonValue, holder: JsonValue, position: number, budget: CelBudget): boolean {
  if (isRecord(holder)) {
    if (typeof value !== "string") return false;
    budget.payForKey(value.length);
    return Object.hasOwn(holder, value);
  }
  if (!isList(holder)) return fail(`"in" works on lists and maps, not on ${celTypeOf(holder)}`, position);
  for (const item of holder) if (areEqual(value, item, budget)) return true;
  return false;
}

function areEqual(left: JsonValue, right: JsonValue, budget: CelBudget): boolean {
  budget.pay(0.5);
  if (typeof left !== "object" || typeof right !== "object") {
    if (typeof left === "string" && typeof right === "string" && left.length === right.length)
      budget.payForText(left.length);
    return left === right;
  }
  if (left === right) return true;
  if (isList(left)) {
    if (!isList(right) || left.length !== right.length) return false;
    return left.every((item, index) => areEqual(item, right[index] as JsonValue, budget));
  }
  if (!isRecord(left) || !isRecord(right)) return false;
  const keys = keysOf(left, budget);
  if (keys.length !== keysOf(right, budget).length) return false;
  return keys.every(
    (key) => Object.hasOwn(right, key) && areEqual(left[key] as JsonValue, right[key] as JsonValue, budget),
  );
}

function callFunction(
  { name, position }: CelNodeOf<"call">,
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
      if (typeof target !== "object") return String(target);
      return fail(`string() takes a number, a boolean or text, not ${celTypeOf(target)}`, position);
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

function sizeOf(value: JsonValue, position: number, budget: CelBudget): number {
  if (isList(value)) return value.length;
  if (isRecord(value)) return keysOf(value, budget).length;
  if (typeof value !== "string")
    return fail(`size() works on text, lists and maps, not on ${celTypeOf(value)}`, position);
  budget.pay(value.length / 10);
  // Counts code points. A loop with `of` takes five times as long.
  return value.length - (value.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}

const textOf = { int: /^[-+]?\d{1,20}$/, double: /^[-+]?\d{1,20}(\.\d{1,20})?([eE][-+]?\d{1,3})?$/ };

function toNumber(name: "int" | "double", value: JsonValue, position: number): number {
  const number = typeof value === "string" && textOf[name].test(value) ? exactNumber(value) : value;
  if (number === undefined) return fail(`${value} is not exact as a JSON number`, position);
  if (number === Number.POSITIVE_INFINITY || number === Number.NEGATIVE_INFINITY)
    return fail("the result is too large for a number", position);
  if (typeof number === "number") return (name === "int" ? Math.trunc(number) : number) + 0;
  if (typeof value === "string") return fail(`${name}() finds no number in the text`, position);
  return fail(`${name}() takes a number or text, not ${celTypeOf(value)}`, position);
}

/** The built-in conversion is fast and correct for ASCII. In other text, only the ASCII letters change. */
function changeCase(text: string, letters: RegExp, change: (part: string) => string, budget: CelBudget): string {
  if (/^[\0-\x7f]*$/.test(text)) return change(text);
  // In the worst case, every other character is a separate match.
  budget.pay(text.length);
  return text.replace(letters, change);
}
