import { describeThrown } from "../core/describe-thrown.ts";
import { toErrorData } from "../core/error-data.ts";
import { AgentError, type AgentErrorData, isAgentError } from "../core/errors.ts";
import { type OptionTable, readOptions } from "../core/options.ts";
import type { RunResult } from "../core/run-result.ts";
import type { ListRunsOptions, RunStore } from "../core/run-store.ts";
import type { RunSummary } from "../core/run-summary.ts";
import type { InferToolResources, Tool } from "../core/tool.ts";
import type { RunsOwner } from "./active-runs.ts";
import { waitsInVain } from "./expiry.ts";
import { type ContinueOptions, continueOptions } from "./run-options.ts";
import { listRuns, readRun } from "./stored-runs.ts";

/** Options of resuming all runs. */
export type ResumeAllOptions<TTool extends Tool = Tool> = (
  | ContinueOptions<TTool>
  | (Omit<ContinueOptions<TTool>, "resources"> & {
      /** Returns those of each run. What it throws, or rejects with, is that run's error. */
      resources: (run: RunSummary) => InferToolResources<TTool> | Promise<InferToolResources<TTool>>;
    })
) & {
  /** How many runs at a time, at least 1. @default 10 */
  concurrency?: number | undefined;
};

const resumeAllOptions = {
  ...continueOptions,
  concurrency: { type: "integer", min: 1, default: 10 },
} satisfies OptionTable<ResumeAllOptions>;

/** The outcome of a run that was to be resumed. */
export type ResumedRun<TTool extends Tool = Tool> =
  | { readonly runId: string; readonly result: RunResult<TTool>; readonly error?: undefined }
  /** It could not be resumed: `run-owned-elsewhere`, `resume-mismatch`, `store-failed` … */
  | { readonly runId: string; readonly result?: undefined; readonly error: AgentErrorData };

/** Resumes one of them. */
type Resume = (runId: string, options: ContinueOptions) => Promise<RunResult>;

/**
 * Resumes every run that no process is running, `concurrency` at a time, oldest first. Resolves when they have ended or
 * wait for somebody. Rejects with `invalid-options`, or with `store-failed` if they cannot be listed.
 */
export async function resumeAll(
  engine: RunsOwner,
  options: ResumeAllOptions,
  resume: Resume,
): Promise<readonly ResumedRun[]> {
  const { concurrency, resources, ...rest } = readOptions(resumeAllOptions, options);
  const resumeWithOwn = async (run: RunSummary) =>
    resume(run.runId, { ...rest, resources: isFactory(resources) ? await makeOf(resources, run) : resources });
  const resumed: ResumedRun[] = [];
  const waiting = await listResumable(engine);
  const work = async () => {
    for (let run = waiting.pop(); run !== undefined; run = waiting.pop()) {
      resumed.push(await resumeOne(run, resumeWithOwn));
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, waiting.length) }, work));
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
async function listResumable({ settings }: RunsOwner): Promise<RunSummary[]> {
  const runs = await listAll(settings.store, { resumable: true });
  if (settings.approvalTtlMs === Number.POSITIVE_INFINITY) return runs;
  for (const summary of await listAll(settings.store, { status: "suspended" })) {
    // A run that cannot be read is reported when it is resumed.
    const run = await readRun(settings, summary.runId).catch(() => undefined);
    if (run === undefined || waitsInVain(run, settings.clock.now())) runs.push(summary);
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
