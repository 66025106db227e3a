import { AgentError, type AgentErrorData, isAgentError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { PlanInput } from "../../core/plan.ts";
import type { RunResult, RunSnapshot } from "../../core/run-result.ts";
import type { ListRunsOptions, RunPage } from "../../core/run-store.ts";
import { endedStatuses } from "../../core/run-summary.ts";
import type { Tool } from "../../core/tool.ts";
import { type WorkedAgent, workerKey } from "../../runs/agent-methods.ts";
import { type Job, type JobOutcome, targetOfJob } from "./run-queue.ts";

/** What a worker needs of an agent, whatever its tools are. */
export interface WorkingAgent extends WorkedAgent {
  readonly tools: readonly Tool[];
  getRun(runId: string): Promise<RunSnapshot | undefined>;
  listRuns(options: ListRunsOptions): Promise<RunPage>;
  start(target: string | PlanInput, options: object): { readonly result: Promise<RunResult> };
  resume(runId: string, options: object): Promise<RunResult>;
}

/** How runs are worked on. */
interface WorkOptions {
  readonly postponeMs: number;
  readonly resources: ((run: { readonly runId: string; readonly metadata: JsonObject }) => unknown) | undefined;
  /** Queues a run again after a time. */
  readonly wakeLater: (runId: string, delayMs: number) => Promise<void>;
  readonly warn: (warning: { code: "run-postponed"; message: string; runId: string }) => void;
}

/**
 * Executes jobs with an agent: a run starts, or continues where it stopped. Rejects where the job has to be tried again,
 * or left to another process: with `store-failed` and `run-owned-elsewhere`.
 */
export function createRunWork(agent: WorkingAgent, options: WorkOptions): (job: Job) => Promise<JobOutcome> {
  return async (job) => {
    const stored = await agent.getRun(job.runId);
    if (stored !== undefined && endedStatuses.has(stored.status)) return { outcome: "ran", status: stored.status };
    const missing = missingTools(agent, job);
    if (missing.length > 0) return postpone(job, `this worker lacks ${missing.join(", ")}`, options);
    try {
      const result = await execute(agent, job, { stored, options });
      requireRecorded(result);
      if (result.status === "interrupted" && !(await isStored(agent, job))) return putBack(job, options);
      return { outcome: "ran", status: result.status };
    } catch (thrown) {
      return outcomeOfFailure(agent, job, { thrown, options });
    }
  };
}

/** The outcome of a job that could not be executed. Throws what has to be tried again, or is left to another process. */
async function outcomeOfFailure(
  agent: WorkingAgent,
  job: Job,
  { thrown, options }: { readonly thrown: unknown; readonly options: WorkOptions },
): Promise<JobOutcome> {
  if (isOfThisWorker(thrown)) return postpone(job, thrown.message, options);
  if (isAgentError(thrown, "interrupted")) return putBack(job, options);
  if (isRefusal(thrown)) return refuse(agent, job, thrown);
  // If the worker that has claimed it is dead, nobody would miss a run of which nothing is recorded.
  if (isAgentError(thrown, "run-owned-elsewhere") && !(await isStored(agent, job))) return putBack(job, options);
  throw thrown;
}

async function isStored(agent: WorkingAgent, { runId }: Job): Promise<boolean> {
  return (await agent.getRun(runId)) !== undefined;
}

/** After this time, DBOS has booked that a job was put back. */
const putBackMs = 1_000;

/** Leaves a job to whoever can execute it in a moment: this worker stops, or another one has only claimed the run. */
async function putBack({ runId }: Job, { wakeLater }: WorkOptions): Promise<JobOutcome> {
  await wakeLater(runId, putBackMs);
  return { outcome: "postponed" };
}

/** Found before the run is claimed, so that another worker may have it. */
function missingTools({ tools }: WorkingAgent, { plan }: Job): readonly string[] {
  const known = new Set(tools.map(({ name }) => name));
  const named = plan?.steps.flatMap(({ tool }) => tool ?? []) ?? [];
  return [...new Set(named.filter((tool) => !known.has(tool)))];
}

async function postpone({ runId }: Job, reason: string, options: WorkOptions): Promise<JobOutcome> {
  const message = `Run "${runId}" goes back to the queue for ${options.postponeMs} ms: ${reason}.`;
  options.warn({ code: "run-postponed", runId, message });
  await options.wakeLater(runId, options.postponeMs);
  return { outcome: "postponed" };
}

/** The run of a job that can never start is recorded as failed, unless its id is that of another run. */
async function refuse(agent: WorkingAgent, job: Job, error: AgentError): Promise<JobOutcome> {
  const { runId, options } = job;
  try {
    await agent[workerKey].refuse({ runId, target: targetOfJob(job), options, error });
  } catch (thrown) {
    if (!isAgentError(thrown, "run-conflict")) throw thrown;
  }
  return { outcome: "refused", error: error.toJSON() as AgentErrorData };
}

interface Execution {
  readonly stored: RunSnapshot | undefined;
  readonly options: WorkOptions;
}

async function execute(agent: WorkingAgent, job: Job, { stored, options }: Execution): Promise<RunResult> {
  const { runId } = job;
  const metadata = stored?.metadata ?? ((job.options.metadata ?? {}) as JsonObject);
  const resources = await options.resources?.({ runId, metadata });
  if (stored !== undefined) return agent.resume(runId, { resources });
  const target = job.request ?? job.plan;
  return agent.start(target, { ...job.options, runId, resources }).result;
}

/** A run that could not be recorded to its end ends with that error, but the store knows better. */
function requireRecorded({ status, error }: RunResult): void {
  if (status !== "failed" && status !== "interrupted") return;
  if (isAgentError(error, "store-failed") || isAgentError(error, "run-owned-elsewhere")) {
    throw new AgentError(error.code, error.message, { details: error.details } as never);
  }
}

const refusals = new Set(["invalid-plan", "plan-not-approved", "invalid-options", "unknown-tool", "run-conflict"]);

/** Another worker may have the tool, or the key, that this one lacks. */
function isOfThisWorker(thrown: unknown): thrown is AgentError {
  return isAgentError(thrown, "resume-mismatch") || isAgentError(thrown, "secret-unreadable");
}

function isRefusal(thrown: unknown): thrown is AgentError {
  return isAgentError(thrown) && refusals.has(thrown.code);
}
