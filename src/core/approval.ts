import { canonicalJson, sha256 } from "./hash-plan.ts";
import type { JsonObject } from "./json.ts";
import type { Plan } from "./plan.ts";
import type { ToolEffect } from "./tool.ts";

/** What approval is asked for: one step (or one iteration of it) with its input, or a whole plan. */
export type ApprovalSubject =
  | {
      readonly kind: "step";
      readonly stepId: string;
      readonly iteration?: number;
      /** Of how many iterations it is one. */
      readonly iterations?: number;
      readonly tool: string;
      /** The JSON after references, as the tool's schema will parse it. */
      readonly input: JsonObject;
      /** What the approval is bound to: the SHA-256 of the input's canonical JSON (RFC 8785), as 64 lowercase hex digits. */
      readonly inputHash: string;
      readonly effect: ToolEffect;
      readonly reasoning?: string;
    }
  | {
      readonly kind: "plan";
      /** What the approval is bound to: the plan's `hashPlan`. */
      readonly planHash: string;
    };

type StepSubject = Extract<ApprovalSubject, { kind: "step" }>;
type PlanSubject = Extract<ApprovalSubject, { kind: "plan" }>;

/** What `approve` is asked. */
export type ApprovalRequest = { readonly runId: string } & (StepSubject | (PlanSubject & { readonly plan: Plan }));

/** `suspend` leaves it to somebody who will decide later: the run is suspended when nothing else can be done. */
export type ApprovalDecision = "approve" | "reject" | "suspend";

/** What a policy is asked before anything is hashed: whether approval is needed at all. */
export type ApprovalQuestion = { readonly runId: string } & (
  | Omit<StepSubject, "inputHash">
  | { readonly kind: "plan"; readonly plan: Plan }
);

/** The SHA-256 of an input's canonical JSON (RFC 8785), as 64 lowercase hex digits. */
export function hashInput(input: JsonObject): Promise<string> {
  return sha256(canonicalJson(input));
}
