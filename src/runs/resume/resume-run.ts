import { monotonicNow } from "../../async/clock.ts";
import { inParallel } from "../../async/promises.ts";
import { toErrorData } from "../../core/error-data.ts";
import { AgentError, type AgentErrorData, isAgentError } from "../../core/errors.ts";
import { type OptionTable, readOptions } from "../../core/options.ts";
import type { RunResult } from "../../core/run-result.ts";
import type { RunState } from "../../core/run-state.ts";
import type { ListRunsOptions, RunStore } from "../../core/run-store.ts";
import { type RunSummary, resumeTimeOf } from "../../core/run-summary.ts";
import { instancesOf } from "../../core/step-state.ts";
import { describeThrown } from "../../core/text.ts";
import type { InferToolResources, Tool } from "../../core/tool.ts";
import { waitsInVain } from "../decisions/approvals.ts";
import { endsOfCutOff } from "../end-execution.ts";
import { interruptedBy } from "../run-errors.ts";
import { type ResumeOptions, resumeOptions } from "../run-options.ts";
import type { Opening, RunRegistry } from "../run-registry.ts";
import { listRuns, readRun } from "../stored-runs.ts";
import { continueStored, type ExecutionStart } from "./continue-run.ts";
import { isNewFork } from "./fork-start.ts";
import type { LeftRun, ResumedAgain } from "./wait-timers.ts";

/** A run to resume. */
interface Resuming extends Pick<Opening, "runId" | "startedMs"> {
  readonly options: ResumeOptions;
  /** Whether a failed run is resumed, too. */
  readonly retriesFailed: boolean;
}

/**
 * Resumes a stored run where it stopped: recorded work is not run again; a step that was cut off runs again unless it
 * must run only once. A failed run resumes with the step that failed. A run that is active in this process is joined;
 * one that has ended for good, or waits for somebody, resolves to its result. Rejects as `continueStored` does.
 */
export function resumeRun(runs: RunRegistry, resuming: Resuming): Promise<RunResult> {
  return runs.withRun(resuming.runId, {
    whenActive: async ({ run, result }) => {
      await result.catch(() => {});
      // A run that never started was only looked up in the store.
      return run.state.sequence > 0 ? result : undefined;
    },
    whenStored: () =>
      continueStored(runs, { ...resuming, looksForPosted: true, mayResume: mayResume(runs, resuming), begin }),
  });
}

/**
 * Resumes a suspended run for which a message was left, or whose wait is over. Resolves to when to try again, if the store
 * has failed, or it is too early by its clock; in all other cases the run is in the store, for whoever resumes it.
 */
export async function resumeLeft(
  runs: RunRegistry,
  { runId, settings: { resources } }: LeftRun,
): Promise<ResumedAgain> {
  const startedMs = monotonicNow(runs.settings.clock);
  try {
    const resuming = { runId, startedMs, options: { resources }, retriesFailed: false };
    const { status, pending } = await resumeRun(runs, resuming);
    const atMs = status === "suspended" ? resumeTimeOf(pending) : undefined;
    return atMs === undefined ? undefined : { atMs };
  } catch (thrown) {
    return isAgentError(thrown, "store-failed") && mayPass(thrown) ? "after a failure" : undefined;
  }
}

function mayPass({ details: { problem } }: AgentError<"store-failed">): boolean {
  return problem !== "wrong-format" && problem !== "corrupt";
}

/**
 * Whether a run is resumed, by its record: checked when it is read, and again when it is claimed. A run that failed
 * between the two was retried by another process.
 */
function mayResume(
  { leases }: RunRegistry,
  { retriesFailed }: Pick<Resuming, "retriesFailed">,
): (state: RunState) => boolean {
  let seen: number | undefined;
  return (state) => {
    seen ??= state.sequence;
    switch (state.status) {
      case "planning":
      case "running":
      case "interrupted":
        return true;
      case "failed":
        return retriesFailed && state.sequence === seen && canRetry(state);
      case "suspended":
        // A question whose hash covered less has to be asked again, and one that nobody can decide any more is
        // rejected.
        return state.pending?.length === 0 || waitsInVain(state, leases.now()) || isDue(state, leases.now());
      case "completed":
      case "cancelled":
        return false;
      default:
        return state.status satisfies never;
    }
  };
}

function isDue({ pending }: RunState, nowMs: number): boolean {
  return (resumeTimeOf(pending) ?? Number.POSITIVE_INFINITY) <= nowMs;
}

/**
 * Not a run that was refused, or that somebody rejected, and not one that was undone: to their tools, its steps would be
 * the same again.
 */
export function canRetry({ error, steps, givenPlan }: RunState): boolean {
  if (error?.code === "approval-rejected" || error?.code === "approval-expired") return false;
  if (error?.code === "invalid-options" || (error?.code === "invalid-plan" && givenPlan !== undefined)) return false;
  return ![...instancesOf(steps.values())].some(({ status }) => status === "undone");
}

/** How a run is resumed that stopped before its end, or has failed. */
export function begin(state: RunState): ExecutionStart {
  return state.status === "failed" ? { retriesFailed: true, events: [] } : beginStopped(state);
}

/** How a run that stopped before its end is resumed. */
export function beginStopped(state: RunState): ExecutionStart {
  const reason = isNewFork(state) ? "the run was forked before this had ended" : "its process has died";
  return { events: endsOfCutOff(state, interruptedBy(reason).toJSON() as AgentErrorData) };
}

/**
 * Options of resuming all runs.
 * @group Runs and results
 */
export type ResumeAllOptions<TTool extends Tool = Tool> = (
  | ResumeOptions<TTool>
  | (Omit<ResumeOptions<TTool>, "resources"> & {
      /** Returns those of each run. What it throws, or rejects with, is that run's error. */
      resources: (run: RunSummary) => InferToolResources<TTool> | Promise<InferToolResources<TTool>>;
    })
) & {
  /** How many runs at a time, at least 1. @default 10 */
  concurrency?: number | undefined;
};

const resumeAllOptions = {
  ...resumeOptions,
  concurrency: { type: "integer", min: 1, default: 10 },
} satisfies OptionTable<ResumeAllOptions>;

/**
 * The outcome of a run that was to be resumed.
 * @group Runs and results
 */
export type ResumedRun<TTool extends Tool = Tool> =
  | { readonly runId: string; readonly result: RunResult<TTool>; readonly error?: undefined }
  /** It could not be resumed: `run-owned-elsewhere`, `resume-mismatch`, `store-failed` … */
  | { readonly runId: string; readonly result?: undefined; readonly error: AgentErrorData };

/** Resumes one of them. */
type Resume = (runId: string, options: ResumeOptions) => Promise<RunResult>;

/**
 * Resumes every run that no process is running, `concurrency` at a time, oldest first. Resolves when they have ended or
 * wait for somebody. Rejects with `invalid-options`, or with `store-failed` if they cannot be listed.
 */
export async function resumeAll(
  runs: RunRegistry,
  options: ResumeAllOptions,
  resume: Resume,
): Promise<readonly ResumedRun[]> {
  const { concurrency, resources, ...rest } = readOptions(resumeAllOptions, options);
  const resumeWithOwn = async (run: RunSummary) =>
    resume(run.runId, { ...rest, resources: isFactory(resources) ? await makeOf(resources, run) : resources });
  const resumed: ResumedRun[] = [];
  await inParallel((await listResumable(runs)).reverse(), concurrency, async (run) => {
    resumed.push(await resumeOne(run, resumeWithOwn));
  });
  return resumed;
}

type ResourcesFactory = (run: RunSummary) => unknown;

function isFactory(resources: unknown): resources is ResourcesFactory {
  return typeof resources === "function";
}

async function makeOf(make: ResourcesFactory, run: RunSummary): Promise<unknown> {
  try {
    return await make(run);
  } catch (thrown) {
    const received = `a function that failed for run "${run.runId}": ${describeThrown(thrown)}`;
    const details = { option: "resources", received, expected: "a function that returns the resources of a run" };
    throw new AgentError("invalid-options", `Option "resources" must be ${details.expected}; received ${received}`, {
      details,
      cause: thrown,
    });
  }
}

async function resumeOne(run: RunSummary, resume: (run: RunSummary) => Promise<RunResult>): Promise<ResumedRun> {
  const { runId } = run;
  try {
    return { runId, result: await resume(run) };
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    return { runId, error: toErrorData(thrown) as AgentErrorData };
  }
}

/**
 * All of them, before any is resumed: pages would shift. If questions expire, includes runs that wait for what nobody
 * can decide any more.
 */
async function listResumable({ settings, leases }: RunRegistry): Promise<RunSummary[]> {
  const runs = await listAll(settings.store, { resumable: true });
  if (settings.approvalTtlMs === Number.POSITIVE_INFINITY) return runs;
  for (const summary of await listAll(settings.store, { status: "suspended" })) {
    // A run that cannot be read is reported when it is resumed.
    const run = await readRun(settings, summary.runId).catch(() => undefined);
    if (run === undefined || waitsInVain(run, leases.now())) runs.push(summary);
  }
  return runs;
}

async function listAll(store: RunStore, selected: ListRunsOptions): Promise<RunSummary[]> {
  const runs: RunSummary[] = [];
  let cursor: string | undefined;
  do {
    const page = await listRuns(store, { ...selected, limit: 1_000, ...(cursor !== undefined && { cursor }) });
    runs.push(...page.runs);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return runs;
}
