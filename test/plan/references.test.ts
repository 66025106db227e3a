import fc from "fast-check";
import { escapeTemplate } from "planwright";
import { describe, expect, it } from "vitest";
import {
  asLiteral,
  asReference,
  fillReferences,
  findReferences,
  parseReference,
  parseTemplate,
} from "../../src/plan/references.ts";

describe("parseReference", () => {
  it.each([
    ["s1", "s1", []],
    ["_", "_", []],
    ["s10.value", "s10", ["value"]],
    ["get-user.first-name", "get-user", ["first-name"]],
    ["s1.todos[0].title", "s1", ["todos", 0, "title"]],
    ["s1[0][12]", "s1", [0, 12]],
    ['s1["any key"]', "s1", ["any key"]],
    ['s1["a.b"]["c]d"]["}"]', "s1", ["a.b", "c]d", "}"]],
    ['s1["say \\"hi\\" \\\\ \\u00e9"]', "s1", ['say "hi" \\ é']],
    ['s1[""]', "s1", [""]],
    ['s1["0"]', "s1", ["0"]],
    ["s1.__proto__", "s1", ["__proto__"]],
    ["s1[007]", "s1", [7]],
  ])("reads %s", (text, stepId, path) => {
    expect(parseReference(text)).toEqual({ text, stepId, path });
  });

  it.each([
    "",
    " ",
    "1",
    "1s",
    "-a",
    "s1.",
    "s1..a",
    "s1.1",
    "s1.-a",
    "s1[",
    "s1[]",
    "s1[a]",
    "s1[-1]",
    "s1[1.5]",
    "s1[ 1 ]",
    "s1['a']",
    's1["a]',
    's1["a"',
    's1["\\x"]',
    's1["a\nb"]',
    " s1",
    "s1 ",
    "s1.a b",
    "${s1}",
    "s1}",
    "é",
    "s1.é",
    "s1.a()",
    "s1 + 1",
    "$",
    "s1[1234567890123456]",
    "s1\n",
  ])("refuses %j", (text) => {
    expect(parseReference(text)).toBeUndefined();
  });

  it("reads any key in JSON notation", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), (keys) => {
        const text = `s1${keys.map((key) => `[${JSON.stringify(key)}]`).join("")}`;
        expect(parseReference(text)?.path).toEqual(keys);
      }),
    );
  });
});

describe("parseTemplate", () => {
  const shorten = (text: string) =>
    parseTemplate(text).map((part) => (part.type === "reference" ? { ref: part.reference.text } : part.text));

  it.each([
    ["", [""]],
    ["plain $5 {a} }", ["plain $5 {a} }"]],
    ["${s1}", [{ ref: "s1" }]],
    ["a ${s1.value} b", ["a ", { ref: "s1.value" }, " b"]],
    ["${s1}${s2}", [{ ref: "s1" }, { ref: "s2" }]],
    ["${s10.value}", [{ ref: "s10.value" }]],
    ['${s1["a}b"]}', [{ ref: 's1["a}b"]' }]],
    ["$${s1.value}", ["$", { ref: "s1.value" }]],
    ["$$${s1}", ["$$", { ref: "s1" }]],
    ["${$}", ["$"]],
    ["${$}{HOME}", ["${HOME}"]],
    ["${$}{s1}", ["${s1}"]],
    ["${$}${s1}", ["$", { ref: "s1" }]],
    ["${$}${$}{a}", ["$${a}"]],
  ])("splits %j", (text, expected) => {
    expect(shorten(text)).toEqual(expected);
  });

  it.each([
    "${",
    "${}",
    "${ s1 }",
    "${s1",
    "${s1.}",
    "${HOME HOME}",
    "${s1 + 1}",
    "${${s1}}",
    "${$",
    "${$s1}",
    "${s1|upper}",
  ])("reports that %j does not begin a reference", (text) => {
    expect(parseTemplate(`before ${text}`).some(({ type }) => type === "invalid")).toBe(true);
  });

  it("continues after an invalid reference", () => {
    expect(parseTemplate("${ ${s1}")).toMatchObject([
      { type: "invalid" },
      { type: "text", text: " " },
      { type: "reference", reference: { text: "s1" } },
    ]);
  });

  it.each(["x", "\\n"])("takes a key of megabytes, made of %j", (text) => {
    const key = text.repeat(17_000_000);
    const [part] = parseTemplate(`\${s1["${key}"]}`);
    expect(part?.type === "reference" && part.reference.path[0] === JSON.parse(`"${key}"`)).toBe(true);
  });

  it("shows only the beginning of a long invalid reference", () => {
    expect(parseTemplate(`\${ ${"x".repeat(500)}`)[0]).toMatchObject({ text: `\${ ${"x".repeat(37)}` });
  });
});

describe("escapeTemplate", () => {
  const resolve = (template: string) => fillReferences(template, (reference) => `<${reference?.text ?? "invalid"}>`);
  const dollars = fc
    .array(fc.constantFrom("$", "{", "}", "s1", "${", "${$}", "a", " ", ".", "\n", '"', "\\"))
    .map((parts) => parts.join(""));
  const anyText = fc.oneof(dollars, fc.string(), fc.string({ unit: "binary" }));

  it.each([
    ["use ${HOME}", "use ${$}{HOME}"],
    ["plain", "plain"],
    ["$5 and 5$ more", "$5 and 5$ more"],
    ["5$", "5${$}"],
    ["", ""],
  ])("escapes %j as %j", (text, escaped) => {
    expect(escapeTemplate(text)).toBe(escaped);
    expect(resolve(escaped)).toBe(text);
  });

  it("makes any text resolve to itself", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(findReferences(escapeTemplate(text))).toEqual([]);
        expect(resolve(escapeTemplate(text))).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });

  it("works for escaped text beside references", () => {
    const piece = fc.oneof(
      anyText.map((text) => ({ written: escapeTemplate(text), meant: text })),
      fc.constant({ written: "${s1.value}", meant: "<s1.value>" }),
      fc.constant({ written: '${s2["a}b"]}', meant: '<s2["a}b"]>' }),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const template = pieces.map(({ written }) => written).join("");
        expect(resolve(template)).toBe(pieces.map(({ meant }) => meant).join(""));
      }),
      { numRuns: 1_000 },
    );
  });

  it("works for text that is escaped twice", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(resolve(escapeTemplate(escapeTemplate(text)))).toBe(escapeTemplate(text));
      }),
    );
  });
});

describe("findReferences", () => {
  it("finds references and templates with their paths, valid or not", () => {
    const input = {
      a: { $ref: "s1.value" },
      b: ["text", "x ${s2} and ${s3[0]}", { c: { $ref: "s4" } }],
      d: { $ref: "not valid" },
      e: { $ref: 5 },
      f: "${oops",
    };
    expect(
      findReferences(input).map(({ path, kind, reference, text }) => [path, kind, reference?.stepId, text]),
    ).toEqual([
      [["a"], "value", "s1", "s1.value"],
      [["b", 1], "text", "s2", "s2"],
      [["b", 1], "text", "s3", "s3[0]"],
      [["b", 2, "c"], "value", "s4", "s4"],
      [["d"], "value", undefined, "not valid"],
      [["e"], "value", undefined, "5"],
      [["f"], "text", undefined, "${oops"],
    ]);
  });

  it("finds the input itself", () => {
    expect(findReferences({ $ref: "s1" })).toMatchObject([{ path: [], kind: "value" }]);
  });

  it("ignores literals, keys, and objects with other keys beside $ref", () => {
    expect(findReferences({ a: { $literal: "${s1}" }, b: { $literal: { $ref: "s1" } }, "${s1}": 1 })).toEqual([]);
    expect(findReferences({ a: { $ref: "s1", b: 1 }, c: { $literal: "${s1}", d: 1 } })).toMatchObject([
      { path: ["c", "$literal"], kind: "text" },
    ]);
  });

  it("does not read a list as a reference", () => {
    expect(findReferences({ $ref: ["s1"] })).toMatchObject([{ reference: undefined, text: '["s1"]' }]);
  });

  it("reports a reference that is not text, whatever it is", () => {
    const hostile = { toString: 1, valueOf: 1 };
    expect(findReferences({ $ref: hostile })).toMatchObject([{ reference: undefined, text: JSON.stringify(hostile) }]);
    expect(findReferences({ $ref: undefined })).toMatchObject([{ reference: undefined, text: "nothing" }]);
  });
});

it("asReference and asLiteral require an object with a single own key", () => {
  expect(asReference({ $ref: "s1" })).toEqual({ $ref: "s1" });
  expect(asReference({ $ref: "s1", a: 1 })).toBeUndefined();
  expect(asReference(Object.create({ $ref: "s1" }))).toBeUndefined();
  expect(asReference([])).toBeUndefined();
  expect(asLiteral({ $literal: 1 })).toEqual({ $literal: 1 });
  expect(asLiteral({})).toBeUndefined();
});
