import type { Shape } from "./hostile-shapes.ts";

type AnyStep = Readonly<Record<string, unknown>>;
type PlanShape = (size: number) => { readonly steps: readonly AnyStep[] };

const many = <T>(size: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: size }, (_, i) => make(i));
const step = (index: number | string, more: object = {}): AnyStep => ({
  id: typeof index === "number" ? `s${index}` : index,
  tool: "Open",
  input: {},
  ...more,
});
const keyed = (size: number, make: (index: number) => unknown) =>
  Object.fromEntries(many(size, (index) => [`k${index}`, make(index)] as const));
/** A first step, and one whose input is this. */
const withInput =
  (make: (size: number) => object, tool = "Open"): PlanShape =>
  (size) => ({ steps: [step("a"), step("b", { tool, input: make(size) })] });
const steps =
  (make: (index: number, size: number) => object): PlanShape =>
  (size) => ({ steps: many(Math.ceil(size / 8), (index) => step(index, make(index, Math.ceil(size / 8)))) });

function nested(size: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < size; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Plans whose size is about that of their parts: references, keys, dependencies, steps. */
export const planShapes: Readonly<Record<string, PlanShape>> = {
  "steps one after the other": steps(() => ({})),
  "steps that may start at once": steps(() => ({ dependsOn: [] })),
  "steps that wait for the first": steps((index) => ({ dependsOn: index === 0 ? [] : ["s0"] })),
  "a last step that waits for all": (size) => ({
    steps: [...many(size / 8, (index) => step(index)), step("last", { dependsOn: many(size / 8, (i) => `s${i}`) })],
  }),
  "a last step that refers to all": (size) => ({
    steps: [
      ...many(size / 8, (index) => step(index, { dependsOn: [] })),
      step("last", { input: keyed(size / 8, (index) => ({ $ref: `s${index}` })) }),
    ],
  }),
  "steps that wait for all before": (size) => {
    const count = Math.ceil(Math.sqrt(size));
    return { steps: many(count, (index) => step(index, { dependsOn: many(index, (other) => `s${other}`) })) };
  },
  "a circle": steps((index, count) => ({ dependsOn: [`s${(index + 1) % count}`] })),
  "steps that wait for the next": steps((index) => ({ dependsOn: [`s${index + 1}`] })),
  "steps of one id": steps(() => ({ id: "s" })),
  "pairs of one id": steps((index) => ({ id: `s${index >> 1}`, dependsOn: [`s${(index >> 1) + 1}`] })),
  "unknown tools": steps((index) => ({ tool: `T${index}` })),
  "unknown steps": withInput((size) => keyed(size, (index) => ({ $ref: `x${index}` }))),
  "one unknown step, often": withInput((size) => keyed(size, () => ({ $ref: "x" }))),
  "unknown steps in a template": withInput((size) => ({ a: many(size, (index) => `\${x${index}}`).join("") })),
  "unknown steps to wait for": (size) => ({ steps: [step("a", { dependsOn: many(size, (index) => `x${index}`) })] }),
  "long ids, and unknown ones": (size) => ({
    steps: [
      ...many(20, (index) => step(`k${index}${"x".repeat(size)}`)),
      step("last", { input: keyed(size, (index) => ({ $ref: `x${index}` })) }),
    ],
  }),
  "references that hold": withInput((size) => keyed(size, () => ({ $ref: "a" }))),
  "references that lead nowhere": (size) => ({
    steps: [
      step("a", { tool: "Sum", input: { a: 1 } }),
      step("b", { input: keyed(size, (i) => ({ $ref: `a.x${i}` })) }),
    ],
  }),
  "one reference with a long path": withInput((size) => ({ a: { $ref: `a${".b".repeat(size)}` } })),
  "invalid references": withInput((size) => keyed(size, () => ({ $ref: "a b" }))),
  "issues of a schema beside references": withInput(
    (size) => ({
      title: { $ref: "a" },
      tags: many(size, (index) => (index % 2 === 0 ? { $ref: "a" } : index)),
    }),
    "Note",
  ),
  "unknown keys of a strict schema": withInput(
    (size) => ({ list: many(size, (index) => ({ [`x${index}`]: 1 })) }),
    "Strict",
  ),
  "branches of a union": withInput(
    (size) => ({ list: many(size, (index) => ({ one: { $ref: "a" }, two: index })) }),
    "Union",
  ),
  "branches of a union within each other": withInput((size) => ({ tree: tree(Math.min(size, 200)) }), "Union"),
  keys: withInput((size) => keyed(size, () => 1)),
  "deep values": withInput((size) => ({ a: nested(size) })),
  "deep values with references": withInput((size) => ({ a: many(size / 400, () => nested(400)), b: { $ref: "a" } })),
  literals: withInput((size) => ({ a: many(size, () => ({ $literal: "${x}" })) })),
  "half surrogates": withInput((size) => ({ a: many(size, () => "\ud800") })),
  conditions: steps((index) => (index === 0 ? {} : { when: `s0.a == ${index} || s${index - 1}.b > 1` })),
  "conditions of unknown steps": steps((index) => ({ when: `x${index}.a == y${index}` })),
  loops: steps((index) => (index === 0 ? {} : { forEach: "s0.rows", input: { a: "${item.x}", b: "${index}" } })),
  "steps out of shape": steps((index) => ({ id: 5, tool: index, input: [], dependsOn: index })),
  "unknown keys": (size) => ({
    steps: [
      step(
        "a",
        keyed(size, () => 1),
      ),
    ],
  }),
};

function tree(levels: number): unknown {
  let value: unknown = { leaf: 1 };
  for (let level = 0; level < levels; level++) value = { left: value };
  return value;
}

/** The shapes as inputs: a plan as JSON has the size of its text. */
export const planTexts: Readonly<Record<string, Shape>> = Object.fromEntries(
  Object.entries(planShapes).map(([name, make]) => [name, (size: number) => JSON.stringify(make(size / 16))]),
);
