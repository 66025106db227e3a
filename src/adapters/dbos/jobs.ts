import { randomUUID } from "node:crypto";
import type { AgentErrorData } from "../../core/errors.ts";
import { type JsonObject, toJson } from "../../core/json.ts";
import { failOption, type OptionTable, readOptions } from "../../core/option-tables.ts";
import { maxPlanBytes, type PlanInput } from "../../core/plan.ts";
import { threadOption } from "../../core/run-store.ts";
import type { Tool } from "../../core/tool.ts";
import { createExpressions } from "../../plan/expressions.ts";
import { checkPlan, invalidPlan } from "../../plan/validate-plan.ts";
import { type WorkedAgent, workerKey } from "../../runs/agent-interface.ts";
import type { RunTarget } from "../../runs/planning/run-target.ts";
import { RunKeys } from "../../runs/run/run-keys.ts";
import { type RunOptions, runIdOption } from "../../runs/run/run-options.ts";

export type Job = JobContent & {
  readonly runId: string;
  /** `updatedAt` of the failed or given-up run when it was resumed. */
  readonly stoppedAt?: string;
  readonly adoptions?: number;
};

/** A client with keys seals the content for the run's id, or for the schedule's name if a schedule's runs share it. */
export type JobContent = OpenContent | { readonly sealed: string; readonly sealedAs: string };

export type OpenContent = RunTarget & { readonly options: JsonObject & Pick<RunOptions, "metadata" | "thread"> };

const sealedPlace = "job";

export async function sealContent(agent: WorkedAgent, name: string, content: OpenContent): Promise<JobContent> {
  const keys = await agent[workerKey].keys(name);
  if (keys === undefined) return content;
  return { sealed: await keys.seal(content as unknown as JsonObject, sealedPlace), sealedAs: name };
}

export async function openContent(agent: WorkedAgent, job: Job): Promise<OpenContent> {
  if (!("sealed" in job)) return job;
  const keys = (await agent[workerKey].keys(job.sealedAs)) ?? new RunKeys(job.runId, []);
  return (await keys.open(job.sealed, sealedPlace)) as unknown as OpenContent;
}

export type JobOutcome =
  | { readonly outcome: "ran"; readonly status: string }
  /** The run will never start. This is recorded, unless another run has its id. */
  | { readonly outcome: "refused"; readonly error: AgentErrorData }
  /** The run is queued again later, as another worker may be able to execute it. */
  | { readonly outcome: "postponed" };

export interface JobOrder extends Pick<SubmitOptions, "priority" | "rateKey" | "thread"> {
  readonly delayMs?: number | undefined;
  readonly schedule?: string;
}

/** Options of `submit`: the run options that are JSON, and those of the queue. @group Workers */
export interface SubmitOptions extends Omit<RunOptions, "resources" | "signal" | "throwOnFailure" | "runId"> {
  /** Id of the run: 1 to 128 characters from `A-Z a-z 0-9 _ . -`. @default a new id */
  runId?: string | undefined;
  /** Priority, at least 0. Runs with 0, the default, are taken first. */
  priority?: number | undefined;
  /** Earliest time at which the run may start. */
  startAfter?: Date | undefined;
  /** Key to which the workers' `rateLimit` applies, such as a tenant. Cannot be combined with `thread`. */
  rateKey?: string | undefined;
}

const byWorker = { type: "any" } as const;

const readByWorker = {
  ...{ context: byWorker, tools: byWorker, maxSteps: byWorker, timeZone: byWorker, budget: byWorker },
  ...{ metadata: byWorker, timeoutMs: byWorker, concurrency: byWorker, onStepFailure: byWorker },
  ...{ undoOnFailure: byWorker, maxReplans: byWorker, replanTools: byWorker, approvedHash: byWorker },
} as const;

const submitOptions = {
  runId: runIdOption,
  priority: { type: "integer", min: 0, max: 2_147_483_647 },
  startAfter: { isValid: (time) => time instanceof Date && !Number.isNaN(time.getTime()), expected: "a valid Date" },
  rateKey: { type: "short-text" },
  thread: threadOption,
  ...readByWorker,
} satisfies OptionTable<SubmitOptions>;

export async function readJob(
  run: string | PlanInput,
  options: SubmitOptions,
): Promise<{ readonly runId: string; readonly content: OpenContent; readonly order: JobOrder }> {
  const { runId = `run_${randomUUID()}`, priority, startAfter, rateKey, ...rest } = readOptions(submitOptions, options);
  const { thread } = rest;
  if (thread !== undefined && rateKey !== undefined)
    failOption("rateKey", rateKey, "left out if there is a thread, whose runs take turns", true);
  const json = toJson(rest);
  if (!json.ok) failOption(json.issue.path.join("."), rest, `JSON: ${json.issue.message}`);
  const delayMs = startAfter && Math.max(0, startAfter.getTime() - Date.now());
  const content = { ...(await readTarget(run)), options: json.value as OpenContent["options"] };
  return { runId, content, order: { priority, delayMs, rateKey, thread } };
}

async function readTarget(run: string | PlanInput): Promise<RunTarget> {
  if (typeof run === "string") {
    if (run.trim() === "") failOption("request", run, "a request that is not blank, or a plan");
    return { request: run };
  }
  const scope = {
    tools: new Map<string, never>(),
    maxSteps: Number.POSITIVE_INFINITY,
    expressions: createExpressions(),
  };
  const { plan, issues, json } = await checkPlan(toJson(run, { maxBytes: maxPlanBytes }), scope);
  const plain = issues.filter(({ code }) => code !== "unknown-tool");
  if (plain.length > 0) throw invalidPlan("The plan is invalid", plain);
  return { plan: plan ?? (json as unknown as PlanInput) };
}

/** Request or plan to submit repeatedly. @inline */
export interface ScheduleOptions<TTool extends Tool = Tool> extends Pick<SubmitOptions, "metadata" | "rateKey"> {
  /** Cron expression of five or six fields. */
  readonly cron: string;
  readonly request?: string | undefined;
  /** Plan to submit instead of a request. */
  readonly plan?: PlanInput<TTool> | undefined;
  /** Time zone of the expression, and of the runs. @default that of the worker */
  readonly timeZone?: string | undefined;
  /** `skip` submits nothing while the previous run of the schedule has not ended. @default "allow" */
  readonly overlap?: "skip" | "allow" | undefined;
}

const scheduleOptions = {
  name: {
    // The name and a time form the id of a run.
    isValid: (name) => typeof name === "string" && /^[\w.-]{1,100}$/.test(name),
    expected: "1 to 100 letters, digits, _ . or -",
    isHarmless: true,
    isRequired: true,
  },
  cron: { type: "short-text", isRequired: true },
  request: { type: "any" },
  plan: { type: "any" },
  timeZone: { type: "short-text" },
  metadata: { type: "any" },
  rateKey: { type: "short-text" },
  overlap: { oneOf: ["skip", "allow"], default: "allow" },
} satisfies OptionTable<ScheduleOptions & { readonly name: string }>;

export async function readSchedule(name: string, options: ScheduleOptions) {
  const { request, plan, metadata, ...rest } = readOptions(scheduleOptions, { ...options, name });
  if ((request === undefined) === (plan === undefined))
    failOption("request", request, "given if there is no plan, and left out if there is one");
  const run = (request ?? plan) as string | PlanInput;
  const { content } = await readJob(run, { metadata, timeZone: rest.timeZone });
  return { ...rest, content };
}
