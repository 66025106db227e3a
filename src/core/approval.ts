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

/** Distributes over tools, so that `tool` narrows `input`. */
type StepSubject<TTool extends Tool> = TTool extends Tool
  ? {
      readonly kind: "step";
      readonly stepId: string;
      readonly iteration?: number;
      readonly iterations?: number;
      readonly tool: TTool["name"];
      /** The tool's parsed input, with defaults, as JSON. A part that JSON cannot express is left unparsed. */
      readonly input: InferParsedInput<TTool>;
      /** The input before parsing, with references resolved; absent if equal to `input`. An approver's `input` replaces it. */
      readonly given?: InferToolInput<TTool>;
      /** The effect of the tool with this input. */
      readonly effect: ToolEffect;
      readonly reasoning?: string;
    }
  : never;

/** @inline */
export interface BoundToCall {
  /** Time at which the request expires: ISO 8601, UTC. Absent without `approvalTtlMs`. */
  readonly expiresAt?: string;
  /** Reasons why a step of a replan needs approval, besides its tool and the policy. */
  readonly reasons?: readonly ApprovalReason[];
  /** Hash of the run, step, iteration, tool, effect and `input`. The approval is valid only for this hash. */
  readonly hash: string;
}

/** @inline */
interface PlanSubject extends Pick<BoundToCall, "expiresAt"> {
  readonly kind: "plan";
  /** Hash of the plan, from `hashPlan`. The approval is valid only for this hash. */
  readonly hash: string;
}

export type ApprovalSubject<TTool extends Tool = Tool> = (StepSubject<TTool> & BoundToCall) | PlanSubject;

/** The argument of `requestApproval`. @group Approval */
export type ApprovalRequest<TTool extends Tool = Tool> = { readonly runId: string } & (
  | (StepSubject<TTool> & BoundToCall)
  | (PlanSubject & { readonly plan: Plan })
);

/** A decision; `suspend` postpones it, and the run is suspended once no other step can run. @group Approval */
export type ApprovalDecision = "approve" | "reject" | "suspend";

/** A note on a decision, for later readers. @inline */
export interface DecisionNote {
  /** The person who decided, in at most 200 characters. Not verified. */
  readonly by?: string;
  /** A comment of at most 2000 characters. */
  readonly comment?: string;
}

/** An {@link ApprovalDecision} with further details. @group Approval */
export interface ApprovalAnswer extends DecisionNote {
  readonly decision: ApprovalDecision;
  /** Reason in the error of the rejected step or plan. @default `comment`, or "requestApproval rejected it" */
  readonly reason?: string;
  /** Approves the step with this input instead of its own: JSON, without references. */
  readonly input?: JsonObject;
}

export interface ChangedCall {
  readonly input: JsonObject;
  readonly effect: ToolEffect;
  /** Hash of the changed call. The approval is valid only for this hash. */
  readonly hash: string;
}

/** A step or plan, for which a policy decides whether approval is needed. @group Approval */
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

/** Keeps the given value where JSON cannot express the parsed one, or the list around it if that changed in length. */
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

/** Canonical JSON (RFC 8785), so that an approval is valid for exactly one call. */
export function canonicalCall({ runId, tool, effect, input, ...place }: ApprovedCall): string {
  return canonicalJson({ runId, ...stepRefOf(place), tool, effect, input });
}

export function hashCall(call: ApprovedCall): Promise<string> {
  return sha256(canonicalCall(call));
}

/** Source of untrusted text in a planner's prompt: the output or error of a step, or the `context` of the run. @inline */
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

/** A reason why a step of a replan needs approval. Minor releases may add codes. @group Approval */
export type ApprovalReason =
  /** The tool has an effect, is not in the first plan, and is not listed in `replanTools`. */
  | { readonly code: "new-tool" }
  /** The tool must run only once, and an earlier call by the named step may have taken effect. */
  | { readonly code: "in-doubt"; readonly stepId: string; readonly iteration?: number }
  /** The tool has an effect, and some words of its input come only from untrusted text. */
  | {
      readonly code: "unsaid-words";
      /** Path within the step. */
      readonly path: JsonPath;
      readonly words: readonly string[];
      /** Sources of the words, at most 10. */
      readonly sources: readonly WordSource[];
    };

export interface ReplanApproval {
  readonly stepId: string;
  readonly reasons: readonly ApprovalReason[];
}
