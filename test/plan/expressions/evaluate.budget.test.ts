import type { JsonValue } from "planwright";
import { beforeAll, describe, expect, it } from "vitest";
import { CelLimitExceeded, evaluateCel, maxCelCost } from "../../../src/plan/expressions/evaluate.ts";
import { celOf, outcomeOf } from "./cel-outcome.ts";

const count = 100_000;
const data: Record<string, JsonValue> = {};

beforeAll(() => {
  data.l = Array.from({ length: count }, (_, index) => index);
  data.m = Array.from({ length: 1_000 }, (_, index) => index);
  data.users = Array.from({ length: count }, (_, index) => ({ name: `user${index}`, age: index % 90 }));
  data.s = "a".repeat(1_000_000);
  data.u = "aé".repeat(500_000);
  data.w = "a😀".repeat(300_000);
  data.needle = `${"a".repeat(250)}b${"a".repeat(249)}`;
  data.long = `b${"a".repeat(500_000)}`;
  data.big = Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));
  data.big2 = { ...(data.big as object), k1: 2 };
  data.same = Array.from({ length: 1_000 }, () => ({ a: 1, b: [1, 2] }));
  data.same2 = Array.from({ length: 1_000 }, () => ({ a: 1, b: [1, 2] }));
});

describe("a simple expression over 100 000 items", () => {
  it.each<[string, (value: JsonValue) => unknown, unknown]>([
    ["l.all(x, x >= 0)", (value) => value, true],
    ["l.exists(x, x == 99999)", (value) => value, true],
    ["99999 in l", (value) => value, true],
    ["l.map(x, x * 2)", (value) => (value as JsonValue[]).length, count],
    ["users.all(u, has(u.name) && u.age < 90)", (value) => value, true],
    ["users.filter(u, u.age >= 18 && u.name.startsWith('user'))", (value) => (value as JsonValue[]).length, 79_992],
    ['l.map(x, {"a": x})', (value) => (value as JsonValue[]).length, count],
    ["users.map(u, u.name)", (value) => (value as JsonValue[]).length, count],
    ["users", (value) => (value as JsonValue[]).length, count],
    ["l == l.map(x, x)", (value) => value, true],
    ['s.contains("zz")', (value) => value, false],
    ["size(s) == 1000000", (value) => value, true],
  ])("stays within the limit: %s", async (text, read, expected) => {
    const outcome = await outcomeOf(text, data);
    expect(typeof outcome === "string" ? outcome : read(outcome.value)).toEqual(expected);
  });
});

/** Without the limit each of these would take from a second to ages. */
const hostile = [
  "l.all(a, l.all(b, true))",
  "l.all(a, l.all(b, l.all(c, l.all(d, a + b + c + d >= 0))))",
  "l.exists(a, l.exists(b, a + b < 0)) || true",
  "l.filter(x, -1 in l)",
  "l.map(a, l)",
  "l.map(a, l + l)",
  "m.map(a, m.map(b, m))",
  "m.all(x, (l + l + l + l).size() > 0)",
  "l.map(x, [x, x, x, x, x, x, x, x, x, x])",
  'l.map(x, {"a": x, "b": [x], "c": {"d": x}})',
  "l.map(x, {string(x): x, string(x) + 'a': x})",
  "m.all(x, big.size() > 0)",
  "m.all(x, big.all(k, true))",
  "m.all(x, big != big2)",
  "m.all(x, same == same2)",
  "l.all(x, x.nope)",
  "l.all(x, x.nope || x.neither)",
  "l.all(x, size(s) > 0)",
  "l.all(x, size(w) > 0)",
  "m.all(x, u.lowerAscii() != '')",
  "m.all(x, s.upperAscii() != '')",
  "m.all(x, (s + string(x)).trim() != '')",
  "l.map(x, s + s)",
  "l.map(x, s).map(x, x + x).map(x, x + x).map(x, size(x))",
  "s.contains(long)",
  "l.all(x, !s.contains(needle))",
  "l.all(x, !s.startsWith(s + 'b'))",
  "m.all(x, s + string(x) == s + string(x))",
];

describe("an expression that costs too much", () => {
  it.each(hostile)("stops early: %s", async (text) => {
    const expression = await celOf(text);
    // About 100 ms at most where nothing else runs; what is not bounded would outlast the test's time.
    expect(() => evaluateCel(expression, (name) => data[name])).toThrow(CelLimitExceeded);
  });

  it("is not rescued by || or by macros", async () => {
    expect(await outcomeOf("true || l.all(a, l.all(b, true))", data)).toEqual({ value: true });
    expect(await outcomeOf("l.all(a, l.all(b, true)) || true", data)).toBe("limit");
    expect(await outcomeOf("m.exists(x, l.all(a, m.all(b, true))) || true", data)).toBe("limit");
    expect(await outcomeOf("l.all(a, m.all(b, true)) && false", data)).toBe("limit");
  });

  it("reports the cost that it reached", async () => {
    const expression = await celOf("l.all(x, true)");
    expect(() => evaluateCel(expression, (name) => data[name], 10)).toThrow(expect.objectContaining({ used: 11 }));
    expect(maxCelCost).toBe(1_000_000);
  });

  it("cannot avoid its cost by doubling a list or a text", async () => {
    const double = (start: string, times: number) => `[${start}]${".map(x, x + x)".repeat(times)}.map(x, size(x))[0]`;
    expect(await outcomeOf(double("s", 2), data)).toEqual({ value: 4_000_000 });
    expect(await outcomeOf(double("s", 10), data)).toBe("limit");
    expect(await outcomeOf(double("l", 10), data)).toBe("limit");
  });

  it("pays for its result as often as it would be written, but not for values that it only selects", async () => {
    expect(await outcomeOf("m.map(x, m.map(y, 1))[0].size()", data)).toBe("limit");
    expect(await outcomeOf("m.map(x, users)[0].size()", data)).toEqual({ value: count });
    expect(await outcomeOf("m.map(x, users)", data)).toBe("limit");
    expect(await outcomeOf("[users, users, users, users, users]", data)).toBe("limit");
    expect(await outcomeOf("users.filter(u, true)", data)).toMatchObject({ value: { length: count } });
  });

  it("reaches the limit instead of a RangeError if the data is nested too deeply", async () => {
    const deep = () => {
      let value: JsonValue = 1;
      for (let level = 0; level < 100_000; level++) value = [value];
      return value;
    };
    const nested = { a: deep(), b: deep() };
    expect(await outcomeOf("a == b", nested)).toBe("limit");
    expect(await outcomeOf("[a]", nested)).toBe("limit");
    expect(await outcomeOf("a == b || true", nested)).toBe("limit");
  });
});
