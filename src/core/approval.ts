import {
  canonicalJson,
  deepFreeze,
  isPlainObject,
  type JsonObject,
  type JsonPath,
  type JsonValue,
  sha256,
  toJson,
} from "./json.ts";
import type { Plan, PlanStep, ReadValue } from "./plan.ts";
import { type StepRef, stepRefOf } from "./step.ts";
import type { DefinedTool, InferParsedInput, InferToolInput, Tool, ToolEffect } from "./tool.ts";

/** A step, or an iteration of one, to be reviewed. One type for each tool, so that `tool` narrows `input`. */
type StepSubject<TTool extends Tool> = TTool extends Tool
  ? {
      readonly kind: "step";
      readonly stepId: string;
      readonly iteration?: number;
      readonly iterations?: number;
      readonly tool: TTool["name"];
      /** The JSON of the input as the tool gets it: parsed, with defaults. A part that JSON cannot hold is as given. */
      readonly input: InferParsedInput<TTool>;
      /** The JSON after references, before it is parsed: absent if that is `input`. An approver's `input` replaces it. */
      readonly given?: InferToolInput<TTool>;
      /** The effect of the tool with this input. */
      readonly effect: ToolEffect;
      readonly reasoning?: string;
    }
  : never;

interface Expiring {
  /** Time at which the question expires: ISO 8601, UTC; absent if there is no `approvalTtlMs`. */
  readonly expiresAt?: string;
}

/** @inline */
export interface BoundToCall extends Expiring {
  /** The reasons why a step of a replan needs approval, apart from its tool and the policy. */
  readonly reasons?: readonly ApprovalReason[];
  /** Hash that the approval is bound to: of the run, the step, its iteration, the tool, the effect and `input`. */
  readonly hash: string;
}

/** @inline */
interface PlanSubject extends Expiring {
  readonly kind: "plan";
  /** Hash that the approval is bound to: the plan's `hashPlan`. */
  readonly hash: string;
}

export type ApprovalSubject<TTool extends Tool = Tool> = (StepSubject<TTool> & BoundToCall) | PlanSubject;

/** The argument of `requestApproval`. @group Approval */
export type ApprovalRequest<TTool extends Tool = Tool> = { readonly runId: string } & (
  | (StepSubject<TTool> & BoundToCall)
  | (PlanSubject & { readonly plan: Plan })
);

/** `suspend` leaves the decision for later: the run is suspended when nothing else can be done. @group Approval */
export type ApprovalDecision = "approve" | "reject" | "suspend";

/** A note on a decision, for later readers. @inline */
export interface DecisionNote {
  /** The person who decided: at most 200 characters. It is not verified. */
  readonly by?: string;
  /** At most 2000 characters. */
  readonly comment?: string;
}

/** An {@link ApprovalDecision} with further details. @group Approval */
export interface ApprovalAnswer extends DecisionNote {
  readonly decision: ApprovalDecision;
  /** For the error of a step or plan that is rejected. @default `comment`, or "requestApproval rejected it" */
  readonly reason?: string;
  /** Approves the step with this input in place of its own: JSON after references. */
  readonly input?: JsonObject;
}

export interface ChangedCall {
  readonly input: JsonObject;
  /** The effect of the tool with this input. */
  readonly effect: ToolEffect;
  /** Hash that the approval is bound to from now on. */
  readonly hash: string;
}

/** The question of whether approval is needed at all, as a policy gets it. @group Approval */
export type ApprovalQuestion<TTool extends Tool = Tool> = {
  /** Absent in a dry run. */
  readonly runId?: string;
} & (StepSubject<TTool> | { readonly kind: "plan"; readonly plan: Plan });

export interface ApprovedCall extends StepRef {
  readonly runId: string;
  readonly tool: string;
  readonly effect: ToolEffect;
  readonly input: JsonValue;
}

export function toShownInput(parsed: JsonValue, given: JsonObject): { input: JsonObject; given?: JsonObject } {
  const isSame = canonicalJson(parsed) === canonicalJson(given);
  return isSame ? { input: given } : { input: parsed as JsonObject, given };
}

const maxDepth = 500;

/** Keeps the given value where JSON cannot hold the parsed one, or where a list has changed its length. */
export function jsonOfParsed(parsed: unknown, given: JsonValue): JsonValue {
  try {
    return deepFreeze(jsonOfPart(parsed, given, []) ?? given);
  } catch {
    return given;
  }
}

function jsonOfPart(parsed: unknown, given: JsonValue | undefined, around: readonly unknown[]): JsonValue | undefined {
  if (typeof parsed === "bigint") return String(parsed);
  if (parsed instanceof Set || parsed instanceof Map) return jsonOfPart([...parsed], given, around);
  const isList = Array.isArray(parsed);
  const isObject = isPlainObject(parsed) && !("toJSON" in parsed) && !("$sealed" in parsed);
  if (!isList && !isObject) return jsonOf(parsed);
  if (around.includes(parsed) || around.length > maxDepth) return undefined;
  const within = [...around, parsed];
  const partOf = (item: unknown, place: JsonValue | undefined) => {
    const part = jsonOfPart(item, place, within);
    return part === undefined ? place : part;
  };
  if (isList) {
    const places = Array.isArray(given) && given.length === parsed.length ? given : [];
    const items = parsed.map((item, index) => (item === undefined ? null : partOf(item, places[index])));
    return items.includes(undefined) ? undefined : (items as JsonValue[]);
  }
  const places = isPlainObject(given) ? (given as JsonObject) : {};
  const parts = Object.entries(parsed as object)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => [key, partOf(item, Object.hasOwn(places, key) ? places[key] : undefined)]);
  return Object.fromEntries(parts.filter(([, part]) => part !== undefined));
}

function jsonOf(value: unknown): JsonValue | undefined {
  const isHolder = typeof value === "object" && value !== null && !("toJSON" in value);
  const json = isHolder || value === undefined ? undefined : toJson(value);
  return json?.ok ? json.value : undefined;
}

/** Canonical JSON (RFC 8785), so that an approval of one call approves no other. */
export function canonicalCall({ runId, tool, effect, input, ...place }: ApprovedCall): string {
  return canonicalJson({ runId, ...stepRefOf(place), tool, effect, input });
}

export function hashCall(call: ApprovedCall): Promise<string> {
  return sha256(canonicalCall(call));
}

/** A text without authority in a planner's prompt: a step's output or error, or the run's `context`. @inline */
export type WordSource =
  | { readonly type: "output" | "error"; readonly stepId: string; readonly iteration?: number }
  | { readonly type: "context" };

export interface AccountText {
  readonly source: { readonly type: "request" } | WordSource;
  readonly value: unknown;
}

export interface UnsaidValue {
  readonly stepId: string;
  readonly path: JsonPath;
  readonly words: readonly string[];
  readonly sources: readonly WordSource[];
  readonly isChoice: boolean;
}

export interface AccountOptions {
  readonly tools: readonly DefinedTool[];
  readonly texts: readonly AccountText[];
  readonly clock: { readonly nowMs: number; readonly timeZone: string };
  readonly planned?: readonly PlanStep[];
  readonly read?: readonly Pick<ReadValue, "stepId" | "path" | "said">[];
}

export type AccountFor = (
  steps: readonly PlanStep[],
  options: AccountOptions,
) => Promise<{ readonly unsaid: readonly UnsaidValue[] }>;

/** The reason why a step of a replan needs approval. It may grow in a minor release. @group Approval */
export type ApprovalReason =
  /** Its tool has an effect, the first plan did not call it, and `replanTools` does not name it. */
  | { readonly code: "new-tool" }
  /** Its tool must run only once, and it is unknown whether an earlier call, by the step named here, took effect. */
  | { readonly code: "in-doubt"; readonly stepId: string; readonly iteration?: number }
  /** Its tool has an effect, and its input has words that only a text without authority says. */
  | {
      readonly code: "unsaid-words";
      /** The path within the step. */
      readonly path: JsonPath;
      readonly words: readonly string[];
      /** The texts that have the words: at most 10. */
      readonly sources: readonly WordSource[];
    };

export interface ReplanApproval {
  readonly stepId: string;
  readonly reasons: readonly ApprovalReason[];
}
