import type { DecisionNote } from "./approval.ts";
import { type AgentErrorData, isAgentError } from "./errors.ts";
import type { ForkPoint, PendingItem, RunEndEvent, SkipReason } from "./events.ts";
import { copyJson, type JsonObject, type JsonValue } from "./json.ts";
import { defined } from "./option-tables.ts";
import type { Plan, PlanStep } from "./plan.ts";
import {
  type ApprovalState,
  hadNothingToDo,
  instancesOf,
  type RunState,
  type StepState,
  type StepStatus,
} from "./run-state.ts";
import { type RunStatus, type RunSummary, shownRequest } from "./run-summary.ts";
import { describeSubject, type StepRef, stepRefOf } from "./step.ts";
import type { InferToolInput, InferToolOutput, Tool, ToolEffect } from "./tool.ts";

/** One entry of the execution log. @group Runs and results */
export type StepRecord<TTool extends Tool = Tool> = TTool extends Tool
  ? {
      readonly stepId: string;
      /** Index of the iteration of a `forEach`, from 0. */
      readonly iteration?: number;
      readonly tool: TTool["name"];
      /** The input with references resolved; as in the plan if the step never started. */
      readonly input: InferToolInput<TTool>;
      readonly attempts: number;
      /** ISO 8601, UTC; absent if the step never started. */
      readonly startedAt?: string;
      readonly completedAt?: string;
      readonly reasoning?: string;
      /** The effect of the tool with this input; absent if it was never called. */
      readonly effect?: ToolEffect;
      /** The state of the step; `unknown` if it may have taken effect and must be settled. */
      readonly status: StepStatus;
      /** The error that ended it; absent if none has. */
      readonly error?: AgentErrorData;
    } & (
      | {
          readonly status: "completed";
          readonly output: InferToolOutput<TTool>;
          readonly error?: undefined;
          readonly progress?: undefined;
          readonly reason?: undefined;
        }
      | {
          readonly status: Exclude<StepStatus, "completed">;
          readonly output?: undefined;
          /** Last progress that the tool reported, as in `step-end`. */
          readonly progress?: JsonValue;
          /** Present only for a skipped step. */
          readonly reason?: SkipReason;
        }
    )
  : never;

/** The decision about a step, an iteration of a step, or the plan. @group Approval */
export type ApprovalRecord = (
  | { readonly kind: "step"; readonly stepId: string; readonly iteration?: number }
  | { readonly kind: "plan" }
) &
  DecisionNote & {
    /** The decision; `expired` if there was none in time. */
    readonly status: "approved" | "rejected" | "expired";
    /** Hash of the reviewed call or plan. */
    readonly hash: string;
    /** Time of the decision: ISO 8601, UTC. */
    readonly decidedAt: string;
    /** Input that the approver gave in place of the step's own. */
    readonly input?: JsonObject;
  };

interface RunFields<TTool extends Tool>
  extends Pick<RunSummary, "runId" | "request" | "thread" | "createdAt" | "startedAt" | "endedAt" | "usage">,
    Pick<RunEndEvent, "notUndone" | "text"> {
  /** `completed`, `failed` and `cancelled` are final; an `interrupted` run can be resumed, a `suspended` one waits. */
  readonly status: RunStatus;
  /** The error that ended it; absent while it runs or waits, and if it completed. */
  readonly error?: AgentErrorData;
  /** The approvals, answers, outcomes, times and events that a suspended run waits for; absent for any other run. */
  readonly pending?: readonly PendingItem[];
  /** Origin of a fork; absent if the run was not forked. */
  readonly forkedFrom?: ForkPoint;
  /** Absent if planning failed, has not ended or was not needed. */
  readonly plan?: Plan;
  /** One entry for each step, or each iteration, in plan order. Steps that a replan removed come before those it added. */
  readonly steps: readonly StepRecord<TTool>[];
  /** The decisions about the current steps and plan, in plan order; absent if there are none. */
  readonly approvals?: readonly ApprovalRecord[];
  /** Question that a line of a dialogue answered or declined. The result is then the asking run's result. */
  readonly answered?: { readonly runId: string; readonly stepId: string };
  /** Last digest of the events: SHA-256, 64 lowercase hex digits; absent if no execution had `evidence`. */
  readonly digest?: string;
}

interface OutputSoFar<TTool extends Tool> {
  /** The output of the last step, in plan order, that completed; absent if none has. */
  readonly output?: InferToolOutput<TTool> | (InferToolOutput<TTool> | null)[];
}

/** The result of a run: a copy that the caller may change. @group Runs and results */
export type RunResult<TTool extends Tool = Tool> = RunFields<TTool> &
  (
    | {
        readonly status: "completed";
        /**
         * The output of the last step, in plan order, that completed. With a `forEach`, it is a list, with null for
         * skipped iterations: use `Array.isArray` if a plan may have loops. Missing only if all steps were skipped.
         */
        readonly output: InferToolOutput<TTool> | (InferToolOutput<TTool> | null)[];
        readonly error?: undefined;
        readonly pending?: undefined;
      }
    | (OutputSoFar<TTool> &
        (
          | {
              readonly status: "failed" | "cancelled" | "interrupted";
              readonly error: AgentErrorData;
              readonly pending?: undefined;
            }
          | { readonly status: "suspended"; readonly error?: undefined; readonly pending: readonly PendingItem[] }
        ))
  );

/** A stored run in its current state: like a {@link RunResult}, but it may still be running. @interface @group Runs and results */
export type RunSnapshot<TTool extends Tool = Tool> = RunFields<TTool> &
  OutputSoFar<TTool> & { readonly metadata: JsonObject; readonly updatedAt: string };

/** A page of items that wait for a person. @inline */
export interface PendingPage {
  readonly items: readonly {
    readonly runId: string;
    /** Absent if the run was started with a plan without a request. */
    readonly request?: string;
    readonly metadata: JsonObject;
    /** An item of the run's `pending`. An approval can be passed unchanged to `approve` and `reject`. */
    readonly item: Exclude<PendingItem, { readonly kind: "wait" }>;
    /** The item in words: the call to approve, with the defaults of its schema, or the reason why the run waits. */
    readonly text: string;
    /** The steps of the plan, if `item` is the approval of a plan. */
    readonly steps?: readonly PlanStep[];
  }[];
  /** Pass it to get the next page; absent on the last. */
  readonly cursor?: string;
}

export const undoReasons = {
  "no-undo": "its tool cannot undo it",
  failed: "undoing it failed",
  unknown: "it may have done nothing",
  forked: "it ran in the original run of this fork",
} as const;

export function describeRefusal({ error, approvals = [] }: Pick<RunSnapshot, "error" | "approvals">) {
  if (!isAgentError(error, "approval-rejected")) return undefined;
  const { reason, stepId, iteration } = error.details;
  const subject = describeSubject(stepId === undefined ? undefined : stepRefOf({ stepId, iteration }));
  const isOf = (one: ApprovalRecord) => describeSubject(one.kind === "step" ? stepRefOf(one) : undefined) === subject;
  const { by } = approvals.find((one) => one.status === "rejected" && isOf(one)) ?? {};
  return `${subject.replace(/^./, (first) => first.toUpperCase())} was refused${by === undefined ? "" : ` by ${by}`}: ${reason}`;
}

export function toRunResult<TTool extends Tool>(state: RunState): RunResult<TTool> {
  const { status, error, pending, forkedFrom, startedAt, endedAt, plan, notUndone, usage, digest } = state;
  const last = lastCompleted(state);
  const request = shownRequest({ request: state.request, plan: state.givenPlan });
  const approvals = approvalRecords(state);
  const answered = answeredBy(state);
  return {
    status,
    runId: state.runId,
    ...(forkedFrom && { forkedFrom: { ...forkedFrom } }),
    ...(request !== undefined && { request }),
    ...(state.thread !== undefined && { thread: state.thread }),
    createdAt: state.createdAt,
    ...(startedAt !== undefined && { startedAt }),
    ...(endedAt !== undefined && { endedAt }),
    ...(plan && { plan }),
    steps: stepRecords(state.steps.values()),
    ...(last && { output: copyJson(last.output ?? null) }),
    ...(approvals.length > 0 && { approvals }),
    ...(notUndone && { notUndone: copyJson(notUndone) }),
    ...(state.text !== undefined && { text: state.text }),
    ...(answered && { answered }),
    ...(usage && { usage: copyJson(usage) }),
    ...(digest && { digest: digest.value }),
    ...(error && { error: copyJson(error) }),
    ...(pending && { pending: copyJson(pending) }),
  } as unknown as RunResult<TTool>;
}

export function answeredBy({ turn }: RunState): RunSnapshot["answered"] {
  if (turn?.status !== "answer" && turn?.status !== "decline") return undefined;
  return { runId: turn.runId, stepId: turn.stepId };
}

export function toRunSnapshot<TTool extends Tool>(state: RunState): RunSnapshot<TTool> {
  const { metadata, updatedAt } = state;
  return { ...toRunResult(state), metadata: copyJson(metadata), updatedAt } as unknown as RunSnapshot<TTool>;
}

export function lastCompleted({ plan, steps }: RunState): StepState | undefined {
  const last = plan?.steps.findLast(({ id }) => steps.get(id)?.status === "completed");
  return last && steps.get(last.id);
}

function approvalRecords({ steps, planApproval }: RunState): ApprovalRecord[] {
  return [
    ...recordDecided(planApproval, { kind: "plan" }),
    ...instancesOf(steps.values()).flatMap((one) => recordDecided(one.approval, { kind: "step", ...stepRefOf(one) })),
  ];
}

function recordDecided(
  { status, hash, decidedAt, by, comment, error, changed }: Partial<ApprovalState> = {},
  place: { readonly kind: "plan" } | ({ readonly kind: "step" } & StepRef),
): ApprovalRecord[] {
  if (hash === undefined || decidedAt === undefined || (status !== "approved" && status !== "rejected")) return [];
  const shown = error?.code === "approval-expired" ? "expired" : status;
  return [{ ...place, status: shown, hash, decidedAt, ...defined({ by, comment, input: copyJson(changed?.input) }) }];
}

export function stepRecords(steps: Iterable<StepState>): StepRecord[] {
  return instancesOf(steps).map(toRecord);
}

export function isDoneRecord({ status, reason }: StepRecord): boolean {
  return status === "completed" || hadNothingToDo(reason);
}

/** Copies key by key, because spreading takes twenty times as long. */
function toRecord(step: StepState): StepRecord {
  const { stepId, tool, status, attempts } = step;
  const record: StepState & { reason?: SkipReason } = { stepId, tool, input: copyJson(step.input), status, attempts };
  if (step.iteration !== undefined) record.iteration = step.iteration;
  if (step.output !== undefined && status === "completed") record.output = copyJson(step.output);
  if (step.error !== undefined) record.error = copyJson(step.error);
  if (step.progress !== undefined && status !== "completed") record.progress = copyJson(step.progress);
  if (step.skipReason !== undefined) record.reason = step.skipReason;
  if (step.effect !== undefined) record.effect = step.effect;
  if (step.startedAt !== undefined) record.startedAt = step.startedAt;
  if (step.completedAt !== undefined) record.completedAt = step.completedAt;
  if (step.reasoning !== undefined) record.reasoning = step.reasoning;
  return record as StepRecord;
}
