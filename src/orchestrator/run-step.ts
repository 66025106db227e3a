import { sleep } from "../async/clock.ts";
import { retryDelayMs, retryFailed } from "../async/retry.ts";
import { AgentError, type AgentErrorData, type ErrorData, isAgentError } from "../core/errors.ts";
import type { StepOutcome } from "../core/events.ts";
import type { JsonObject } from "../core/json.ts";
import type { PlanStep } from "../core/plan.ts";
import { resolveInput } from "../core/resolve-input.ts";
import type { Tool } from "../core/tool.ts";
import type { Run } from "./run.ts";
import { type AttemptResult, describeIssues, parseInput, runAttempt, type StepCall } from "./run-attempt.ts";

type FailedAttempt = Extract<AttemptResult, { type: "failed" }>;

/** A step whose input stands: ready to be called, or failed before its tool was. */
type Prepared =
  | { readonly input: JsonObject; readonly call: StepCall; readonly parsed: unknown }
  | { readonly input: JsonObject; readonly error: AgentErrorData };

/**
 * Runs one step to its end: prepare (references, validation), execute (attempts), finalize (record). Gives the outcome
 * as it was recorded; undefined if it could not be, because the store failed. Never rejects.
 */
export async function runStep(run: Run, step: PlanStep, tool: Tool): Promise<StepOutcome | undefined> {
  const preparing = prepare(run, step, tool);
  const prepared = preparing instanceof Promise ? await preparing : preparing;
  const { id: stepId, reasoning } = step;
  const started = run.emit({
    type: "step-start",
    stepId,
    tool: tool.name,
    input: prepared.input,
    ...("call" in prepared && { effect: prepared.call.effect }),
    ...(reasoning !== undefined && { reasoning }),
  });
  if (started !== undefined) await started;
  if (run.recorder.failure) return undefined;
  const { outcome, attempts } = await execute(run, prepared);
  const ended = run.emit({ type: "step-end", stepId, tool: tool.name, attempts, outcome });
  if (ended !== undefined) await ended;
  return run.recorder.failure ? undefined : outcome;
}

function prepare(run: Run, step: PlanStep, tool: Tool): Prepared | Promise<Prepared> {
  let input: JsonObject;
  try {
    input = resolveInput(step, (stepId) => run.outputOf(stepId));
  } catch (thrown) {
    return { input: step.input, error: (thrown as AgentError<"invalid-reference">).toJSON() };
  }
  const parsing = parseInput(tool, input);
  const finish = (parsed: Awaited<typeof parsing>): Prepared => {
    if (!parsed.ok) return { input, error: invalidInput(step, parsed.issues).toJSON() };
    try {
      return { input, parsed: parsed.value, call: { step, tool, input, effect: tool.effect(parsed.value) } };
    } catch (thrown) {
      return { input, error: toolFailed({ step, tool }, [], thrown).toJSON() };
    }
  };
  return parsing instanceof Promise ? parsing.then(finish) : finish(parsing);
}

function invalidInput(
  { id, tool }: PlanStep,
  issues: readonly { path: readonly (string | number)[]; message: string }[],
) {
  const message = `The input of step "${id}" (${tool}) is not valid: ${describeIssues(issues)}`;
  return new AgentError("invalid-tool-input", message, { details: { tool, stepId: id, issues } });
}

interface Executed {
  readonly outcome: StepOutcome;
  readonly attempts: number;
}

async function execute(run: Run, prepared: Prepared): Promise<Executed> {
  if ("error" in prepared) return { outcome: { status: "failed", error: prepared.error }, attempts: 0 };
  const { call, parsed } = prepared;
  if (run.abortReason !== undefined) return { outcome: abortedOutcome(run, undefined), attempts: 0 };
  const startedMs = run.engine.clock.now();
  const first = await runAttempt(run, call, 1, parsed);
  if (first.type === "completed") return { outcome: { status: "completed", output: first.output }, attempts: 1 };
  return retry(run, call, { first, startedMs });
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
      attempts = attempt;
      const parsed = await parseInput(call.tool, call.input);
      const result = parsed.ok
        ? await runAttempt(run, call, attempt, parsed.value)
        : inputNoLongerValid(call, parsed.issues);
      if (result.type === "failed") errors.push(result.error);
      return result;
    },
  });
  if (last.type === "completed") return { outcome: { status: "completed", output: last.output }, attempts };
  return { outcome: failureOutcome(run, call, { last, errors, attempts }), attempts };
}

/** A schema that answers differently for the same input: its second answer counts, as the first did. */
function inputNoLongerValid({ step }: StepCall, issues: Parameters<typeof invalidInput>[1]): FailedAttempt {
  const thrown = invalidInput(step, issues);
  return { type: "failed", reason: "thrown", error: thrown.toJSON(), thrown, isRunning: false };
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
    const message = `Step "${step.id}" (${step.tool}) must run only once and was cut off: whether it took effect is not known.`;
    const details = { tool: step.tool, stepId: step.id };
    return {
      status: "unknown",
      error: new AgentError("outcome-unknown", message, { details, cause: last.error }).toJSON(),
    };
  }
  if (last.reason === "aborted" || (run.abortReason !== undefined && last.reason !== "invalid-output"))
    return abortedOutcome(run, last);
  if (last.reason === "invalid-output") return { status: "failed", error: last.error as AgentErrorData };
  if (last.reason === "timeout")
    return { status: "failed", error: withAttempts(last.error as AgentErrorData<"timeout">, attempts) };
  return { status: "failed", error: toolFailed(call, errors, last.thrown).toJSON() };
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

function toolFailed(
  { step, tool }: Pick<StepCall, "step" | "tool">,
  errors: readonly ErrorData[],
  cause: unknown,
): AgentError<"tool-failed"> {
  const attempts = errors.length;
  const last = errors.at(-1)?.message ?? (cause instanceof Error ? cause.message : String(cause));
  const times = attempts > 1 ? ` after ${attempts} attempts` : "";
  return new AgentError("tool-failed", `Step "${step.id}" (${tool.name}) failed${times}: ${last}`, {
    details: { tool: tool.name, stepId: step.id, attempts, errors },
    cause,
    retryable: false,
  });
}
