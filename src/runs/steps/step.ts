import { type AbortSource, lazySignal, sourceKey } from "../../async/abort.ts";
import { monotonicNow, sleep } from "../../async/clock.ts";
import { settleOrAbort } from "../../async/promises.ts";
import { askedTooLong, retryAfterMs, retryDelayMs, retryFailed } from "../../async/retry.ts";
import { notInTime, settleWithin } from "../../async/timeout.ts";
import { callOutcome, retryableOf } from "../../core/call-outcome.ts";
import { type ErrorData, hideUrlKeysIn, shortError, toErrorData } from "../../core/error-data.ts";
import { AgentError, type AgentErrorData } from "../../core/errors.ts";
import type { EventInit, SkipReason, StepOutcome } from "../../core/events.ts";
import { copyContainers, copyJson, type JsonObject, type JsonValue, toJson } from "../../core/json.ts";
import type { ObservedCall } from "../../core/observer.ts";
import type { ToolStep } from "../../core/plan.ts";
import { type ParseResult, parseWith } from "../../core/schema.ts";
import { describeStepRef, type StepRef, stepRefOf } from "../../core/step.ts";
import type { ToolContext } from "../../core/tool.ts";
import type { StepExpressions } from "../../plan/expressions/step-expressions.ts";
import { isOfIteration, resolveInput, TooMuchRepeated } from "../../plan/references.ts";
import { askAboutStep, mayNeedApproval } from "../commands/approvals.ts";
import { answerOf } from "../run/observers.ts";
import { showIn } from "../run/redaction.ts";
import type { Run } from "../run/run.ts";
import { interruptedBy } from "../run/run-errors.ts";
import { opened } from "../run/run-secrets.ts";
import {
  type AttemptResult,
  attemptNumber,
  countOf,
  dataOf,
  earlierAttempts,
  effectOf,
  type FailedAttempt,
  type Iteration,
  invalidInput,
  invalidOutput,
  outcomeUnknown,
  refOfTask,
  type StepCall,
  type StepTask,
  stepTimeout,
  toolFailed,
  withStack,
} from "../run/step-call.ts";
import { type AdmittedCall, admit, isLimited, unlimited } from "./limits.ts";

export type StepEnd = "done" | "failed" | "waiting";

export interface StepQueue {
  next(): StepTask | undefined;
  advance(): void;
}

interface PreparedStep {
  readonly input: JsonObject;
  readonly call?: StepCall;
  readonly error?: AgentErrorData;
}

interface TakenStep {
  readonly task: StepTask;
  readonly prepared: PreparedStep | Promise<PreparedStep>;
  readonly isStarted: boolean;
}

interface StartedStep {
  readonly prepared: PreparedStep;
  readonly admitted?: AdmittedCall | undefined;
}

export interface Executed {
  readonly outcome: StepOutcome;
  readonly attempts: number;
  readonly progress?: JsonValue | undefined;
}

/** Runs a step, then those in the queue. Records an end and the next start together if possible. Never rejects. */
export async function runStep(run: Run, first: StepTask, queue?: StepQueue): Promise<StepEnd> {
  let current: TakenStep = { task: first, prepared: prepareStep(run, first), isStarted: false };
  for (;;) {
    const started = current.isStarted ? { prepared: current.prepared as PreparedStep } : await startStep(run, current);
    if (typeof started === "string") return started;
    const call = started.prepared.call as StepCall;
    let executed = endWithoutCall(run, current, started);
    if (started.admitted !== undefined) executed = await executeAdmitted(run, call, started.admitted);
    else if (executed === undefined) {
      const startedMs = monotonicNow(run.engine.clock);
      // Awaited here, as each additional waiting frame costs memory in every open run.
      const made = await attempt(run, call, 1);
      executed = made.type === "completed" ? completed(made, 1) : await retry(run, call, { first: made, startedMs });
    }
    if (run.recorder.failure) return "failed";
    const next = takeNext(run, { task: current.task, executed, queue });
    const recorded = recordEnd(run, toStepEnd(run, current.task, executed), next);
    if (recorded !== undefined) await recorded;
    if (run.recorder.failure !== undefined) return "failed";
    if (next === undefined) return stepEnds[executed.outcome.status];
    queue?.advance();
    current = next;
  }
}

const stepEnds: Readonly<Record<StepOutcome["status"], StepEnd>> = {
  completed: "done",
  failed: "failed",
  cancelled: "failed",
  unknown: "failed",
  interrupted: "waiting",
};

type LookUp = (name: string) => JsonValue | undefined;

function prepareStep(run: Run, task: StepTask, lookUp?: LookUp): PreparedStep | Promise<PreparedStep> {
  const parse = (filled: PreparedStep) => (filled.error ? filled : prepareInput(run, task, filled.input));
  if (!run.secrets?.concerns(task)) return parse(fillInput(run, task, lookUp));
  const fill = (step: ToolStep, open: <T>(value: T) => T) =>
    fillInput(run, { ...task, step }, (name) => open(namedValue(run, name, task.iteration)));
  return run.secrets.fill(task.step, fill).then(parse);
}

const maxInputBytes = 16 * 1_024 * 1_024;

function fillInput(run: Run, task: StepTask, lookUp?: LookUp): PreparedStep {
  const { step, iteration } = task;
  try {
    const input = resolveInput(step, lookUp ?? ((name) => namedValue(run, name, iteration)), {
      iteration: iteration?.index,
      isSkipped: (name) => !isOfIteration(step, name) && run.state.steps.get(name)?.skipReason !== undefined,
    });
    if (input === step.input) return { input };
    const json = toJson(input, { maxBytes: maxInputBytes });
    return json.ok ? { input } : { input: step.input, error: dataOf(run, invalidInput(task, [json.issue])) };
  } catch (thrown) {
    if (thrown instanceof AgentError) return { input: step.input, error: dataOf(run, thrown) };
    const tooMuch = "its references make one of its texts too long";
    const message = thrown instanceof TooMuchRepeated ? thrown.message : tooMuch;
    return { input: step.input, error: dataOf(run, invalidInput(task, [{ path: [], message }], thrown)) };
  }
}

export function namedValue(run: Run, name: string, iteration: Iteration | undefined): JsonValue | undefined {
  if (iteration !== undefined && name === "item") return iteration.item;
  if (iteration !== undefined && name === "index") return iteration.index;
  return run.state.steps.get(name)?.output;
}

export function isTrue(run: Run, expressions: StepExpressions, iteration?: Iteration): boolean {
  const lookUp = (name: string) => opened(run, namedValue(run, name, iteration));
  return expressions.evaluate("when", { lookUp, iteration: iteration?.index }) === true;
}

function prepareInput(run: Run, task: StepTask, input: JsonObject): PreparedStep | Promise<PreparedStep> {
  // Copies the input, which the tool may change.
  const parsing = parseWith(task.tool.inputSchema, copyJson(opened(run, input)));
  if (!(parsing instanceof Promise)) return toPrepared(run, task, { input, parsed: parsing });
  const source = run.openSource();
  const parsedOrAborted = settleOrAbort(parsing, source).finally(() => run.closeSource(source));
  return parsedOrAborted.then(
    (parsed) => toPrepared(run, task, { input, parsed }),
    // Rejects only if the run is aborted.
    () => ({ input, error: dataOf(run, run.abortReason as AgentError) }),
  );
}

function toPrepared(
  run: Run,
  task: StepTask,
  { input, parsed }: { readonly input: JsonObject; readonly parsed: ParseResult<unknown> },
): PreparedStep {
  if (!parsed.ok) return { input, error: dataOf(run, invalidInput(task, parsed.issues)) };
  const { step, tool, iteration } = task;
  try {
    const effect = effectOf(tool, parsed.value);
    return { input, call: { step, tool, iteration, input, effect, parsed: parsed.value } };
  } catch (thrown) {
    const made = { reason: "thrown", thrown, error: toErrorData(thrown) };
    return { input, error: withStack(run, toolFailed(task, { cause: thrown }).toJSON(), made) };
  }
}

async function startStep(run: Run, { task, prepared: preparing }: TakenStep): Promise<StartedStep | StepEnd> {
  if (!run.canStart()) return "waiting";
  let started: StartedStep = { prepared: preparing instanceof Promise ? await preparing : preparing };
  const { call } = started.prepared;
  if (call !== undefined && run.abortReason === undefined && mustAsk(run, call)) {
    const asked = await ask(run, call);
    if (typeof asked === "string") return asked;
    started = asked;
  }
  if (run.stopReason !== undefined) {
    await started.admitted?.leave();
    return "waiting";
  }
  const recorded = afterStart(run, run.emit(toStepStart(task, started.prepared)));
  if (recorded !== undefined) await recorded;
  return started;
}

/** A process that slept until the store answered may have lost the run and must then not call the tool. */
function afterStart(run: Run, recorded: void | Promise<void>): void | Promise<void> {
  return recorded?.then(async () => void (await run.host.leases.confirm(run)));
}

function mustAsk(run: Run, call: StepCall): boolean {
  return mayNeedApproval(run, call) || isLimited(run, call.tool);
}

/** Asks for approval, then checks the limits. An input that an approval has changed is parsed before it is used. */
async function ask(run: Run, given: StepCall): Promise<StartedStep | StepEnd> {
  let prepared: PreparedStep = { input: given.input, call: given };
  while (prepared.call !== undefined && mayNeedApproval(run, given)) {
    const changed = run.approvalOf(refOfTask(given))?.changed?.input;
    if (changed !== undefined && changed !== prepared.input) {
      prepared = await prepareInput(run, given, changed);
      continue;
    }
    const status = await askAboutStep(run, prepared.call);
    if (status === "rejected") {
      await skipStep(run, given, "approval-rejected");
      return "failed";
    }
    if (status === "waiting" || run.abortReason !== undefined) return "waiting";
    if (status !== "approved") return { prepared: { input: prepared.input, error: dataOf(run, status) } };
    if (run.approvalOf(refOfTask(given))?.changed?.input === changed) break;
  }
  if (run.abortReason !== undefined) return "waiting";
  if (prepared.call === undefined) return { prepared };
  const admitted = await admit(run, prepared.call, { isFirst: true });
  if (admitted.type === "aborted") return "waiting";
  if (admitted.type === "admitted") return { prepared, admitted };
  return { prepared: { ...prepared, error: admitted.error.toJSON() } };
}

export async function skipStep(run: Run, task: StepTask, reason: SkipReason): Promise<void> {
  const { tool, iteration } = task;
  await run.emit({ type: "step-skip", ...refOfTask(task), ...countOf(iteration), tool: tool.name, reason });
}

function endWithoutCall(run: Run, { isStarted }: TakenStep, { prepared, admitted }: StartedStep): Executed | undefined {
  if (admitted !== undefined) return undefined;
  // The agent may have been closed while the start was recorded.
  const isEnding = isStarted && run.stopReason === "interrupted";
  if (isEnding || run.abortReason !== undefined) return notCalled(run);
  return prepared.error && { outcome: { status: "failed", error: prepared.error }, attempts: 0 };
}

export function notCalled(run: Run): Executed {
  return { outcome: abortedStep(run, undefined), attempts: 0 };
}

/** After a timeout or an abort, a value returned within `abortGraceMs` still counts. Never rejects. */
function attempt(run: Run, call: StepCall, number: number): Promise<AttemptResult> {
  const { clock, stepTimeoutMs, within } = run.engine;
  const timeoutMs = call.tool.timeoutMs ?? stepTimeoutMs;
  const source = run.openSource();
  const context = new AttemptContext(run, call, { attempt: attemptNumber(run, call, number), source });
  const pending =
    within === undefined
      ? callTool(run, call, context)
      : within(observedAttempt(run, call, context.attempt), () => callTool(run, call, context));
  const timer =
    timeoutMs === Number.POSITIVE_INFINITY
      ? undefined
      : clock.setTimeout(() => source.abort(stepTimeout(call, timeoutMs)), timeoutMs);
  // An async function with a `finally` would keep twice as much memory while the tool works.
  return new Promise((resolve, reject) => {
    let hasEnded = false;
    const end = (result: AttemptResult) => {
      if (hasEnded) return;
      hasEnded = true;
      resolve(result.type === "completed" ? result : { ...result, progress: context[progressKey] });
      if (timer !== undefined) clock.clearTimeout(timer);
      run.closeSource(source);
    };
    const stop = () => void giveUp(run, call, { context, pending }).then(end, reject);
    if (source.aborted) stop();
    else source.addEventListener("abort", stop);
    pending.then(end, (thrown) => {
      if (source.aborted) return;
      const error = context[missedKey] ? explainMissing(thrown) : thrown;
      reportThrown(run, call, { attempt: context.attempt, thrown: error });
      end(failedAttempt("thrown", error));
    });
  });
}

function callTool(run: Run, call: StepCall, context: ToolContext): Promise<AttemptResult> {
  const { tool, undone } = call;
  try {
    // Copied, as a retry needs the same value.
    const input = copyContainers(call.parsed);
    if (undone === undefined)
      return Promise.resolve(tool.execute(input, context)).then((value) => checkOutput(run, call, value));
    const output = opened(run, undone.output);
    return Promise.resolve(tool.undo?.({ input, output }, context)).then(() => toCompleted(null));
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}

function checkOutput(run: Run, call: StepCall, value: unknown): AttemptResult | Promise<AttemptResult> {
  const { outputSchema } = call.tool;
  if (outputSchema === undefined) return toOutput(run, call, value);
  const parsing = parseWith(outputSchema, value);
  const finish = (parsed: ParseResult<unknown>) =>
    parsed.ok ? toOutput(run, call, parsed.value) : failedAttempt("invalid-output", invalidOutput(call, parsed.issues));
  return parsing instanceof Promise ? parsing.then(finish) : finish(parsing);
}

function toCompleted(output: JsonValue): AttemptResult {
  return { type: "completed", output };
}

function toOutput(run: Run, call: StepCall, value: unknown): AttemptResult | Promise<AttemptResult> {
  const json = toJson(value, { maxBytes: run.engine.maxOutputBytes });
  if (!json.ok) return failedAttempt("invalid-output", invalidOutput(call, [json.issue]));
  if (run.secrets?.concerns(call))
    return run.secrets.seal(call.tool.name, { value: json.value, part: "output" }).then(toCompleted);
  return toCompleted(json.value);
}

function failedAttempt(reason: FailedAttempt["reason"], thrown: unknown): FailedAttempt {
  return { type: "failed", reason, error: toErrorData(thrown), thrown, isRunning: false };
}

interface PendingAttempt {
  readonly context: AttemptContext;
  readonly pending: Promise<AttemptResult>;
}

async function giveUp(run: Run, call: StepCall, { context, pending }: PendingAttempt): Promise<AttemptResult> {
  const { attempt, [sourceKey]: source } = context;
  const settled = await settleWithin(Promise.allSettled([pending]), run.host.graceMs, run.engine.clock);
  const reason = run.abortReason === source.reason ? "aborted" : "timeout";
  const failed = failedAttempt(reason, source.reason);
  if (settled === notInTime) {
    reportLate(run, call, { context, pending });
    if (run.abortReason?.code === "interrupted" && run.phase !== "closed")
      warnOfOverlap(run, { ...refOfTask(call), tool: call.tool.name });
    return { ...failed, thrown: undefined, isRunning: true };
  }
  const [ended] = settled;
  if (ended.status === "fulfilled") return ended.value;
  const thrown: unknown = ended.reason;
  if (thrown !== source.reason) reportThrown(run, call, { attempt, thrown });
  // The tool's error says more than the abort, for example whether anything happened.
  return { ...failed, thrown };
}

function reportLate(run: Run, call: StepCall, { context, pending }: PendingAttempt): void {
  const { attempt } = context;
  const report = (result: AttemptResult) => {
    const outcome =
      result.type === "completed"
        ? ({ status: "completed", output: hideUrlKeysIn(result.output) } as const)
        : ({ status: "failed", error: result.error } as const);
    run.reportLate({ type: "step-late", ...refOfTask(call), tool: call.tool.name, attempt, outcome });
  };
  pending.then(report, (thrown) => report(failedAttempt("thrown", thrown)));
}

export function warnOfOverlap(run: Run, step: StepRef & { readonly tool: string }): void {
  const ref = stepRefOf(step);
  run.warn({
    code: "overlapping-call",
    ...ref,
    message:
      `${step.tool} is still working on step "${describeStepRef(ref)}" of run ${run.runId} although the agent was closed; ` +
      "resuming the run may call the tool again meanwhile.",
  });
}

function observedAttempt({ runId }: Run, call: StepCall, attempt: number): ObservedCall {
  const base = { type: "attempt", runId, ...refOfTask(call), tool: call.tool.name, attempt } as const;
  return call.undone === undefined ? base : { ...base, undo: true };
}

function reportThrown(run: Run, call: StepCall, { attempt, thrown }: { attempt: number; thrown: unknown }): void {
  const { onToolError, onListenerError } = run.engine;
  if (onToolError === undefined) return;
  const ref = refOfTask(call);
  const data = toErrorData(thrown);
  const { error } = showIn(run, { ...ref, tool: call.tool.name, error: data });
  const shown = run.secrets?.hasAny ? run.secrets.hideIn(error) : error === data ? thrown : error;
  const tell = () => onToolError(shown, { runId: run.runId, ...ref, attempt });
  answerOf(tell, (failure) => onListenerError(failure, observedAttempt(run, call, attempt)));
}

const progressKey = Symbol("progress");
const missedKey = Symbol("missed");

const missingResources: PropertyDescriptor & ThisType<AttemptContext> = {
  get() {
    this[missedKey] = true;
    return undefined;
  },
  enumerable: true,
};

function explainMissing(thrown: unknown): unknown {
  // Other TypeErrors, such as those of `fetch`, may have other causes.
  if (!(thrown instanceof TypeError) || !/\bundefined\b/.test(thrown.message)) return thrown;
  const message = `${thrown.message.replace(/\.$/, "")}. The run has no \`resources\`. Pass { resources }.`;
  return Object.assign(new TypeError(message), { retryable: false, stack: thrown.stack });
}

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

function reportProgress(
  run: Run,
  call: StepCall,
  { context, value }: { readonly context: AttemptContext; readonly value: unknown },
): void {
  if (!run.isOpen(context[sourceKey])) return;
  const tool = call.tool.name;
  const ref = refOfTask(call);
  const json = toJson(value, { maxBytes: run.engine.maxOutputBytes });
  if (json.ok) {
    const shown = hideUrlKeysIn(json.value);
    context[progressKey] = shown;
    run.emit({ type: "step-progress", ...ref, tool, attempt: context.attempt, value: shown });
  } else {
    const message = `${tool} reported invalid progress: ${json.issue.message}.`;
    run.warn({ code: "invalid-progress", ...ref, message });
  }
}

export async function executeAdmitted(run: Run, call: StepCall, admitted: AdmittedCall): Promise<Executed> {
  if (isAborted(run) || !(await run.host.leases.confirm(run)) || isAborted(run)) {
    await admitted.leave();
    return notCalled(run);
  }
  const startedMs = monotonicNow(run.engine.clock);
  const first = await attempt(run, call, 1);
  await admitted.leave(first);
  return first.type === "completed" ? completed(first, 1) : retry(run, call, { first, startedMs });
}

function completed({ output }: Extract<AttemptResult, { type: "completed" }>, attempts: number): Executed {
  return { outcome: { status: "completed", output }, attempts };
}

async function retry(
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
  let ending = "";
  const last = await retryFailed<AttemptResult>(first, {
    maxAttempts: policy.maxAttempts,
    isFailure: ({ type }) => type === "failed",
    shouldRetry: async (failure, number) => {
      if (failure.type !== "failed" || isFinal(run, call, failure)) return false;
      const { clock } = run.engine;
      const askedMs = retryAfterMs(failure.thrown, clock.now()) ?? 0;
      ending = askedMs > policy.maxDelayMs ? askedTooLong(askedMs, policy) : "";
      if (ending !== "") return false;
      const backoffMs = retryDelayMs(policy, number, () => draw(run));
      const delayMs = Math.max(backoffMs, askedMs);
      if (monotonicNow(clock) + delayMs > latestStartMs) return false;
      return waitToRetry(run, call, { failure, number, delayMs });
    },
    attempt: async (number) => {
      const result = await attemptAgain(run, call, { number, latestStartMs });
      if (result === undefined) return latest;
      latest = result;
      if (result.type === "failed" && result.reason === "refused") return result;
      attempts = number;
      if (result.type === "failed") {
        errors.push(result.error);
        made = result;
      }
      return result;
    },
  });
  if (last.type === "completed") return completed(last, attempts);
  const { status, error } = failureOutcome(run, call, { last, errors, attempts, ending });
  return { outcome: { status, error: withStack(run, error, made) }, attempts, progress: made.progress };
}

const finalReasons: ReadonlySet<FailedAttempt["reason"]> = new Set(["aborted", "invalid-output", "refused"]);

function isFinal(run: Run, { effect }: StepCall, failure: FailedAttempt): boolean {
  if (run.abortReason !== undefined || finalReasons.has(failure.reason)) return true;
  if (effect === "once" && callOutcome(failure.thrown) !== "not-done") return true;
  return failure.reason === "thrown" && retryableOf(failure.thrown) === false;
}

/** A faulty `random` must not fail a run. */
function draw({ engine }: Run): number {
  try {
    const drawn = engine.random();
    return drawn >= 0 && drawn <= 1 ? drawn : 0.5;
  } catch {
    return 0.5;
  }
}

async function waitToRetry(
  run: Run,
  call: StepCall,
  { failure, number, delayMs }: { readonly failure: FailedAttempt; readonly number: number; readonly delayMs: number },
): Promise<boolean> {
  const { isRunning, error } = failure;
  await run.emit({
    type: "step-retry",
    ...refOfTask(call),
    tool: call.tool.name,
    attempt: attemptNumber(run, call, number),
    delayMs,
    error: shortened(run, error),
    ...(isRunning && { overlaps: true }),
    ...(call.undone && { undo: true }),
  });
  const source = run.openSource();
  try {
    await sleep(delayMs, { clock: run.engine.clock, signal: source });
    return run.abortReason === undefined;
  } finally {
    run.closeSource(source);
  }
}

async function attemptAgain(
  run: Run,
  call: StepCall,
  { number, latestStartMs }: { readonly number: number; readonly latestStartMs: number },
): Promise<AttemptResult | undefined> {
  if (isAborted(run)) return undefined;
  const admitted = isLimited(run, call.tool) ? await admit(run, call) : unlimited;
  if (admitted.type === "aborted") return undefined;
  if (admitted.type === "refused") return failedAttempt("refused", admitted.error);
  const isLate = admitted !== unlimited && monotonicNow(run.engine.clock) > latestStartMs;
  if (isLate || !(await run.host.leases.confirm(run)) || isAborted(run) || !announceAttempt(run, call, number)) {
    await admitted.leave();
    return undefined;
  }
  const result = await attempt(run, call, number);
  await admitted.leave(result);
  return result;
}

function announceAttempt(run: Run, call: StepCall, number: number): boolean {
  const attempt = attemptNumber(run, call, number);
  const undo = call.undone && ({ undo: true } as const);
  run.emit({ type: "step-attempt", ...refOfTask(call), tool: call.tool.name, attempt, ...undo });
  return !isAborted(run);
}

/** Separate function, as TypeScript would keep its earlier narrowing after an `await`. */
function isAborted({ abortReason }: Run): boolean {
  return abortReason !== undefined;
}

/** Hides secrets before cutting, as half of a secret would not be recognized. */
function shortened(run: Run, error: ErrorData): ErrorData {
  return shortError(run.secrets?.hideIn(error) ?? error);
}

type StepFailure = Exclude<StepOutcome, { status: "completed" }>;

function failureOutcome(
  run: Run,
  call: StepCall,
  tried: { last: FailedAttempt; errors: readonly ErrorData[]; attempts: number; ending: string },
): StepFailure {
  const { last, errors, attempts, ending } = tried;
  const isCutOff = last.reason === "aborted" || last.reason === "timeout";
  const outcome = call.effect === "once" && last.reason !== "refused" ? callOutcome(last.thrown) : "not-done";
  const isInDoubt = outcome !== "not-done";
  if (isInDoubt && isCutOff) return { status: "unknown", error: outcomeUnknown(call, last.error).toJSON() };
  if (outcome === "unknown" && last.reason === "thrown") {
    const ending = `failed without an answer (${shortened(run, last.error).message})`;
    return { status: "unknown", error: outcomeUnknown(call, last.error, ending).toJSON() };
  }
  const failed = () =>
    toolFailed(call, { errors: errors.map((each) => shortened(run, each)), cause: last.thrown, ending }).toJSON();
  // A `once` call that threw may have had an effect, so the step fails even after an abort: it must not rerun unasked.
  if (isInDoubt && last.reason === "thrown") return { status: "failed", error: failed() };
  if (last.reason === "aborted" || (run.abortReason !== undefined && last.reason !== "invalid-output"))
    return abortedStep(run, last);
  if (last.reason === "refused") return { status: "failed", error: withCause(last.error, errors.at(-1)) };
  if (last.reason === "invalid-output") return { status: "failed", error: last.error as AgentErrorData };
  if (last.reason === "timeout") {
    const error = last.error as AgentErrorData<"timeout">;
    const counted = { ...error, details: { ...error.details, attempts } };
    return { status: "failed", error: withCause(counted, nothingHappened(last)) };
  }
  return { status: "failed", error: failed() };
}

function abortedStep(run: Run, last: FailedAttempt | undefined): StepFailure {
  const reason = (run.abortReason ?? interruptedBy("the tool had not been called")).toJSON();
  const error = withCause(reason, last?.reason === "aborted" ? nothingHappened(last) : last?.error);
  const status = reason.code === "timeout" ? "failed" : reason.code === "interrupted" ? "interrupted" : "cancelled";
  return { status, error };
}

function nothingHappened({ thrown }: FailedAttempt): ErrorData | undefined {
  return callOutcome(thrown) === "not-done" ? toErrorData(thrown) : undefined;
}

function withCause(error: ErrorData, cause: ErrorData | undefined): AgentErrorData {
  return (cause === undefined ? error : { ...error, cause }) as AgentErrorData;
}

function takeNext(
  run: Run,
  { task, executed, queue }: { task: StepTask; executed: Executed; queue: StepQueue | undefined },
): TakenStep | undefined {
  const { outcome } = executed;
  if (outcome.status !== "completed" || !run.canStart() || run.secrets !== undefined) return undefined;
  const next = queue?.next();
  if (next === undefined) return undefined;
  const isOutput = (name: string) => name === task.step.id && task.iteration === undefined;
  const prepared = prepareStep(run, next, (name) =>
    isOutput(name) ? (outcome.output as JsonValue) : namedValue(run, name, next.iteration),
  );
  const mustWait = prepared instanceof Promise || (prepared.call !== undefined && mustAsk(run, prepared.call));
  return { task: next, prepared, isStarted: !mustWait };
}

function recordEnd(run: Run, end: StepEndInit, next: TakenStep | undefined): void | Promise<void> {
  if (next?.isStarted !== true) return run.emit(end);
  return afterStart(run, run.emitTogether(end, toStepStart(next.task, next.prepared as PreparedStep)));
}

export async function failUncalled(run: Run, task: StepTask, thrown: AgentError): Promise<StepEnd> {
  await run.emit(toStepStart(task, { input: task.step.input }));
  if (run.recorder.failure !== undefined) return "failed";
  await run.emit(toStepEnd(run, task, { outcome: { status: "failed", error: dataOf(run, thrown) }, attempts: 0 }));
  return "failed";
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type StepEndInit = Mutable<Extract<EventInit, { type: "step-end" }>>;
type StepStartInit = Mutable<Extract<EventInit, { type: "step-start" }>>;

/** Does not spread optional fields, which would cost more than the rest of this function. */
function toStepStart({ step, iteration }: StepTask, { input, call }: PreparedStep): StepStartInit {
  const { id: stepId, tool, reasoning } = step;
  const event: StepStartInit =
    call === undefined
      ? { type: "step-start", stepId, tool, input }
      : { type: "step-start", stepId, tool, input, effect: call.effect };
  if (reasoning !== undefined) event.reasoning = reasoning;
  if (iteration !== undefined) {
    event.iteration = iteration.index;
    event.iterations = iteration.count;
  }
  return event;
}

function toStepEnd(run: Run, task: StepTask, executed: Executed): StepEndInit {
  const { step, tool, iteration } = task;
  const { outcome, progress } = executed;
  const attempts = earlierAttempts(run, task) + executed.attempts;
  const event: StepEndInit = { type: "step-end", stepId: step.id, tool: tool.name, attempts, outcome };
  if (progress !== undefined) event.progress = progress;
  if (iteration !== undefined) event.iteration = iteration.index;
  return event;
}
