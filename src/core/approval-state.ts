import type { ChangedCall } from "./approval.ts";
import type { AgentErrorData } from "./errors.ts";
import type { AgentEvent } from "./events.ts";

type Question = Pick<Extract<AgentEvent, { type: "approval-request" }>, "expiresAt"> & { readonly hash?: string };
type Decision = Extract<AgentEvent, { type: "approval-end" }>;

/** What was asked and decided about a step or a plan. */
export interface ApprovalState {
  /** The hash of what was reviewed: the decision is bound to it. */
  readonly hash: string;
  readonly status: "requested" | "approved" | "rejected" | "withdrawn";
  /** When a question expires. ISO 8601, UTC. */
  readonly expiresAt?: string;
  /** Only if rejected. */
  readonly error?: AgentErrorData;
  readonly by?: string;
  readonly comment?: string;
  /** ISO 8601, UTC. */
  readonly decidedAt?: string;
  /** The call that was approved in place of the reviewed one. */
  readonly changed?: ChangedCall;
}

/** A newly opened question. One recorded under an older, narrower hash (`inputHash`, `planHash`) is asked again. */
export function requested({ hash, expiresAt }: Question): ApprovalState {
  if (hash === undefined) return { hash: "", status: "withdrawn" };
  return { hash, status: "requested", ...(expiresAt !== undefined && { expiresAt }) };
}

/** A withdrawn question can no longer be approved. */
export function decided({ hash, status }: ApprovalState, { outcome, timestamp }: Decision): ApprovalState {
  if (outcome.status === "withdrawn") return { hash, status: "withdrawn" };
  if (status === "withdrawn" && outcome.status === "approved") return { hash, status };
  return { hash, ...outcome, decidedAt: timestamp };
}
