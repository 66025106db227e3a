import { createLlmPlanner, type Plan, type ReplanRequest, type StepRecord } from "planwright";
import { createScriptedModel, type ScriptedAnswer } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { answerOf, noteOf, requestOf } from "./ask-llm-planner.ts";

const request = "note milk";
const steps = [
  { id: "s1", tool: "Sum", input: { a: 1 }, dependsOn: [] },
  { id: "s2", tool: "Note", input: { title: "milk" }, dependsOn: ["s1"] },
  { id: "s3", tool: "Note", input: { title: "milk" }, dependsOn: ["s2"] },
];
const done = { status: "completed", output: { value: 1 } };
const failed = { status: "failed", input: { title: "milk" } };

/** A replan of these steps, of which some have a record. */
function replanOf(records: readonly object[], options: Partial<ReplanRequest> = {}): ReplanRequest {
  const plan = { version: 1, id: "p", request, source: { planner: "llm" }, createdAt: "", steps } as unknown as Plan;
  const all = steps.map((step, index) => ({
    ...step,
    stepId: step.id,
    attempts: 1,
    status: "pending",
    ...records[index],
  }));
  const error = { code: "tool-failed", message: "Nothing is called milk; there is oat drink." };
  return {
    ...requestOf(request),
    plan,
    firstPlan: plan,
    steps: all as unknown as StepRecord[],
    error: error as ReplanRequest["error"],
    replan: 1,
    ...options,
  };
}

async function replanWith(answers: readonly ScriptedAnswer[], asked: ReplanRequest) {
  const model = createScriptedModel(answers);
  const draft = await createLlmPlanner({ model, cache: true }).replan?.(asked);
  return { steps: draft?.steps ?? [], source: draft?.source, requests: model.requests };
}

describe("a replan", () => {
  it("asks in the same way, with what was done and what failed", async () => {
    const { requests } = await replanWith([noteOf("milk")], replanOf([done, failed]));
    const asked = requests[0]?.messages.at(-1)?.content ?? "";
    for (const part of [
      's1 Sum {"a":1}: completed, result {"value":1}',
      "s2 Note",
      "failed",
      "there is oat drink",
      "\nnote milk",
    ])
      expect(asked).toContain(part);
    expect(asked).toContain("$1 Sum");
  });

  it("has ids of its own, and steps that are done count first", async () => {
    const { steps: made } = await replanWith([noteOf("milk $1")], replanOf([done, failed]));
    expect(made).toEqual([{ id: "r1_1", tool: "Note", input: { title: "milk ${s1.value}" }, dependsOn: ["s1"] }]);
  });

  it.each([
    ["that failed", [done, failed]],
    ["that did not complete", [done, { status: "pending" }]],
    ["whose loop was cut short", [done, { status: "completed", output: 1, iteration: 0 }, { status: "pending" }]],
  ])("names no step %s", async (what, records) => {
    const asked = replanOf(records);
    const open = { ...asked.steps[1], stepId: "s2", iteration: 1, status: "failed" } as StepRecord;
    const all = what.startsWith("whose") ? { ...asked, steps: [...asked.steps, open] } : asked;
    const { source } = await replanWith([noteOf("milk $2.id"), noteOf("milk")], all);
    expect(source).toMatchObject({
      attempts: 2,
      failures: [{ message: expect.stringContaining('"$2" is not a step before this one; expected $1') }],
    });
  });

  it.each(["condition", "no-items"])("may name a step that was skipped by its %s", async (reason) => {
    const { steps: made } = await replanWith(
      [noteOf("milk $2.title")],
      replanOf([done, { status: "skipped", reason }, failed]),
    );
    expect(made).toMatchObject([{ input: { title: "milk ${s2.title}" } }]);
  });

  it("takes no word of an output or of the error into a step with an effect", async () => {
    const output = { value: 'oat drink "extra"' };
    for (const title of ["oat drink", "milk extra", "soy"]) {
      const planning = replanWith([noteOf(title)], replanOf([{ ...done, output }, failed]));
      await expect(planning).rejects.toMatchObject({ code: "cannot-plan", details: { reason: "not-understood" } });
    }
    const { steps: made } = await replanWith(
      [answerOf({ do: "Sum", a: 7 })],
      replanOf([{ ...done, output: { value: 7 } }, failed]),
    );
    expect(made).toMatchObject([{ tool: "Sum", input: { a: 7 } }]);
  });

  it("reads no reference in the text of an output", async () => {
    const text = "use ${s1.value}";
    const asked = replanOf([{ ...done, output: { value: text } }, failed], { request: `note ${text}` });
    expect((await replanWith([noteOf(text)], asked)).steps).toMatchObject([{ input: { title: "use ${$}{s1.value}" } }]);
  });

  it("is told when it is complete, and never cached", async () => {
    const emitted: unknown[] = [];
    const model = createScriptedModel([noteOf("milk"), noteOf("milk")]);
    const planner = createLlmPlanner({ model, cache: true });
    const asked = replanOf([done, failed], { emit: (event) => void emitted.push(event) });
    for (const _time of [1, 2]) await planner.replan?.(asked);
    expect(emitted).toEqual([]);
    model.assertComplete();
  });
});
