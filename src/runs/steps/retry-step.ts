import { monotonicNow, sleep } from "../../async/clock.ts";
import { retryAfterMs, retryDelayMs, retryFailed } from "../../async/retry.ts";
import { type ErrorData, toErrorData } from "../../core/error-data.ts";
import type { AgentErrorData } from "../../core/errors.ts";
import type { StepOutcome } from "../../core/events.ts";
import type { JsonValue } from "../../core/json.ts";
import { retryableOf, saysNothingHappened } from "../../core/step-state.ts";
import type { Run } from "../run.ts";
import { interruptedBy } from "../run-errors.ts";
import { type Admitted, admit, giveBack, isLimited, leave } from "./admission.ts";
import { parseInput } from "./prepare-step.ts";
import { type AttemptResult, type FailedAttempt, failedAttempt, runAttempt } from "./run-attempt.ts";
import { attemptNumber, refOfTask, type StepCall } from "./step-call.ts";
import { invalidInput, outcomeUnknown, toolFailed, withStack } from "./step-errors.ts";

/** How a call ended after all its attempts. */
export interface Executed {
  readonly outcome: StepOutcome;
  /** How often the tool was called. */
  readonly attempts: number;
  /** The last progress of the last attempt, if the call failed. */
  readonly progress?: JsonValue | undefined;
}

/** A call that succeeded. */
export function completed({ output }: Extract<AttemptResult, { type: "completed" }>, attempts: number): Executed {
  return { outcome: { status: "completed", output }, attempts };
}

/** All attempts of a call that has limits; its place at the tool is given back after each. */
export async function attemptAdmitted(
  run: Run,
  call: StepCall,
  { parsed, admitted }: { parsed: unknown; admitted: Admitted },
): Promise<Executed> {
  if (admitted.type === "refused") {
    return { outcome: { status: "failed", error: admitted.error.toJSON() }, attempts: 0 };
  }
  if (run.abortReason !== undefined) {
    if (admitted.type === "admitted") await giveBack(run, call, admitted);
    return { outcome: abortedOutcome(run, undefined), attempts: 0 };
  }
  if (!(await run.confirmLease()) || isAborted(run)) {
    if (admitted.type === "admitted") await giveBack(run, call, admitted);
    return { outcome: abortedOutcome(run, undefined), attempts: 0 };
  }
  const admission = admitted.type === "admitted" ? admitted.admission : undefined;
  const startedMs = monotonicNow(run.engine.clock);
  const first = await runAttempt(run, call, 1, parsed);
  if (admission !== undefined) await leave(run, call, { admission, result: first });
  return first.type === "completed" ? completed(first, 1) : retry(run, call, { first, startedMs });
}

/** The one path of all failures: more attempts as the policy allows, then the outcome. */
export async function retry(
  run: Run,
  call: StepCall,
  { first, startedMs }: { first: FailedAttempt; startedMs: number },
): Promise<Executed> {
  const policy = run.engine.retryPolicyOf(call.tool);
  const latestStartMs = startedMs + policy.maxTotalMs;
  const errors: ErrorData[] = [first.error];
  let made = first;
  let attempts = 1;
  let latest: AttemptResult = first;
  const last = await retryFailed<AttemptResult>(first, {
    maxAttempts: policy.maxAttempts,
    isFailure: ({ type }) => type === "failed",
    shouldRetry: async (failure, attempt) => {
      if (failure.type !== "failed" || isFinal(run, call, failure)) return false;
      const { clock } = run.engine;
      const backoffMs = retryDelayMs(policy, attempt, () => draw(run));
      const delayMs = Math.max(backoffMs, retryAfterMs(failure.thrown, clock.now()) ?? 0);
      if (monotonicNow(clock) + delayMs > latestStartMs) return false;
      return waitToRetry(run, call, { failure, attempt, delayMs });
    },
    attempt: async (attempt) => {
      const result = await attemptAgain(run, call, { attempt, latestStartMs });
      if (result === undefined) return latest;
      latest = result;
      if (result.type === "failed" && result.reason === "refused") return result;
      attempts = attempt;
      if (result.type === "failed") {
        errors.push(result.error);
        made = result;
      }
      return result;
    },
  });
  if (last.type === "completed") return completed(last, attempts);
  const { status, error } = failureOutcome(run, call, { last, errors, attempts });
  return { outcome: { status, error: withStack(run, error, made) }, attempts, progress: made.progress };
}

/**
 * A random number, or the middle if the given function returns an invalid one or throws: jitter must not fail a run.
 */
function draw({ engine }: Run): number {
  try {
    const drawn = engine.random();
    return drawn >= 0 && drawn <= 1 ? drawn : 0.5;
  } catch {
    return 0.5;
  }
}

/**
 * An attempt with the input parsed again: a schema may return another result for the same input, and the latest counts.
 * Undefined if the run was aborted, or its time for attempts passed, meanwhile: then the tool was not called again.
 */
async function attemptAgain(
  run: Run,
  call: StepCall,
  { attempt, latestStartMs }: { attempt: number; latestStartMs: number },
): Promise<AttemptResult | undefined> {
  const parsed = await Promise.resolve(parseInput(run, call.tool, call.input)).catch(() => undefined);
  if (parsed === undefined || run.abortReason !== undefined) return undefined;
  if (!parsed.ok) return failedAttempt("refused", invalidInput(call, parsed.issues));
  if (!isLimited(run, call)) {
    if (!(await run.confirmLease()) || isAborted(run)) return undefined;
    return reportAttempt(run, call, attempt) ? runAttempt(run, call, attempt, parsed.value) : undefined;
  }
  const admitted = await admit(run, call);
  if (admitted.type === "aborted") return undefined;
  if (admitted.type === "refused") return failedAttempt("refused", admitted.error);
  if (monotonicNow(run.engine.clock) > latestStartMs) {
    await giveBack(run, call, admitted);
    return undefined;
  }
  if (!(await run.confirmLease()) || isAborted(run) || !reportAttempt(run, call, attempt)) {
    await giveBack(run, call, admitted);
    return undefined;
  }
  const result = await runAttempt(run, call, attempt, parsed.value);
  if (admitted.admission !== undefined) await leave(run, call, { admission: admitted.admission, result });
  return result;
}

/** Reports that an attempt starts. False if a listener aborted the run. */
function reportAttempt(run: Run, call: StepCall, number: number): boolean {
  const attempt = attemptNumber(run, call, number);
  const undo = call.undone && ({ undo: true } as const);
  run.emit({ type: "step-attempt", ...refOfTask(call), tool: call.tool.name, attempt, ...undo });
  return !isAborted(run);
}

/** Checked again after each wait: the compiler takes an earlier answer for the latest. */
function isAborted({ abortReason }: Run): boolean {
  return abortReason !== undefined;
}

const finalReasons: ReadonlySet<FailedAttempt["reason"]> = new Set(["aborted", "invalid-output", "refused"]);

function isFinal(run: Run, { effect }: StepCall, failure: FailedAttempt): boolean {
  if (run.abortReason !== undefined || finalReasons.has(failure.reason)) return true;
  if (effect === "once") return !saysNothingHappened(failure.thrown);
  return failure.reason === "thrown" && retryableOf(failure.thrown) === false;
}

interface Waiting {
  readonly failure: FailedAttempt;
  readonly attempt: number;
  readonly delayMs: number;
}

async function waitToRetry(run: Run, call: StepCall, { failure, attempt, delayMs }: Waiting): Promise<boolean> {
  const { isRunning, error } = failure;
  await run.emit({
    type: "step-retry",
    ...refOfTask(call),
    tool: call.tool.name,
    attempt: attemptNumber(run, call, attempt),
    delayMs,
    error,
    ...(isRunning && { overlaps: true }),
    ...(call.undone && { undo: true }),
  });
  const source = run.openSource();
  try {
    await sleep(delayMs, { clock: run.engine.clock, signal: source });
    return run.abortReason === undefined;
  } finally {
    run.release(source);
  }
}

type StepFailure = Exclude<StepOutcome, { status: "completed" }>;

interface Exhausted {
  readonly last: FailedAttempt;
  readonly errors: readonly ErrorData[];
  readonly attempts: number;
}

function failureOutcome(run: Run, call: StepCall, { last, errors, attempts }: Exhausted): StepFailure {
  const isCutOff = last.reason === "aborted" || last.reason === "timeout";
  const isInDoubt = call.effect === "once" && last.reason !== "refused" && !saysNothingHappened(last.thrown);
  if (isInDoubt && isCutOff) return { status: "unknown", error: outcomeUnknown(call, last.error).toJSON() };
  // What its tool reported counts, whatever aborted the run meanwhile: it must not run again by itself.
  if (isInDoubt && last.reason === "thrown")
    return { status: "failed", error: toolFailed(call, errors, last.thrown).toJSON() };
  if (last.reason === "aborted" || (run.abortReason !== undefined && last.reason !== "invalid-output"))
    return abortedOutcome(run, last);
  if (last.reason === "refused")
    return { status: "failed", error: withCause(last.error as AgentErrorData, errors.at(-1)) };
  if (last.reason === "invalid-output") return { status: "failed", error: last.error as AgentErrorData };
  if (last.reason === "timeout") return { status: "failed", error: withAttempts(last, attempts) };
  return { status: "failed", error: toolFailed(call, errors, last.thrown).toJSON() };
}

function withCause(error: AgentErrorData, cause: ErrorData | undefined): AgentErrorData {
  return cause === undefined ? error : { ...error, cause };
}

function withAttempts(last: FailedAttempt, attempts: number): AgentErrorData<"timeout"> {
  const error = last.error as AgentErrorData<"timeout">;
  return { ...error, details: { ...error.details, attempts }, ...saidNothingHappened(last) };
}

/** The error of a tool that was cut off, if it states that nothing happened: whoever resumes the run relies on it. */
function saidNothingHappened({ thrown }: FailedAttempt): { cause?: ErrorData } {
  return saysNothingHappened(thrown) ? { cause: toErrorData(thrown) } : {};
}

/**
 * The outcome of a step that the end of its run cut off: `failed` at the deadline, `interrupted` if the process ends,
 * else `cancelled`.
 */
export function abortedOutcome(run: Run, last: FailedAttempt | undefined): StepFailure {
  const reason = (run.abortReason ?? interruptedBy("the step had not been called")).toJSON() as AgentErrorData;
  const cause = last?.reason === "aborted" ? saidNothingHappened(last).cause : last?.error;
  const error = cause === undefined ? reason : { ...reason, cause };
  const status = reason.code === "timeout" ? "failed" : reason.code === "interrupted" ? "interrupted" : "cancelled";
  return { status, error };
}
