import { createFallbackPlanner, type PlanDraft, type Planner, type ReplanRequest, type ToolStep } from "planwright";
import { describe, expect, it } from "vitest";
import { checkDraft } from "../../src/plan/check-draft.ts";
import { fails, replanRequest, works } from "../planners/fake-planners.ts";

const added = (id: string, rest: Partial<ToolStep> = {}): ToolStep => ({
  id,
  tool: "A",
  input: {},
  dependsOn: [],
  ...rest,
});

/** A planner that gives these steps in place of what has failed. */
function replans(name: string, replan: (request: ReplanRequest) => unknown): Planner {
  return { ...works(name), replan: (request) => replan(request) as PlanDraft };
}

const check = (steps: unknown, rest: Partial<ReplanRequest> = {}) =>
  checkDraft(works("x"), { steps }, replanRequest(rest).request);

describe("the steps of a replan", () => {
  it("may refer to completed steps outside of them", async () => {
    const steps = [added("b", { input: { of: { $ref: "a.value" } }, dependsOn: ["a"] })];
    expect(await check(steps)).toEqual({ steps, source: { planner: "x" } });
  });

  it("may use the id of a step that has not started", async () => {
    await expect(check([added("z")])).resolves.toMatchObject({ steps: [{ id: "z" }] });
  });

  it.each<[string, ToolStep, string]>([
    ["the id of a step that is done", added("a"), "duplicate-id"],
    ["the id of a step that has failed", added("f"), "duplicate-id"],
    ["a reference to a step that has failed", added("b", { input: { of: { $ref: "f.value" } } }), "unknown-step"],
    ["a tool that does not exist", added("b", { tool: "B" }), "unknown-tool"],
  ])("may not contain %s", async (_what, step, code) => {
    const issue = { code, path: expect.arrayContaining(["steps", 1]) };
    await expect(check([step])).rejects.toMatchObject({ code: "invalid-plan", details: { issues: [issue] } });
  });

  it("count towards maxSteps together with the completed steps", async () => {
    await expect(check([added("b"), added("c")], { maxSteps: 2 })).rejects.toMatchObject({
      details: { issues: [{ code: "too-many-steps" }] },
    });
  });

  it("may depend on a step that its condition has skipped, or that had no items", async () => {
    const { request } = replanRequest();
    const record = { tool: "A", input: {}, attempts: 0 } as const;
    const step = (id: string) => ({ id, tool: "A", input: {} });
    const rest: Partial<ReplanRequest> = {
      plan: { ...request.plan, steps: ["c", "n", "l", "m", "f"].map(step) },
      steps: [
        { ...record, stepId: "c", status: "skipped", reason: "condition" },
        // "n" looped over nothing, so the log has no entry for it.
        { ...record, stepId: "l", iteration: 0, status: "completed", output: 1 },
        { ...record, stepId: "l", iteration: 1, status: "skipped", reason: "condition" },
        { ...record, stepId: "m", iteration: 0, status: "completed", output: 1 },
        { ...record, stepId: "m", iteration: 1, status: "skipped", reason: "run-ended" },
        { ...record, stepId: "f", status: "failed" },
      ],
    };
    await expect(check([added("b", { dependsOn: ["c", "n", "l"] })], rest)).resolves.toBeDefined();
    await expect(check([added("b", { dependsOn: ["m"] })], rest)).rejects.toMatchObject({ code: "invalid-plan" });
  });

  it.each([undefined, null, {}, { steps: 5 }, { steps: [] }, "text"])("may not be %j", async (draft) => {
    const { request } = replanRequest();
    const started = { ...request, plan: { ...request.plan, steps: [] }, steps: [] };
    await expect(checkDraft(works("x"), draft, started)).rejects.toMatchObject({
      code: expect.stringMatching(/invalid-plan|planning-failed/),
    });
  });
});

describe("a replan by several planners", () => {
  it("calls those that can replan, until one returns valid steps", async () => {
    const emitted: string[] = [];
    const chain = createFallbackPlanner([
      fails("rules"),
      replans("a", () => {
        throw new Error("no");
      }),
      replans("b", () => ({ steps: [added("f")] })),
      replans("c", ({ error, replan }) => ({ steps: [added("b", { reasoning: `${error.code} ${replan}` })] })),
    ]);
    const { request } = replanRequest({
      emit: (event) => void emitted.push(event.type === "plan-fallback" ? `${event.planner} ${event.next}` : ""),
    });
    expect(await chain.replan?.(request)).toEqual({
      steps: [added("b", { reasoning: "tool-failed 1" })],
      source: {
        planner: "c",
        failures: [
          { planner: "a", code: "planning-failed", message: 'The planner "a" failed: no' },
          { planner: "b", code: "invalid-plan", message: expect.stringContaining('"f" has started') },
        ],
      },
    });
    expect(emitted).toEqual(["a b", "b c"]);
  });

  it("is not available if none of them can replan", () => {
    expect(createFallbackPlanner([works("a"), works("b")])).not.toHaveProperty("replan");
  });

  it("fails if a planner has lost its replan method", async () => {
    const fickle = { ...works("fickle"), replan: () => ({ steps: [added("b")] }) };
    const chain = createFallbackPlanner([fickle]);
    Object.assign(fickle, { replan: undefined });
    await expect(chain.replan?.(replanRequest().request)).rejects.toMatchObject({
      code: "planning-failed",
    });
  });

  it("works with a planner that is a class", async () => {
    class Planning implements Planner {
      readonly name = "class";
      private readonly steps = [added("b")];
      plan(): PlanDraft {
        return { steps: this.steps };
      }
      replan(): PlanDraft {
        return { steps: this.steps };
      }
    }
    const chain = createFallbackPlanner([new Planning()]);
    expect(await chain.plan(plannerRequest())).toMatchObject({ source: { planner: "class" } });
    expect(await chain.replan?.(replanRequest().request)).toMatchObject({ steps: [{ id: "b" }] });
  });
});

function plannerRequest() {
  const { plan: _plan, steps: _steps, error: _error, replan: _replan, ...request } = replanRequest().request;
  return request;
}
