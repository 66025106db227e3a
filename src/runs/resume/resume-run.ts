import { monotonicNow } from "../../async/clock.ts";
import { type AgentError, type AgentErrorData, isAgentError, type RunDifference } from "../../core/errors.ts";
import type { EventInit, Keyed } from "../../core/events.ts";
import { type JsonValue, toJson } from "../../core/json.ts";
import { defined } from "../../core/option-tables.ts";
import { answeredBy, type RunResult } from "../../core/run-result.ts";
import {
  type ApprovalState,
  instancesOf,
  isDone,
  isLeftOpen,
  isStillToRun,
  type RunState,
  type StepState,
} from "../../core/run-state.ts";
import type { PostedMessage } from "../../core/run-store.ts";
import { type Hold, isGivenUp, isHeld, isUnstarted, type RunSummary, resumeTimeOf } from "../../core/run-summary.ts";
import { stepRefOf } from "../../core/step.ts";
import { findUnreadable } from "../../plan/expressions.ts";
import { checkPlan } from "../../plan/validate-plan.ts";
import { rejectExpired, waitsInVain } from "../commands/approvals.ts";
import { prepareThread, runRequest } from "../execution/run-request.ts";
import { runExecution } from "../execution/schedule.ts";
import { executionHeader, fingerprintsOf, requireApproved } from "../planning/run-target.ts";
import type { EngineSettings } from "../run/engine-settings.ts";
import type { LeaseHolder } from "../run/leases.ts";
import type { AbortReason, Run } from "../run/run.ts";
import {
  givenUp,
  interruptedBy,
  isMismatch,
  type MismatchError,
  mismatchOf,
  missingTool,
  resumeMismatch,
  runElsewhere,
} from "../run/run-errors.ts";
import { type ResumeOptions, type RunSettings, resolveRunOptions } from "../run/run-options.ts";
import { evidenceOf } from "../run/run-recorder.ts";
import { needsKeyToCancel, opened, type RunSecrets, secretsOf } from "../run/run-secrets.ts";
import { endExecution, endingOf, endsOfCutOff, skipOpen } from "../steps/end-run.ts";
import type { RecordedRun } from "../stored/parse-stored.ts";
import type { Opening, RunRegistry } from "../stored/run-registry.ts";
import { isDamaged, readExisting, resultOfState } from "../stored/stored-runs.ts";

export interface RunResuming {
  readonly retriesFailed: boolean;
  readonly maxAdoptions?: number | undefined;
  readonly ignoresMismatch?: boolean;
}

type Resuming = RunResuming & Pick<Opening, "runId" | "startedMs"> & { readonly options: ResumeOptions };

export function resumeRun(runs: RunRegistry, resuming: Resuming): Promise<RunResult> {
  return runs.withRun(resuming.runId, {
    whenActive: async ({ run, result }) => {
      await result.catch(() => {});
      // A run that never started was only looked up in the store.
      return run.state.sequence > 0 ? result : undefined;
    },
    whenStored: () => continueStored(runs, { ...resuming, looksForPosted: true, mayResume: mayResume(runs, resuming) }),
  });
}

function mayResume({ leases }: RunRegistry, { retriesFailed }: Resuming): (state: RunState) => boolean {
  let seen: number | undefined;
  return (state) => {
    seen ??= state.sequence;
    const { status, pending } = state;
    switch (status) {
      case "planning":
      case "running":
      case "interrupted":
        return true;
      case "failed":
        return retriesFailed && state.sequence === seen && canRetry(state);
      case "suspended":
        if (isGivenUp(state)) return retriesFailed;
        // Resuming rejects approvals that have expired, and ends waits that are over.
        return (
          pending?.length === 0 ||
          state.resumeAt !== undefined ||
          isHeld(state) ||
          waitsInVain(state, leases.now()) ||
          (resumeTimeOf(pending) ?? Number.POSITIVE_INFINITY) <= leases.now()
        );
      case "completed":
      case "cancelled":
        return false;
      default:
        return status satisfies never;
    }
  };
}

/** A refused, rejected or undone run would end the same way again. */
export function canRetry({ error, steps, givenPlan }: RunState): boolean {
  if (error?.code === "approval-rejected" || error?.code === "approval-expired") return false;
  if (error?.code === "invalid-options" || (error?.code === "invalid-plan" && givenPlan !== undefined)) return false;
  return !instancesOf(steps.values()).some(({ status }) => status === "undone");
}

interface Continuation extends Opening, Pick<Resuming, "maxAdoptions" | "ignoresMismatch"> {
  readonly identity?: string;
  readonly options: ResumeOptions;
  readonly isCancel?: true;
  readonly isUndo?: true;
  readonly looksForPosted?: true;
  readonly isCompared?: boolean;
  readonly create?: (lease: LeaseHolder) => Promise<RecordedRun>;
  readonly known?: { recorded?: RecordedRun };
  readonly mayResume: (state: RunState, secrets: RunSecrets | undefined, posted?: readonly PostedMessage[]) => boolean;
  readonly events?: readonly EventInit[];
  readonly record?: (state: RunState, lease: StoredLease) => Promise<RunResult>;
}

/** Claims the run, then reads it again, as another process may have resumed it meanwhile. */
export async function continueStored(runs: RunRegistry, continuation: Continuation): Promise<RunResult> {
  const { runId, identity } = continuation;
  const { execution } = await runs.restore(runId, identity, restoreRun(runs, continuation));
  return execution;
}

export class StoredLease implements LeaseHolder {
  fence: number | undefined;
  posted: readonly PostedMessage[] = [];

  constructor(readonly runId: string) {}

  onPosted(posted: readonly PostedMessage[]): void {
    this.posted = posted;
  }
}

async function restoreRun(runs: RunRegistry, continuation: Continuation): Promise<{ execution: Promise<RunResult> }> {
  const { runId, mayResume, known = {} } = continuation;
  const { settings, leases } = runs;
  const unchanged = (state: RunState) => ({ execution: resultOfAnswered(runs, state, resultOfState(state, settings)) });
  const secretsToCompare = (state: RunState) => (continuation.isCompared ? secretsOf(settings, { state }) : undefined);
  const mayLook = ({ status }: RunState) => continuation.looksForPosted === true && status === "suspended";
  const lease = new StoredLease(runId);
  const hasPosted = (state: RunState) => lease.posted.some((one) => !isGivenUp(state) || isCancellation(one));
  try {
    const before = await (continuation.create?.(lease) ?? readExisting(settings, runId, known.recorded));
    known.recorded = before;
    const asked = await secretsToCompare(before.state);
    if (!mayResume(before.state, asked) && !mayLook(before.state)) return unchanged(before.state);
    // Only a worker's job has everything that a start needs.
    if (isUnstarted(before.state) && continuation.isCancel !== true) {
      if (continuation.events !== undefined) throw runElsewhere(runId);
      return unchanged(before.state);
    }
    if (lease.fence === undefined) await leases.acquire(lease);
    const { state } = await readExisting(settings, runId, before);
    const compared = await secretsToCompare(state);
    if (!mayResume(state, compared, lease.posted) && !(mayLook(state) && hasPosted(state))) return unchanged(state);
    const recorded = await continuation.record?.(state, lease);
    if (recorded !== undefined) return { execution: Promise.resolve(recorded) };
    const fit = await fitRun(settings, state, continuation);
    const { mismatch } = fit;
    if (mismatch !== undefined && !recordsMismatch(continuation, state, { fit, posted: lease.posted })) {
      if (continuation.looksForPosted) runs.unfit.set(runId, state.updatedAt);
      throw mismatch;
    }
    const { run, execution } = await startExecution(runs, continuation, { state, fit, lease });
    // A posted message may have cancelled the run.
    if (mismatch === undefined || (await execution).status !== "suspended") return { execution };
    runs.unfit.set(runId, run.state.updatedAt);
    throw mismatch;
  } finally {
    await leases.release(lease);
  }
}

async function startExecution(
  runs: RunRegistry,
  continuation: Continuation,
  { state, fit, lease }: { readonly state: RunState; readonly fit: Fit; readonly lease: StoredLease },
) {
  const { settings, leases } = runs;
  const evidence = await evidenceOf(settings, state);
  const run = runs.open(fit.settings, continuation, state);
  run.secrets = fit.secrets;
  run.hold = fit.hold;
  run.isUndo = continuation.isUndo === true || state.isUndone === true;
  run.evidence = evidence;
  run.keepHistory();
  leases.handOver(lease, run);
  const ending = endingOf(state);
  const resume = () => {
    // Records `continuation.events` first, as posted messages may decide pending items.
    const resuming = recordResume(run, fit.changedTools, continuation.events)
      .then(() => continuation.onRecorded?.())
      .then(() => run.host.receive(run, run.openInbox() ?? lease.posted, { isResuming: true }))
      .then(() => rejectExpired(run));
    return { resuming, executing: resuming.then(() => continueExecution(run, ending)) };
  };
  const { runId, traceparent: previousTraceparent } = state;
  const call = { type: "run", runId, ...defined({ previousTraceparent }) } as const;
  const { resuming, executing } = settings.within?.(call, resume) ?? resume();
  const execution = keepActive(runs, run, executing);
  execution.catch(() => {});
  // The agent may be closed while it waits for the store.
  await Promise.race([resuming.catch(() => execution), execution]);
  return { run, execution };
}

interface Fit {
  readonly settings: RunSettings;
  readonly secrets: RunSecrets | undefined;
  readonly changedTools: readonly string[];
  readonly hold?: Hold;
  readonly mismatch?: MismatchError | undefined;
}

async function fitRun(
  engine: EngineSettings,
  state: RunState,
  given: Pick<Continuation, "options" | "isCancel" | "isUndo" | "maxAdoptions">,
): Promise<Fit> {
  const { options, maxAdoptions = Number.POSITIVE_INFINITY } = given;
  const isUndo = given.isUndo === true || state.isUndone === true;
  const isCancel = given.isCancel ?? (isUndo || undefined);
  const reading = Promise.resolve(secretsOf(engine, { state }));
  const unread = reading.catch(() => undefined);
  const restore = (mode: Pick<Continuation, "isCancel">) => restoreSettings(engine, state, { ...options, ...mode });
  const hold = async (item: Hold, mismatch?: MismatchError): Promise<Fit> => ({
    settings: restore({ isCancel: true }),
    secrets: await unread,
    changedTools: [],
    hold: item,
    mismatch,
  });
  const deaths = (state.deaths ?? 0) + 1;
  if (isLeftOpen(state) && deaths > maxAdoptions) return hold(givenUp(deaths));
  try {
    const settings = restore({ isCancel });
    const needsSecrets = isCancel !== true || isUndo || state.options?.undoOnFailure === true;
    const secrets = await (needsSecrets ? reading : unread);
    return {
      settings,
      secrets,
      changedTools: isCancel ? [] : await compareTools(engine, { state, settings, secrets }),
    };
  } catch (thrown) {
    if (given.isCancel || !isMismatch(thrown)) throw thrown;
    return hold(mismatchOf(thrown), thrown);
  }
}

function recordsMismatch(
  { looksForPosted, ignoresMismatch = false }: Continuation,
  state: RunState,
  { fit, posted }: { readonly fit: Fit; readonly posted: readonly PostedMessage[] },
): boolean {
  if (looksForPosted === undefined || state.status === "failed") return false;
  if (posted.some(isCancellation) && !needsKeyToCancel({ state, secrets: fit.secrets })) return true;
  return !ignoresMismatch && state.pending?.some(({ kind }) => kind === "mismatch") !== true;
}

function isCancellation({ message }: PostedMessage): boolean {
  return (message as Keyed | null)?.type === "cancel";
}

export async function fitsHere(runs: RunRegistry, { runId, updatedAt }: RunSummary): Promise<boolean> {
  if (runs.unfit.get(runId) === updatedAt) return false;
  const { state } = await readExisting(runs.settings, runId);
  const isFit = !isUnstarted(state) && (await fitRun(runs.settings, state, { options: {} })).mismatch === undefined;
  if (!isFit) runs.unfit.set(runId, state.updatedAt);
  return isFit;
}

export function restoreSettings(
  engine: EngineSettings,
  state: RunState,
  { isCancel, ...options }: ResumeOptions & { readonly isCancel?: true | undefined },
): RunSettings {
  const recorded = state.tools?.map(({ name }) => name) ?? [];
  const tools = recorded.filter((name) => engine.toolsByName.has(name));
  if (!isCancel) {
    const differences = recorded.filter((name) => !engine.toolsByName.has(name)).map(missingTool);
    const isRead = state.plan !== undefined || state.turn !== undefined;
    const isToBePlanned = !isRead && (state.planningError === undefined || state.status === "failed");
    if (engine.planner === undefined && isToBePlanned)
      differences.push({ message: "its request has not been planned yet, and there is no planner" });
    if (findUnreadable(state.plan?.steps ?? [], engine.expressions).length > 0)
      differences.push({ message: "its plan has expressions, and this agent was created without `expressions`" });
    if (differences.length > 0) throw resumeMismatch(state.runId, differences);
  }
  const { context, thread, metadata } = state;
  return resolveRunOptions({ ...state.options, context, thread, metadata, tools, ...options }, engine, "restored");
}

export async function recordResume(
  run: Run,
  changedTools: readonly string[],
  events: readonly EventInit[] = [],
  toLast?: (before: readonly EventInit[]) => EventInit,
): Promise<void> {
  const { state, secrets } = run;
  const reason = isNewFork(state) ? "the run was forked before this work had ended" : "the process of the run has died";
  const ends = endsOfCutOff(state, interruptedBy(reason).toJSON() as AgentErrorData);
  const first = [...withdrawals(state), ...ends, ...events];
  const resumed = {
    type: "run-resume",
    ...executionHeader(run, await fingerprintsOf(run.settings.tools)),
    ...(changedTools.length > 0 && { changedTools }),
    ...(run.isUndo ? { undo: true as const } : state.status === "failed" && { retriesFailed: true as const }),
  } as const;
  const sealed = secrets && (await Promise.all(first.map((event) => secrets.sealEvent(state, event))));
  const all: readonly EventInit[] = [resumed, ...(sealed ?? first)];
  await run.recorder.emitTogether(toLast === undefined ? all : [...all, toLast(all)]);
  if (run.recorder.failure !== undefined) throw run.recorder.failure;
}

export function isNewFork({ forkedFrom, sequence }: RunState): boolean {
  return forkedFrom?.after === sequence;
}

function withdrawals(state: RunState): readonly EventInit[] {
  if (!isNewFork(state)) return [];
  const outcome = { status: "withdrawn" } as const;
  const left = instancesOf(state.steps.values()).filter((part) => mayRunAgain(state, part));
  const events: EventInit[] = left
    .filter(({ approval }) => isValid(approval))
    .map((part) => ({ type: "approval-end", kind: "step", ...stepRefOf(part), outcome }));
  if (left.length > 0 && isValid(state.planApproval)) events.push({ type: "approval-end", kind: "plan", outcome });
  return events;
}

function isValid(approval: ApprovalState | undefined): boolean {
  return approval?.status === "requested" || approval?.status === "approved";
}

function mayRunAgain(state: RunState, step: StepState): boolean {
  if (state.status === "failed") return !isDone(step);
  return isStillToRun(step) || instancesOf([step]).some(({ status }) => status === "running" || status === "unknown");
}

export async function compareTools(
  engine: EngineSettings,
  run: Pick<Run, "state" | "settings" | "secrets">,
): Promise<readonly string[]> {
  const { state, settings } = run;
  const then = new Map(state.tools?.map((tool) => [tool.name, tool]));
  const now = await fingerprintsOf(settings.tools);
  const changed = now.filter(({ name, schemaHash }) => then.get(name)?.schemaHash !== schemaHash);
  const differences: RunDifference[] = now
    .map((tool) => ({ tool: tool.name, expected: then.get(tool.name)?.effect ?? "unknown", found: tool.effect }))
    .filter(({ expected, found }) => expected !== found)
    .map((one) => ({ message: `the effect of "${one.tool}" was ${one.expected} and is now ${one.found}`, ...one }));
  if (changed.length > 0 && state.plan !== undefined) {
    const { steps } = state.plan;
    const scope = { tools: settings.tools, maxSteps: steps.length, expressions: engine.expressions };
    const plan = opened(run, state.plan);
    const { issues: all } = await checkPlan(toJson(plan), scope);
    const issues = run.secrets?.hideInIssues(all, plan as unknown as JsonValue) ?? all;
    const unfit = issues.flatMap<RunDifference>(({ path, message }) => {
      const step = state.steps.get(steps[Number(path[1])]?.id ?? "");
      if (step !== undefined && !mayRunAgain(state, step)) return [];
      const what = step === undefined ? "the plan" : `step "${step.stepId}" (${step.tool})`;
      const place = step && { tool: step.tool, stepId: step.stepId };
      return [{ message: `${what} is no longer valid: ${path.join(".")}: ${message}`, ...place, path }];
    });
    const hashes = changed.map(({ name, schemaHash }) => ({
      message: `the schemas of "${name}" have changed`,
      tool: name,
      expected: then.get(name)?.schemaHash ?? "",
      found: schemaHash,
    }));
    if (unfit.length > 0) differences.push(...hashes, ...unfit);
  }
  if (differences.length > 0) throw resumeMismatch(state.runId, differences);
  return changed.map(({ name }) => name);
}

async function continueExecution(run: Run, ending: AbortReason | undefined): Promise<RunResult> {
  const { plan, request, planningError } = run.state;
  if (run.hold !== undefined) return runExecution(run, planningError);
  if (run.isUndo) return endExecution(run, { planningError, expressions: undefined });
  if (plan !== undefined) {
    // A process that only cancels a run may lack the keys to check the hash of its plan.
    const approving = run.abortReason === undefined ? requireApproved(plan, run) : undefined;
    const refusal = await approving?.catch((error: AgentError) => error.toJSON());
    if (refusal === undefined && ending !== undefined) run.abort(ending);
    if (refusal === undefined) await endLoops(run);
    return runExecution(run, (refusal as AgentErrorData | undefined) ?? (await prepareThread(run)));
  }
  if (request === undefined || planningError !== undefined) return runExecution(run, planningError);
  return runRequest(run, request);
}

export async function resultOfAnswered(runs: RunRegistry, state: RunState, own: RunResult): Promise<RunResult> {
  const answered = answeredBy(state);
  if (answered === undefined || state.status !== "completed") return own;
  try {
    const result = await runs.withRun(answered.runId, {
      whenActive: ({ result }) => result,
      whenStored: async () => resultOfState((await readExisting(runs.settings, answered.runId)).state, runs.settings),
    });
    return { ...result, answered };
  } catch (thrown) {
    if (isAgentError(thrown, "run-not-found")) return own;
    throw thrown;
  }
}

async function endLoops(run: Run): Promise<void> {
  if (!run.canContinue() || run.settings.stored.onStepFailure === "continue") return;
  for (const step of run.state.steps.values()) {
    const states = step.iterations?.states ?? [];
    const isInDoubt = states.some(({ status }) => status === "unknown");
    if (!isInDoubt && states.some((one) => !isStillToRun(one) && !isDone(one))) await skipOpen(run, step, "run-ended");
  }
}

const [firstRetryMs, maxRetryMs] = [5_000, 3_600_000];

export function keepActive(
  runs: RunRegistry,
  run: Run,
  executing: Promise<RunResult>,
  identity?: string,
): Promise<RunResult> {
  const result = runs.activate(run, executing, identity);
  const continueLater = () => {
    const { runId, state, inbox, settings } = run;
    if (state.sequence === 0) return;
    runs.clearTimer(runId);
    if (state.status !== "suspended") return;
    const suspended = { runId, resources: settings.resources };
    const atMs = resumeTimeOf(state.pending);
    if (inbox.hasUnread) void resumeSuspended(runs, suspended);
    else if (atMs !== undefined) resumeAt(runs, suspended, atMs);
  };
  result.then(continueLater, continueLater);
  return result;
}

/** Does not hold the run's state, as thousands of runs may be suspended in one process. */
type SuspendedRun = Pick<Resuming, "runId"> & Pick<ResumeOptions, "resources">;

function resumeAt(runs: RunRegistry, suspended: SuspendedRun, atMs: number, retryMs?: number): void {
  runs.setTimer(suspended.runId, atMs, () => void resumeSuspended(runs, suspended, retryMs));
}

async function resumeSuspended(runs: RunRegistry, suspended: SuspendedRun, retryMs = firstRetryMs): Promise<void> {
  if (runs.stopping.aborted) return;
  const { runId, resources } = suspended;
  try {
    const startedMs = monotonicNow(runs.settings.clock);
    const resuming = { runId, startedMs, options: { resources }, retriesFailed: false };
    const { status, pending } = await resumeRun(runs, resuming);
    const atMs = status === "suspended" ? resumeTimeOf(pending) : undefined;
    // If the run was resumed meanwhile, it has a timer with newer resources.
    if (atMs !== undefined && !runs.hasTimer(runId)) resumeAt(runs, suspended, atMs);
  } catch (thrown) {
    if (isAgentError(thrown, "store-failed") && !isDamaged(thrown) && !runs.hasTimer(runId))
      resumeAt(runs, suspended, runs.leases.now() + retryMs, Math.min(2 * retryMs, maxRetryMs));
  }
}
