import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import type { PlanningEvent } from "../../../src/core/planner.ts";
import { StepReporter, type StepReporterOptions } from "../../../src/planners/llm/report-steps.ts";
import { toolWith, note as zod3Note } from "../../fixtures/plan-tools.ts";
import { answerOf, byName, tools } from "./ask-llm-planner.ts";

const note = { tool: "Note", input: { title: "x" } };
const add = (a: unknown) => ({ tool: "Sum", input: { a } });

async function emittedFor(
  deltas: readonly string[],
  options: Partial<StepReporterOptions> = {},
): Promise<PlanningEvent[]> {
  const events: PlanningEvent[] = [];
  const reporter = new StepReporter({
    planner: "llm",
    attempt: 2,
    tools: byName(),
    typed: "",
    expressions: false,
    kept: [],
    prefix: "s",
    maxSteps: 100,
    emit: (event) => void events.push(event),
    ...options,
  });
  for (const delta of deltas) reporter.push(delta);
  await reporter.end();
  return events;
}

/** How many of the steps are told. */
async function count(steps: readonly object[], options: Partial<StepReporterOptions> = {}): Promise<number> {
  return (await emittedFor([answerOf(...steps)], options)).length;
}

describe("the steps of an answer that is still arriving", () => {
  it("are emitted in order, as they will be in the plan", async () => {
    const action = { action: "sum", args: { a: "1" } };
    expect(await emittedFor([answerOf(action, add({ $ref: "s1.value" }), note)])).toEqual([
      {
        type: "plan-delta",
        planner: "llm",
        attempt: 2,
        index: 0,
        step: { id: "s1", tool: "Sum", input: { a: 1 }, dependsOn: [] },
      },
      {
        type: "plan-delta",
        planner: "llm",
        attempt: 2,
        index: 1,
        step: { id: "s2", tool: "Sum", input: { a: { $ref: "s1.value" } }, dependsOn: ["s1"] },
      },
      {
        type: "plan-delta",
        planner: "llm",
        attempt: 2,
        index: 2,
        step: { id: "s3", tool: "Note", input: { title: "x" }, dependsOn: ["s2"] },
      },
    ]);
  });

  it("are emitted one at a time", async () => {
    let open = 0;
    const emit = async () => {
      expect(++open).toBe(1);
      await Promise.resolve();
      open--;
    };
    await emittedFor([answerOf(note, note), answerOf(note)], { emit });
    expect(open).toBe(0);
  });

  it.each([
    ["of no tool", { tool: "Nothing", input: {} }],
    ["with a wrong input", { tool: "Note", input: { title: [5, 6] } }],
    ["with a key that no step has", { ...note, needsApproval: false }],
    ["with a key that the input has not", { tool: "Note", input: { title: "x", more: 1 } }],
    ["that refers to nothing", add({ $ref: "s9.value" })],
    ["that refers to itself", add({ $ref: "s2.value" })],
    ["that refers to what the output has not", add({ $ref: "s1.values" })],
    ["with half a reference", { tool: "Note", input: { title: "${!}" } }],
    ["that waits for nothing", { ...note, dependsOn: ["s9"] }],
    ["of an id that is taken", { ...note, id: "s1" }],
    ["with half a character", { tool: "Note", input: { title: "\ud800" } }],
    ["with half a character in a key", { tool: "Anything", input: { list: [{ "\ud800": null }] } }],
    ["with a condition", { ...note, when: "s1.value > 0" }],
  ])("are emitted up to the first invalid step: one %s", async (_name, wrong) => {
    expect(await count([add(1), wrong, note])).toBe(1);
  });

  it("may have conditions and loops if these are enabled and valid", async () => {
    const list = toolWith(z.object({}), "List");
    const options = { expressions: true, tools: byName([...tools, list]) };
    const first = { tool: "List", input: {} };
    const loop = { ...note, input: { title: "${item.title} ${index}" }, forEach: "s1" };
    expect(await count([first, loop, { ...note, when: "size(s2) > 0" }], options)).toBe(3);
    expect(await count([first, { ...loop, forEach: "s9" }], options)).toBe(1);
    expect(await count([first, { ...loop, forEach: "((" }], options)).toBe(1);
    expect(await count([add(1), { ...note, when: "s1.value" }], options)).toBe(1);
    expect(await count([first, { ...note, concurrency: 2 }], options)).toBe(2);
  });

  it("do not exceed maxSteps", async () => {
    expect(
      await count(
        Array.from({ length: 10 }, () => note),
        { maxSteps: 3 },
      ),
    ).toBe(3);
  });

  it("may use a tool of zod 3", async () => {
    expect(await count([note, { tool: "Note", input: { title: [5, 6] } }], { tools: byName([zod3Note]) })).toBe(1);
  });

  it("end when the listener fails", async () => {
    let calls = 0;
    const emit = () => {
      calls++;
      return Promise.reject(new Error("The listener is gone."));
    };
    await expect(emittedFor([answerOf(note), answerOf(note)], { emit })).resolves.toEqual([]);
    expect(calls).toBe(1);
  });

  it.each([
    '{"steps": [{"tool": "Anything", "input": {"a": {"$ref": {"toString": 1, "valueOf": 1}}}}]}',
    '{"steps": [{"tool": {"toString": 1, "valueOf": 1}, "input": {}}, {"tool": "Note", "input": {}}]}',
    `{"steps": [{"tool": "Anything", "input": ${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}}]}`,
    '{"steps": [{"tool": "Anything", "input": {"$ref": null}}]}',
    '{"steps": [{}, null, 5]}',
  ])("never cause an error (%#)", async (answer) => {
    expect(await emittedFor([answer])).toEqual([]);
  });

  it("do not depend on how the answer is split", async () => {
    const answer = `Ok: ${answerOf(add(1), add({ $ref: "s1.value" }), note, { tool: "No" }, note)}`;
    const whole = await emittedFor([answer]);
    expect(whole).toHaveLength(3);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(answer.length), { maxLength: 10 }), async (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), answer.length];
        expect(await emittedFor(places.slice(1).map((end, index) => answer.slice(places[index], end)))).toEqual(whole);
      }),
      { numRuns: 100 },
    );
  });

  it("may be very many, or very long", async () => {
    const many = Array.from({ length: 1_000 }, () => note);
    expect(await count(many, { maxSteps: 1_000 })).toBe(1_000);
    expect(await count([{ tool: "Note", input: { title: "x".repeat(1_000_000) } }, note])).toBe(2);
  });
});
