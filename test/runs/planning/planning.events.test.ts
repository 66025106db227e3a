import { type AgentEventOf, createFallbackPlanner, type PlanDraft, type PlanRequest } from "planwright";
import { createScriptedModel } from "planwright/testing";
import { describe, expect, it } from "vitest";
import type { PlanningEvent } from "../../../src/core/planner.ts";
import { plannerOf } from "../../planners/fake-planners.ts";
import { planOf } from "../../scenario/plans.ts";
import { runScenario } from "../../scenario/run-scenario.ts";
import { works } from "../../scenario/scripted-replanner.ts";

/** Plays a request with a planner that plans like this. */
const play = (plan: (request: PlanRequest) => PlanDraft) =>
  runScenario(() => ({ tools: [works()], planner: plannerOf("p", plan), request: "Do it" }));

describe("an event that a planner emits", () => {
  const [step] = planOf("A").steps as PlanDraft["steps"];
  const delta = { type: "plan-delta", planner: "p", attempt: 1, index: 0, step } as unknown as PlanningEvent;

  it("is copied: the planner may reuse its event, and nobody can change the plan through it", async () => {
    const own = structuredClone(delta) as Extract<PlanningEvent, { type: "plan-delta" }>;
    const { result, events } = await play(({ emit }) => {
      void emit?.(own);
      void emit?.(own);
      void emit?.(Object.freeze({ ...own }));
      return { steps: [own.step as never] };
    });
    const deltas = events.filter((event): event is AgentEventOf<"plan-delta"> => event.type === "plan-delta");
    expect(deltas).toHaveLength(3);
    expect(deltas.every(({ step }) => Object.isFrozen(step) && Object.isFrozen(step.input))).toBe(true);
    expect(Object.isFrozen(own.step)).toBe(false);
    expect(result.status).toBe("completed");
  });

  it.each<[string, unknown, string]>([
    ["another event", { type: "run-end", outcome: { status: "completed", output: 1 } }, 'not the event "run-end"'],
    ["what is no JSON", { ...delta, step: { ...step, input: { big: 1n } } }, "not a value that is not JSON"],
    ["nothing", undefined, "A planner reports plan-fallback and plan-delta"],
  ])("may not be %s: planning fails", async (_what, event, message) => {
    const { result, events } = await play(({ emit }) => {
      void emit?.(event as PlanningEvent);
      return planOf("A") as PlanDraft;
    });
    expect(result.error).toMatchObject({ code: "planning-failed", message: expect.stringContaining(message) });
    expect(events.map(({ type }) => type)).toEqual(["run-start", "plan-start", "plan-end", "run-end"]);
  });

  it.each(["alone", "in a chain"])("is dropped once planning has ended, and no model is called (%s)", async (where) => {
    const requests: PlanRequest[] = [];
    const hanging = plannerOf("hangs", (request) => {
      requests.push(request);
      return new Promise(() => {});
    });
    const { result, events } = await runScenario((clock) => ({
      isResumable: false,
      tools: [works()],
      planner: where === "alone" ? hanging : createFallbackPlanner([hanging], { clock }),
      request: "Do it",
      plannerTimeoutMs: 50,
    }));
    expect(result.error).toMatchObject({ code: "timeout" });
    const before = events.length;
    const model = createScriptedModel(["late"]);
    expect(requests).toHaveLength(2);
    for (const { emit, generate, signal } of requests) {
      await emit?.(delta);
      await expect(generate?.(model, { messages: [], signal })).rejects.toMatchObject({ code: "cancelled" });
    }
    expect(events).toHaveLength(before);
    expect(model.requests).toEqual([]);
  });
});
