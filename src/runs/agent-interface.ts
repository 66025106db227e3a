import type { EventStream } from "../async/event-channel.ts";
import type { AgentEvent, AgentEventOf, AgentEventType } from "../core/events.ts";
import type { AnyPlan, Plan, PlanInput, UncheckedPlan } from "../core/plan.ts";
import type { PendingPage, RunResult, RunSnapshot } from "../core/run-result.ts";
import type { ListRunsOptions, RunPage } from "../core/run-store.ts";
import type { RunSummary } from "../core/run-summary.ts";
import type { Tool } from "../core/tool.ts";
import type {
  AnsweredItem,
  ApprovalItem,
  ApprovalOptions,
  DeliverOptions,
  GivenAnswer,
  RejectionOptions,
  SettleOptions,
} from "./commands/command-options.ts";
import type { DryRun } from "./planning/dry-run.ts";
import type { Refusal } from "./resume/refuse-run.ts";
import type { ResumeAllOptions, ResumedRun } from "./resume/resume-all.ts";
import type { RunResuming } from "./resume/resume-run.ts";
import type { RunKeys } from "./run/run-keys.ts";
import type {
  CloseOptions,
  DecidingOptions,
  DryRunOptions,
  EventsOptions,
  ForkOptions,
  OptionsArgument,
  PlanOptions,
  ResumeOptions,
  RunOptions,
  ThreadOptions,
} from "./run/run-options.ts";
import type { ListPendingOptions } from "./stored/list-pending.ts";
import type { DeleteWithin, PruneOptions } from "./stored/stored-runs.ts";

/** @inline */
type Listener<TType extends AgentEventType, TTool extends Tool> = (event: AgentEventOf<TType, TTool>) => unknown;

/** Methods of agents and orchestrators. `TRequest` is `string` for agents, which also take requests. */
interface RunMethods<TTool extends Tool, TRequest extends string> {
  readonly tools: readonly TTool[];
  /**
   * Calls a listener for each event of a type until the returned function is called. A listener is added only once, and
   * its errors never change a run. Throws `invalid-options`, as do the next five methods.
   */
  on<TType extends AgentEventType>(this: void, type: TType, listener: Listener<TType, TTool>): () => void;
  /** Calls a listener for the next event of a type. */
  once<TType extends AgentEventType>(this: void, type: TType, listener: Listener<TType, TTool>): () => void;
  /** Removes a listener; does nothing if it was not added. */
  off<TType extends AgentEventType>(this: void, type: TType, listener: Listener<TType, TTool>): void;
  /** Counts the listeners that `on` and `once` have added for a type. */
  listenerCount(this: void, type: AgentEventType): number;
  /** Removes the listeners of a type, or of all types. Listeners added with `subscribe` stay. */
  removeAllListeners(this: void, type?: AgentEventType): void;
  /** Calls a listener for every event. */
  subscribe(this: void, listener: (event: AgentEvent<TTool>) => unknown): () => void;
  /**
   * Returns the stored events of a run, then new ones from any process. Ends when the run ends or, unless `follow` is
   * set, is suspended or interrupted. Slow readers miss no recorded event; transient events come only from this
   * process. Throws `invalid-options`; reading rejects with `run-not-found`, `store-failed` or `cancelled`.
   */
  events(this: void, runId: string, options?: EventsOptions): AsyncIterable<AgentEvent<TTool>>;
  /** Resolves to the state of a stored run, or to undefined. Rejects with `store-failed` or `invalid-options`. */
  getRun(this: void, runId: string, options?: ThreadOptions): Promise<RunSnapshot<TTool> | undefined>;
  /** Lists stored runs, newest first. Rejects with `store-failed`, or `invalid-options`, also for an invalid cursor. */
  listRuns(this: void, options?: ListRunsOptions): Promise<RunPage>;
  /**
   * Lists pending approvals, questions and unknown outcomes, and runs that do not fit this agent or were given up,
   * newest run first. A page has all items of up to `limit` runs, and omits damaged runs. Rejects as `listRuns` does.
   */
  listPending(this: void, options?: ListPendingOptions): Promise<PendingPage>;

  /**
   * Approves a step or the plan, which then runs exactly as shown. Resumes the run here, or sends the decision to the
   * process that runs it. Throws `invalid-options`. The handle's result rejects with `run-not-found`, `run-conflict` if
   * the run does not wait for this decision, `approval-expired`, `invalid-tool-input`, `resume-mismatch` if the run's
   * tools have changed, `store-failed`, or `interrupted` after `close`.
   */
  approve(
    this: void,
    runId: string,
    item: ApprovalItem,
    ...options: OptionsArgument<TTool, ApprovalOptions<TTool>>
  ): RunHandle<TTool>;
  /** Rejects a step or the plan, so that the run fails with `approval-rejected`. Otherwise works as `approve` does. */
  reject(
    this: void,
    runId: string,
    item: ApprovalItem,
    ...options: OptionsArgument<TTool, RejectionOptions<TTool>>
  ): RunHandle<TTool>;
  /**
   * Resumes a stored run where it stopped, or a failed run at the step that failed. Recorded work is not repeated. A
   * step that was cut off runs again, or becomes `unknown` if it is `once`. Joins a run that is active here. If the run
   * has ended for good, or waits for a decision or event, resolves to its result. Rejects with `run-not-found`,
   * `run-owned-elsewhere`, `resume-mismatch`, `invalid-options`, `store-failed`, or `interrupted` after `close`.
   */
  resume(
    this: void,
    runId: string,
    ...options: OptionsArgument<TTool, ResumeOptions<TTool>>
  ): Promise<RunResult<TTool>>;
  /**
   * Undoes the steps of a completed or failed run, last step first. The run becomes `cancelled` and its steps `undone`;
   * `notUndone` lists the other steps that had an effect. A second call resolves to the same result. Rejects with
   * `run-not-found`, `run-conflict` if the run has not ended or was cancelled, and as `resume` does.
   */
  undo(
    this: void,
    runId: string,
    ...options: OptionsArgument<TTool, Omit<ResumeOptions<TTool>, "throwOnFailure"> & ThreadOptions>
  ): Promise<RunResult<TTool>>;
  /**
   * Resumes every run that can continue and that no process runs. Resolves to the result or error of each, once all
   * have ended or wait for a decision or event. Rejects with `store-failed`, `invalid-options` or `interrupted`.
   */
  resumeAll(
    this: void,
    ...options: OptionsArgument<TTool, ResumeAllOptions<TTool>>
  ): Promise<readonly ResumedRun<TTool>[]>;
  /**
   * Copies the events of a run, up to number `after`, to a new run, and resumes the new run as if its process had died
   * after them. Ended steps keep their results. A step that had only started runs again, or is `unknown` if it is
   * `once`. The new run has its own idempotency keys, asks again for unused approvals, and undoes only its own steps.
   * Copied events are not emitted, and the original run stays as it is. Throws `invalid-options`. The handle's result
   * rejects with `run-not-found`, `run-conflict` if another run has the new id, `invalid-options` if the run has fewer
   * events, `secret-unreadable`, and as `resume` does; then nothing is stored.
   */
  fork(this: void, runId: string, ...options: OptionsArgument<TTool, ForkOptions<TTool>>): RunHandle<TTool>;
  /**
   * Settles a step whose outcome is `unknown`, and resumes its run. Throws `invalid-options`; the handle's result
   * rejects with `run-conflict` if the outcome of the step is known, `invalid-tool-output`, and as `resume` does.
   */
  settle(this: void, runId: string, stepId: string, options: SettleOptions<TTool>): RunHandle<TTool>;
  /**
   * Delivers an event to a run, for a step that waits for its name now or later. A run keeps up to 100 events that
   * no step has taken. Steps take events of one name in order, and an `id` that the run has seen is ignored. Resumes a
   * suspended run. Throws `invalid-options` for an invalid name, id or option. The handle's result rejects with
   * `invalid-options` for more than 1 MiB of JSON, or a name or value that does not fit `events`. It also rejects with
   * `run-conflict` if the run has ended, `limit-exceeded` if it keeps too many events, and as `resume` does.
   */
  deliver(this: void, runId: string, name: string, value: unknown, options: DeliverOptions<TTool>): RunHandle<TTool>;
  /**
   * Answers the question of a step, and resumes its run. The item is a question in `result.pending`, or the step's id.
   * The first answer counts. Throws `invalid-options`. The handle's result rejects with `invalid-options` for an answer
   * that does not fit, `run-conflict` if the question was not asked, has expired or was answered differently, and as
   * `resume` does. An agent of `createAgent` reads text as a line of a dialogue; declining cancels the run.
   */
  answer(
    this: void,
    runId: string,
    item: AnsweredItem,
    answer: TRequest | GivenAnswer,
    ...options: OptionsArgument<TTool, DecidingOptions<TTool>>
  ): RunHandle<TTool>;
  /**
   * Cancels a run in any process unless the run has ended. Resolves to its result. The tools' `undo` gets `resources`.
   * Rejects with `run-not-found`, `store-failed`, `invalid-options`, or `interrupted` after `close`.
   */
  cancel(
    this: void,
    runId: string,
    reason?: string,
    options?: Partial<DecidingOptions<TTool>>,
  ): Promise<RunResult<TTool>>;
  /**
   * Accepts no more runs, gives running steps time to end, and interrupts unfinished runs, which can be resumed.
   * Resolves when nothing runs here; tools that ignore their signal are abandoned after `abortGraceMs`. The store stays
   * open. Rejects with `invalid-options`.
   */
  close(this: void, options?: CloseOptions): Promise<void>;

  /**
   * Runs a plan to its end. Every plan is checked first; the compiler also checks a plan that is written in the call.
   * Rejects with `invalid-plan`, `plan-not-approved`, `invalid-options`, `unknown-tool`, `run-conflict` or
   * `run-owned-elsewhere` before anything starts; later failures are in the result.
   */
  execute<const TPlan extends AnyPlan>(
    this: void,
    plan: PlanInput<TTool> | UncheckedPlan<TPlan>,
    ...options: OptionsArgument<TTool, RunOptions<TTool>>
  ): Promise<RunResult<TTool>>;

  /**
   * Previews a plan, as far as its values are known, without calling a tool. An agent plans a request first. Rejects
   * with `invalid-plan`, `plan-not-approved`, `cancelled`, `invalid-options` or `unknown-tool`, and as `plan` does.
   */
  dryRun<const TPlan extends AnyPlan>(
    this: void,
    plan: TRequest | PlanInput<TTool> | UncheckedPlan<TPlan>,
    options?: DryRunOptions<TTool>,
  ): Promise<DryRun<TTool>>;
  /**
   * Starts a plan or request, and returns at once. Throws `invalid-options`, `unknown-tool`, and `invalid-plan` for a
   * plan without steps, or with unknown tools or duplicate ids. Other errors reject `result` and `events`, and cause a
   * `start-refused` warning.
   */
  start<const TPlan extends AnyPlan>(
    this: void,
    plan: TRequest | PlanInput<TTool> | UncheckedPlan<TPlan>,
    ...options: OptionsArgument<TTool, RunOptions<TTool>>
  ): RunHandle<TTool>;
  /**
   * Deletes a run, and frees its id. Rejects with `run-not-found`, `run-owned-elsewhere` while a process owns it,
   * `invalid-options` or `store-failed`.
   */
  deleteRun(this: void, runId: string): Promise<void>;
  /**
   * Deletes the runs that the options select, newest first, except runs that a process owns. Resolves to their number.
   * Rejects with `invalid-options`, `store-failed`, or `cancelled` by the signal.
   */
  prune(this: void, options: PruneOptions): Promise<{ readonly deleted: number }>;
}

/** Runs plans. @group Agents */
export interface Orchestrator<TTool extends Tool = Tool> extends RunMethods<TTool, never> {}

/** A planner and an orchestrator in one. @group Agents */
export interface Agent<TTool extends Tool = Tool> extends RunMethods<TTool, string> {
  /**
   * Turns a request into a validated plan; nothing runs and nothing is stored. Rejects with `cannot-plan`,
   * `planning-failed`, `invalid-plan`, `invalid-request`, `timeout`, `cancelled` or `invalid-options`.
   */
  plan(this: void, request: string, options?: PlanOptions<TTool>): Promise<Plan>;
  /** Plans a request and runs the plan. If planning fails, the result has the error. */
  run(this: void, request: string, ...options: OptionsArgument<TTool, RunOptions<TTool>>): Promise<RunResult<TTool>>;
}

/** Shared by all copies of this package. */
export const workerKey: unique symbol = Symbol.for("planwright.worker") as never;

export interface WorkedAgent {
  readonly [workerKey]: {
    refuse(refusal: Refusal): Promise<RunResult>;
    deliverEarly(runId: string, name: string, value: unknown, options: Pick<DeliverOptions, "id">): Promise<boolean>;
    stopTimers(): void;
    isRecorded(this: void, runId: string): Promise<boolean>;
    deleteBy(within: DeleteWithin | undefined): void;
    keys(name: string): Promise<RunKeys | undefined>;
    readonly leaseMs: number;
    resume(runId: string, options: RunResuming & Required<Pick<ResumeOptions, "resources">>): Promise<RunResult>;
    fits(this: void, run: RunSummary): Promise<boolean>;
  };
}

/** A run in progress. {@includeCode ../../examples/05-cancel-and-time-out.ts} @group Runs and results */
export interface RunHandle<TTool extends Tool = Tool> {
  readonly runId: string;
  /**
   * Resolves once the start or decision is recorded, or is stored for the process that runs the run. With `resume:
   * false`, resolves once that process has recorded the decision. Rejects with the error if the start or decision is
   * refused. Ignoring this promise or `result` causes no unhandled rejection.
   */
  readonly recorded: Promise<void>;
  /** Events of the run, to be read once with `for await`; at most 1000 unread events are kept. */
  readonly events: EventStream<AgentEvent<TTool>>;
  /** Resolves when the run has ended, is suspended or was interrupted. */
  readonly result: Promise<RunResult<TTool>>;
  /** Cancels the run; its tools have `abortGraceMs` to end. Does nothing if the run has ended. */
  cancel(this: void, reason?: string): void;
}
