import type { AgentEvent, AgentEventOf, JsonValue } from "planwright";
import {
  dependenciesOf,
  expectedCondition,
  expectedInput,
  expectedItems,
  isAskedPerPass,
  type ModelStep,
  nowhere,
  type Pass,
} from "./model-plan.ts";
import { isSame, keyOf, stepIdOf, type Watch } from "./watch.ts";
import { checkEarliest } from "./watch-progress.ts";

type StepEvent = AgentEventOf<"step-start" | "step-end" | "step-skip">;

/** See {@link Watch}. */
export function onStart(watch: Watch, event: AgentEventOf<"step-start">): void {
  const key = keyOf(event);
  const step = stepIn(watch, event);
  if (step === undefined) return;
  watch.expect(watch.isOpen, () => `${key} starts outside of an execution`);
  beginLoop(watch, event, step);
  const before = watch.progress.get(key);
  watch.expect(before === undefined || before.stage === "waiting", () => `${key} starts again`);
  checkReady(watch, event, step);
  checkStartedInput(watch, event, step);
  watch.progress.set(key, { ...before, stage: "running", hasStarted: true, input: event.input });
  const open = watch.openSteps().size;
  watch.expect(open <= watch.model.concurrency, () => `${open} steps run at a time`);
  const passes = [...watch.progress].filter(([other, { stage }]) => stage === "running" && stepIdOf(other) === step.id);
  watch.expect(passes.length <= (step.concurrency ?? 1), () => `${passes.length} passes of ${step.id} run at a time`);
}

/** A step of the plan that an event is about. */
function stepIn(watch: Watch, event: StepEvent): ModelStep | undefined {
  const step = watch.steps.find(({ id }) => id === event.stepId);
  watch.expect(step !== undefined, () => `${event.type} of ${event.stepId}, which is not in the plan`);
  return step;
}

function checkReady(watch: Watch, event: StepEvent, step: ModelStep): void {
  const key = keyOf(event);
  for (const id of dependenciesOf(step, previousOf(watch, step))) {
    watch.expect(watch.isDone(id), () => `${event.type} of ${key} before ${id} is done`);
  }
  checkEarliest(watch, step);
  // With several at a time, a step that starts at the very moment of a failure may have been on its way.
  const { onStepFailure, concurrency } = watch.model;
  const isStopped = concurrency === 1 ? watch.hasFailed : watch.hasFailed && watch.clock.now() > watch.failedMs;
  const mayResume = onStepFailure === "continue" || watch.loops.has(step.id) || !isStopped;
  watch.expect(mayResume, () => `${event.type} of ${key} after another one has failed`);
}

/** Steps that a replan kept are done, so the step before them does not matter. */
function previousOf(watch: Watch, step: ModelStep): ModelStep | undefined {
  return watch.steps[watch.steps.indexOf(step) - 1];
}

function passOf(watch: Watch, { stepId, iteration }: StepEvent): Pass | undefined {
  if (iteration === undefined) return undefined;
  return { index: iteration, item: watch.loops.get(stepId)?.items[iteration] ?? null };
}

function checkStartedInput(watch: Watch, event: AgentEventOf<"step-start">, step: ModelStep): void {
  const key = keyOf(event);
  const pass = passOf(watch, event);
  const isAsked = pass !== undefined || !isAskedPerPass(step);
  const condition = isAsked ? expectedCondition(step, watch.outputs, pass) : true;
  watch.expect(condition !== false, () => `${key} starts though its condition is false`);
  const expected = expectedInput(step, watch.outputs, pass);
  if (condition === nowhere || expected === nowhere || event.effect === undefined) {
    const isBroken = condition === nowhere || expected === nowhere || expectedItems(step, watch.outputs) === nowhere;
    watch.expect(isBroken && event.effect === undefined, () => `${key} starts with an effect: ${String(event.effect)}`);
    return;
  }
  const approved = watch.progress.get(key)?.changed ?? expected;
  watch.expect(
    isSame(event.input, approved),
    () => `${key} gets ${JSON.stringify(event.input)}, not ${JSON.stringify(approved)}`,
  );
}

/** Notes the passes of a loop at its first event. */
export function beginLoop(
  watch: Watch,
  event: StepEvent | Extract<AgentEvent, { type: "approval-request"; kind: "step" }>,
  step: ModelStep,
): void {
  const count = "iterations" in event ? event.iterations : undefined;
  if (event.iteration === undefined || watch.loops.has(step.id)) return;
  const items = expectedItems(step, watch.outputs);
  const length = items === nowhere ? -1 : items.length;
  watch.expect(count === length, () => `${step.id} has ${count} passes, not ${length}`);
  watch.loops.set(step.id, { count: count ?? 0, items: items === nowhere ? [] : items });
}

/** See {@link Watch}. */
export function onEnd(watch: Watch, event: AgentEventOf<"step-end">): void {
  const key = keyOf(event);
  const { outcome, attempts } = event;
  const state = watch.progress.get(key);
  if (state?.stage !== "running") {
    watch.note(`${key} ends and has not started`);
    return;
  }
  const calls = watch.calls.filter((call) => call.key === key);
  watch.expect(
    calls.length === attempts,
    () => `${key} says ${attempts} attempts and was called ${calls.length} times`,
  );
  state.stage = outcome.status === "completed" ? "done" : "bad";
  state.status = outcome.status;
  state.endedAt = watch.events.length;
  if (outcome.status === "completed") {
    state.output = outcome.output as JsonValue;
    const last = calls.at(-1);
    const returned = calls.some(({ output }) => output !== undefined && isSame(output, outcome.output));
    watch.expect(last !== undefined && returned, () => `${key} has an output that no call of it has returned`);
  } else watch.noteFailure();
  watch.finishStep(event.stepId, event.iteration);
}

/** See {@link Watch}. */
export function onSkip(watch: Watch, event: AgentEventOf<"step-skip">): void {
  const key = keyOf(event);
  const step = stepIn(watch, event);
  if (step === undefined) return;
  beginLoop(watch, event, step);
  const before = watch.progress.get(key);
  const { reason } = event;
  watch.expect(before === undefined || before.stage === "waiting", () => `${key} is skipped and had started`);
  const isPassed = reason === "condition" || reason === "no-items";
  if (isPassed) checkPassed(watch, event, step);
  if (reason === "approval-rejected") {
    watch.expect(before?.approval === "rejected", () => `${key} is skipped as rejected and was not`);
    watch.noteFailure();
  }
  if (reason === "dependency-failed" || (reason === "run-ended" && event.iteration === undefined)) {
    const dependencies = [...dependenciesOf(step, previousOf(watch, step))];
    const isBlocked = dependencies.some((id) => isBad(watch, id));
    // A loop that was cut off has failed, and the end of the run is why the rest of it did not start.
    const isEither = watch.loops.has(step.id) || dependencies.some((id) => watch.loops.has(id));
    const isRight = isEither || isBlocked === (reason === "dependency-failed");
    watch.expect(isRight, () => `${key} is skipped with ${reason}`);
  }
  const output = reason === "no-items" ? [] : null;
  const stage = isPassed ? "done" : reason === "run-ended" || reason === "dependency-failed" ? "skipped" : "bad";
  watch.progress.set(key, { ...before, stage, hasStarted: false, output, status: reason });
  watch.finishStep(event.stepId, event.iteration);
}

function checkPassed(watch: Watch, event: AgentEventOf<"step-skip">, step: ModelStep): void {
  const key = keyOf(event);
  checkReady(watch, event, step);
  if (event.reason === "no-items") {
    const items = expectedItems(step, watch.outputs);
    watch.expect(items !== nowhere && items.length === 0, () => `${key} is skipped for no items and has some`);
  } else {
    const condition = expectedCondition(step, watch.outputs, passOf(watch, event));
    const isWhole = !isAskedPerPass(step) || event.iteration !== undefined;
    watch.expect(
      condition === false && isWhole,
      () => `${key} is skipped though its condition is ${String(condition)}`,
    );
  }
}

/** Whether a step has ended so that its dependents cannot start, or is skipped because of such a step. */
function isBad(watch: Watch, id: string): boolean {
  return [...watch.progress].some(
    ([key, { stage, status }]) => stepIdOf(key) === id && (stage === "bad" || status === "dependency-failed"),
  );
}
