import type { ChangedCall } from "./approval.ts";
import type { AgentErrorData } from "./errors.ts";
import type { AgentEvent } from "./events.ts";

type Question = Pick<Extract<AgentEvent, { type: "approval-request" }>, "expiresAt"> & { readonly hash?: string };
type Decision = Extract<AgentEvent, { type: "approval-end" }>;

/** What was asked and decided about a step or a plan. */
export interface ApprovalState {
  /** Of what was looked at: the decision is bound to it. */
  readonly hash: string;
  readonly status: "requested" | "approved" | "rejected" | "withdrawn";
  /** Of a question: when it can no longer be decided. ISO 8601, UTC. */
  readonly expiresAt?: string;
  /** Of one that was rejected. */
  readonly error?: AgentErrorData;
  readonly by?: string;
  readonly comment?: string;
  /** ISO 8601, UTC. */
  readonly decidedAt?: string;
  /** What was approved in place of what was looked at. */
  readonly changed?: ChangedCall;
}

/** A question, open from now on. One that was recorded under a hash of less (`inputHash`, `planHash`) has to be asked again. */
export function requested({ hash, expiresAt }: Question): ApprovalState {
  if (hash === undefined) return { hash: "", status: "withdrawn" };
  return { hash, status: "requested", ...(expiresAt !== undefined && { expiresAt }) };
}

/** What was withdrawn is not approved any more. */
export function decided({ hash, status }: ApprovalState, { outcome, timestamp }: Decision): ApprovalState {
  if (outcome.status === "withdrawn") return { hash, status: "withdrawn" };
  if (status === "withdrawn" && outcome.status === "approved") return { hash, status };
  return { hash, ...outcome, decidedAt: timestamp };
}
