import { monotonicNow } from "../../async/clock.ts";
import type { EventInit, StepOutcome } from "../../core/events.ts";
import type { JsonValue } from "../../core/json.ts";
import { askAboutStep, mayNeedApproval } from "../decisions/approvals.ts";
import type { Run } from "../run.ts";
import { type Admitted, admit, giveBack, isLimited } from "./admission.ts";
import { namedValue, type PreparedStep, prepareInput, prepareStep } from "./prepare-step.ts";
import { abortedOutcome, attemptAdmitted, completed, type Executed, retry } from "./retry-step.ts";
import { runAttempt } from "./run-attempt.ts";
import { countOf, earlierAttempts, ofIteration, refOfTask, type StepCall, type StepTask } from "./step-call.ts";

/**
 * How far a step got. Steps that depend on one that is `done` may start; one that is `waiting` is still to be run: it
 * needs approval, the run was aborted before it started, or the end of the process cut it off.
 */
export type StepEnd = "done" | "failed" | "waiting";

/** The steps that run one after another in one slot of a run. */
export interface StepQueue {
  /** Takes the step that can start once the current one is done; undefined if there is none. */
  next(): StepTask | undefined;
  /** The current step is done, and the one that was taken is the current one from now on. */
  advance(): void;
}

/** A step that was taken from a queue; `isStarted` if its start is recorded with the end of the one before. */
interface TakenStep {
  readonly task: StepTask;
  readonly prepared: PreparedStep | Promise<PreparedStep>;
  readonly isStarted: boolean;
}

/**
 * Runs one step, or one iteration of it, to its end: prepare (references, validation), ask (approval, limits), execute
 * (attempts), finalize (record). Once it is done, so does the next step of the queue: if that can start in the same
 * turn, its start is recorded together with the end, as a commit takes time. Resolves to how the last of them ended.
 * Never rejects.
 */
export async function runStep(run: Run, first: StepTask, queue?: StepQueue): Promise<StepEnd> {
  let current: TakenStep = { task: first, prepared: prepareStep(run, first), isStarted: false };
  for (;;) {
    const started = current.isStarted ? startedStep(run, current) : await startStep(run, current);
    if (typeof started === "string") return started;
    const { prepared, admitted, parsed, next } = started;
    let executed: Executed;
    // The first attempt is awaited here and not one call further down: every frame that waits costs each open run
    // memory.
    if (admitted !== undefined && "call" in prepared)
      executed = await attemptAdmitted(run, prepared.call, { parsed, admitted });
    else if ("outcome" in next) executed = next;
    else {
      const startedMs = monotonicNow(run.engine.clock);
      const made = await runAttempt(run, next, 1, parsed);
      executed = made.type === "completed" ? completed(made, 1) : await retry(run, next, { first: made, startedMs });
    }
    if (run.recorder.failure) return "failed";
    const taken = takeNext(run, { task: current.task, executed, queue });
    const ended = recordEnd(run, endOf(run, current.task, executed), taken);
    if (ended !== undefined) await ended;
    if (run.recorder.failure !== undefined) return "failed";
    if (taken === undefined) return stepEnds[executed.outcome.status];
    queue?.advance();
    current = taken;
  }
}

/** A step whose start is recorded. */
interface StartedStep extends Asked {
  /** Its call, or how it ends without one. */
  readonly next: Executed | StepCall;
}

/** Starts a step, after approval and admission. Returns how it ends, if it does not start. */
async function startStep(run: Run, { task, prepared: preparing }: TakenStep): Promise<StartedStep | StepEnd> {
  // Somebody may have ended the run while the end of the step before was recorded.
  if (!run.canStart()) return "waiting";
  let prepared = preparing instanceof Promise ? await preparing : preparing;
  let admitted: Admitted | undefined;
  let parsed = "parsed" in prepared ? prepared.parsed : undefined;
  if ("call" in prepared && run.abortReason === undefined && mustAsk(run, prepared.call)) {
    const asked = await ask(run, prepared);
    if (typeof asked === "string") return asked;
    ({ admitted, parsed, prepared } = asked);
  }
  // Another one may have failed while this one waited.
  if (run.stopReason !== undefined) return leavePending(run, prepared, admitted);
  const started = afterStart(run, run.emit(startOf(task, prepared)));
  if (started !== undefined) await started;
  return { prepared, admitted, parsed, next: withoutCall(run, prepared) };
}

/** A step that has started in the same turn in which the one before it ended. */
function startedStep(run: Run, { prepared }: TakenStep): StartedStep {
  const ready = prepared as PreparedStep;
  const parsed = "parsed" in ready ? ready.parsed : undefined;
  // While both were recorded, the process may have begun to end: the tool was not called.
  const isEnding = run.stopReason === "interrupted";
  const next = isEnding ? { outcome: abortedOutcome(run, undefined), attempts: 0 } : withoutCall(run, ready);
  return { prepared: ready, admitted: undefined, parsed, next };
}

interface EndedStep {
  readonly task: StepTask;
  readonly executed: Executed;
  readonly queue: StepQueue | undefined;
}

/** Takes the step that can follow a completed one, and prepares it: with an output that is not recorded yet. */
function takeNext(run: Run, { task, executed, queue }: EndedStep): TakenStep | undefined {
  const { outcome } = executed;
  // Sealing takes time.
  if (outcome.status !== "completed" || !run.canStart() || run.secrets !== undefined) return undefined;
  const next = queue?.next();
  if (next === undefined) return undefined;
  const isOutput = (name: string) => name === task.step.id && task.iteration === undefined;
  const find = (name: string) =>
    isOutput(name) ? (outcome.output as JsonValue) : namedValue(run, name, next.iteration);
  const prepared = prepareStep(run, next, find);
  if (prepared instanceof Promise || ("call" in prepared && mustAsk(run, prepared.call)))
    return { task: next, prepared, isStarted: false };
  return { task: next, prepared, isStarted: true };
}

/** Records the end of a step, with the start of the one that follows in the same turn. */
function recordEnd(run: Run, end: StepEndInit, taken: TakenStep | undefined): void | Promise<void> {
  if (taken?.isStarted !== true) return run.emit(end);
  return afterStart(run, run.emitTogether(end, startOf(taken.task, taken.prepared as PreparedStep)));
}

/** A start that is recorded: if the process slept until the store answered, it may have lost the run, and must not call. */
function afterStart(run: Run, recorded: void | Promise<void>): void | Promise<void> {
  return recorded?.then(async () => void (await run.confirmLease()));
}

const stepEnds: Readonly<Record<StepOutcome["status"], StepEnd>> = {
  completed: "done",
  failed: "failed",
  cancelled: "failed",
  unknown: "failed",
  interrupted: "waiting",
};

function mustAsk(run: Run, call: StepCall): boolean {
  return mayNeedApproval(run, call) || isLimited(run, call);
}

type ReadyStep = Extract<PreparedStep, { call: StepCall }>;

/** What a step starts with after approval and admission. */
interface Asked {
  /** With the approved input. */
  readonly prepared: PreparedStep;
  readonly admitted: Admitted | undefined;
  readonly parsed: unknown;
}

/** Asks for approval and waits for a turn at the tool. Returns how the step ends, if it does not start. */
async function ask(run: Run, given: ReadyStep): Promise<Asked | StepEnd> {
  let prepared: PreparedStep = given;
  if (mayNeedApproval(run, given.call)) {
    const changed = run.approvalOf(refOfTask(given.call))?.changed;
    if (changed !== undefined) prepared = await prepareInput(run, given.call, changed.input);
    if ("call" in prepared) {
      const status = await askAboutStep(run, prepared.call, prepared.parsed);
      if (status === "rejected") return skipRejected(run, given.call);
      if (status === "waiting") return "waiting";
      prepared = await readApproved(run, prepared.call);
    }
    if (run.abortReason !== undefined) return "waiting";
  }
  if ("error" in prepared) return { prepared, admitted: undefined, parsed: undefined };
  const admitted = await admit(run, prepared.call, { isFirst: true });
  return admitted.type === "aborted" ? "waiting" : { prepared, admitted, parsed: prepared.parsed };
}

/** How a step ends if its tool is not called; else the call. */
function withoutCall(run: Run, prepared: PreparedStep): Executed | StepCall {
  if (run.abortReason !== undefined) return { outcome: abortedOutcome(run, undefined), attempts: 0 };
  if ("error" in prepared) return { outcome: { status: "failed", error: prepared.error }, attempts: 0 };
  return prepared.call;
}

/** A step with the approved input, parsed again: those who were asked have seen it, and may have changed it. */
async function readApproved(run: Run, call: StepCall): Promise<PreparedStep> {
  const { input, effect } = run.approvalOf(refOfTask(call))?.changed ?? call;
  const prepared = await prepareInput(run, call, input);
  return "call" in prepared ? { ...prepared, call: { ...call, input, effect } } : prepared;
}

/** Gives back the admission of a step that may no longer start. */
async function leavePending(run: Run, prepared: PreparedStep, admitted: Admitted | undefined): Promise<StepEnd> {
  if ("call" in prepared && admitted?.type === "admitted") await giveBack(run, prepared.call, admitted);
  return "waiting";
}

async function skipRejected(run: Run, task: StepTask): Promise<StepEnd> {
  const { tool, iteration } = task;
  const reason = "approval-rejected";
  await run.emit({ type: "step-skip", ...refOfTask(task), ...countOf(iteration), tool: tool.name, reason });
  return "failed";
}

type StepEndInit = Extract<EventInit, { type: "step-end" }>;
type StepStartInit = Extract<EventInit, { type: "step-start" }>;

/** Without spreading optional fields, which costs more than all the rest. */
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

function endOf(run: Run, task: StepTask, executed: Executed): StepEndInit {
  const { step, tool } = task;
  const { outcome, progress } = executed;
  const attempts = earlierAttempts(run, task) + executed.attempts;
  const end: Mutable<StepEndInit> = { type: "step-end", stepId: step.id, tool: tool.name, attempts, outcome };
  if (progress !== undefined) end.progress = progress;
  return ofIteration(task, end);
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
