import { monotonicNow } from "../../async/clock.ts";
import { inParallel } from "../../async/promises.ts";
import { toErrorData } from "../../core/error-data.ts";
import { AgentError, type AgentErrorData, isAgentError } from "../../core/errors.ts";
import { type OptionTable, readOptions } from "../../core/option-tables.ts";
import type { RunResult } from "../../core/run-result.ts";
import type { ListRunsOptions, RunStore } from "../../core/run-store.ts";
import type { RunSummary } from "../../core/run-summary.ts";
import { describeThrown } from "../../core/text.ts";
import type { InferToolResources, Tool } from "../../core/tool.ts";
import { waitsInVain } from "../commands/approvals.ts";
import { isMismatch, returnOrThrow } from "../run/run-errors.ts";
import { type ResumeOptions, resumeOptions } from "../run/run-options.ts";
import type { RunRegistry } from "../stored/run-registry.ts";
import { listPages, readRun } from "../stored/stored-runs.ts";
import { resumeRun } from "./resume-run.ts";

/** Options of `resumeAll`. @group Runs and results */
export type ResumeAllOptions<TTool extends Tool = Tool> = (
  | ResumeOptions<TTool>
  | (Omit<ResumeOptions<TTool>, "resources"> & {
      /** Returns the resources of a run. If this function fails, the run is not resumed, and its entry has an error. */
      resources: (run: RunSummary) => InferToolResources<TTool> | Promise<InferToolResources<TTool>>;
    })
) & {
  /** Maximum number of runs to resume at a time, at least 1. @default 10 */
  concurrency?: number | undefined;
  /**
   * Number of processes, at least 1, that may die in a row while they execute a run that makes no progress. After one
   * more death, the run is given up, and `given-up` is pending. @default 10
   */
  maxAdoptions?: number | undefined;
};

const resumeAllOptions = {
  ...resumeOptions,
  concurrency: { type: "integer", min: 1, default: 10 },
  maxAdoptions: { type: "integer", min: 1, default: 10 },
} satisfies OptionTable<ResumeAllOptions>;

/** Outcome of resuming a run. @group Runs and results */
export type ResumedRun<TTool extends Tool = Tool> =
  | { readonly runId: string; readonly result: RunResult<TTool>; readonly error?: undefined }
  /** The run could not be resumed: `run-owned-elsewhere`, `resume-mismatch`, `store-failed` … */
  | { readonly runId: string; readonly result?: undefined; readonly error: AgentErrorData };

export async function resumeAll(runs: RunRegistry, given: ResumeAllOptions): Promise<readonly ResumedRun[]> {
  const { concurrency, resources, maxAdoptions, ...rest } = readOptions(resumeAllOptions, given);
  const resumed: ResumedRun[] = [];
  await inParallel((await listResumable(runs)).reverse(), concurrency, async (run) => {
    const { runId } = run;
    const isKnown = runs.unfit.get(runId) === run.updatedAt;
    try {
      const own = typeof resources === "function" ? await makeOf(resources as ResourcesFactory, run) : resources;
      runs.requireOpen();
      const options = { ...rest, resources: own };
      const startedMs = monotonicNow(runs.settings.clock);
      const resuming = { runId, startedMs, options, retriesFailed: false, maxAdoptions };
      resumed.push({ runId, result: returnOrThrow(await resumeRun(runs, resuming), options) });
    } catch (thrown) {
      if (!isAgentError(thrown)) throw thrown;
      if (isKnown && isMismatch(thrown)) return;
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

/** Lists all runs before resuming any, as resumed runs would shift the pages. */
async function listResumable({ settings, leases, unfit }: RunRegistry): Promise<RunSummary[]> {
  const runs = new Map((await listAll(settings.store, { resumable: true })).map((run) => [run.runId, run]));
  const mayFit = ({ runId, updatedAt }: RunSummary) => !runs.has(runId) && unfit.get(runId) !== updatedAt;
  for (const run of (await listAll(settings.store, { pending: "mismatch" })).filter(mayFit)) runs.set(run.runId, run);
  if (settings.approvalTtlMs === Number.POSITIVE_INFINITY) return [...runs.values()];
  for (const summary of (await listAll(settings.store, { status: "suspended" })).filter(mayFit)) {
    const run = await readRun(settings, summary.runId).catch(() => undefined);
    if (run === undefined || waitsInVain(run, leases.now())) runs.set(summary.runId, summary);
  }
  return [...runs.values()];
}

async function listAll(store: RunStore, selected: ListRunsOptions): Promise<RunSummary[]> {
  const runs: RunSummary[] = [];
  for await (const page of listPages(store, selected)) runs.push(...page);
  return runs;
}
