import { AgentError, type AgentErrorData, isAgentError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { PlanInput } from "../../core/plan.ts";
import type { RunResult, RunSnapshot } from "../../core/run-result.ts";
import type { ListRunsOptions, RunPage } from "../../core/run-store.ts";
import { endedStatuses } from "../../core/run-summary.ts";
import type { Tool } from "../../core/tool.ts";
import { type WorkedAgent, workerKey } from "../../runs/agent-methods.ts";
import { type Job, type JobOutcome, targetOfJob } from "./jobs.ts";

/** The part of an agent that a worker needs, whatever its tools are. */
export interface WorkingAgent extends WorkedAgent {
  readonly tools: readonly Tool[];
  getRun(runId: string): Promise<RunSnapshot | undefined>;
  listRuns(options: ListRunsOptions): Promise<RunPage>;
  start(target: string | PlanInput, options: object): { readonly result: Promise<RunResult> };
  resume(runId: string, options: object): Promise<RunResult>;
}

/** Options of {@link createRunWork}. */
interface WorkOptions {
  readonly postponeMs: number;
  readonly resources: ((run: { readonly runId: string; readonly metadata: JsonObject }) => unknown) | undefined;
  /** Queues a run again after a time. */
  readonly wakeLater: (runId: string, delayMs: number) => Promise<void>;
  readonly warn: (warning: { code: "run-postponed"; message: string; runId: string }) => void;
}

/** After this time, DBOS has booked that a job was put back. */
const putBackMs = 1_000;

const refusals = new Set(["invalid-plan", "plan-not-approved", "invalid-options", "unknown-tool", "run-conflict"]);

/**
 * Executes jobs with an agent: a run starts, or continues where it stopped. Rejects where the job has to be tried again,
 * or left to another process: with `store-failed` and `run-owned-elsewhere`.
 */
export function createRunWork(
  agent: WorkingAgent,
  { postponeMs, resources, wakeLater, warn }: WorkOptions,
): (job: Job) => Promise<JobOutcome> {
  const isStored = async (runId: string) => (await agent.getRun(runId)) !== undefined;

  /** Puts a job back for another attempt in a moment: this worker stops, or another one has only claimed the run. */
  async function putBack(runId: string): Promise<JobOutcome> {
    await wakeLater(runId, putBackMs);
    return { outcome: "postponed" };
  }

  async function postpone(runId: string, reason: string): Promise<JobOutcome> {
    const message = `Run "${runId}" goes back to the queue for ${postponeMs} ms: ${reason}.`;
    warn({ code: "run-postponed", runId, message });
    await wakeLater(runId, postponeMs);
    return { outcome: "postponed" };
  }

  /** Records the run of a job that can never start as failed, unless its id is that of another run. */
  async function refuse(job: Job, error: AgentError): Promise<JobOutcome> {
    const { runId, options } = job;
    try {
      await agent[workerKey].refuse({ runId, target: targetOfJob(job), options, error });
    } catch (thrown) {
      if (!isAgentError(thrown, "run-conflict")) throw thrown;
    }
    return { outcome: "refused", error: error.toJSON() as AgentErrorData };
  }

  async function execute(job: Job, stored: RunSnapshot | undefined): Promise<RunResult> {
    const { runId, options } = job;
    const metadata = stored?.metadata ?? ((options.metadata ?? {}) as JsonObject);
    const given = { resources: await resources?.({ runId, metadata }) };
    if (stored !== undefined) return agent.resume(runId, given);
    return agent.start(job.request ?? job.plan, { ...options, runId, ...given }).result;
  }

  /** Returns the outcome of a job that failed. Throws what has to be tried again, or is left to another process. */
  async function handleFailure(job: Job, thrown: unknown): Promise<JobOutcome> {
    const { runId } = job;
    if (!isAgentError(thrown)) throw thrown;
    // Another worker may have the tool, or the key, that this one lacks.
    if (thrown.code === "resume-mismatch" || thrown.code === "secret-unreadable")
      return postpone(runId, thrown.message);
    if (thrown.code === "interrupted") return putBack(runId);
    if (refusals.has(thrown.code)) return refuse(job, thrown);
    // The worker that claimed it may be dead, and a run without events is not adopted.
    if (thrown.code === "run-owned-elsewhere" && !(await isStored(runId))) return putBack(runId);
    throw thrown;
  }

  return async (job) => {
    const { runId } = job;
    const stored = await agent.getRun(runId);
    if (stored !== undefined && endedStatuses.has(stored.status)) return { outcome: "ran", status: stored.status };
    const missing = missingTools(agent, job);
    if (missing.length > 0) return postpone(runId, `this worker lacks ${missing.join(", ")}`);
    try {
      const result = await execute(job, stored);
      requireRecorded(result);
      if (result.status === "interrupted" && !(await isStored(runId))) return putBack(runId);
      return { outcome: "ran", status: result.status };
    } catch (thrown) {
      return handleFailure(job, thrown);
    }
  };
}

/** Returns the tools that an agent lacks: before the run is claimed, so that another worker may have it. */
function missingTools({ tools }: WorkingAgent, { plan }: Job): readonly string[] {
  const known = new Set(tools.map(({ name }) => name));
  const named = plan?.steps.flatMap(({ tool }) => tool ?? []) ?? [];
  return [...new Set(named.filter((tool) => !known.has(tool)))];
}

/** Throws for a run that could not be recorded to its end: its result has that error, but the store knows better. */
function requireRecorded({ status, error }: RunResult): void {
  if (status !== "failed" && status !== "interrupted") return;
  if (isAgentError(error, "store-failed") || isAgentError(error, "run-owned-elsewhere")) {
    throw new AgentError(error.code, error.message, { details: error.details } as never);
  }
}
