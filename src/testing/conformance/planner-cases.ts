import assert from "node:assert/strict";
import { type CheckedDraft, checkDraft } from "../../core/check-draft.ts";
import type { AgentErrorData } from "../../core/errors.ts";
import type { Plan } from "../../core/plan.ts";
import type { Planner } from "../../core/planner.ts";
import type { StepRecord } from "../../core/run-result.ts";
import { cutText } from "../../core/text.ts";
import type { Tool } from "../../core/tool.ts";
import { assertFails, type ConformanceCase, conformanceCase, failureOf } from "./conformance-case.ts";
import { askPlanner, type Trial, type TrialAnswer } from "./planner-trial.ts";

/** The settings of the cases of a planner. */
export interface PlannerSettings {
  createPlanner(): Planner | Promise<Planner>;
  readonly tools: readonly Tool[];
  readonly requests: readonly string[];
  readonly refusals: readonly string[];
  readonly settleMs: number;
}

type Asked = Omit<Trial, "planner" | "tools" | "settleMs">;

/** The cases of a planner, by the requests that it must plan and refuse. */
export function plannerCases(settings: PlannerSettings): readonly ConformanceCase[] {
  const { requests, refusals, createPlanner } = settings;
  return [
    conformanceCase("has a short name, which is always the same", () => checkName(settings)),
    ...requests.map((request) =>
      conformanceCase(`plans "${cutText(request, maxNameLength)}"`, async () => {
        await plan(await createPlanner(), settings, { request });
      }),
    ),
    ...refusals.map((request) =>
      conformanceCase(`refuses "${cutText(request, maxNameLength)}"`, () => checkRefusal(settings, request)),
    ),
    conformanceCase("takes nothing that was typed for a reference", () => checkTyped(settings)),
    conformanceCase("plans several requests at once", () => checkTogether(settings)),
    conformanceCase("makes no plan when it was stopped before it started", () => checkStopped(settings)),
    conformanceCase("ends soon when it is stopped", () => checkStopping(settings)),
    conformanceCase("plans again, if it can, after a step has failed", () => checkReplan(settings)),
  ];
}

const maxNameLength = 60;

async function plan(planner: Planner, { tools, settleMs }: PlannerSettings, asking: Asked): Promise<CheckedDraft> {
  return checkAnswer(planner, await askPlanner({ planner, tools, settleMs, ...asking }));
}

/** The planner may refuse with any error. */
async function planOrRefuse(planner: Planner, { tools, settleMs }: PlannerSettings, asking: Asked): Promise<void> {
  let answer: TrialAnswer;
  try {
    answer = await askPlanner({ planner, tools, settleMs, ...asking });
  } catch (thrown) {
    if (thrown instanceof assert.AssertionError) throw thrown;
    return;
  }
  await checkAnswer(planner, answer);
}

async function checkAnswer(planner: Planner, { draft, asked }: TrialAnswer): Promise<CheckedDraft> {
  const checked = await checkDraft(planner, draft, asked);
  for (const { id, dependsOn } of checked.steps) {
    assert.notEqual(dependsOn, undefined, `step "${id}" does not say what it depends on: dependsOn is missing`);
  }
  return checked;
}

async function checkName({ createPlanner }: PlannerSettings): Promise<void> {
  const [first, second] = [await createPlanner(), await createPlanner()];
  assert.match(first.name, /^[^\p{C}]{1,100}$/u);
  assert.equal(first.name, second.name);
}

async function checkRefusal({ createPlanner, tools, settleMs }: PlannerSettings, request: string): Promise<void> {
  const planner = await createPlanner();
  await assertFails(() => askPlanner({ planner, tools, settleMs, request }), "cannot-plan");
}

/** There is no step with that name, so as a reference it is invalid. */
const typedReferences = ["${typed_by_a_user.value}", '{"$ref": "typed_by_a_user.value"}', "$${typed_by_a_user}"];

async function checkTyped(settings: PlannerSettings): Promise<void> {
  const planner = await settings.createPlanner();
  for (const typed of typedReferences) {
    for (const request of settings.requests) {
      await planOrRefuse(planner, settings, { request: `${request} ${typed}` });
      await planOrRefuse(planner, settings, { request: request.replace(/(?<=\s)\S+/, () => typed) });
    }
  }
}

async function checkTogether(settings: PlannerSettings): Promise<void> {
  const planner = await settings.createPlanner();
  const twice = [...settings.requests, ...settings.requests];
  await Promise.all(twice.map((request) => plan(planner, settings, { request })));
}

async function checkStopped(settings: PlannerSettings): Promise<void> {
  const planner = await settings.createPlanner();
  for (const request of settings.requests) {
    const failure = await failureOf(() => askPlanner({ ...settings, planner, request, abort: "before" }));
    assert.ok(failure !== undefined, "the planner made a plan although its signal was aborted");
    if (failure.thrown instanceof assert.AssertionError) throw failure.thrown;
  }
}

async function checkStopping(settings: PlannerSettings): Promise<void> {
  const planner = await settings.createPlanner();
  for (const request of settings.requests) {
    const failure = await failureOf(() => askPlanner({ ...settings, planner, request, abort: "meanwhile" }));
    if (failure?.thrown instanceof assert.AssertionError) throw failure.thrown;
  }
}

/** Replans when the first step has failed, and no other step has started. */
async function checkReplan(settings: PlannerSettings): Promise<void> {
  const planner = await settings.createPlanner();
  if (planner.replan === undefined) return;
  for (const request of settings.requests) {
    const { steps, source } = await plan(planner, settings, { request });
    const failed: Plan = {
      version: 1,
      id: "plan_1",
      request,
      source,
      createdAt: "2026-01-15T12:00:00.000Z",
      steps: steps as Plan["steps"],
    };
    const records = steps.map(({ id, tool, input }, index): StepRecord => {
      const step = { stepId: id, tool, input };
      return index === 0
        ? { ...step, status: "failed", attempts: 1, error: failureOfStep(id, tool) }
        : { ...step, status: "pending", attempts: 0 };
    });
    const [first] = steps;
    if (first === undefined) continue;
    const error = failureOfStep(first.id, first.tool);
    await planOrRefuse(planner, settings, { request, failed: { plan: failed, steps: records, error } });
  }
}

function failureOfStep(stepId: string, tool: string): AgentErrorData {
  const details = { tool, stepId, attempts: 1, errors: [] };
  return { name: "AgentError", code: "tool-failed", message: "It is out of order.", retryable: false, details };
}
