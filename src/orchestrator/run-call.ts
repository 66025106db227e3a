import type { EventInit } from "../core/events.ts";
import { type Admitted, admit, giveBack, isLimited } from "./admission.ts";
import { approveStep, mayNeedApproval } from "./approvals.ts";
import { type PreparedStep, prepareStep } from "./prepare-step.ts";
import { abortedOutcome, attemptAdmitted, completed, type Executed, retry } from "./retry-call.ts";
import type { Run } from "./run.ts";
import { runAttempt } from "./run-attempt.ts";
import { countOf, ofIteration, placeOfTask, type StepCall, type StepTask } from "./step-call.ts";

/**
 * How far a step came. Those that depend on one that is `done` may go on; one that is `waiting` has not begun, because it
 * needs approval or the run was aborted.
 */
export type StepEnd = "done" | "failed" | "waiting";

/**
 * Runs one step, or one iteration of it, to its end: prepare (references, validation), ask (approval, limits), execute
 * (attempts), finalize (record). Never rejects.
 */
export async function runCall(run: Run, task: StepTask): Promise<StepEnd> {
  const preparing = prepareStep(run, task);
  const prepared = preparing instanceof Promise ? await preparing : preparing;
  if (preparing instanceof Promise && isTooLate(run, task)) return "waiting";
  let admitted: Admitted | undefined;
  if ("call" in prepared && run.abortReason === undefined && mustAsk(run, prepared.call)) {
    const asked = await ask(run, prepared);
    if (typeof asked === "string") return asked;
    admitted = asked;
  }
  const started = run.emit(startOf(task, prepared));
  if (started !== undefined) await started;
  const { step, tool } = task;
  let executed: Executed;
  // The first attempt is awaited here and not one call further down: every frame that waits costs each open run memory.
  if ("error" in prepared) executed = { outcome: { status: "failed", error: prepared.error }, attempts: 0 };
  else if (admitted !== undefined)
    executed = await attemptAdmitted(run, prepared.call, { parsed: prepared.parsed, admitted });
  else if (run.abortReason !== undefined) executed = { outcome: abortedOutcome(run, undefined), attempts: 0 };
  else {
    const { call, parsed } = prepared;
    const startedMs = run.engine.clock.now();
    const first = await runAttempt(run, call, 1, parsed);
    executed = first.type === "completed" ? completed(first, 1) : await retry(run, call, { first, startedMs });
  }
  if (run.recorder.failure) return "failed";
  const { outcome, attempts } = executed;
  const ended = run.emit(ofIteration(task, { type: "step-end", stepId: step.id, tool: tool.name, attempts, outcome }));
  if (ended !== undefined) await ended;
  return outcome.status === "completed" && run.recorder.failure === undefined ? "done" : "failed";
}

function mustAsk(run: Run, call: StepCall): boolean {
  return mayNeedApproval(run, call) || isLimited(run, call);
}

/** Asks for approval and waits for a turn at the tool. Gives how the step ends, if it does not begin. */
async function ask(
  run: Run,
  { call, parsed }: Extract<PreparedStep, { call: StepCall }>,
): Promise<Exclude<Admitted, { type: "aborted" }> | StepEnd> {
  if (mayNeedApproval(run, call)) {
    const status = await approveStep(run, call, parsed);
    if (status === "rejected") return skipRejected(run, call);
    if (status === "waiting" || isTooLate(run, call)) return "waiting";
  }
  const admitted = await admit(run, call, { isFirst: call.iteration === undefined });
  if (admitted.type === "aborted") return "waiting";
  if (admitted.type === "refused" || !isTooLate(run, call)) return admitted;
  await giveBack(run, call, admitted);
  return "waiting";
}

/**
 * Whether another step has failed while this one waited, or another iteration of its loop. A loop that has begun is one
 * that runs, and goes on when something else fails.
 */
function isTooLate(run: Run, { step, iteration }: StepTask): boolean {
  if (iteration?.isTooLate?.()) return true;
  if (!run.isStopped) return false;
  return iteration === undefined || run.state.steps.get(step.id)?.iterations === undefined;
}

async function skipRejected(run: Run, task: StepTask): Promise<StepEnd> {
  const { tool, iteration } = task;
  const reason = "approval-rejected";
  await run.emit({ type: "step-skip", ...placeOfTask(task), ...countOf(iteration), tool: tool.name, reason });
  return "failed";
}

type StepStartInit = Extract<EventInit, { type: "step-start" }>;

/** Without spreading what there may be, which costs more than all the rest. */
function startOf({ step, iteration }: StepTask, prepared: PreparedStep): StepStartInit {
  const { id: stepId, tool, reasoning } = step;
  const { input } = prepared;
  const event: Mutable<StepStartInit> =
    "call" in prepared
      ? { type: "step-start", stepId, tool, input, effect: prepared.call.effect }
      : { type: "step-start", stepId, tool, input };
  if (reasoning !== undefined) event.reasoning = reasoning;
  if (iteration !== undefined) {
    event.iteration = iteration.index;
    event.iterations = iteration.count;
  }
  return event;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
