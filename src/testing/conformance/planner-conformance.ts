import assert from "node:assert/strict";
import { maxTimerMs } from "../../async/clock.ts";
import { toDefinedTool } from "../../core/define-tool.ts";
import type { AgentErrorData } from "../../core/errors.ts";
import { checkKeys, checkOption, failOption } from "../../core/options.ts";
import type { Plan } from "../../core/plan.ts";
import type { Planner, PlanRequest, ReplanRequest } from "../../core/planner.ts";
import type { StepRecord } from "../../core/run-result.ts";
import { toolOf } from "../../core/step.ts";
import { cutText } from "../../core/text.ts";
import type { DefinedTool, Tool } from "../../core/tool.ts";
import { type CheckedDraft, checkDraft } from "../../plan/check-draft.ts";
import { assertFails, type ConformanceCase, conformanceCase, failureOf } from "./conformance-case.ts";

/** Options of {@link plannerConformance}. @inline */
interface PlannerConformanceOptions {
  /** Creates a new planner for each case. If it asks a model, that must answer any request, as a scripted one may. */
  createPlanner(): Planner | Promise<Planner>;
  /** The tools that it plans for. None of them is executed. */
  readonly tools: readonly Tool[];
  /** At least one request that it must plan with these tools. */
  readonly requests: readonly string[];
  /** Requests that it must refuse with `cannot-plan`. @default none */
  readonly refusals?: readonly string[] | undefined;
  /** The time that a case waits for a planner that was stopped, at least 1. @default 5000 */
  readonly settleMs?: number | undefined;
}

/**
 * The requirements for every {@link Planner}, as cases for a test runner: its plans are valid for the tools, state the
 * dependencies of each step, and never read typed text as a reference; it refuses with `cannot-plan`, ends soon
 * when it is stopped, leaves nothing behind, and executes no tool. If it has `replan`, its plans after a failure are
 * valid, too.
 *
 * The time of all requests is noon of 2026-01-15, UTC. Throws `invalid-options`.
 *
 * {@includeCode ../../../examples/16-your-own-planner.ts}
 * @group Planners
 */
export function plannerConformance(options: PlannerConformanceOptions): readonly ConformanceCase[] {
  checkKeys("options", options, ["createPlanner", "tools", "requests", "refusals", "settleMs"]);
  const { createPlanner, tools, requests, refusals = [], settleMs = 5_000 } = options;
  if (createPlanner === undefined) failOption("createPlanner", createPlanner, "a function that returns a planner");
  checkOption({ type: "function" }, createPlanner, "createPlanner");
  if (!Array.isArray(tools) || tools.length === 0) failOption("tools", tools, "a list of at least one tool");
  checkTexts("requests", requests, 1);
  checkTexts("refusals", refusals, 0);
  checkOption({ type: "number", min: 1, max: maxTimerMs }, settleMs, "settleMs");
  return plannerCases({ createPlanner, tools, requests, refusals, settleMs });
}

function checkTexts(option: string, texts: unknown, atLeast: number): void {
  const isList = Array.isArray(texts) && texts.every((text) => typeof text === "string" && text.trim() !== "");
  if (!isList || texts.length < atLeast) failOption(option, texts, `a list of at least ${atLeast} texts`);
}

/** The settings of the cases of a planner. */
interface PlannerSettings {
  createPlanner(): Planner | Promise<Planner>;
  readonly tools: readonly Tool[];
  readonly requests: readonly string[];
  readonly refusals: readonly string[];
  readonly settleMs: number;
}

type Asked = Omit<Trial, "planner" | "tools" | "settleMs">;

/** The cases of a planner, by the requests that it must plan and refuse. */
function plannerCases(settings: PlannerSettings): readonly ConformanceCase[] {
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
    const records = steps.map((planned, index): StepRecord => {
      const { id } = planned;
      const tool = toolOf(planned);
      const step = { stepId: id, tool, input: planned.input ?? planned.wait };
      return index === 0
        ? { ...step, status: "failed", attempts: 1, error: failureOfStep(id, tool) }
        : { ...step, status: "pending", attempts: 0 };
    });
    const [first] = steps;
    if (first === undefined) continue;
    const error = failureOfStep(first.id, toolOf(first));
    await planOrRefuse(planner, settings, { request, failed: { plan: failed, steps: records, error } });
  }
}

function failureOfStep(stepId: string, tool: string): AgentErrorData {
  const details = { tool, stepId, attempts: 1, errors: [] };
  return { name: "AgentError", code: "tool-failed", message: "It is out of order.", retryable: false, details };
}

/** A request to a planner. */
interface Trial {
  readonly planner: Planner;
  readonly tools: readonly Tool[];
  readonly request: string;
  /** The time at which the signal is aborted. @default never */
  readonly abort?: "before" | "meanwhile";
  /** The time that it may take after that. */
  readonly settleMs: number;
  /** The failed plan, to ask for another one. */
  readonly failed?: Pick<ReplanRequest, "plan" | "steps" | "error">;
}

/** The answer of a planner, and the request it received. */
interface TrialAnswer {
  readonly draft: unknown;
  readonly asked: PlanRequest | ReplanRequest;
}

/** Asks a planner as a run does, until it has ended. Rejects as it does, or if it did something forbidden. */
async function askPlanner({ planner, request, abort, settleMs, failed, ...given }: Trial): Promise<TrialAnswer> {
  const controller = new AbortController();
  const executed: string[] = [];
  let hasEnded = false;
  let reportedLate = 0;
  const asked = Object.freeze({
    request,
    tools: Object.freeze(
      given.tools.map((tool, index) => withoutEffect(toDefinedTool(`tools[${index}]`, tool), executed)),
    ),
    maxSteps: 1_000,
    nowMs: Date.UTC(2026, 0, 15, 12),
    timeZone: "UTC",
    signal: controller.signal,
    generate: (model, modelRequest) => model.generate(modelRequest),
    emit: () => {
      if (hasEnded) reportedLate++;
    },
  } satisfies PlanRequest);
  const replanned = failed && Object.freeze({ ...asked, ...failed, firstPlan: failed.plan, replan: 1 });
  if (abort === "before") controller.abort(new Error("stopped before it started"));
  try {
    const asking = (async () => (replanned === undefined ? planner.plan(asked) : planner.replan?.(replanned)))();
    if (abort === "meanwhile") controller.abort(new Error("stopped meanwhile"));
    const draft: unknown = await (abort === undefined ? asking : within(settleMs, asking));
    return { draft, asked: replanned ?? asked };
  } finally {
    hasEnded = true;
    // Work that it started and did not wait for runs now.
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(reportedLate, 0, "the planner reported something after it had ended");
    assert.deepEqual(executed, [], "the planner executed a tool");
  }
}

function withoutEffect(tool: DefinedTool, executed: string[]): DefinedTool {
  const execute = () => {
    executed.push(tool.name);
    throw new Error("A planner never executes a tool.");
  };
  const guards = { execute, ...(tool.undo && { undo: execute }) };
  return { ...tool, ...guards };
}

async function within<T>(settleMs: number, asking: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const message = `the planner had not ended ${settleMs} ms after its signal was aborted`;
    timer = setTimeout(() => reject(new assert.AssertionError({ message })), settleMs);
  });
  try {
    return await Promise.race([asking, late]);
  } finally {
    clearTimeout(timer);
  }
}
