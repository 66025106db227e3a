import type { JsonPath } from "./json.ts";

/** Text that a planner is shown and that has no authority: a tool's output or error, or the run's `context`. @inline */
export type WordSource =
  | { readonly type: "output" | "error"; readonly stepId: string; readonly iteration?: number }
  | { readonly type: "context" };

/**
 * Why a step of a replan needs approval, whatever its tool and the policy require. It may grow in a minor release.
 * @group Approval
 */
export type ApprovalReason =
  /** Its tool has an effect, the first plan did not call it, and `replanTools` does not name it. */
  | { readonly code: "new-tool" }
  /** Its tool must run only once, and it is unknown whether an earlier call, by the step named here, took effect. */
  | { readonly code: "in-doubt"; readonly stepId: string; readonly iteration?: number }
  /** Its tool has an effect, and its input has words that are in neither the request nor the first plan. */
  | {
      readonly code: "unsaid-words";
      /** Within the step. */
      readonly path: JsonPath;
      readonly words: readonly string[];
      /** Where the words appear; empty if the planner chose them. */
      readonly sources: readonly WordSource[];
    };

/** The step of a replan that needs approval, and why. */
export interface ReplanApproval {
  readonly stepId: string;
  readonly reasons: readonly ApprovalReason[];
}
