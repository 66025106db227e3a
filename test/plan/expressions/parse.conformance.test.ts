import { tests as conformance } from "@bufbuild/cel-spec/testdata/conformance.js";
import { tests as parsing } from "@bufbuild/cel-spec/testdata/parsing.js";
import type { JsonValue } from "planwright";
import { expect, it } from "vitest";
import { outcomeOf } from "./cel-outcome.ts";
import { compareMany, compareWithLibrary } from "./compare-with-library.ts";

interface Suite {
  readonly tests?: readonly Case[];
  readonly suites?: readonly Suite[];
}

/** An expression of the specification. It has a tree if the parser in Go accepts it. */
interface Case {
  readonly original: {
    readonly expr: string;
    readonly value?: CelValue;
    readonly bindings?: Readonly<Record<string, Bound>>;
  };
  readonly ast?: string;
  readonly error?: string;
}

interface Bound {
  readonly value?: CelValue;
}

interface CelValue {
  readonly nullValue?: null;
  readonly boolValue?: boolean;
  readonly stringValue?: string;
  readonly int64Value?: string;
  readonly doubleValue?: number | string;
  readonly listValue?: { readonly values?: readonly CelValue[] };
  readonly mapValue?: { readonly entries?: readonly { readonly key: CelValue; readonly value: CelValue }[] };
}

const cases = [conformance, parsing].flatMap((suite) => casesOf(suite as Suite));

function casesOf({ tests = [], suites = [] }: Suite): readonly Case[] {
  return [...tests, ...suites.flatMap(casesOf)];
}

it("accepts and refuses what the specification does, as far as the language goes", () => {
  const counts = { accepted: 0, refused: 0, "left out": 0 };
  for (const { original, ast, error } of cases) {
    const outcome = compareWithLibrary(original.expr);
    counts[outcome]++;
    // The parser in Go has 32 levels, and a variable of its own in macros.
    const isOfGo = /recursion (limit|depth) exceeded|accumulator variable/.test(error ?? "");
    if (outcome === "accepted" && !isOfGo) expect([original.expr, ast]).toEqual([original.expr, expect.any(String)]);
  }
  expect(counts.accepted).toBeGreaterThan(750);
  expect(counts.refused).toBeGreaterThan(700);
  expect(counts["left out"]).toBeGreaterThan(1_000);
});

/** Numbers and booleans have no such results here, and there are no messages and no enumerations. */
const stated = /division by zero|too large|does not work on a boolean and a boolean|has no value/;

it("yields the values of the specification", async () => {
  let same = 0;
  for (const { original } of cases) {
    const { expr, value, bindings = {} } = original;
    const expected = jsonOf(value);
    const isOfPackage = Object.keys(bindings).some((name) => name.includes("."));
    if (expected === undefined || isOfPackage || compareWithLibrary(expr) !== "accepted") continue;
    const bound = Object.entries(bindings).map(([name, held]) => [name, jsonOf(held.value)]);
    const outcome = await outcomeOf(expr, Object.fromEntries(bound));
    if (typeof outcome === "string") expect([expr, outcome]).toEqual([expr, expect.stringMatching(stated)]);
    else {
      expect([expr, outcome.value]).toEqual([expr, expected]);
      same++;
    }
  }
  expect(same).toBeGreaterThan(450);
});

/** Undefined for bytes, unsigned integers, messages and what contains them. JSON has no -0. */
function jsonOf(value: CelValue = {}): JsonValue | undefined {
  if (value.int64Value !== undefined || value.doubleValue !== undefined)
    return Number(value.int64Value ?? value.doubleValue) + 0;
  if (value.listValue !== undefined) {
    const items = (value.listValue.values ?? []).map(jsonOf);
    return items.every((item) => item !== undefined) ? items : undefined;
  }
  if (value.mapValue === undefined) return value.nullValue === null ? null : (value.boolValue ?? value.stringValue);
  const entries = (value.mapValue.entries ?? []).map((entry) => [jsonOf(entry.key), jsonOf(entry.value)]);
  return entries.flat().every((part) => part !== undefined) ? Object.fromEntries(entries) : undefined;
}

it("reads texts as the parser of @marcbachmann/cel-js does", () => {
  compareMany({ numRuns: 5_000, seed: 54 });
});
