import type { JsonValue } from "planwright";
import { describe, expect, it } from "vitest";
import { celOf, outcomeOf } from "./cel-outcome.ts";

const data: Record<string, JsonValue> = {
  s1: {
    value: 3.5,
    count: 3,
    name: "Ada",
    done: true,
    none: null,
    nums: [1, 2, 3],
    tags: ["a", "b"],
    "a b": 5,
    users: [
      { name: "Ann", age: 17 },
      { name: "Bob", age: 40, tags: ["x"] },
      { name: "Cy", age: 18, tags: [] },
    ],
    obj: { x: 1, y: { z: [true] } },
    empty: {},
  },
  s2: [10, 20],
  skipped: null,
  item: { n: 2 },
  index: 1,
};

/** What each expression gives, by subject. */
const values: Record<string, [expression: string, value: JsonValue][]> = {
  literals: [
    ["1", 1],
    ["-1", -1],
    ["1.5", 1.5],
    ["1e3", 1000],
    ["0x1F", 31],
    ["true", true],
    ["null", null],
    ['"a"', "a"],
    ["'a'", "a"],
    ['"""a"b"""', 'a"b'],
    ['r"a\\nb"', "a\\nb"],
    ['r"a\\" + "b"', "a\\b"],
    ['R\'\\\' + r"""a"\\"""', '\\a"\\'],
    ["2 == 2 in [true]", true],
    ["1 != 2 == true in [true]", true],
    ['"\\u00e9\\n\\U0001F600"', "é\n😀"],
    ["[]", []],
    ["{}", {}],
    ['[1, "a", null, [true]]', [1, "a", null, [true]]],
    ['{"a": 1, "b": [s1.count]}', { a: 1, b: [3] }],
    ['{"a" + "b": 1}', { ab: 1 }],
    ['{"constructor": 1}', { constructor: 1 }],
    ["1 // a comment", 1],
    [" 1\n+\n2 ", 3],
  ],
  numbers: [
    ["1 + 2", 3],
    ["1 + 2 * 3", 7],
    ["(1 + 2) * 3", 9],
    ["7 / 2", 3.5],
    ["7 % 4", 3],
    ["-7 % 4", -3],
    ["10 - 2 - 3", 5],
    ["0.1 + 0.2", 0.3],
    ["0.1 + 0.2 == 0.3", true],
    ["0.1 + 0.2 > 0.3", false],
    ["1 / 3 * 3 == 1", true],
    ["-(1 / 3) * 3 == -1", true],
    ["1 / 3", 1 / 3],
    ["0.3 % 0.1 == 0.0", true],
    ["1.1 * 1.1 == 1.21", true],
    ["[0.1, 0.2].map(x, x * 3)", [0.3, 0.6]],
    ["9007199254740991 + 1", 2 ** 53],
    ["1e22 * 3", 3e22],
    ["1 / 3.0", 1 / 3],
    ["s1.value * 2 + 1", 8],
    ["s1.count - 1", 2],
    ["-s1.count", -3],
    ["- - s1.count", 3],
    ["1 == 1.0", true],
    ["s1.count == 3", true],
    ["1 != 2", true],
    ["2 > 1", true],
    ["2 >= 2", true],
    ["1 < 1", false],
    ["1 <= 1", true],
    ["index % 2 == 1", true],
    ["0 * -1", 0],
    ["-0", 0],
    ["9007199254740992", 2 ** 53],
    ["int(3.9)", 3],
    ["int(-3.9)", -3],
    ["int(-0.5)", 0],
    ['int("42")', 42],
    ['double("2.5e1")', 25],
    ["double(2)", 2],
    ["int(7 / 2)", 3],
    ["dyn(1) + 1", 2],
  ],
  text: [
    ['"a" + "b"', "ab"],
    ['s1.name + "!"', "Ada!"],
    ['s1.name == "Ada"', true],
    ['"a" < "b"', true],
    ['"B" < "a"', true],
    ['"a" <= "a"', true],
    ['"b" > "a"', true],
    ['"b" >= "c"', false],
    ['s1.name.startsWith("A")', true],
    ['s1.name.endsWith("a")', true],
    ['s1.name.contains("d")', true],
    ['s1.name.contains("")', true],
    ['s1.name.contains("longer than it is")', false],
    ['"a.c".contains(".")', true],
    ["size(s1.name)", 3],
    ["s1.name.size()", 3],
    ['size("é😀")', 2],
    ['size("😀")', 1],
    ['size("")', 0],
    ['"ÀbC".lowerAscii()', "Àbc"],
    ['"AbC".lowerAscii()', "abc"],
    ['"aßc".upperAscii()', "AßC"],
    ['"abc".upperAscii()', "ABC"],
    ['" a ".trim()', "a"],
    ["string(3)", "3"],
    ["string(3.5)", "3.5"],
    ["string(true)", "true"],
    ['string("a")', "a"],
  ],
  lists: [
    ["s1.nums[0]", 1],
    ["s1.nums[index]", 2],
    ["s1.nums[s1.count - 1]", 3],
    ["s1.nums[1.0]", 2],
    ["s2[1]", 20],
    ["size(s1.nums)", 3],
    ["s1.nums.size()", 3],
    ["s1.nums + [4]", [1, 2, 3, 4]],
    ["s1.nums == [1, 2, 3]", true],
    ["[1, 2] == [2, 1]", false],
    ["[1] != [1, 2]", true],
    ["3 in s1.nums", true],
    ["4 in s1.nums", false],
    ['"3" in s1.nums', false],
    ["[1] in [[1], [2]]", true],
    ['{"x": 1} in [s1.obj, {"x": 1}]', true],
    ["[[1, 2], [3]][0][1]", 2],
  ],
  maps: [
    ['s1["value"]', 3.5],
    ['s1["a b"]', 5],
    ["s1.obj.y.z[0]", true],
    ['"value" in s1', true],
    ['"nope" in s1', false],
    ['"toString" in s1', false],
    ["1 in s1", false],
    ["size(s1.obj)", 2],
    ['{"a": 1, "b": 2} == {"b": 2, "a": 1}', true],
    ['{"a": 1} == {"a": 2}', false],
    ['{"a": 1} == {"b": 1}', false],
    ['{"a": 1} == {"a": 1, "b": 2}', false],
    ["{} == []", false],
    ["[] == {}", false],
    ["has(s1.value)", true],
    ["has(s1.nope)", false],
    ["has(s1.none)", true],
    ["has(s1.toString)", false],
    ["has(s1.obj.x)", true],
    ["has(skipped.value)", false],
    ["s1.obj == s1.obj", true],
  ],
  "null and mixed types": [
    ["skipped == null", true],
    ["s1.none == null", true],
    ["s1 == null", false],
    ["null != 0", true],
    ['1 == "1"', false],
    ["true == 1", false],
    ["[] == null", false],
    ["skipped == null || skipped.value > 1", true],
    ["skipped != null && skipped.value > 1", false],
  ],
  logic: [
    ["true && false", false],
    ["true || false", true],
    ["!true", false],
    ["!!s1.done", true],
    ["true && !false || false", true],
    ['s1.done ? "yes" : 0', "yes"],
    ['!s1.done ? "yes" : null', null],
    ["false ? s1.nope : 1", 1],
    ["true ? false ? 1 : 2 : 3", 2],
    ["s1.nope == 1 || true", true],
    ["true || s1.nope == 1", true],
    ["s1.nope == 1 && false", false],
    ["false && s1.nope == 1", false],
    ["1 / 0 > 1 || true", true],
    ["(1 + 1) || true", true],
  ],
  macros: [
    ["s1.nums.all(n, n > 0)", true],
    ["s1.nums.all(n, n > 1)", false],
    ["[].all(n, false)", true],
    ["s1.nums.exists(n, n == 3)", true],
    ["[].exists(n, true)", false],
    ["s1.nums.exists_one(n, n > 2)", true],
    ["s1.nums.exists_one(n, n > 1)", false],
    ["s1.nums.filter(n, n > 1)", [2, 3]],
    ["s1.nums.map(n, n * 2)", [2, 4, 6]],
    ["s1.nums.map(n, n > 1, n * 2)", [4, 6]],
    ["s1.users.filter(u, u.age >= 18).map(u, u.name)", ["Bob", "Cy"]],
    ["s1.users.exists(u, has(u.tags) && u.tags.exists(t, t == 'x'))", true],
    [
      "s1.nums.map(x, s2.map(y, x * y))",
      [
        [10, 20],
        [20, 40],
        [30, 60],
      ],
    ],
    [
      "s1.nums.map(x, s2.map(x, x))",
      [
        [10, 20],
        [10, 20],
        [10, 20],
      ],
    ],
    ["s1.nums.map(s1, s1 + 1)", [2, 3, 4]],
    ["s1.obj.all(key, key != 'z')", true],
    ["s1.obj.map(key, key)", ["x", "y"]],
    ["s1.obj.filter(key, key > 'x')", ["y"]],
    ["[1, 'a', 3].exists(x, x > 2)", true],
    ["[1, 'a', 0].all(x, x > 0)", false],
    ["s1.nums.all(a, s1.nums.exists(b, b >= a))", true],
    ["s1.nums.map(item, item)", [1, 2, 3]],
    ["item.n == 2 && index == 1", true],
    ["s1.nums.map(n, [n].map(m, m)[0] + n)", [2, 4, 6]],
  ],
};

/** Where each expression fails, and why. */
const failures: [expression: string, outcome: string][] = [
  ["nope", "failure at 0: nope has no value"],
  ["1 + nope.a", "failure at 4: nope has no value"],
  ["toString", "failure at 0: toString has no value"],
  ["s1.nope", 'failure at 3: there is no key "nope"'],
  ["s1.obj.nope.x", 'failure at 7: there is no key "nope"'],
  ["s1.constructor", 'failure at 3: there is no key "constructor"'],
  ["s1.__proto__", 'failure at 3: there is no key "__proto__"'],
  ['s1["__proto__"]', 'failure at 3: there is no key "__proto__"'],
  ["s1.name.length", 'failure at 8: there is no "length" in text; for its length write size(…)'],
  ["s1.nums.length", 'failure at 8: there is no "length" in a list; for its length write size(…)'],
  ['s1.nums["0"]', 'failure at 8: there is no "0" in a list'],
  ["s1.nums[3]", "failure at 8: there is no item 3 in a list of 3"],
  ["s1.nums[-1]", "failure at 8: there is no item -1 in a list of 3"],
  ["s1.nums[1.5]", "failure at 8: there is no item 1.5 in a list of 3"],
  ["s1[0]", "failure at 3: there is no 0 in a map"],
  ["s1[null]", "failure at 3: there is no null in a map"],
  ["skipped.value", 'failure at 8: there is no "value" in null'],
  ["1 / 0", "failure at 0: division by zero"],
  ["1 % 0", "failure at 0: division by zero"],
  ["1e308 * 10", "failure at 0: the result is too large; the largest number is about 1.8e308"],
  ["1e308 + 1e308", "failure at 0: the result is too large; the largest number is about 1.8e308"],
  ["-1e308 - 1e308", "failure at 0: the result is too large; the largest number is about 1.8e308"],
  ["9007199254740992 + 1", "failure at 0: the result 9007199254740993 has more digits than a JSON number"],
  ["3000000001 * 9007199254740991", "failure at 0: the result 27021597773230172254740991 has more digits"],
  ["1e21 + 1 == 1e21", "failure at 0: the result 1000000000000000000001 has more digits"],
  ['int("9007199254740993")', "failure at 0: 9007199254740993 is not exact as a JSON number"],
  ['double("9007199254740993.0")', "failure at 0: 9007199254740993.0 is not exact as a JSON number"],
  ['double("-9007199254740993")', "failure at 0: -9007199254740993 is not exact as a JSON number"],
  ["1 % (5.0 % (4.0 / 3.0))", "failure at 0: the remainder is lost in rounding"],
  ['double("1e999")', "failure at 0: the result is too large for a number"],
  ['"a" + 1', 'failure at 0: "+" does not work on text and a number'],
  ['1 < "a"', 'failure at 0: "<" does not work on a number and text'],
  ['"a" - "b"', 'failure at 0: "-" does not work on text and text'],
  ["true < false", 'failure at 0: "<" does not work on a boolean and a boolean'],
  ["s1.none + 1", 'failure at 0: "+" does not work on null and a number'],
  ["[1] - [1]", 'failure at 0: "-" does not work on a list and a list'],
  ["{} + {}", 'failure at 0: "+" does not work on a map and a map'],
  ["-s1.name", 'failure at 0: "-" does not work on text'],
  ["!s1.count", "failure at 4: a number is neither true nor false"],
  ["s1.count && true", "failure at 3: a number is neither true nor false"],
  ["true && s1.name", "failure at 11: text is neither true nor false"],
  ["false || s1.nope", 'failure at 12: there is no key "nope"'],
  ["s1.nope || false", 'failure at 3: there is no key "nope"'],
  ["s1 ? 1 : 2", "failure at 0: a map is neither true nor false"],
  ['"a" in "abc"', 'failure at 0: "in" works on lists and maps, not on text'],
  ["1 in null", 'failure at 0: "in" works on lists and maps, not on null'],
  ["{s1.name: 1, 'Ada': 2}", "failure at 13: the map already has this key"],
  ["{s1.count: 1}", "failure at 4: the key of a map must be text, not a number"],
  ["has(s1.name.x)", "failure at 0: has() works on maps, not on text"],
  ["size(1)", "failure at 0: size() works on text, lists and maps, not on a number"],
  ["string([1])", "failure at 0: string() takes a number, a boolean or text, not a list"],
  ["string(null)", "failure at 0: string() takes a number, a boolean or text, not null"],
  ['int("a")', "failure at 0: int() finds no number in the text"],
  ['int("1.5")', "failure at 0: int() finds no number in the text"],
  ['double("")', "failure at 0: double() finds no number in the text"],
  ["int(true)", "failure at 0: int() takes a number or text, not a boolean"],
  ['s1.count.contains("a")', "failure at 9: .contains() works on text, not on a number"],
  ["s1.name.contains(1)", "failure at 8: .contains() takes text, not a number"],
  ["s1.count.all(x, true)", "failure at 9: .all() works on lists and maps, not on a number"],
  ["s1.nums.filter(x, x)", "failure at 18: a number is neither true nor false"],
  ["[1, 'a'].all(x, x > 0)", 'failure at 16: ">" does not work on text and a number'],
  ["[1, 'a'].exists(x, x > 5)", 'failure at 19: ">" does not work on text and a number'],
];

describe.each(Object.entries(values))("%s", (_subject, cases) => {
  it.each(cases)("%s", async (expression, value) => {
    expect(await outcomeOf(expression, data)).toEqual({ value });
  });
});

describe("an expression that cannot be evaluated", () => {
  it.each(failures)("%s", async (expression, outcome) => {
    expect(await outcomeOf(expression, data)).toContain(outcome);
  });
});

describe("an evaluation", () => {
  it("treats __proto__ like any other key", async () => {
    const outcome = (await outcomeOf('{"__proto__": 1, "a": 2}')) as { value: object };
    expect(Object.getPrototypeOf(outcome.value)).toBe(Object.prototype);
    expect(JSON.stringify(outcome.value)).toBe('{"__proto__":1,"a":2}');
    expect(await outcomeOf("s1.__proto_", { s1: JSON.parse('{"__proto_":1}') })).toEqual({ value: 1 });
    expect(await outcomeOf('s1["__proto__"]', { s1: JSON.parse('{"__proto__":1}') })).toEqual({ value: 1 });
  });

  it("never results in negative zero, which JSON lacks", async () => {
    for (const text of ["-0.0", "0 * -1", "-4 % 2", "int(-0.5)", "-(0)"]) {
      const outcome = (await outcomeOf(text)) as { value: number };
      expect(Object.is(outcome.value, 0), text).toBe(true);
    }
  });

  it("does not change the data", async () => {
    const before = structuredClone(data);
    for (const cases of Object.values(values)) for (const [expression] of cases) await outcomeOf(expression, data);
    expect(data).toEqual(before);
  });

  it("quotes a short key whole in a message, and cuts a long one", async () => {
    expect(await outcomeOf(`s1["${"k".repeat(300)}"]`, data)).toBe(
      `failure at 3: there is no key "${"k".repeat(79)}…"`,
    );
  });

  it("looks up each name once, and only the names that it reaches", async () => {
    const { evaluateCel } = await import("../../../src/plan/expressions/evaluate.ts");
    const asked: string[] = [];
    const lookUp = (name: string) => {
      asked.push(name);
      return [1, 2, 3];
    };
    evaluateCel(await celOf("a.all(x, x in b) || c.size() > 1"), lookUp);
    expect(asked).toEqual(["a", "b"]);
  });
});
