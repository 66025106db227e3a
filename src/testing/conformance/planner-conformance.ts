import assert from "node:assert/strict";
import { maxTimerMs, systemClock } from "../../async/clock.ts";
import { notInTime, settleWithin } from "../../async/timeout.ts";
import { toDefinedTool } from "../../core/define-tool.ts";
import type { AgentErrorData } from "../../core/errors.ts";
import { checkKeys, checkOption, failOption } from "../../core/option-tables.ts";
import type { Plan } from "../../core/plan.ts";
import type { Planner, PlanRequest, ReplanRequest } from "../../core/planner.ts";
import type { StepRecord } from "../../core/run-result.ts";
import { toolOf } from "../../core/step.ts";
import { cutText } from "../../core/text.ts";
import type { DefinedTool, Tool } from "../../core/tool.ts";
import { type CheckedDraft, checkDraft } from "../../plan/check-draft.ts";
import { createExpressions, type Expressions, languageKey } from "../../plan/expressions.ts";
import { assertFails, type ConformanceCase, conformanceCase, failureOf } from "./conformance-case.ts";

/** Options of {@link plannerConformance}. @inline */
interface PlannerConformanceOptions {
  /** Creates a new planner for each case. If it asks a model, the model must answer any request. */
  createPlanner(): Planner | Promise<Planner>;
  /** Tools for the plans. None of them is executed. */
  readonly tools: readonly Tool[];
  /** Requests, at least one, that the planner must plan with these tools. */
  readonly requests: readonly string[];
  /** Requests that the planner must refuse with `cannot-plan`. @default none */
  readonly refusals?: readonly string[] | undefined;
  /** Maximum time that a case waits for a stopped planner to settle, at least 1. @default 5000 */
  readonly settleMs?: number | undefined;
}

/**
 * Returns the requirements for every {@link Planner}, as cases for a test runner. A planner's plans, including those of
 * `replan`, must be valid, state the dependencies of each step, and never read typed text as a reference. The planner
 * must refuse `refusals` with `cannot-plan`, end soon after it is stopped, leave nothing running, and execute no tool.
 * All requests are made at noon on 2026-01-15, UTC. Throws `invalid-options`.
 * {@includeCode ../../../examples/16-your-own-planner.ts} @group Planners
 */
export function plannerConformance(options: PlannerConformanceOptions): readonly ConformanceCase[] {
  checkKeys("options", options, ["createPlanner", "tools", "requests", "refusals", "settleMs"]);
  const { createPlanner, tools, requests, refusals = [], settleMs = 5_000 } = options;
  if (typeof createPlanner !== "function")
    failOption("createPlanner", createPlanner, "a function that returns a planner");
  if (!Array.isArray(tools) || tools.length === 0) failOption("tools", tools, "a list of at least one tool");
  checkTexts("requests", requests, 1);
  checkTexts("refusals", refusals, 0);
  checkOption({ type: "number", min: 1, max: maxTimerMs }, settleMs, "settleMs");
  const ask = (planner: Planner, trial: Trial) => askPlanner(planner, { tools, settleMs, ...trial });
  const plan = async (planner: Planner, trial: Trial) => checkAnswer(planner, await ask(planner, trial));
  const planOrRefuse = async (planner: Planner, trial: Trial) => {
    const answer = await unlessRefused(ask(planner, trial));
    if (answer !== undefined) await checkAnswer(planner, answer);
  };
  const caseOfAll = (name: string, check: (planner: Planner, request: string) => Promise<unknown>) =>
    conformanceCase(name, async () => {
      const planner = await createPlanner();
      for (const request of requests) await check(planner, request);
    });
  return [
    conformanceCase("has a short name that never changes", async () => {
      const [first, second] = [await createPlanner(), await createPlanner()];
      assert.match(first.name, /^[^\p{C}]{1,100}$/u);
      assert.equal(first.name, second.name);
    }),
    ...requests.map((request) =>
      conformanceCase(`plans "${cutText(request, maxNameLength)}"`, async () => {
        await plan(await createPlanner(), { request });
      }),
    ),
    ...refusals.map((request) =>
      conformanceCase(`refuses "${cutText(request, maxNameLength)}"`, async () => {
        const planner = await createPlanner();
        await assertFails(() => ask(planner, { request }), "cannot-plan");
      }),
    ),
    caseOfAll("reads no typed text as a reference", async (planner, request) => {
      for (const typed of typedReferences) {
        await planOrRefuse(planner, { request: `${request} ${typed}` });
        await planOrRefuse(planner, { request: request.replace(/(?<=\s)\S+/, () => typed) });
      }
    }),
    conformanceCase("plans several requests at once", async () => {
      const planner = await createPlanner();
      await Promise.all([...requests, ...requests].map((request) => plan(planner, { request })));
    }),
    caseOfAll("makes no plan if it was stopped before it started", async (planner, request) => {
      const answer = await unlessRefused(ask(planner, { request, abort: "before" }));
      assert.ok(answer === undefined, "the planner made a plan although its signal was aborted");
    }),
    caseOfAll("ends soon after it is stopped", async (planner, request) =>
      unlessRefused(ask(planner, { request, abort: "meanwhile" })),
    ),
    caseOfAll("plans again, if it can, after a step has failed", async (planner, request) => {
      if (planner.replan === undefined) return;
      const failed = failFirstStep(request, await plan(planner, { request }));
      if (failed !== undefined) await planOrRefuse(planner, { request, failed });
    }),
  ];
}

function checkTexts(option: string, texts: unknown, atLeast: number): void {
  const isList = Array.isArray(texts) && texts.every((text) => typeof text === "string" && text.trim() !== "");
  if (!isList || texts.length < atLeast)
    failOption(option, texts, `a list of ${atLeast ? "one or more " : ""}non-blank texts`);
}

const maxNameLength = 60;

const typedReferences = ["${typed_by_a_user.value}", '{"$ref": "typed_by_a_user.value"}', "$${typed_by_a_user}"];

async function unlessRefused(asking: Promise<TrialAnswer>): Promise<TrialAnswer | undefined> {
  const failure = await failureOf(() => asking);
  if (failure === undefined) return asking;
  if (failure.thrown instanceof assert.AssertionError) throw failure.thrown;
  return undefined;
}

async function checkAnswer(planner: Planner, { draft, asked }: TrialAnswer): Promise<CheckedDraft> {
  const checked = await checkDraft(planner, draft, asked);
  for (const { id, dependsOn } of checked.steps) {
    assert.notEqual(dependsOn, undefined, `step "${id}" does not state its dependencies: dependsOn is missing`);
  }
  return checked;
}

function failFirstStep(request: string, { steps, source }: CheckedDraft): Trial["failed"] {
  const [first] = steps;
  if (first === undefined) return undefined;
  const details = { tool: toolOf(first), stepId: first.id, attempts: 1, errors: [] };
  const message = "It is out of order.";
  const error: AgentErrorData = { name: "AgentError", code: "tool-failed", message, retryable: false, details };
  const createdAt = "2026-01-15T12:00:00.000Z";
  const plan: Plan = { version: 1, id: "plan_1", request, source, createdAt, steps: steps as Plan["steps"] };
  const records = steps.map((planned): StepRecord => {
    const step = { stepId: planned.id, tool: toolOf(planned), input: planned.input ?? planned.wait };
    if (planned !== first) return { ...step, status: "pending", attempts: 0 };
    return { ...step, status: "failed", attempts: 1, error };
  });
  return { plan, steps: records, error };
}

interface Trial {
  readonly request: string;
  readonly abort?: "before" | "meanwhile";
  readonly failed?: Pick<ReplanRequest, "plan" | "steps" | "error">;
}

interface TrialAnswer {
  readonly draft: unknown;
  readonly asked: PlanRequest | ReplanRequest;
}

async function askPlanner(
  planner: Planner,
  { request, abort, failed, tools, settleMs }: Trial & { readonly tools: readonly Tool[]; readonly settleMs: number },
): Promise<TrialAnswer> {
  const controller = new AbortController();
  const executed: string[] = [];
  const withoutEffect = (tool: DefinedTool): DefinedTool => {
    const execute = () => {
      executed.push(tool.name);
      throw new Error("A planner must not execute a tool.");
    };
    return { ...tool, execute, ...(tool.undo && { undo: execute }) };
  };
  let hasEnded = false;
  let reportedLate = 0;
  const asked = Object.freeze({
    request,
    tools: Object.freeze(tools.map((tool, index) => withoutEffect(toDefinedTool(`tools[${index}]`, tool)))),
    maxSteps: 1_000,
    nowMs: Date.UTC(2026, 0, 15, 12),
    timeZone: "UTC",
    signal: controller.signal,
    [languageKey]: createExpressions(),
    generate: (model, modelRequest) => model.generate(modelRequest),
    emit: () => {
      if (hasEnded) reportedLate++;
    },
  } satisfies PlanRequest & { readonly [languageKey]: Expressions });
  const replanned = failed && Object.freeze({ ...asked, ...failed, firstPlan: failed.plan, replan: 1 });
  if (abort === "before") controller.abort(new Error("stopped before it started"));
  try {
    const asking = (async () => (replanned === undefined ? planner.plan(asked) : planner.replan?.(replanned)))();
    if (abort === "meanwhile") controller.abort(new Error("stopped meanwhile"));
    const draft: unknown = await (abort === undefined ? asking : settleWithin(asking, settleMs, systemClock));
    if (draft === notInTime) assert.fail(`the planner was still working ${settleMs} ms after its signal was aborted`);
    return { draft, asked: replanned ?? asked };
  } finally {
    hasEnded = true;
    // Lets work run that the planner started but did not await.
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(reportedLate, 0, "the planner emitted an event after it had ended");
    assert.deepEqual(executed, [], "the planner executed a tool");
  }
}
