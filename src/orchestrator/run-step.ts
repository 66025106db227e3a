import { sleep } from "../async/clock.ts";
import { retryDelayMs, retryFailed } from "../async/retry.ts";
import { type AgentErrorData, type ErrorData, isAgentError } from "../core/errors.ts";
import type { EventInit, StepOutcome } from "../core/events.ts";
import type { PlanStep } from "../core/plan.ts";
import type { Tool } from "../core/tool.ts";
import { type PreparedStep, parseInput, prepareStep } from "./prepare-step.ts";
import type { Run } from "./run.ts";
import { type AttemptResult, runAttempt } from "./run-attempt.ts";
import type { StepCall } from "./step-call.ts";
import { invalidInput, outcomeUnknown, toolFailed } from "./step-errors.ts";

type FailedAttempt = Extract<AttemptResult, { type: "failed" }>;

/**
 * Runs one step to its end: prepare (references, validation), execute (attempts), finalize (record). Gives the outcome
 * as it was recorded; undefined if it could not be, because the store failed. Never rejects.
 */
export async function runStep(run: Run, step: PlanStep, tool: Tool): Promise<StepOutcome | undefined> {
  const preparing = prepareStep(run, step, tool);
  const prepared = preparing instanceof Promise ? await preparing : preparing;
  const started = run.emit(startOf(step, prepared));
  if (started !== undefined) await started;
  if (run.recorder.failure) return undefined;
  let executed: Executed;
  // The first attempt is awaited here and not one call further down: every frame that waits costs each open run memory.
  if (run.abortReason !== undefined) executed = { outcome: abortedOutcome(run, undefined), attempts: 0 };
  else if ("error" in prepared) executed = { outcome: { status: "failed", error: prepared.error }, attempts: 0 };
  else {
    const { call, parsed } = prepared;
    const startedMs = run.engine.clock.now();
    const first = await runAttempt(run, call, 1, parsed);
    executed = first.type === "completed" ? completed(first, 1) : await retry(run, call, { first, startedMs });
  }
  const { outcome, attempts } = executed;
  const ended = run.emit({ type: "step-end", stepId: step.id, tool: tool.name, attempts, outcome });
  if (ended !== undefined) await ended;
  return run.recorder.failure ? undefined : outcome;
}

type StepStartInit = Extract<EventInit, { type: "step-start" }>;

/** Key by key: spreading what there may be costs more than all the rest. */
function startOf({ id: stepId, tool, reasoning }: PlanStep, prepared: PreparedStep): StepStartInit {
  const event: Mutable<StepStartInit> = { type: "step-start", stepId, tool, input: prepared.input };
  if ("call" in prepared) event.effect = prepared.call.effect;
  if (reasoning !== undefined) event.reasoning = reasoning;
  return event;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface Executed {
  readonly outcome: StepOutcome;
  readonly attempts: number;
}

function completed({ output }: Extract<AttemptResult, { type: "completed" }>, attempts: number): Executed {
  return { outcome: { status: "completed", output }, attempts };
}

/** The one path of all that fails: more attempts as the policy allows, then what it comes to. */
async function retry(
  run: Run,
  call: StepCall,
  { first, startedMs }: { first: FailedAttempt; startedMs: number },
): Promise<Executed> {
  const policy = run.engine.retryPolicyOf(call.tool);
  const latestStartMs = startedMs + policy.maxTotalMs;
  const errors: ErrorData[] = [first.error];
  let attempts = 1;
  let latest: AttemptResult = first;
  const last = await retryFailed<AttemptResult>(first, {
    maxAttempts: policy.maxAttempts,
    isFailure: ({ type }) => type === "failed",
    shouldRetry: async (failure, attempt) => {
      if (failure.type !== "failed" || isFinal(run, call, failure)) return false;
      const delayMs = retryDelayMs(policy, attempt, run.engine.random);
      if (run.engine.clock.now() + delayMs > latestStartMs) return false;
      return waitToRetry(run, call, { failure, attempt, delayMs });
    },
    attempt: async (attempt) => {
      const result = await attemptAgain(run, call, attempt);
      if (result === undefined) return latest;
      attempts = attempt;
      latest = result;
      if (result.type === "failed") errors.push(result.error);
      return result;
    },
  });
  if (last.type === "completed") return completed(last, attempts);
  return { outcome: failureOutcome(run, call, { last, errors, attempts }), attempts };
}

/**
 * With the input parsed anew: a schema may answer differently for the same input, and its latest answer counts. Undefined
 * if the run was aborted meanwhile, so that the tool was not called again.
 */
async function attemptAgain(run: Run, call: StepCall, attempt: number): Promise<AttemptResult | undefined> {
  const parsed = await Promise.resolve(parseInput(run, call.tool, call.input)).catch(() => undefined);
  if (parsed === undefined || run.abortReason !== undefined) return undefined;
  if (parsed.ok) return runAttempt(run, call, attempt, parsed.value);
  const thrown = invalidInput(call.step, parsed.issues);
  return { type: "failed", isRunning: false, reason: "thrown", error: thrown.toJSON(), thrown };
}

function isFinal(run: Run, { effect }: StepCall, failure: FailedAttempt): boolean {
  if (run.abortReason !== undefined || failure.reason === "aborted" || failure.reason === "invalid-output") return true;
  if (effect === "once") return !saysNothingHappened(failure.thrown);
  return failure.reason === "thrown" && retryableOf(failure.thrown) === false;
}

/**
 * Whether an error says that a step took no effect. A timeout never does: a tool that passes its signal on, as to `fetch`,
 * throws the very error that aborted it.
 */
function saysNothingHappened(thrown: unknown): boolean {
  return retryableOf(thrown) === true && !isAgentError(thrown, "timeout");
}

function retryableOf(thrown: unknown): unknown {
  try {
    return (thrown as { retryable?: unknown } | null | undefined)?.retryable;
  } catch {
    return undefined;
  }
}

interface Waiting {
  readonly failure: FailedAttempt;
  readonly attempt: number;
  readonly delayMs: number;
}

async function waitToRetry(
  run: Run,
  { step, tool }: StepCall,
  { failure, attempt, delayMs }: Waiting,
): Promise<boolean> {
  const { error, isRunning } = failure;
  const base = { type: "step-retry", stepId: step.id, tool: tool.name, attempt, delayMs, error } as const;
  await run.emit(isRunning ? { ...base, overlaps: true } : base);
  const source = run.openSource();
  try {
    await sleep(delayMs, { clock: run.engine.clock, signal: source });
    return run.abortReason === undefined;
  } finally {
    run.release(source);
  }
}

interface Exhausted {
  readonly last: FailedAttempt;
  readonly errors: readonly ErrorData[];
  readonly attempts: number;
}

function failureOutcome(run: Run, call: StepCall, { last, errors, attempts }: Exhausted): StepOutcome {
  const { step, effect } = call;
  const isCutOff = last.reason === "aborted" || last.reason === "timeout";
  if (effect === "once" && isCutOff && !saysNothingHappened(last.thrown)) {
    return { status: "unknown", error: outcomeUnknown(step, last.error).toJSON() };
  }
  if (last.reason === "aborted" || (run.abortReason !== undefined && last.reason !== "invalid-output"))
    return abortedOutcome(run, last);
  if (last.reason === "invalid-output") return { status: "failed", error: last.error as AgentErrorData };
  if (last.reason === "timeout")
    return { status: "failed", error: withAttempts(last.error as AgentErrorData<"timeout">, attempts) };
  return { status: "failed", error: toolFailed(step, errors, last.thrown).toJSON() };
}

function withAttempts(error: AgentErrorData<"timeout">, attempts: number): AgentErrorData<"timeout"> {
  return { ...error, details: { ...error.details, attempts } };
}

/** How a step ends that the end of its run cut off: `failed` at the deadline, else `cancelled`. */
function abortedOutcome(run: Run, last: FailedAttempt | undefined): StepOutcome {
  const reason = run.abortReason?.toJSON() as AgentErrorData;
  const cause = last?.reason === "aborted" ? undefined : last?.error;
  const error = cause === undefined ? reason : { ...reason, cause };
  return { status: reason.code === "timeout" ? "failed" : "cancelled", error };
}
