import { callAt } from "../../async/clock.ts";
import { AgentError, type AgentErrorData } from "../../core/errors.ts";
import type { StepOutcome, WaitDue } from "../../core/events.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { defined } from "../../core/option-tables.ts";
import type { Plan, PlanStep, ToolStep, WaitStep } from "../../core/plan.ts";
import type { RunResult } from "../../core/run-result.ts";
import { isDecided, isDone, isStillToRun, isWaitOver, type StepState } from "../../core/run-state.ts";
import { callsTool, inputOf, timeOfInstant, waitToolName } from "../../core/step.ts";
import type { DefinedTool } from "../../core/tool.ts";
import type { StepExpressions } from "../../plan/expressions/step-expressions.ts";
import { compileExpressions, type PlanExpressions } from "../../plan/expressions.ts";
import { resolveInput } from "../../plan/references.ts";
import { askAboutPlan, mayNeedPlanApproval } from "../commands/approvals.ts";
import type { Run } from "../run/run.ts";
import { buildGraph, hasAnswer, isAllDone, type StepGraph } from "../run/run-progress.ts";
import { opened } from "../run/run-secrets.ts";
import { dataOf, invalidInput, type StepTask } from "../run/step-call.ts";
import { endExecution, skipOpen } from "../steps/end-run.ts";
import { failUncalled, isTrue, namedValue, runStep, type StepEnd, type StepQueue, skipStep } from "../steps/step.ts";
import { readAgain, replan } from "./replan.ts";

export async function runExecution(run: Run, planningError?: AgentErrorData): Promise<RunResult> {
  let expressions: PlanExpressions | undefined;
  let plan = planningError === undefined ? run.state.plan : undefined;
  while (plan !== undefined) {
    const compiling = compileExpressions(plan.steps, run.engine.expressions);
    expressions = compiling && (await compiling);
    if (run.hold !== undefined) break;
    if (!(await isPlanApproved(run, plan))) break;
    const { sequence } = run.state;
    await runSteps(run, plan, expressions);
    if (isAllDone(run)) {
      const reading = readAgain(run);
      plan = reading && (await reading);
      continue;
    }
    const revised = await replan(run);
    await run.commandsRecorded();
    // Steps that were approved after all others ended must still run. After the loop, no decision is accepted.
    const isStuck = run.state.sequence === sequence;
    plan = revised === undefined && (isStuck || !hasAnswer(run)) ? undefined : run.state.plan;
  }
  return endExecution(run, { planningError, expressions });
}

async function isPlanApproved(run: Run, plan: Plan): Promise<boolean> {
  // For a plan that has begun, approval counts only if it was requested before.
  const isNew = run.state.isUnderWay !== true;
  if ((isNew || run.approvalOf(undefined) !== undefined) && mayNeedPlanApproval(run)) await askAboutPlan(run, plan);
  await run.commandsRecorded();
  const approval = run.approvalOf(undefined);
  return approval === undefined || approval.status === "approved";
}

function runSteps(run: Run, { steps }: Plan, expressions: PlanExpressions | undefined): Promise<void> {
  const { stored, tools } = run.settings;
  run.startSteps();
  const ready = readySteps(run, steps, expressions);
  const toolOf = ({ tool }: ToolStep) => tools.get(tool) as DefinedTool;
  const taskOf = (step: ToolStep): StepTask => ({ step, tool: toolOf(step), iteration: undefined });
  let running = 0;
  return new Promise((resolve, reject) => {
    let pending: PendingSteps | undefined;
    const startReady = () => {
      while (running < stored.concurrency && run.canStart()) {
        const index = ready.take();
        if (index === undefined) break;
        running++;
        start(index);
      }
      if (running > 0) return;
      pending?.close();
      resolve();
    };
    const start = (first: number) => {
      let current = first;
      let taken = first;
      const queue: StepQueue = {
        next: () => {
          const index = ready.peekAfter(current);
          const step = steps[index ?? -1];
          if (index === undefined || step === undefined || !callsTool(step) || expressions?.has(step.id))
            return undefined;
          ready.takeNext(index);
          taken = index;
          return taskOf(step);
        },
        advance: () => {
          ready.markReady(current);
          current = taken;
          startReady();
        },
      };
      const step = steps[first] as PlanStep;
      runPlanned(step, queue).then((end) => settle(current, end), reject);
    };
    const runPlanned = (step: PlanStep, queue: StepQueue): Promise<StepEnd> => {
      const conditions = expressions?.get(step.id);
      if (!callsTool(step)) return runWait(run, step, conditions);
      if (conditions === undefined) return runStep(run, taskOf(step), queue);
      return runExpressionStep(run, { ...taskOf(step), expressions: conditions }, queue);
    };
    const settle = (index: number, end: StepEnd) => {
      running--;
      if (end === "waiting") {
        pending ??= new PendingSteps(run, (waiting) => {
          ready.add(waiting);
          startReady();
        });
        pending.add(index, steps[index] as PlanStep);
      }
      if (end === "done") ready.markReady(index);
      startReady();
    };
    startReady();
  });
}

function readySteps(run: Run, steps: readonly PlanStep[], expressions: PlanExpressions | undefined): ReadySteps {
  const ready = new ReadySteps(buildGraph(opened(run, steps), expressions));
  // The dependencies of a step come before it.
  for (const [index, { id }] of steps.entries()) {
    const state = run.state.steps.get(id) as StepState;
    if (isStillToRun(state)) {
      // An iteration in doubt leaves the rest of its loop open.
      if (state.iterations?.states.some((one) => !isStillToRun(one) && !isDone(one))) run.stopSteps();
      ready.addIfFree(index);
    } else if (isDone(state)) ready.countDone(index);
    else run.stopSteps();
  }
  return ready;
}

class ReadySteps {
  /** Sorted from `head` on. Items that were taken stay before `head`, because `shift` is slow in a long queue. */
  readonly #queue: number[] = [];
  #head = 0;

  constructor(private readonly graph: StepGraph) {}

  add(index: number): void {
    let [at, end] = [this.#head, this.#queue.length];
    while (at < end) {
      const middle = (at + end) >> 1;
      if ((this.#queue[middle] as number) < index) at = middle + 1;
      else end = middle;
    }
    if (at === this.#head && at > 0) this.#queue[--this.#head] = index;
    else this.#queue.splice(at, 0, index);
  }

  addIfFree(index: number): void {
    if (this.graph.waitingFor[index] === 0) this.add(index);
  }

  countDone(index: number): void {
    const { waitingFor } = this.graph;
    for (const dependent of this.#dependentsOf(index)) waitingFor[dependent] = (waitingFor[dependent] ?? 0) - 1;
  }

  markReady(index: number): void {
    this.countDone(index);
    for (const dependent of this.#dependentsOf(index)) this.addIfFree(dependent);
  }

  take(): number | undefined {
    return this.#head < this.#queue.length ? this.#queue[this.#head++] : undefined;
  }

  peekAfter(index: number): number | undefined {
    const freed = this.#dependentsOf(index).find((dependent) => this.graph.waitingFor[dependent] === 1);
    const lowest = this.#queue[this.#head];
    return freed === undefined || (lowest !== undefined && lowest < freed) ? lowest : freed;
  }

  takeNext(next: number): void {
    if (this.#queue[this.#head] === next) this.#head++;
    // The count drops below 0, so that the step never becomes free again.
    else (this.graph.waitingFor[next] as number)--;
  }

  #dependentsOf(index: number): readonly number[] {
    return this.graph.dependents[index] ?? [];
  }
}

class PendingSteps {
  readonly #indexes = new Map<string, number>();
  readonly #stops: (() => void)[];

  constructor(
    private readonly run: Run,
    private readonly onReady: (index: number) => void,
  ) {
    this.#stops = [run.onDecision((ref) => this.#markReady(ref?.stepId))];
  }

  add(index: number, { id }: PlanStep): void {
    this.#indexes.set(id, index);
    const state = this.run.state.steps.get(id);
    // The decision may have come before the step was added.
    if (state !== undefined && (isDecided(state) || isWaitOver(state, this.run.sharedNow()))) this.#markReady(id);
    else if (state?.wait?.until !== undefined) {
      const { sharedClock } = this.run.host.leases;
      this.#stops.push(callAt(sharedClock, Date.parse(state.wait.until), () => this.#markReady(id)));
    }
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#indexes.clear();
  }

  #markReady(stepId = ""): void {
    const index = this.#indexes.get(stepId);
    if (index === undefined) return;
    this.#indexes.delete(stepId);
    this.onReady(index);
  }
}

interface ExpressionTask extends StepTask {
  readonly expressions: StepExpressions;
}

async function runExpressionStep(run: Run, task: ExpressionTask, queue: StepQueue): Promise<StepEnd> {
  const { when, forEach, isWhenPerIteration } = task.expressions;
  let items: readonly JsonValue[] = [];
  try {
    if (when !== undefined && !isWhenPerIteration && !isTrue(run, task.expressions))
      return skip(run, task, "condition");
    if (forEach !== undefined) items = itemsOf(run, task);
  } catch (thrown) {
    return failUncalled(run, task, thrown as AgentError);
  }
  if (forEach === undefined) return runStep(run, task, queue);
  if (items.length === 0) return skip(run, task, "no-items");
  return runIterations(run, task, items);
}

function itemsOf(run: Run, { step, expressions }: ExpressionTask): readonly JsonValue[] {
  const lookUp = (name: string) => opened(run, namedValue(run, name, undefined));
  const list = expressions.evaluate("forEach", { lookUp }) as readonly JsonValue[];
  const items = run.secrets?.holdItems(list) ?? list;
  if (run.state.steps.get(step.id)?.iterations !== undefined) return items;
  const max = run.settings.stored.maxSteps;
  const used = run.counters.steps + items.length;
  if (used <= max) {
    run.counters.steps += items.length;
    return items;
  }
  const message = `With the iterations of step "${step.id}" (${items.length}), the run would have ${used} steps; at most ${max} are allowed.`;
  throw new AgentError("limit-exceeded", message, { details: { limit: "steps", max, used, stepId: step.id } });
}

async function runIterations(run: Run, task: ExpressionTask, items: readonly JsonValue[]): Promise<StepEnd> {
  const { step, tool, expressions } = task;
  const count = items.length;
  const iterationAt = (index: number) => run.state.steps.get(step.id)?.iterations?.states[index] ?? notStarted;
  let hasFailed = items.some((_item, index) => !isStillToRun(iterationAt(index)) && !isDone(iterationAt(index)));
  do {
    let next = 0;
    const takeNext = (): StepTask | undefined => {
      while (next < count && !canRun(iterationAt(next))) next++;
      if (next >= count) return undefined;
      const index = next++;
      return { step, tool, iteration: { index, count, item: items[index] as JsonValue } };
    };
    const queue = expressions.isWhenPerIteration ? undefined : { next: takeNext, advance: () => {} };
    const work = async () => {
      while (run.canStart()) {
        const one = takeNext();
        if (one === undefined) return;
        const ending = queue === undefined ? runIfTrue(run, one, expressions) : runStep(run, one, queue);
        if ((await ending) === "failed") hasFailed = true;
      }
    };
    await Promise.all(Array.from({ length: Math.min(step.concurrency ?? 1, count) }, work));
    // The decision on an iteration may have come while the others ran.
  } while (run.canStart() && items.some((_item, index) => isDecided(iterationAt(index))));
  if (run.recorder.failure !== undefined) return "failed";
  // If an iteration is in doubt, or the process is ending, the other iterations may still run later.
  const isInDoubt = items.some((_item, index) => iterationAt(index).status === "unknown");
  if (hasFailed && run.stopReason === "step-failed" && !isInDoubt)
    await skipOpen(run, run.state.steps.get(step.id) as StepState, "run-ended");
  if (hasFailed) return "failed";
  return run.state.steps.get(step.id)?.iterations?.ended === count ? "done" : "waiting";
}

const notStarted = { status: "pending" } as StepState;

function canRun(state: StepState): boolean {
  return state.status === "waiting" ? isDecided(state) : isStillToRun(state);
}

async function runIfTrue(run: Run, one: StepTask, expressions: StepExpressions): Promise<StepEnd> {
  try {
    if (!isTrue(run, expressions, one.iteration)) return skip(run, one, "condition");
  } catch (thrown) {
    return failUncalled(run, one, thrown as AgentError);
  }
  return runStep(run, one);
}

async function skip(run: Run, task: StepTask, reason: "condition" | "no-items"): Promise<StepEnd> {
  await skipStep(run, task, reason);
  return run.recorder.failure === undefined ? "done" : "failed";
}

async function runWait(run: Run, step: WaitStep, expressions: StepExpressions | undefined): Promise<StepEnd> {
  const { id: stepId } = step;
  if (stateOf(run, step).wait === undefined) {
    try {
      const isSkipped = expressions?.when !== undefined && !isTrue(run, expressions);
      if (isSkipped) await skipOpen(run, stateOf(run, step), "condition");
      else await run.emit({ type: "wait-start", stepId, ...resolveDue(run, step) });
      if (run.recorder.failure !== undefined) return "failed";
      if (isSkipped) return "done";
    } catch (thrown) {
      return endWait(run, step, { status: "failed", error: dataOf(run, thrown as AgentError) });
    }
  }
  const state = stateOf(run, step);
  if (!isWaitOver(state, run.sharedNow()) || !run.canStart()) return "waiting";
  return endWait(run, step, outcomeOfWait(run, step, state));
}

function stateOf({ state }: Run, { id }: WaitStep): StepState {
  return state.steps.get(id) as StepState;
}

function resolveDue(run: Run, step: WaitStep): WaitDue {
  const { wait } = step;
  const inMs = (ms: number) => new Date(run.sharedNow() + ms).toISOString();
  if ("forMs" in wait) return { until: inMs(wait.forMs) };
  if ("event" in wait || "ask" in wait) {
    const event = "event" in wait ? wait.event : undefined;
    return defined({ event, until: wait.timeoutMs === undefined ? undefined : inMs(wait.timeoutMs) });
  }
  const { until } = resolveInput(step, (name) => opened(run, namedValue(run, name, undefined)));
  const atMs = timeOfInstant(until);
  if (atMs !== undefined) return { until: new Date(atMs).toISOString() };
  const message = 'expected a date and time with a time zone, such as "2026-03-01T08:00:00Z"';
  throw invalidInput({ step }, [{ path: ["until"], message }]);
}

function outcomeOfWait(run: Run, { id: stepId, wait }: WaitStep, { wait: due }: StepState): StepOutcome {
  if (due?.received !== undefined) return { status: "completed", output: due.received.value };
  if (due?.event === undefined && !("ask" in wait)) return { status: "completed", output: due?.until ?? null };
  const timeoutMs = ("timeoutMs" in wait && wait.timeoutMs) || 0;
  const missing = due?.event === undefined ? "an answer" : `the event "${due.event}"`;
  const message = `Step "${stepId}" waited ${timeoutMs} ms for ${missing}, which did not arrive.`;
  const error = new AgentError("timeout", message, { details: { scope: "step", stepId, timeoutMs }, retryable: false });
  return { status: "failed", error: dataOf(run, error) };
}

async function endWait(run: Run, step: WaitStep, outcome: StepOutcome): Promise<StepEnd> {
  const { id: stepId, reasoning } = step;
  const { until } = stateOf(run, step).wait ?? {};
  const input: JsonObject = "until" in step.wait && until !== undefined ? { until } : inputOf(step);
  const base = { stepId, tool: waitToolName };
  await run.emitTogether(
    { type: "step-start", ...base, input, effect: "pure", ...(reasoning && { reasoning }) },
    { type: "step-end", ...base, attempts: 0, outcome },
  );
  if (run.recorder.failure !== undefined) return "failed";
  return outcome.status === "completed" ? "done" : "failed";
}
