import { toErrorData } from "./error-data.ts";
import {
  AgentError,
  type AgentErrorCode,
  type AgentErrorData,
  fromErrorData,
  isAgentError,
  type RefusedWish,
} from "./errors.ts";
import type { PlanDeltaEvent, PlanFallbackEvent } from "./events.ts";
import type { LanguageModel, ModelRequest, ModelResponse } from "./language-model.ts";
import type { Plan, PlanInput, PlanSource, ReadValue } from "./plan.ts";
import type { StepRecord } from "./run-result.ts";
import type { DefinedTool } from "./tool.ts";

/** The input of a planner. @group Planners */
export interface PlanRequest {
  /** The text that the user typed. Not empty; at most `maxRequestLength` long. */
  readonly request: string;
  /** The tools that may be used, each with its description, schemas and phrases. A planner never executes one. */
  readonly tools: readonly DefinedTool[];
  /** Text the caller passes with the request. */
  readonly context?: string;
  /** Things of the dialogue; absent if the request is part of none. A planner may ignore it. */
  readonly thread?: RequestThread | undefined;
  /** The steps that an earlier planner made of each wish: only those without need a plan. Empty if the request is one wish. */
  readonly wishes?: readonly RefusedWish[] | undefined;
  /** A plan with more steps is refused. */
  readonly maxSteps: number;
  /** Time at which planning started, in milliseconds since 1970 UTC. Planners read no other clock. */
  readonly nowMs: number;
  /** IANA name, for words such as "tomorrow". */
  readonly timeZone: string;
  /** The time that planning may take, in milliseconds from its start; then the signal aborts. @default no limit */
  readonly timeoutMs?: number | undefined;
  /** Aborted when the caller cancels or time runs out. A planner should reject soon; its answer no longer counts. */
  readonly signal: AbortSignal;
  /** Planners must call models through this, which rejects with `limit-exceeded`. @default `model.generate(request)` */
  readonly generate?: ((model: LanguageModel, request: ModelRequest) => Promise<ModelResponse>) | undefined;
  /** Reports planning progress to listeners of the run. Nothing is emitted once planning has ended. */
  readonly emit?: ((event: PlanningEvent) => void | Promise<void>) | undefined;
}

/** Things that a request may refer to. @inline */
export interface RequestThread {
  /** Those that the request refers to first, then the newest. */
  readonly things: readonly ThreadThing[];
  /** The same in at most eight lines for a model, with `@1` for the first thing, and the last call; without sensitive values. */
  readonly lines: readonly string[];
}

/** Something that an earlier run showed or changed. @inline */
export interface ThreadThing {
  /** Such as "booking 34: Moreau". */
  readonly text: string;
  readonly keyField: string;
  readonly key: string | number;
  /** The field of the input that takes the key, by the name of each tool that has one. */
  readonly keyInputs: ReadonlyMap<string, string>;
  readonly label?: string | undefined;
  readonly labelField?: string | undefined;
  /** The words of the request that refer to this thing and to no other one. */
  readonly said?: string | undefined;
  /** True if they are its whole name, or its place in a list; false for "it" or a part of the name. */
  readonly isNamed: boolean;
  readonly from: ReadValue["from"];
}

/** An event that a planner may report while it plans; the fields that all events have are filled in. @inline */
export type PlanningEvent =
  | Omit<PlanFallbackEvent, "runId" | "sequence" | "timestamp">
  | Omit<PlanDeltaEvent, "runId" | "sequence" | "timestamp">;

/** The input of a planner when a step has failed for good. @group Planners */
export interface ReplanRequest extends PlanRequest {
  readonly plan: Plan;
  /** The plan that the run started with, made before any output was seen. */
  readonly firstPlan: Plan;
  readonly steps: readonly StepRecord[];
  /** The error that the run would end with. */
  readonly error: AgentErrorData;
  /** The number of this replan in the run, from 1. */
  readonly replan: number;
}

/** A plan as a planner returns it; version, id, request, time and missing parts of the source are filled in. @group Planners */
export type PlanDraft = Pick<PlanInput, "steps"> & { readonly source?: PlanSource | undefined };

/**
 * Turns a request and the tools' descriptions into a plan, which its caller validates. It must not have effects, must
 * write `dependsOn` in every step, and must escape every piece of the request in an input with `escapeTemplate`. It
 * refuses a request by throwing `cannot-plan`; anything else it throws becomes `planning-failed`.
 * {@includeCode ../../examples/16-your-own-planner.ts} @group Planners
 */
export interface Planner {
  /** Short and stable: it becomes `source.planner` of the plan. */
  readonly name: string;
  /** False if it asks no model; it then takes no share of a chain's time and is asked after a refusal. @default true */
  readonly usesModel?: boolean | undefined;
  /** Makes a plan, or throws. */
  plan(request: PlanRequest): PlanDraft | Promise<PlanDraft>;
  /**
   * Responds to a failure with steps that replace all those that have not completed. They may refer to completed steps,
   * but not reuse the id of a step that has started. Throws as `plan` does.
   */
  replan?(request: ReplanRequest): PlanDraft | Promise<PlanDraft>;
}

const planningCodes: ReadonlySet<string> = new Set<AgentErrorCode>([
  "cannot-plan",
  "planning-failed",
  "invalid-plan",
  "invalid-request",
  "timeout",
  "limit-exceeded",
]);

export function toPlanningError(planner: Pick<Planner, "name">, thrown: unknown): AgentError {
  // Getters are read once, because they may throw the second time.
  const data = toErrorData(thrown);
  if (isAgentError(data) && planningCodes.has(data.code)) {
    if (thrown instanceof AgentError) return thrown;
    return fromErrorData({ ...data, details: data.details ?? {} } as AgentErrorData);
  }
  const { name } = planner;
  const message = `The planner "${name}" failed: ${data.message}`;
  return new AgentError("planning-failed", message, { details: { planner: name }, cause: thrown });
}

export function plannerTimeout(
  { name }: Planner,
  { timeoutMs, limit }: { readonly timeoutMs: number; readonly limit: string },
): AgentError<"timeout"> {
  const message = `The planner "${name}" took longer than ${limit} ${timeoutMs} ms.`;
  return new AgentError("timeout", message, { details: { scope: "planner", timeoutMs } });
}
