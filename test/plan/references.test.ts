import fc from "fast-check";
import { escapeTemplate, type JsonObject, type JsonValue } from "planwright";
import { describe, expect, it } from "vitest";
import { compileExpressions, createExpressions } from "../../src/plan/expressions.ts";
import {
  asLiteral,
  asReference,
  dependenciesOf,
  fillReferences,
  findReferences,
  parseReference,
  parseTemplate,
  resolveInput,
  TooMuchRepeated,
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

const step = (id: string, input: JsonObject = {}, dependsOn?: readonly string[]) => ({
  id,
  tool: "T",
  input,
  ...(dependsOn && { dependsOn }),
});
const before = step("s1");

it("a step without dependsOn waits for the step before it", () => {
  expect([...dependenciesOf(step("s2"), before)]).toEqual(["s1"]);
  expect([...dependenciesOf(before, undefined)]).toEqual([]);
});

it("an empty dependsOn waits for nothing", () => {
  expect([...dependenciesOf(step("s2", {}, []), before)]).toEqual([]);
});

it("references add to dependsOn, each step once", () => {
  const input = { a: { $ref: "s3.x" }, b: "${s4} ${s3.y}", c: [{ $ref: "s5" }], d: { $literal: { $ref: "s6" } } };
  expect([...dependenciesOf(step("s9", input, ["s3", "s3", "s2"]), before)]).toEqual(["s3", "s2", "s4", "s5"]);
  expect([...dependenciesOf(step("s9", input), before)]).toEqual(["s1", "s3", "s4", "s5"]);
});

it("an invalid reference adds nothing", () => {
  expect([...dependenciesOf(step("s2", { a: "${", b: { $ref: "no no" } }, []), before)]).toEqual([]);
});

it("expressions add the steps that they name, but not item and index in a loop", async () => {
  const looped = { ...step("s9", { a: "${item.id} ${index} ${s2}" }, []), forEach: "s3.rows", when: "item.x > s4.y" };
  const plain = { ...step("s8", { a: { $ref: "item.id" } }, []), when: "index > 1 && [1].all(s7, s7 > 0)" };
  const expressions = await compileExpressions([looped, plain], createExpressions());
  expect([...dependenciesOf(looped, before, expressions?.get("s9"))]).toEqual(["s2", "s4", "s3"]);
  expect([...dependenciesOf(plain, before, expressions?.get("s8"))]).toEqual(["item", "index"]);
});

const mebibyte = 1_024 * 1_024;
const often = (count: number, value: JsonValue): JsonValue => Array.from({ length: count }, () => value);

const resolve = (a: JsonValue, outputs: Record<string, JsonValue>) =>
  resolveInput({ id: "s9", tool: "T", input: { a } }, (id) => outputs[id]);

describe("the parts of an output that an input repeats", () => {
  it.each([
    ["one use of any size", "${x}", "x".repeat(20 * mebibyte)],
    ["a few uses of what is not small", "${x}${x}${x}", "x".repeat(mebibyte)],
    ["many uses of what is small", often(10_000, { $ref: "x.a" }), { a: "x".repeat(100), b: [] }],
    ["a large value beside small ones of it", ["${x.id}", { $ref: "x" }, "${x.id}"], { id: 1, b: often(100_000, 1) }],
  ])("may be %s", (_, input, output) => {
    expect(() => resolve(input, { x: output })).not.toThrow();
  });

  it("may come from many outputs, each once", () => {
    const outputs = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`s${i}`, "x".repeat(mebibyte)]));
    expect(() =>
      resolve(
        Object.keys(outputs).map(($ref) => ({ $ref })),
        outputs,
      ),
    ).not.toThrow();
  });

  const nested = Array.from({ length: 400 }).reduce<JsonValue>((inner) => [inner], "x".repeat(8_000));
  it.each([
    ["a text in a text", "${x}".repeat(300), "x".repeat(8_000)],
    ["a text in a list", often(300, { $ref: "x" }), "x".repeat(8_000)],
    ["a list in a text", "${x}".repeat(300), often(200, [])],
    ["lists in a list", often(300, { $ref: "x" }), often(200, [])],
    ["objects", often(300, { $ref: "x" }), often(100, { a: {} })],
    [
      "parts of one output, each within the next",
      Array.from({ length: 400 }, (_, i) => ({ $ref: `x${"[0]".repeat(i)}` })),
      nested,
    ],
  ])("are refused above the limit: %s", (_, input, output) => {
    expect(() => resolve(input, { x: output })).toThrow(TooMuchRepeated);
    expect(() => resolve(input, { x: output })).toThrow('repeat too much of the output of "x"');
  });
});
