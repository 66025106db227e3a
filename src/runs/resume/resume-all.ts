import { monotonicNow } from "../../async/clock.ts";
import { inParallel } from "../../async/promises.ts";
import { toErrorData } from "../../core/error-data.ts";
import { AgentError, type AgentErrorData, isAgentError } from "../../core/errors.ts";
import { type OptionTable, readOptions } from "../../core/options.ts";
import type { RunResult } from "../../core/run-result.ts";
import type { ListRunsOptions, RunStore } from "../../core/run-store.ts";
import { type RunSummary, resumeTimeOf } from "../../core/run-summary.ts";
import { describeThrown } from "../../core/text.ts";
import type { InferToolResources, Tool } from "../../core/tool.ts";
import { waitsInVain } from "../decisions/approvals.ts";
import { type ResumeOptions, resumeOptions } from "../run-options.ts";
import type { RunRegistry } from "../run-registry.ts";
import { listPages, readRun } from "../stored-runs.ts";
import { resumeRun } from "./resume-run.ts";
import type { LeftRun, ResumedAgain } from "./wait-timers.ts";

/**
 * Options of resuming all runs.
 * @group Runs and results
 */
export type ResumeAllOptions<TTool extends Tool = Tool> = (
  | ResumeOptions<TTool>
  | (Omit<ResumeOptions<TTool>, "resources"> & {
      /** Returns the resources of each run. An error of this function is the error of that run. */
      resources: (run: RunSummary) => InferToolResources<TTool> | Promise<InferToolResources<TTool>>;
    })
) & {
  /** The most runs at a time, at least 1. @default 10 */
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

/** Resumes one of the runs. */
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
  const resumed: ResumedRun[] = [];
  await inParallel((await listResumable(runs)).reverse(), concurrency, async (run) => {
    const { runId } = run;
    try {
      const own = typeof resources === "function" ? await makeOf(resources as ResourcesFactory, run) : resources;
      resumed.push({ runId, result: await resume(runId, { ...rest, resources: own }) });
    } catch (thrown) {
      if (!isAgentError(thrown)) throw thrown;
      resumed.push({ runId, error: toErrorData(thrown) as AgentErrorData });
    }
  });
  return resumed;
}

type ResourcesFactory = (run: RunSummary) => unknown;

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

/**
 * Lists all resumable runs before any is resumed: pages would shift. If questions expire, includes runs that wait for
 * what nobody can decide any more.
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
  for await (const page of listPages(store, selected)) runs.push(...page);
  return runs;
}

/**
 * Resumes a suspended run for which a message was left, or whose wait is over. Resolves to when to try again, if the store
 * has failed, or it is too early by its clock; in all other cases the run stays in the store, for whoever resumes it.
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
    if (!isAgentError(thrown, "store-failed")) return undefined;
    const { problem } = thrown.details;
    return problem === "wrong-format" || problem === "corrupt" ? undefined : "after a failure";
  }
}
