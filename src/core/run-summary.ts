import type { AgentErrorCode } from "./errors.ts";
import type { AgentEvent, PendingItem, RunStartEvent, RunSuspendEvent } from "./events.ts";
import type { JsonObject } from "./json.ts";
import { addUsage, type ModelUsage } from "./model-usage.ts";
import type { QuestionItem } from "./question.ts";
import { describeWait, type StepRef, stepRefOf } from "./step.ts";

/** A shortened {@link PendingItem}. Approvals can be passed unchanged to `approve` and `reject`. @inline */
type PendingItemSummary =
  | (StepRef & { readonly kind: "outcome" })
  | (StepRef & { readonly kind: "approval"; readonly tool: string; readonly hash: string })
  | { readonly kind: "plan-approval"; readonly hash: string }
  /** The reason is cut to 500 characters. */
  | { readonly kind: "mismatch" | "given-up"; readonly reason: string }
  | Extract<PendingItem, { readonly kind: "wait" }>
  /** The message is cut to 500 characters. */
  | Pick<QuestionItem, "kind" | "stepId" | "id" | "message">;

export function shownRequest({ request, plan }: Partial<Pick<RunStartEvent, "request" | "plan">>): string | undefined {
  return request ?? (plan?.request || undefined);
}

/** The kind of a {@link PendingItem}. @group Runs and results */
export type PendingKind = PendingItem["kind"];

export const pendingKinds = [
  "approval",
  "plan-approval",
  "outcome",
  "wait",
  "question",
  "mismatch",
  "given-up",
] as const;

/** A stored run in a list. @group Runs and results */
export interface RunSummary {
  readonly runId: string;
  /** The state of the run, as `getRun` returns it. */
  readonly status: RunStatus;
  /** Request of the run, or of the plan that it was started with. Absent if there is none. */
  readonly request?: string;
  /** Dialogue of the run; absent if there is none. */
  readonly thread?: string;
  readonly metadata: JsonObject;
  /** Time of creation: ISO 8601, UTC, like the other times. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Time at which its first step started; absent if none has. */
  readonly startedAt?: string;
  /** Time at which the run completed, failed or was cancelled; absent until then. */
  readonly endedAt?: string;
  /** Number of items that a suspended run waits for, the first 10, and the kinds of all; absent for any other run. */
  readonly pending?: {
    readonly count: number;
    readonly items: readonly PendingItemSummary[];
    readonly kinds: readonly PendingKind[];
  };
  /** Time from which the run can be resumed, because of a decision or the end of its earliest wait; else absent. */
  readonly resumeAt?: string;
  /** The usage of all model calls; absent if there were none. */
  readonly usage?: ModelUsage;
  /** Final error of the run; the message is cut to 500 characters. */
  readonly error?: { readonly code: AgentErrorCode; readonly message: string };
}

export type Hold = Extract<PendingItem, { readonly kind: "mismatch" | "given-up" }>;

type WaitItem = Extract<PendingItem, { readonly kind: "wait" | "question" }>;

export function isWait(item: PendingItem): item is WaitItem {
  return item.kind === "wait" || item.kind === "question";
}

export function describeWaiting(item: WaitItem): string {
  return describeWait(item.kind === "wait" ? item : { ask: item, until: item.expiresAt });
}

export function isHold(item: PendingItem): item is Hold {
  return item.kind === "mismatch" || item.kind === "given-up";
}

export function isGivenUp({ pending }: { readonly pending?: readonly { readonly kind: PendingKind }[] }): boolean {
  return pending?.some(({ kind }) => kind === "given-up") === true;
}

export function isHeld({ pending }: { readonly pending?: readonly PendingItem[] }): boolean {
  return pending?.some(isHold) === true;
}

export function isUnstarted({ pending }: { readonly pending?: readonly PendingItem[] }): boolean {
  return pending?.some((item) => isHold(item) && item.isUnstarted === true) === true;
}

export function resumeTimeOf(pending: readonly PendingItem[] | undefined): number | undefined {
  const times = (pending ?? []).flatMap((item) => {
    const until = item.kind === "wait" ? item.until : item.kind === "question" ? item.expiresAt : undefined;
    return until === undefined ? [] : Date.parse(until);
  });
  return times.length === 0 ? undefined : times.reduce((one, other) => Math.min(one, other));
}

/** Data kept by a store to list a run, besides its request, status and other times. @group Storage */
export type RunDigest = Pick<
  RunSummary,
  "thread" | "metadata" | "endedAt" | "pending" | "resumeAt" | "usage" | "error"
>;

const maxItems = 10;
const maxTextLength = 500;

/**
 * Updates the listed data of a run, for a run store. Returns the same object if the event does not change it.
 * {@includeCode ../../examples/24-your-own-store.ts} @group Storage
 */
export function digestAfter(digest: RunDigest = { metadata: {} }, event: AgentEvent): RunDigest {
  switch (event.type) {
    case "run-start":
      return { ...(event.thread !== undefined && { thread: event.thread }), metadata: event.metadata };
    case "plan-end":
    case "plan-revise":
      return event.usage === undefined ? digest : { ...digest, usage: addUsage(digest.usage, event.usage) };
    case "run-suspend":
      return suspended(digest, event);
    case "run-resume": {
      const { pending: _pending, resumeAt: _resumeAt, error: _error, endedAt: _endedAt, ...rest } = digest;
      return rest;
    }
    case "run-end": {
      const { outcome, timestamp } = event;
      if (outcome.status === "completed") return { ...digest, endedAt: timestamp };
      const { code, message } = outcome.error;
      const error = { code, message: message.slice(0, maxTextLength) };
      return { ...digest, ...(outcome.status !== "interrupted" && { endedAt: timestamp }), error };
    }
    default:
      return digest;
  }
}

export function changesDigest({ type }: AgentEvent): boolean {
  return type.startsWith("run-") || type === "plan-end" || type === "plan-revise";
}

function suspended({ resumeAt: _, ...digest }: RunDigest, { pending, resumeAt: at }: RunSuspendEvent): RunDigest {
  const waitMs = resumeTimeOf(pending);
  const resumeAt = at ?? (waitMs === undefined ? undefined : new Date(waitMs).toISOString());
  const kinds = pendingKinds.filter((kind) => pending.some((item) => item.kind === kind));
  const items = pending.slice(0, maxItems).map(summarizeItem);
  return { ...digest, pending: { count: pending.length, items, kinds }, ...(resumeAt !== undefined && { resumeAt }) };
}

function summarizeItem(item: PendingItem): PendingItemSummary {
  if (item.kind === "wait") return item;
  if (item.kind === "question") {
    const { kind, stepId, id, message } = item;
    return { kind, stepId, id, message: message.slice(0, maxTextLength) };
  }
  if (item.kind === "plan-approval") return { kind: item.kind, hash: item.hash };
  if (isHold(item)) return { kind: item.kind, reason: item.reason.slice(0, maxTextLength) };
  const place = stepRefOf(item);
  if (item.kind === "outcome") return { kind: item.kind, ...place };
  return { kind: item.kind, ...place, tool: item.tool, hash: item.hash };
}

/** The status of a run. @group Runs and results */
export type RunStatus = "planning" | "running" | "completed" | "failed" | "cancelled" | "suspended" | "interrupted";

const refusals: ReadonlySet<unknown> = new Set<AgentErrorCode>(["cannot-plan", "approval-rejected"]);

export function shownStatus({ status, error }: Pick<RunSummary, "status" | "error">): RunStatus | "refused" {
  return status === "failed" && refusals.has(error?.code) ? "refused" : status;
}

export const unendedStatuses: ReadonlySet<RunStatus> = new Set(["planning", "running", "interrupted"]);

export const endedStatuses: ReadonlySet<RunStatus> = new Set(["completed", "failed", "cancelled"]);

export const runStatuses: readonly RunStatus[] = [...unendedStatuses, "suspended", ...endedStatuses];

export function isRunStatus(text: unknown): text is RunStatus {
  return runStatuses.some((status) => status === text);
}

/**
 * Returns the status of a run after an event, for a run store; undefined if the event does not change it.
 * {@includeCode ../../examples/24-your-own-store.ts} @group Storage
 */
export function runStatusAfter(event: AgentEvent): RunStatus | undefined {
  switch (event.type) {
    case "run-start":
      return event.plan === undefined ? "planning" : "running";
    case "plan-end":
      return event.outcome.status === "completed" ? "running" : undefined;
    case "run-suspend":
      return "suspended";
    case "run-resume":
      return "running";
    case "run-end":
      return event.outcome.status;
    default:
      return undefined;
  }
}
