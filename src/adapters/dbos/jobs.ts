import { randomUUID } from "node:crypto";
import type { AgentErrorData } from "../../core/errors.ts";
import { type JsonObject, toJson } from "../../core/json.ts";
import { failOption, type OptionTable, readOptions } from "../../core/options.ts";
import { maxPlanBytes, type PlanInput } from "../../core/plan.ts";
import { checkPlan, invalidPlan } from "../../plan/validate-plan.ts";
import { type RunOptions, runIdOption } from "../../runs/run-options.ts";
import { identityOf, type RunTarget } from "../../runs/run-target.ts";

/** A run that waits for a worker, as JSON. */
export type Job = RunTarget & {
  readonly runId: string;
  /** Options of the run, as they were submitted. */
  readonly options: JsonObject;
};

/** The outcome of a job that was executed; anything else is thrown. */
export type JobOutcome =
  | { readonly outcome: "ran"; readonly status: string }
  /** The run never started, and never will: that is recorded, or its id is that of another run. */
  | { readonly outcome: "refused"; readonly error: AgentErrorData }
  /** This worker cannot execute it, but another may: it is woken later. */
  | { readonly outcome: "postponed" };

/** The order in which a job is taken from the queue. */
export interface JobOrder {
  /** The lowest number is taken first. */
  readonly priority?: number | undefined;
  readonly delayMs?: number | undefined;
  /** A key of jobs, of which only so many are taken in a time. */
  readonly rateKey?: string | undefined;
}

/** Options of `submit`: those of the run that are JSON, and how it is queued. @group Workers */
export interface SubmitOptions
  extends Omit<RunOptions, "resources" | "signal" | "throwOnFailure" | "runId" | "tools" | "replanTools"> {
  /** 1 to 128 of `A-Z a-z 0-9 _ . -`; the same id is the same run. @default a new one */
  runId?: string | undefined;
  /** From 0, which is taken first, as are runs without one. */
  priority?: number | undefined;
  /** It is not taken before this time. */
  startAfter?: Date | undefined;
  /** A key, such as a tenant: the workers' `rateLimit` holds for all runs with the same one. */
  rateKey?: string | undefined;
}

/** The options that the worker checks and gives their defaults. */
const readByWorker = {
  context: { type: "any" },
  maxSteps: { type: "any" },
  timeZone: { type: "any" },
  budget: { type: "any" },
  metadata: { type: "any" },
  timeoutMs: { type: "any" },
  concurrency: { type: "any" },
  onStepFailure: { type: "any" },
  undoOnFailure: { type: "any" },
  maxReplans: { type: "any" },
  approvedHash: { type: "any" },
} as const;

const submitOptions = {
  runId: runIdOption,
  priority: { type: "integer", min: 0, max: 2_147_483_647 },
  startAfter: { isValid: (time) => time instanceof Date && !Number.isNaN(time.getTime()), expected: "a Date" },
  rateKey: { type: "short-text" },
  ...readByWorker,
} satisfies OptionTable<SubmitOptions>;

/** Reads what is submitted as a job. Rejects with `invalid-options`, and with `invalid-plan` for what no tools could mend. */
export async function readJob(
  run: string | PlanInput,
  options: SubmitOptions,
): Promise<{ readonly job: Job; readonly order: JobOrder }> {
  const { runId = `run_${randomUUID()}`, priority, startAfter, rateKey, ...rest } = readOptions(submitOptions, options);
  const json = toJson(rest);
  if (!json.ok) failOption(json.issue.path.join("."), rest, `JSON: ${json.issue.message}`);
  const delayMs = startAfter && Math.max(0, startAfter.getTime() - Date.now());
  const job = { runId, ...(await readTarget(run)), options: json.value as JsonObject };
  return { job, order: { priority, delayMs, rateKey } };
}

async function readTarget(run: string | PlanInput): Promise<RunTarget> {
  if (typeof run === "string") {
    if (!isRequest(run)) failOption("request", run, "a request or a plan");
    return { request: run };
  }
  const scope = { tools: new Map<string, never>(), maxSteps: Number.POSITIVE_INFINITY };
  const { plan, issues, json } = await checkPlan(toJson(run, { maxBytes: maxPlanBytes }), scope);
  // Only a worker knows which tools there are, and what they take.
  const plain = issues.filter(({ code }) => code !== "unknown-tool");
  if (plain.length > 0) throw invalidPlan("The plan is invalid", plain);
  // All of it has been checked, but for its tools.
  return { plan: plan ?? (json as unknown as PlanInput) };
}

/** Returns a text that is the same for two jobs of one id if they are the same run. */
export function identityOfJob(job: Job): string {
  return identityOf(job, { maxRequestLength: Number.POSITIVE_INFINITY });
}

const scheduleOptions = {
  name: {
    // Followed by a time, it is the id of a run.
    isValid: (name) => typeof name === "string" && /^[\w.-]{1,100}$/.test(name),
    expected: "1 to 100 letters, digits, _ . or -",
    isHarmless: true,
    isRequired: true,
  },
  cron: { type: "short-text", isRequired: true },
  request: { isValid: isRequest, expected: "a request", isRequired: true },
  timeZone: { type: "short-text" },
} satisfies OptionTable<{
  readonly name: string;
  readonly cron: string;
  readonly request: string;
  readonly timeZone?: string | undefined;
}>;

/** Throws `invalid-options` for a schedule that could submit nothing. */
export function checkSchedule(schedule: object): void {
  readOptions(scheduleOptions, schedule as never);
}

function isRequest(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}
