import { describe, expect, it } from "vitest";
import type { CelNode } from "../../../src/plan/expressions/node.ts";
import { maxCelLength, parseCel } from "../../../src/plan/expressions/parse.ts";
import { celOf, outcomeOf } from "./cel-outcome.ts";

describe("the names of an expression", () => {
  it.each<[string, [string, number][]]>([
    ["1 + 2", []],
    [
      "s1.value > s2.value",
      [
        ["s1", 0],
        ["s2", 11],
      ],
    ],
    ["s1 + s1", [["s1", 0]]],
    ["true || nope", [["nope", 8]]],
    [
      "my-step.value",
      [
        ["my", 0],
        ["step", 3],
      ],
    ],
    [
      "s1.users.map(s1, s1.age + s2)",
      [
        ["s1", 0],
        ["s2", 26],
      ],
    ],
    ["s1.map(s1, s1).map(x, s1)", [["s1", 0]]],
    [
      "s1.map(x, x > y, z)",
      [
        ["s1", 0],
        ["y", 14],
        ["z", 17],
      ],
    ],
    [
      "has(s5.x) ? s6 : [s7, {'s8': s9}]",
      [
        ["s5", 4],
        ["s6", 12],
        ["s7", 18],
        ["s9", 29],
      ],
    ],
    [
      's1["s9"] == s3.s4',
      [
        ["s1", 0],
        ["s3", 12],
      ],
    ],
    [
      "item.n == index",
      [
        ["item", 0],
        ["index", 10],
      ],
    ],
    [
      "size(a) > b.size() && c.contains(d)",
      [
        ["a", 5],
        ["b", 10],
        ["c", 22],
        ["d", 33],
      ],
    ],
    ["x.all(x, x)", [["x", 0]]],
  ])("%s", async (text, names) => {
    expect((await celOf(text)).names.map(({ name, position }) => [name, position])).toEqual(names);
  });
});

describe("text that is not an expression", () => {
  it.each<[string, string]>([
    ["", "syntax at 0: it is empty"],
    [" \n ", "syntax at 0: it is empty"],
    ["s1 >", "syntax at 4: it ends too early"],
    ["(1", "syntax at 2: it ends too early"],
    ["foo(", "syntax at 4: it ends too early"],
    ['"abc', "syntax at 0: unterminated string"],
    ["r'a\\\nb'", "syntax at 4: a line break is allowed only in triple quotes"],
    ["has(s1.x,)", "syntax at 9: only a list or a map may end with a comma"],
    ["s1.all(x, true, )", "syntax at 16: only a list or a map may end with a comma"],
    ["1 2", "syntax at 2: unexpected 2"],
    ["s1..x", "syntax at 3: unexpected .; expected a name"],
    ["a = b", 'syntax at 2: "=" does not compare; write "=="'],
    ["a === b", 'syntax at 4: write "==" for "==="'],
    ["a !== b", 'syntax at 4: write "!=" for "!=="'],
    ["a.filter(t => t == 'x')", 'syntax at 11: there are no arrow functions; write .filter(t, t == "x")'],
    ["a.filter(t -> t == 'x')", 'syntax at 12: there are no arrow functions; write .filter(t, t == "x")'],
    ["${a.name} > 2", "syntax at 0: ${…} belongs in inputs; here write a.name"],
    ["1 < ${", "syntax at 4: ${…} belongs in inputs; here write a.name"],
    ["1 < ${b.n[0]}", "syntax at 4: ${…} belongs in inputs; here write b.n[0]"],
    ["a.b and a.c > 2", 'syntax at 4: write "&&" for "and"'],
    ["a OR b", 'syntax at 2: write "||" for "or"'],
    ["not a.b", 'syntax at 4: write "!" for "not"'],
    ["!a && not b", 'syntax at 10: write "!" for "not"'],
    ["not(a)", 'syntax at 0: there is no function not(); write "!(…)"'],
    ["a not in b", 'syntax at 2: write "!(a in b)" for "a not in b"'],
    ["a is null", 'syntax at 2: write "==" for "is"'],
    ["a is not null", 'syntax at 2: write "!=" for "is not"'],
    ["a <> b", 'syntax at 3: write "!=" for "<>"'],
    ["a & b", 'syntax at 2: write "&&" for "&"'],
    ["a | b", 'syntax at 2: write "||" for "|"'],
    ["a ?? b", 'syntax at 3: write "has(l.n) ? l.n : 0" for "l.n ?? 0"'],
    ["l?.n > 2", 'syntax at 2: write "has(l.n) && …" for "l?.n"'],
    ["1..3", "syntax at 2: there are no ranges; write the list, as in [1, 2, 3]"],
    ["a.b;", "syntax at 3: an expression is one value, without ;"],
    ["a b", "syntax at 2: unexpected b"],
    ["a 'x y'", "syntax at 2: unexpected 'x y'"],
    [`a ${"b".repeat(50)}`, `syntax at 2: unexpected ${"b".repeat(40)}…`],
    ["a ++ b", "syntax at 3: unexpected +"],
    ["[1 2]", "syntax at 3: unexpected 2; expected , or ]"],
    ["{a 1}", "syntax at 3: unexpected 1; expected :"],
    ['{"a": 1 "b": 2}', 'syntax at 8: unexpected "b"; expected , or }'],
    ["size(a b)", "syntax at 7: unexpected b; expected , or )"],
    ["a.1", "syntax at 2: unexpected 1; expected a name, or brackets for any other key: a[0]"],
    ["a ? b", "syntax at 5: it ends too early"],
    ["import.x", "syntax at 0: import is a reserved word of CEL: an expression cannot name a step with this id"],
    ["1e400", "syntax at 0: invalid number: Infinity"],
    ['"\\ud800"', "syntax at 1: invalid Unicode surrogate"],
    ["a\n&&\n@", "syntax at 5: unexpected @"],
    ["`a`", 'syntax at 0: text needs quotes; write "…"'],
    [".a", "syntax at 0: unexpected ."],
    ["Foo{a: 1}", "syntax at 3: unexpected {"],
    ["s1.?a", 'syntax at 3: write "has(l.n) && …" for "l.?n"'],
    ["9007199254740993", "syntax at 0: 9007199254740993 is not exact as a JSON number; the limit is 2^53"],
    ["1 + 9007199254740993.0", "syntax at 4: 9007199254740993.0 is not exact as a JSON number; the limit is 2^53"],
    ["[1, 12345678901234567890]", "syntax at 4: 12345678901234567890 is not exact"],
    ["5u", "syntax at 0: bytes and unsigned integers are not supported"],
    ['b"ab"', "syntax at 0: bytes and unsigned integers are not supported"],
    ["1 + foo(1)", "syntax at 4: there is no function foo(); available: has, size, int, double, string, dyn"],
    ["type(1)", "syntax at 0: there is no function type()"],
    ["toString(1)", "syntax at 0: there is no function toString()"],
    ["size()", "syntax at 0: size() takes 1 argument, not 0"],
    ["size(1, 2)", "syntax at 0: size() takes 1 argument, not 2"],
    ["has(s1)", 'syntax at 0: has() takes a field, as in has(s1.value); for any other key, write "any key" in s1'],
    ['has(s1["a"])', "syntax at 0: has() takes a field"],
    ["s1.foo()", "syntax at 3: there is no method .foo(); available: all, exists, exists_one, filter, map, size,"],
    ["s1.constructor()", "syntax at 3: there is no method .constructor()"],
    ["cel.bind(x, 1, x)", "syntax at 4: there is no method .bind()"],
    [
      's1.name.matches("a+")',
      "syntax at 8: .matches() is not supported; use .startsWith(), .endsWith() or .contains()",
    ],
    ["s1.contains()", "syntax at 3: .contains() takes 1 argument, not 0"],
    ['s1.trim("a")', "syntax at 3: .trim() takes 0 arguments, not 1"],
    ["s1.all(x)", "syntax at 3: .all() takes 2 arguments, not 1"],
    ["s1.map(x, x, x, x)", "syntax at 3: .map() takes 2 or 3 arguments, not 4"],
    ["s1.all(1, true)", "syntax at 7: all(var, predicate) needs a name as its iteration variable"],
    ["s1.all(x.y, true)", "syntax at 9: all(var, predicate) needs a name as its iteration variable"],
    ["s1.map(1, true)", "syntax at 7: map(var, transform) needs a name as its iteration variable"],
    ["[0x]", "syntax at 1: invalid number: 0x"],
    ["[1e]", "syntax at 1: invalid number: 1e"],
    ['"a\\400"', "syntax at 2: invalid escape sequence: \\400"],
    ['"a\nb"', "syntax at 2: a line break is allowed only in triple quotes"],
    ['"""a', "syntax at 0: unterminated triple-quoted string"],
    ["(a) .foo()", "syntax at 5: there is no method .foo()"],
    ["foo(1) ++ 2", "syntax at 0: there is no function foo()"],
    ["{1: 2}", 'syntax at 1: the key of a map must be text, as in {"key": 1}'],
  ])("%s", async (text, outcome) => {
    expect(await outcomeOf(text)).toContain(outcome);
  });
});

it("a reserved word is no name", async () => {
  const words =
    "as break const continue else for function if import let loop namespace package prototype return var void while";
  for (const word of words.split(" ")) {
    expect(await outcomeOf(`1 + ${word}`)).toContain(`syntax at 4: ${word} is a reserved word of CEL`);
    expect(await outcomeOf(`a.${word} + ${word}s`, { a: { [word]: 1 }, [`${word}s`]: 2 })).toEqual({ value: 3 });
  }
});

it("no message contains token names of the parser", async () => {
  const tokens = [
    "a",
    "1",
    "'t'",
    "true",
    ".",
    ",",
    ":",
    "?",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "!",
    "-",
    "*",
    "==",
    "<",
    "in",
    "&&",
  ];
  const named =
    /\b(?:EOF|IDENTIFIER|DOT|NUMBER|STRING|BYTES|BOOLEAN|NULL|COMMA|COLON|QUESTION|[LR](?:PAREN|BRACKET|BRACE)|NOT|MINUS|PLUS|MULTIPLY|DIVIDE|MODULO|EQ|NE|LT|LE|GT|GE|IN|AND|OR)\b/;
  for (const first of tokens) {
    for (const second of tokens) {
      for (const third of tokens) {
        const parsed = parseCel(`${first} ${second} ${third}`);
        if (!parsed.ok) expect(parsed.issue.message).not.toMatch(named);
      }
    }
  }
});

const nest = (open: string, close: string, count: number) => `${open.repeat(count)}1${close.repeat(count)}`;

describe("a hostile text is refused immediately", () => {
  it.each<[string, string, string]>([
    ["too long", `1${" ".repeat(maxCelLength)}`, `it has 2001 characters; at most ${maxCelLength} are allowed`],
    ["of a million parentheses", nest("(", ")", 1_000_000), "characters; at most"],
    ["of parentheses", nest("(", ")", 900), "it has more than 50 levels"],
    ["of brackets", nest("[", "]", 900), "it has more than 50 levels"],
    ["of maps", nest('{"a":', "}", 200), "it has more than 50 levels"],
    ["of calls", nest("size(", ")", 200), "it has more than 50 levels"],
    ["of fields", `a${".b".repeat(900)}`, "it has more than 50 levels"],
    ["of negations", `${"!".repeat(1_900)}true`, "it has more than 500 operators, names and values"],
    ["of minus signs", `${"- ".repeat(900)}1`, "it has more than 500 operators, names and values"],
    ["of sums", `1${"+1".repeat(900)}`, "it has more than 500 operators, names and values"],
    ["of conditionals", `${"true?1:".repeat(250)}1`, "it has more than"],
    ["of a long list", `[${"1,".repeat(300)}1]`, "it has a list of more than 200 items"],
    [
      "of a long map",
      `{${Array.from({ length: 201 }, (_, n) => `"${n}":1`).join(",")}}`,
      "it has a map of more than 200",
    ],
    ["of many arguments", "size(1,2,3,4,5,6,7,8,9)", "it has a call with more than 8 arguments"],
    ["of nested macros", `${"a.all(b,".repeat(5)}true${")".repeat(5)}`, "macros are nested deeper than 4"],
  ])("%s", async (_name, text, message) => {
    expect(await outcomeOf(text)).toContain(message);
  });

  it("unless it is within the limits", async () => {
    expect(await outcomeOf(nest("(", ")", 45))).toEqual({ value: 1 });
    expect(await outcomeOf(`${"!".repeat(400)}true`)).toEqual({ value: true });
    expect(await outcomeOf(Array.from({ length: 45 }, () => "1").join("+"))).toEqual({ value: 45 });
    expect(await outcomeOf(Array.from({ length: 60 }, () => "a.b").join("+"), { a: { b: 1 } })).toEqual({ value: 60 });
    expect(await outcomeOf(`${"a.all(b,".repeat(4)}true${")".repeat(4)}`, { a: [1] })).toEqual({ value: true });
  });
});

describe("the syntax tree", () => {
  const shape = (node: CelNode): unknown => {
    const parts = Object.entries(node).filter(([key]) => key !== "position");
    return Object.fromEntries(parts.filter(([, value]) => typeof value !== "object" || value === null));
  };
  it.each<[string, object]>([
    ["null", { type: "literal", value: null }],
    ["5", { type: "literal", value: 5 }],
    ["a", { type: "name", name: "a", slot: 0 }],
    ["a.b", { type: "member", key: "b" }],
    ["a[0]", { type: "index" }],
    ["[1]", { type: "list" }],
    ["{}", { type: "map" }],
    ["a ? b : c", { type: "choice" }],
    ["a && b", { type: "logical", deciding: false }],
    ["a || b", { type: "logical", deciding: true }],
    ["!a", { type: "not" }],
    ["-a", { type: "negate" }],
    ...["==", "!=", "in", "+", "-", "*", "/", "%", "<", "<=", ">", ">="].map((operator): [string, object] => [
      `a ${operator} b`,
      { type: "binary", operator },
    ]),
    ["has(a.b)", { type: "has", key: "b" }],
    ["size(a)", { type: "call", name: "size", argument: undefined }],
    ["a.trim()", { type: "call", name: "trim", argument: undefined }],
    ["a.all(x, x)", { type: "macro", name: "all", slot: 0, transform: undefined }],
  ])("%s", async (text, expected) => {
    expect(shape((await celOf(text)).root)).toEqual(expected);
  });
});
