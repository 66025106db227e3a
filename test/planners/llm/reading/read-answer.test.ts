import { describe, expect, it } from "vitest";
import { readAnswer as readWith } from "../../../../src/planners/llm/reading/read-answer.ts";

const readAnswer = (value: unknown, { isAlone = true } = {}) =>
  readWith(value, { isAlone, isTool: (name) => name === "Note" });

const step = { tool: "Note", input: { title: "x" } };

describe("readAnswer", () => {
  it.each([
    ["an object with steps", { steps: [step] }, false],
    ["a bare list", [step], true],
    ["one step", step, true],
    ["a plan in a plan", { plan: { plan: { steps: [step] } } }, true],
    ["a list under plan", { plan: [step] }, true],
    ["steps beside other keys", { thought: "Hm", steps: [step], approvedHash: "0" }, false],
  ])("reads %s", (_name, value, isReshaped) => {
    expect(readAnswer(value)).toEqual({ type: "steps", steps: [step], isReshaped });
  });

  it.each([
    [{ steps: [] }, undefined],
    [{ steps: [], reason: " no tool for it " }, "no tool for it"],
    [{ steps: [], reason: " " }, undefined],
    [{ steps: [], reason: { not: "text" } }, undefined],
    [{ plan: { steps: [], reason: "no" } }, "no"],
    [{ plan: { steps: [] } }, undefined],
  ])("reads an empty list of steps as a refusal: %j", (value, reason) => {
    expect(readAnswer(value)).toEqual({ type: "refusal", reason });
  });

  it.each([
    undefined,
    null,
    "steps",
    5,
    {},
    [],
    { plan: [] },
    { steps: "none" },
    { steps: { a: 1 } },
    { steps: {} },
    { plan: "text" },
    { reason: "no" },
  ])("finds no steps in %j", (value) => {
    expect(readAnswer(value)).toBeUndefined();
  });

  it("ignores a single step if it is one of several", () => {
    expect(readAnswer(step, { isAlone: false })).toBeUndefined();
    expect(readAnswer({ plan: step }, { isAlone: false })).toBeUndefined();
    expect(readAnswer({ steps: [step] }, { isAlone: false })).toMatchObject({ type: "steps" });
  });

  it("ignores the prototype", () => {
    const value: unknown = JSON.parse('{"__proto__": {"steps": [{"tool": "Note"}]}}');
    expect(readAnswer(value)).toBeUndefined();
  });
});
