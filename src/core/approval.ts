import { canonicalJson, sha256 } from "./hash-plan.ts";
import type { JsonObject } from "./json.ts";
import type { Plan } from "./plan.ts";
import type { InferToolInput, Tool, ToolEffect } from "./tool.ts";

/** A step, or an iteration of one, as somebody has to look at it. One for each tool, so that `tool` narrows `input`. */
type StepSubject<TTool extends Tool> = TTool extends Tool
  ? {
      readonly kind: "step";
      readonly stepId: string;
      readonly iteration?: number;
      /** Of how many iterations it is one. */
      readonly iterations?: number;
      readonly tool: TTool["name"];
      /** The JSON after references, as the tool's schema will parse it. */
      readonly input: InferToolInput<TTool>;
      readonly effect: ToolEffect;
      readonly reasoning?: string;
    }
  : never;

interface InputHash {
  /** What the approval is bound to: the SHA-256 of the input's canonical JSON (RFC 8785), as 64 lowercase hex digits. */
  readonly inputHash: string;
}

interface PlanSubject {
  readonly kind: "plan";
  /** What the approval is bound to: the plan's `hashPlan`. */
  readonly planHash: string;
}

/** What approval is asked for: one step (or one iteration of it) with its input, or a whole plan. */
export type ApprovalSubject<TTool extends Tool = Tool> = (StepSubject<TTool> & InputHash) | PlanSubject;

/** What `approve` is asked. */
export type ApprovalRequest<TTool extends Tool = Tool> = { readonly runId: string } & (
  | (StepSubject<TTool> & InputHash)
  | (PlanSubject & { readonly plan: Plan })
);

/** `suspend` leaves it to somebody who will decide later: the run is suspended when nothing else can be done. */
export type ApprovalDecision = "approve" | "reject" | "suspend";

/** What a policy is asked before anything is hashed: whether approval is needed at all. */
export type ApprovalQuestion<TTool extends Tool = Tool> = {
  /** Absent in a dry run. */
  readonly runId?: string;
} & (StepSubject<TTool> | { readonly kind: "plan"; readonly plan: Plan });

/** The SHA-256 of an input's canonical JSON (RFC 8785), as 64 lowercase hex digits. */
export function hashInput(input: JsonObject): Promise<string> {
  return sha256(canonicalJson(input));
}
