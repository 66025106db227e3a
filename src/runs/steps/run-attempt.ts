import type { AbortSource } from "../../async/abort.ts";
import { notInTime, settleWithin } from "../../async/timeout.ts";
import { type ErrorData, hideUrlKeysIn, toErrorData } from "../../core/error-data.ts";
import { type JsonObject, type JsonValue, toJson } from "../../core/json.ts";
import type { ObservedCall } from "../../core/observer.ts";
import { type ParseResult, parseWith } from "../../core/schema.ts";
import { describeStepRef, type StepRef, stepRefOf } from "../../core/step.ts";
import type { ToolContext } from "../../core/tool.ts";
import { answerOf } from "../observers.ts";
import type { Run } from "../run.ts";
import { opened } from "../secrets/secrets-of-run.ts";
import { showIn } from "../show.ts";
import { attemptNumber, ofIteration, refOfTask, type StepCall } from "./step-call.ts";
import { invalidOutput, stepTimeout } from "./step-errors.ts";

/** How an attempt ended. */
export type AttemptResult =
  | { readonly type: "completed"; readonly output: JsonValue }
  | {
      readonly type: "failed";
      /** `refused`: the tool was not called, as a limit forbids it. */
      readonly reason: "thrown" | "timeout" | "aborted" | "invalid-output" | "refused";
      readonly error: ErrorData;
      readonly thrown: unknown;
      /** The tool ignores its signal and is still running. */
      readonly isRunning: boolean;
      /** The last progress that it reported. */
      readonly progress?: JsonValue | undefined;
    };

/** An attempt that failed. */
export type FailedAttempt = Extract<AttemptResult, { type: "failed" }>;

/**
 * Calls a step's tool once and waits for it, at most `timeoutMs`. When it times out or the run aborts, the tool's
 * signal is aborted and it has `abortGraceMs` to settle: a value within that time counts. `number` counts attempts in
 * this execution of the step. Never rejects.
 */
export function runAttempt(run: Run, call: StepCall, number: number, parsed: unknown): Promise<AttemptResult> {
  const { clock, stepTimeoutMs } = run.engine;
  const { tool } = call;
  const attempt = attemptNumber(run, call, number);
  const timeoutMs = tool.timeoutMs ?? stepTimeoutMs;
  const source = run.openSource();
  const context = new AttemptContext(run, call, { attempt, source });
  const { within } = run.engine;
  const pending =
    within === undefined
      ? execute(run, call, parsed, context)
      : within(observedAttempt(run, call, attempt), () => execute(run, call, parsed, context));
  const timer =
    timeoutMs === Number.POSITIVE_INFINITY
      ? undefined
      : clock.setTimeout(() => source.abort(stepTimeout(call, timeoutMs)), timeoutMs);
  // Only one promise and these functions are kept in memory while the tool works. An async function with a `finally`
  // would read better, but keep twice as much.
  return new Promise((resolve, reject) => {
    let hasEnded = false;
    const end = (result: AttemptResult) => {
      if (hasEnded) return;
      hasEnded = true;
      resolve(result.type === "completed" ? result : { ...result, progress: lastProgress(context) });
      if (timer !== undefined) clock.clearTimeout(timer);
      run.release(source);
    };
    const stop = () => void giveUp(run, call, { attempt, pending, source }).then(end, reject);
    if (source.aborted) stop();
    else source.addEventListener("abort", stop);
    pending.then(end, (thrown) => {
      if (source.aborted) return;
      const error = context[missedKey] ? explainMissing(thrown) : thrown;
      reportThrown(run, call, { attempt, thrown: error });
      end(failedAttempt("thrown", error));
    });
  });
}

function observedAttempt({ runId }: Run, call: StepCall, attempt: number): ObservedCall {
  const base = { type: "attempt", runId, ...refOfTask(call), tool: call.tool.name, attempt } as const;
  return call.undone === undefined ? base : { ...base, undo: true };
}

/** Calls `onToolError` with what a tool has thrown, or with its data if part of it is hidden. */
function reportThrown(run: Run, call: StepCall, { attempt, thrown }: { attempt: number; thrown: unknown }): void {
  const { onToolError, onListenerError: onError } = run.engine;
  if (onToolError === undefined) return;
  const ref = refOfTask(call);
  const data = toErrorData(thrown);
  const { error } = showIn(run, { ...ref, tool: call.tool.name, error: data });
  const shown = run.secrets?.hasAny ? run.secrets.hideIn(error) : error === data ? thrown : error;
  answerOf(() => onToolError(shown, { runId: run.runId, ...ref, attempt }), {
    about: observedAttempt(run, call, attempt),
    onError,
  });
}

interface Aborted {
  readonly attempt: number;
  readonly pending: Promise<AttemptResult>;
  readonly source: AbortSource;
}

/** Waits for an aborted attempt as long as its grace period lasts. */
async function giveUp(run: Run, call: StepCall, { attempt, pending, source }: Aborted): Promise<AttemptResult> {
  const settled = await settleWithin(settle(pending), run.host.graceMs, run.engine.clock);
  if (settled === notInTime) {
    reportLate(run, call, { attempt, pending });
    if (run.abortReason?.code === "interrupted" && run.phase !== "closed")
      warnOfOverlap(run, { ...refOfTask(call), tool: call.tool.name });
  } else if (settled.ok) return settled.result;
  else if (settled.thrown !== source.reason) reportThrown(run, call, { attempt, thrown: settled.thrown });
  const reason = run.abortReason === source.reason ? "aborted" : "timeout";
  // What the tool threw on its abort reveals more than the abort: whether something has happened, for example.
  const cause = settled === notInTime ? undefined : settled.thrown;
  return { ...failedAttempt(reason, source.reason), thrown: cause, isRunning: settled === notInTime };
}

/** A synchronous throw of a tool is a rejection like any other. Its output is checked within its time. */
function execute(run: Run, call: StepCall, input: unknown, context: ToolContext): Promise<AttemptResult> {
  const { tool, undone } = call;
  try {
    if (undone === undefined)
      return Promise.resolve(tool.execute(input, context)).then((value) => checkOutput(run, call, value));
    return Promise.resolve(tool.undo?.({ input, output: opened(run, undone.output) }, context)).then(() => nothing);
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}

/** The result of undoing a step. */
const nothing: AttemptResult = { type: "completed", output: null };

type Settled = { readonly ok: true; readonly result: AttemptResult } | { readonly ok: false; readonly thrown: unknown };

function settle(pending: Promise<AttemptResult>): Promise<Settled> {
  return pending.then(
    (result) => ({ ok: true, result }),
    (thrown) => ({ ok: false, thrown }),
  );
}

/** A failed attempt whose tool is no longer running. */
export function failedAttempt(reason: FailedAttempt["reason"], thrown: unknown): FailedAttempt {
  return { type: "failed", reason, error: toErrorData(thrown), thrown, isRunning: false };
}

function checkOutput(run: Run, call: StepCall, value: unknown): AttemptResult | Promise<AttemptResult> {
  const { outputSchema } = call.tool;
  if (outputSchema === undefined) return toOutput(run, call, value);
  const parsing = parseWith(outputSchema, value);
  const finish = (parsed: ParseResult<unknown>) =>
    parsed.ok ? toOutput(run, call, parsed.value) : failedAttempt("invalid-output", invalidOutput(call, parsed.issues));
  return parsing instanceof Promise ? parsing.then(finish) : finish(parsing);
}

function toOutput(run: Run, call: StepCall, value: unknown): AttemptResult | Promise<AttemptResult> {
  const json = toJson(value, { maxBytes: run.engine.maxOutputBytes });
  if (!json.ok) return failedAttempt("invalid-output", invalidOutput(call, [json.issue]));
  if (run.secrets?.concerns(call))
    return run.secrets.sealOutput(call.tool.name, json.value).then((output) => ({ type: "completed", output }));
  return { type: "completed", output: json.value };
}

/**
 * Warns of a call that the end of the process does not wait for: whoever resumes the run may call the tool meanwhile.
 */
export function warnOfOverlap(run: Run, step: StepRef & { readonly tool: string }): void {
  const ref = stepRefOf(step);
  run.warn({
    code: "overlapping-call",
    ...ref,
    message: `${step.tool} still works on step "${describeStepRef(ref)}" of run ${run.runId} though the agent was closed; whoever resumes the run may call it again meanwhile.`,
  });
}

/** Reports an attempt that was given up when it settles after all. */
function reportLate(
  run: Run,
  call: StepCall,
  { attempt, pending }: { attempt: number; pending: Promise<AttemptResult> },
): void {
  const tell = (result: AttemptResult) => {
    const outcome =
      result.type === "completed"
        ? ({ status: "completed", output: hideUrlKeysIn(result.output) } as const)
        : ({ status: "failed", error: result.error } as const);
    run.reportLate(
      ofIteration(call, { type: "step-late", stepId: call.step.id, tool: call.tool.name, attempt, outcome }),
    );
  };
  pending.then(tell, (thrown) => tell(failedAttempt("thrown", thrown)));
}

const sourceKey = Symbol("source");
const progressKey = Symbol("progress");
const missedKey = Symbol("missed");

/**
 * The signal is created when it is first read; most tools never read it. It is a property of each context, not of the
 * class, so that `{ ...context }` has it too; a shared descriptor makes that cheap.
 */
const lazySignal: PropertyDescriptor & ThisType<AttemptContext> = {
  get() {
    return this[sourceKey].signal;
  },
  enumerable: true,
};

/** Marks that a tool reads the resources of a run without any. */
const missingResources: PropertyDescriptor & ThisType<AttemptContext> = {
  get() {
    this[missedKey] = true;
    return undefined;
  },
  enumerable: true,
};

/** The failure of a tool that read resources that were not given. It is not retried: they are missing then, too. */
function explainMissing(thrown: unknown): unknown {
  // Other errors of this type, such as those of `fetch`, may have other reasons.
  if (!(thrown instanceof TypeError) || !/\bundefined\b/.test(thrown.message)) return thrown;
  const message = `${thrown.message.replace(/\.$/, "")}. The run was given no \`resources\`. Pass them: { resources }.`;
  return Object.assign(new TypeError(message), { retryable: false, stack: thrown.stack });
}

/** The context that a tool receives for one attempt. */
class AttemptContext implements ToolContext {
  declare readonly signal: AbortSignal;
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly runId: string;
  readonly stepId: string;
  readonly iteration: number | undefined;
  declare readonly resources: unknown;
  readonly metadata: JsonObject;
  readonly progress: (value: unknown) => void;
  readonly [sourceKey]: AbortSource;
  /** Set when there is some: most tools report none. */
  declare [progressKey]?: JsonValue;
  declare [missedKey]?: boolean;

  constructor(run: Run, call: StepCall, { attempt, source }: { attempt: number; source: AbortSource }) {
    const { runId, settings } = run;
    const stepId = call.step.id;
    const index = call.iteration?.index;
    this[sourceKey] = source;
    this.attempt = attempt;
    this.idempotencyKey = index === undefined ? `${runId}/${stepId}` : `${runId}/${stepId}[${index}]`;
    if (call.undone !== undefined) this.idempotencyKey += "/undo";
    this.runId = runId;
    this.stepId = stepId;
    this.iteration = index;
    this.metadata = settings.metadata;
    this.progress = (value) => reportProgress(run, call, { context: this, value });
    Object.defineProperty(this, "signal", lazySignal);
    if (settings.resources === undefined) Object.defineProperty(this, "resources", missingResources);
    else this.resources = settings.resources;
  }
}

/** The last progress that an attempt reported. */
function lastProgress(context: AttemptContext): JsonValue | undefined {
  return context[progressKey];
}

interface Progress {
  readonly context: AttemptContext;
  readonly value: unknown;
}

/** Reports an attempt's progress, until it ends. */
function reportProgress(run: Run, call: StepCall, { context, value }: Progress): void {
  if (!run.isOpen(context[sourceKey])) return;
  const { attempt } = context;
  const { step, tool } = call;
  const stepId = step.id;
  const json = toJson(value, { maxBytes: run.engine.maxOutputBytes });
  if (json.ok) {
    const shown = hideUrlKeysIn(json.value);
    context[progressKey] = shown;
    run.emit(ofIteration(call, { type: "step-progress", stepId, tool: tool.name, attempt, value: shown }));
  } else
    run.warn({
      code: "invalid-progress",
      ...refOfTask(call),
      message: `${tool.name} reported invalid progress: ${json.issue.message}.`,
    });
}
