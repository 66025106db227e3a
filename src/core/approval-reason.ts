import type { JsonPath } from "./json.ts";

/** Something that a planner is shown and that speaks for nobody: what a tool gave, what it failed with, or the run's `context`. */
export type WordSource =
  | { readonly type: "output" | "error"; readonly stepId: string; readonly iteration?: number }
  | { readonly type: "context" };

/** Why a step of a replan needs approval, whatever its tool and the policy say. It may grow in a minor release. */
export type ApprovalReason =
  /** Its tool has an effect, the first plan did not call it, and `replanTools` does not name it. */
  | { readonly code: "new-tool" }
  /** Its tool must run only once, and it is in doubt whether an earlier call of it took effect: that of the step named here. */
  | { readonly code: "in-doubt"; readonly stepId: string; readonly iteration?: number }
  /** Its tool has an effect, and gets words that neither the request nor the first plan says. */
  | {
      readonly code: "unsaid-words";
      /** Within the step. */
      readonly path: JsonPath;
      readonly words: readonly string[];
      /** Where the words stand; empty if the planner chose them. */
      readonly sources: readonly WordSource[];
    };

/** The step of a replan that needs approval, and why. */
export interface ReplanApproval {
  readonly stepId: string;
  readonly reasons: readonly ApprovalReason[];
}
