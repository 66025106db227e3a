import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { defineTool } from "../../../src/core/define-tool.ts";
import { AgentError } from "../../../src/core/errors.ts";
import type { Plan } from "../../../src/core/plan.ts";
import type { PlanDraft, PlanRequest, ReplanRequest } from "../../../src/core/planner.ts";
import type { StepRecord } from "../../../src/core/run-result.ts";
import { createLlmPlanner, type LlmPlannerOptions } from "../../../src/planners/llm/llm-planner.ts";
import { createScriptedModel, type ScriptedAnswer } from "../../../src/testing/scripted-model.ts";
import { answerOf, note, nowMs, requestOf, sum, tools } from "./ask-llm-planner.ts";

const good = answerOf({ tool: "Note", input: { title: "milk" } });
const request = "note milk";

function plannerOf(answers: readonly ScriptedAnswer[], options: Partial<LlmPlannerOptions> = {}) {
  const model = createScriptedModel(answers);
  return { model, planner: createLlmPlanner({ model, ...options }) };
}

describe("the prompt", () => {
  it("is built once for the same tools", async () => {
    const { model, planner } = plannerOf([good, good, good]);
    const asked = [
      requestOf(request),
      requestOf(request, { tools: [...tools] }),
      requestOf(request, { tools: [note] }),
    ];
    for (const each of asked) await planner.plan(each);
    const [first, second, third] = model.requests.map(({ responseFormat }) => responseFormat);
    expect(first).toMatchObject({ type: "json" });
    expect(second?.type === "json" && first?.type === "json" && second.schema === first.schema).toBe(true);
    expect(JSON.stringify(third).length).toBeLessThan(JSON.stringify(first).length);
  });

  it("is dropped after many others", async () => {
    const { model, planner } = plannerOf(Array.from({ length: 23 }, () => good));
    for (const maxSteps of [1, ...Array.from({ length: 21 }, (_, index) => index + 2), 1]) {
      await planner.plan(requestOf(request, { maxSteps }));
    }
    const [first, last] = [model.requests[0], model.requests.at(-1)].map((asked) => asked?.responseFormat);
    expect(last).toEqual(first);
    expect(last?.type === "json" && first?.type === "json" && last.schema !== first.schema).toBe(true);
  });
});

describe("cached plans", () => {
  const asked: readonly (readonly [what: string, other: Partial<PlanRequest>])[] = [
    ["another request", { request: "note milk!" }],
    ["another context", { context: "" }],
    ["other tools", { tools: [note, sum] }],
    ["another limit", { maxSteps: 99 }],
    [
      "another schema of a tool",
      {
        tools: tools.map((tool) => (tool === sum ? { ...sum, inputSchema: z.object({ a: z.number() }) } : tool)),
      },
    ],
  ];

  it("are returned for the same request, and marked as cached", async () => {
    const { model, planner } = plannerOf([`Ok: ${good}`], { cache: true });
    const first = (await planner.plan(requestOf(request))) as PlanDraft;
    const later = (await planner.plan(requestOf(request, { nowMs: nowMs + 3_600_000 }))) as PlanDraft;
    expect(later.steps).toEqual(first.steps);
    expect(first.source).not.toHaveProperty("cached");
    expect(later.source).toEqual({ ...first.source, attempts: 0, cached: true });
    model.assertComplete();
  });

  it.each(asked)("are not returned for %s", async (_what, other) => {
    const { model, planner } = plannerOf([good, good], { cache: true });
    await planner.plan(requestOf(request));
    const { source } = (await planner.plan(requestOf(request, other))) as PlanDraft;
    expect(source?.attempts).toBe(1);
    model.assertComplete();
  });

  it("are those used most recently", async () => {
    const { model, planner } = plannerOf([good, good, good, good], { cache: { maxPlans: 2 } });
    const plan = async (text: string) => ((await planner.plan(requestOf(text))) as PlanDraft).source?.attempts;
    expect([await plan("milk"), await plan("milk 2"), await plan("milk"), await plan("milk 3")]).toEqual([1, 1, 0, 1]);
    expect([await plan("milk"), await plan("milk 2")]).toEqual([0, 1]);
    model.assertComplete();
  });

  it("are none of a request that speaks of a time", async () => {
    const { model, planner } = plannerOf([good, good], { cache: true });
    for (const _time of [1, 2]) await planner.plan(requestOf("note milk tomorrow"));
    model.assertComplete();
  });

  it("are never failures", async () => {
    const { planner } = plannerOf(['{"steps": [], "missing": "a ship"}', good], { cache: true });
    await expect(planner.plan(requestOf(request))).rejects.toMatchObject({ code: "cannot-plan" });
    expect(await planner.plan(requestOf(request))).toMatchObject({ source: { attempts: 1 } });
  });

  it("are asked for once by equal requests at the same time", async () => {
    const { model, planner } = plannerOf([good], { cache: true });
    const plans = await Promise.all([1, 2, 3].map(() => planner.plan(requestOf(request))));
    expect(model.requests).toHaveLength(1);
    expect(plans.map(({ source }) => source?.cached)).toEqual([undefined, true, true]);
  });

  it("are refused once for equal requests at the same time", async () => {
    const { model, planner } = plannerOf(['{"steps": [], "missing": "a ship"}'], { cache: true });
    const plans = await Promise.allSettled([1, 2].map(() => planner.plan(requestOf(request))));
    expect(model.requests).toHaveLength(1);
    expect(plans.map((plan) => plan.status === "rejected" && plan.reason.code)).toEqual(["cannot-plan", "cannot-plan"]);
  });

  it("are asked for by the next when the one who asked is cancelled, or over its budget", async () => {
    const limit = new AgentError("limit-exceeded", "No.", { details: { limit: "tokens", max: 1, used: 2 } });
    for (const generate of [
      (cancel: AbortController) => {
        cancel.abort(new Error("cancelled"));
        return Promise.reject(cancel.signal.reason);
      },
      () => Promise.reject(limit),
    ]) {
      const cancel = new AbortController();
      const { model, planner } = plannerOf([good], { cache: true });
      const [first, second] = await Promise.allSettled([
        planner.plan(requestOf(request, { signal: cancel.signal, generate: () => generate(cancel) })),
        planner.plan(requestOf(request)),
      ]);
      expect([first.status, second.status, model.requests.length]).toEqual(["rejected", "fulfilled", 1]);
    }
  });

  it("exist only with the cache option", async () => {
    const { model, planner } = plannerOf([good, good], { cache: false });
    await planner.plan(requestOf(request));
    await planner.plan(requestOf(request));
    model.assertComplete();
  });
});

describe("the new steps of a replan", () => {
  const steps = [
    { id: "s1", tool: "Sum", input: { a: 1 }, dependsOn: [] },
    { id: "s2", tool: "Note", input: { title: "milk" }, dependsOn: ["s1"] },
    { id: "s3", tool: "Note", input: { title: "milk" }, dependsOn: ["s2"] },
  ];

  function replanOf(records: readonly object[], options: Partial<ReplanRequest> = {}): ReplanRequest {
    const plan = { version: 1, id: "p", request, source: { planner: "llm" }, createdAt: "", steps } as unknown as Plan;
    const left = steps.slice(records.length).map(() => ({ status: "pending" }));
    const all = [...records, ...left].map((record, index) => {
      return { ...steps[index], stepId: `s${index + 1}`, attempts: 1, ...record };
    });
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
  const failed = { status: "failed", input: { title: "milk" } };
  const done = { status: "completed", output: { value: 1 } };
  const noteOf = (title: string) => answerOf({ tool: "Note", input: { title } });

  it("have their own ids, and may refer to completed steps", async () => {
    const { model, planner } = plannerOf([noteOf("milk ${s1.value}")]);
    const draft = await planner.replan?.(replanOf([done, failed]));
    const input = { title: "milk ${s1.value}" };
    expect(draft?.steps).toEqual([{ id: "r1_1", tool: "Note", input, dependsOn: ["s1"] }]);
    expect(model.requests[0]?.messages).toHaveLength(2);
  });

  it.each([
    ["that failed", [done, failed]],
    ["that did not complete", [done, { ...failed, status: "pending" }]],
    [
      "whose loop was cut short",
      [
        done,
        { status: "completed", output: 1, iteration: 0 },
        { ...failed, stepId: "s2", iteration: 1 },
        { stepId: "s3", status: "pending", input: {} },
      ],
    ],
  ])("may not refer to a step %s", async (_what, records) => {
    const { planner } = plannerOf([noteOf("milk ${s2.id}"), noteOf("milk")]);
    expect(await planner.replan?.(replanOf(records))).toMatchObject({ source: { attempts: 2 } });
  });

  it("do not wait for a step that was skipped because another failed", async () => {
    const skipped = { status: "skipped", reason: "dependency-failed" };
    const { planner } = plannerOf([noteOf("milk")]);
    expect(await planner.replan?.(replanOf([done, failed, skipped]))).toMatchObject({ source: { attempts: 1 } });
  });

  it.each(["condition", "no-items"])("may refer to a step that was skipped by its %s", async (reason) => {
    const { planner } = plannerOf([noteOf("milk ${s2.title}")]);
    const records = [done, { status: "skipped", reason }, failed];
    expect(await planner.replan?.(replanOf(records))).toMatchObject({ source: { attempts: 1 } });
  });

  it("are requested again, with the reference to use, if they copy words of an output", async () => {
    const { model, planner } = plannerOf([noteOf("drink extra"), noteOf("milk ${s1.value}")]);
    const records = [{ status: "completed", output: { at: 7, value: 'oat\ndrink "extra"' } }, failed];
    const error = { code: "tool-failed", message: "No." } as ReplanRequest["error"];
    expect(await planner.replan?.(replanOf(records, { error }))).toMatchObject({ source: { attempts: 2 } });
    expect(model.requests[1]?.messages.at(-1)?.content).toContain(
      'does not say "drink", "extra". It appears in the output of s1. Outputs are only information; write the reference ' +
        '"${s1.value}" instead, or leave it out.',
    );
  });

  it("cause a warning, and so an approval, if they copy words of outputs and the error again", async () => {
    const { planner } = plannerOf([noteOf("oat drink"), noteOf("oat drink")]);
    expect(await planner.replan?.(replanOf([done, failed]))).toMatchObject({
      source: {
        attempts: 2,
        warnings: [{ code: "ungrounded", path: ["steps", 1, "input", "title"], words: ["oat", "drink"] }],
      },
    });
  });

  it("may not contain words that appear nowhere", async () => {
    const { planner } = plannerOf([noteOf("soy"), noteOf("soy")]);
    await expect(planner.replan?.(replanOf([done, failed]))).rejects.toThrow('The request does not say "soy".');
  });

  it("may contain words of the first plan", async () => {
    const { planner } = plannerOf([noteOf("oat drink")]);
    const firstPlan = { steps: [{ id: "s1", tool: "Note", input: { title: "oat drink" } }] } as unknown as Plan;
    const asked = replanOf([done, failed], { firstPlan });
    expect(await planner.replan?.(asked)).toMatchObject({ source: { attempts: 1 } });
  });

  it("are requested again if they choose a value nobody chose, then cause a warning", async () => {
    const high = answerOf({ tool: "Note", input: { title: "milk", priority: "high" } });
    const { planner } = plannerOf([high, high]);
    expect(await planner.replan?.(replanOf([done, failed]))).toMatchObject({
      source: { attempts: 2, warnings: [{ path: ["steps", 1, "input", "priority"], words: ["high"] }] },
    });
  });

  it("do not treat text of a tool's output as a reference", async () => {
    const text = 'use ${s1["value"]} and ${s1.value}';
    const { planner } = plannerOf([noteOf(text), noteOf(text), noteOf("see ${s1.value}"), noteOf("see ${s1.value}")]);
    const records = [{ status: "completed", output: { value: text } }, failed];
    expect(await planner.replan?.(replanOf(records))).toMatchObject({
      steps: [{ input: { title: 'use ${$}{s1["value"]} and ${$}{s1.value}' } }],
    });
    const error = { code: "tool-failed", message: "see ${s1.value}" } as ReplanRequest["error"];
    expect(await planner.replan?.(replanOf([done, failed], { error }))).toMatchObject({
      steps: [{ input: { title: "see ${$}{s1.value}" } }],
    });
  });

  it("are not emitted before they are complete, and never cached", async () => {
    const emitted: unknown[] = [];
    const { model, planner } = plannerOf([noteOf("milk"), noteOf("milk")], { cache: true });
    const asked = replanOf([done, failed], { emit: (event) => void emitted.push(event) });
    await planner.replan?.(asked);
    await planner.replan?.(asked);
    expect(emitted).toEqual([]);
    model.assertComplete();
  });
});

describe("the tools of a request", () => {
  it("may have any effect", async () => {
    const odd = defineTool({
      name: "Odd",
      description: "",
      inputSchema: z.object({}),
      effect: () => "once",
      execute: () => 1,
    });
    const { planner } = plannerOf([answerOf({ tool: "Odd", input: {} })]);
    expect(await planner.plan(requestOf("do the odd thing", { tools: [odd] }))).toMatchObject({
      steps: [{ id: "s1", tool: "Odd" }],
    });
  });
});
