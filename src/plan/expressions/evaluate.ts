import { type JsonValue, setOwn } from "../../core/json.ts";
import { CelBudget, CelFailure, CelLimitExceeded, fail } from "./budget.ts";
import { callFunction } from "./functions.ts";
import type { CelExpression, CelHas, CelIndex, CelLogical, CelMacro, CelMap, CelName, CelNode } from "./node.ts";
import { accessValue, applyOperator, asJsonNumber, celTypeOf, isList, isMap, keysOf } from "./operators.ts";
import { isPartOfData } from "./paths.ts";

/**
 * What an evaluation may cost: 1 for each evaluated node, and what the functions pay for the lengths of the values they
 * walk. A predicate of nine nodes fits over 100 000 items; the most expensive evaluation takes about 100 ms.
 */
export const maxCelCost = 1_000_000;

/** The cost of a failure after which a macro, `&&` or `||` continues: throwing is slow. */
const failureCost = 30;

/** Returns the value of a name from outside; undefined if there is none. Called once for each name in an evaluation. */
type LookUpName = (name: string) => JsonValue | undefined;

/**
 * Evaluates an expression. Numbers are those of JSON, only own properties are read, no code of the data runs, nothing
 * waits. Throws {@link CelFailure} or {@link CelLimitExceeded}, and otherwise only what `lookUp` throws.
 */
export function evaluateCel(expression: CelExpression, lookUp: LookUpName, maxCost = maxCelCost): JsonValue {
  const budget = new CelBudget(maxCost);
  try {
    const value = new Evaluation(budget, lookUp).run(expression.root);
    // l.map(x, l) is cheap to create and huge to write out. A value that is only picked out of the data cannot grow.
    if (!isPartOfData(expression.root)) measure(value, budget);
    return value;
  } catch (thrown) {
    // Data as deep as the stack: an output has at most 500 levels, but here it may have come from anywhere.
    if (thrown instanceof RangeError) throw new CelLimitExceeded(maxCost + 1);
    throw thrown;
  }
}

/** Pays for everything in a value, as often as it occurs there. */
function measure(value: JsonValue, budget: CelBudget): void {
  budget.pay(0.5);
  if (typeof value === "string") budget.payForText(value.length);
  else if (isList(value)) for (const item of value) measure(item, budget);
  else if (isMap(value)) {
    for (const key of keysOf(value, budget)) {
      budget.payForText(key.length);
      measure(value[key] as JsonValue, budget);
    }
  }
}

class Evaluation {
  /** The values of the variables of the enclosing macros, by depth. */
  private readonly variables: JsonValue[] = [];
  private readonly values: (JsonValue | undefined)[] = [];

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
        return this.name(node);
      case "variable":
        return this.variables[node.slot] as JsonValue;
      case "member":
        return accessValue(this.run(node.of), node.key, node.position);
      case "index":
        return this.index(node);
      case "list":
        return node.items.map((item) => this.run(item));
      case "map":
        return this.map(node);
      case "choice":
        return this.run(this.isTrue(node.condition) ? node.yes : node.no);
      case "logical":
        return this.logical(node);
      case "not":
        return !this.isTrue(node.of);
      case "negate": {
        const value = this.run(node.of);
        if (typeof value === "number") return asJsonNumber(-value, node.position);
        return fail(`- does not work on ${celTypeOf(value)}`, node.position);
      }
      case "binary":
        return applyOperator(node, this.run(node.left), this.run(node.right), this.budget);
      case "has":
        return this.has(node);
      case "call": {
        const target = this.run(node.target);
        return callFunction(node, target, node.argument && this.run(node.argument), this.budget);
      }
      case "macro":
        return this.macro(node);
      default:
        return node satisfies never;
    }
  }

  private name({ name, slot, position }: CelName): JsonValue {
    const known = this.values[slot];
    if (known !== undefined) return known;
    const value = this.lookUp(name);
    if (value === undefined) return fail(`there is no value of ${name}`, position);
    this.values[slot] = value;
    return value;
  }

  private index({ of, key, position }: CelIndex): JsonValue {
    const value = this.run(of);
    const wanted = this.run(key);
    if (typeof wanted === "string") {
      if (key.type !== "literal") this.budget.pay(3);
      this.budget.payForKey(wanted.length);
    }
    return accessValue(value, wanted, position);
  }

  private isTrue(node: CelNode): boolean {
    const value = this.run(node);
    return typeof value === "boolean" ? value : fail(`${celTypeOf(value)} is neither true nor false`, node.position);
  }

  private map({ entries }: CelMap): JsonValue {
    const map: Record<string, JsonValue> = {};
    for (const { key, value } of entries) {
      const name = this.run(key);
      if (typeof name !== "string") return fail(`the key of a map is text, not ${celTypeOf(name)}`, key.position);
      // Maps whose keys are not known in advance are slow to create.
      this.budget.pay(key.type === "literal" ? 1 : 8);
      this.budget.payForKey(name.length);
      if (Object.hasOwn(map, name)) return fail("the map has this key already", key.position);
      setOwn(map, name, this.run(value));
    }
    return map;
  }

  /** As in CEL, the deciding side, left or right, wins over a failure of the other. */
  private logical({ left, right, deciding }: CelLogical): boolean {
    const first = this.attempt(left);
    if (first === deciding) return deciding;
    const second = this.isTrue(right);
    if (second === deciding || typeof first === "boolean") return second;
    throw first;
  }

  private attempt(node: CelNode): boolean | CelFailure {
    try {
      return this.isTrue(node);
    } catch (thrown) {
      if (!(thrown instanceof CelFailure)) throw thrown;
      this.budget.pay(failureCost);
      return thrown;
    }
  }

  private has({ of, key, position }: CelHas): boolean {
    const value = this.run(of);
    // The output of a skipped step has nothing.
    if (value === null) return false;
    return isMap(value) ? Object.hasOwn(value, key) : fail(`has() works on maps, not on ${celTypeOf(value)}`, position);
  }

  private macro(node: CelMacro): JsonValue {
    const target = this.run(node.target);
    const items = this.itemsOf(target, node);
    switch (node.name) {
      case "all":
        return this.decide(node, items, false);
      case "exists":
        return this.decide(node, items, true);
      case "exists_one":
        return this.filter(node, items).length === 1;
      case "filter":
        return this.filter(node, items);
      case "map":
        return this.mapItems(node, items);
    }
  }

  /** A map is walked by its keys. */
  private itemsOf(target: JsonValue, { name, position }: CelMacro): readonly JsonValue[] {
    if (isList(target)) return target;
    if (!isMap(target)) return fail(`.${name}() works on lists and maps, not on ${celTypeOf(target)}`, position);
    return keysOf(target, this.budget);
  }

  /** Whether an item decides. A failure counts only if no item decides. */
  private decide({ body, slot }: CelMacro, items: readonly JsonValue[], deciding: boolean): boolean {
    let failure: CelFailure | undefined;
    for (const item of items) {
      this.variables[slot] = item;
      const answer = this.attempt(body);
      if (answer === deciding) return deciding;
      if (answer instanceof CelFailure) failure ??= answer;
    }
    if (failure !== undefined) throw failure;
    return !deciding;
  }

  private filter({ body, slot }: CelMacro, items: readonly JsonValue[]): readonly JsonValue[] {
    const kept: JsonValue[] = [];
    for (const item of items) {
      this.variables[slot] = item;
      if (this.isTrue(body)) kept.push(item);
    }
    return kept;
  }

  private mapItems({ body, transform, slot }: CelMacro, items: readonly JsonValue[]): readonly JsonValue[] {
    const made: JsonValue[] = [];
    for (const item of items) {
      this.variables[slot] = item;
      if (transform === undefined) made.push(this.run(body));
      else if (this.isTrue(body)) made.push(this.run(transform));
    }
    return made;
  }
}
