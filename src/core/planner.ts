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
  /** Text typed by the user: not empty, at most `maxRequestLength` long. */
  readonly request: string;
  /** Tools for the plan, each with its description, schemas and phrases. A planner must not execute them. */
  readonly tools: readonly DefinedTool[];
  /** Text that the caller passes with the request. */
  readonly context?: string;
  /** Things known from the dialogue; absent outside a dialogue. A planner may ignore them. */
  readonly thread?: RequestThread | undefined;
  /** Wishes of the request; empty if it is a single wish. Those that an earlier planner gave steps need no plan. */
  readonly wishes?: readonly RefusedWish[] | undefined;
  /** A plan with more steps is refused. */
  readonly maxSteps: number;
  /** Time at which planning started, in milliseconds since 1970 UTC. Planners read no other clock. */
  readonly nowMs: number;
  /** IANA name of the time zone, for words such as "tomorrow". */
  readonly timeZone: string;
  /** Time limit of planning, in milliseconds from its start. The signal aborts afterwards. @default no limit */
  readonly timeoutMs?: number | undefined;
  /** Aborted if planning is cancelled, interrupted or out of time. A planner should then reject; a plan is ignored. */
  readonly signal: AbortSignal;
  /** Planners must call models through this function, which rejects with `limit-exceeded`. @default `model.generate(request)` */
  readonly generate?: ((model: LanguageModel, request: ModelRequest) => Promise<ModelResponse>) | undefined;
  /** Reports planning progress to listeners of the run. Nothing is emitted once planning has ended. */
  readonly emit?: ((event: PlanningEvent) => void | Promise<void>) | undefined;
}

/** Things that a request may refer to, as data and as text. @inline */
export interface RequestThread {
  /** The things: first those that the request refers to, then the newest. */
  readonly things: readonly ThreadThing[];
  /** The things and the last call in at most eight lines for a model, without sensitive values. `@1` is the first thing. */
  readonly lines: readonly string[];
}

/** Something that an earlier run showed or changed. @inline */
export interface ThreadThing {
  /** The thing in words, such as "booking 34: Moreau". */
  readonly text: string;
  readonly keyField: string;
  readonly key: string | number;
  /** Names of the tools that take the key, each with its input field. */
  readonly keyInputs: ReadonlyMap<string, string>;
  readonly label?: string | undefined;
  readonly labelField?: string | undefined;
  /** Words of the request that refer only to this thing. */
  readonly said?: string | undefined;
  /** True if `said` is the thing's whole name or position in a list; false for "it" or a part of the name. */
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
  /** First plan of the run, made before any output was seen. */
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
 * refuses a request by throwing `cannot-plan`; an unexpected error becomes `planning-failed`.
 * {@includeCode ../../examples/16-your-own-planner.ts} @group Planners
 */
export interface Planner {
  /** Short and stable: it becomes `source.planner` of the plan. */
  readonly name: string;
  /** False if it calls no model. A chain then reserves little time for it, and asks it even after a refusal. @default true */
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
