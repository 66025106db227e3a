import { randomUUID } from "node:crypto";
import { canonicalJson } from "../../core/canonical-json.ts";
import { type JsonObject, toJson } from "../../core/json.ts";
import { failOption, type OptionTable, readOptions } from "../../core/options.ts";
import { maxPlanBytes, type PlanInput } from "../../core/plan.ts";
import type { Tool } from "../../core/tool.ts";
import { canonicalPlan } from "../../plan/hash-plan.ts";
import { invalidPlan, plainIssues } from "../../plan/plain-issues.ts";
import type { RunOptions } from "../../runs/run-options.ts";
import type { Job, JobOrder, JobTarget } from "./run-queue.ts";

/** Options of submitting a run: those that can travel, and how it is queued. @group Workers */
export interface SubmitOptions
  extends Omit<RunOptions, "resources" | "signal" | "throwOnFailure" | "runId" | "tools" | "replanTools"> {
  /** 1 to 128 of `A-Z a-z 0-9 _ . -`; the same id is the same run. @default a new one */
  runId?: string | undefined;
  /** From 0, which is taken first, as are runs without one. */
  priority?: number | undefined;
  /** It is not taken before this time. */
  startAfter?: Date | undefined;
}

/** Checked by the worker, which gives them their defaults. */
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
  runId: {
    isValid: (id) => typeof id === "string" && /^[\w.-]{1,128}$/.test(id),
    expected: "1 to 128 letters, digits, _ . or -",
  },
  priority: { type: "integer", min: 0, max: 2_147_483_647 },
  startAfter: {
    isValid: (time) => time instanceof Date && !Number.isNaN(time.getTime()),
    expected: "a Date",
  },
  ...readByWorker,
} satisfies OptionTable<SubmitOptions>;

/** Tools of any name: only a worker knows which ones there are. */
class AnyTools extends Map<string, Tool> {
  override has(): boolean {
    return true;
  }
}

const anyTools = new AnyTools();

/** What is submitted, as a job. Throws `invalid-options`, and `invalid-plan` for plain mistakes. */
export function readJob(
  run: string | PlanInput,
  options: SubmitOptions,
): { readonly job: Job; readonly order: JobOrder } {
  const { runId = `run_${randomUUID()}`, priority, startAfter, ...rest } = readOptions(submitOptions, options);
  const json = toJson(rest);
  if (!json.ok) failOption(json.issue.path.join("."), rest, `JSON: ${json.issue.message}`);
  const delayMs = startAfter && Math.max(0, startAfter.getTime() - Date.now());
  const job = { runId, ...readTarget(run), options: json.value as JsonObject };
  return { job, order: { priority, delayMs } };
}

function readTarget(run: string | PlanInput): JobTarget {
  if (typeof run === "string") {
    if (run.trim() === "") failOption("request", run, "a request or a plan");
    return { request: run };
  }
  const issues = plainIssues(run, anyTools);
  const json = toJson(run, { maxBytes: maxPlanBytes });
  if (!json.ok) throw invalidPlan("The plan is invalid", [{ code: "invalid-shape", ...json.issue }]);
  if (issues.length > 0) throw invalidPlan("The plan is invalid", issues);
  // Looked at above, and checked by the worker.
  return { plan: json.value as unknown as PlanInput };
}

/** What makes two jobs of one id the same run. */
export function identityOfJob({ request, plan }: Job): string {
  return request === undefined ? `plan ${canonicalPlan(plan)}` : canonicalJson(request);
}
