import type { AgentErrorData } from "./errors.ts";
import type { AgentEvent } from "./events.ts";

/** What was asked and decided about a step or a plan. */
export interface ApprovalState {
  /** What the decision is bound to. */
  readonly hash: string;
  readonly status: "requested" | "approved" | "rejected" | "withdrawn";
  /** Of one that was rejected. */
  readonly error?: AgentErrorData;
}

/** A question, open from now on. One that was recorded under a hash of less (`inputHash`, `planHash`) has to be asked again. */
export function requested({ hash }: { readonly hash?: string }): ApprovalState {
  return hash === undefined ? { hash: "", status: "withdrawn" } : { hash, status: "requested" };
}

/** What was withdrawn is not approved any more. */
export function decided(
  { hash, status }: ApprovalState,
  { outcome }: Extract<AgentEvent, { type: "approval-end" }>,
): ApprovalState {
  return status === "withdrawn" && outcome.status === "approved" ? { hash, status } : { hash, ...outcome };
}
