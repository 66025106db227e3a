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

/** The methods that agents and orchestrators have in common. `TRequest` is text where requests are taken, too. */
interface RunMethods<TTool extends Tool, TRequest extends string> {
  readonly tools: readonly TTool[];
  /**
   * Calls a listener, added once, for each event of a type until the returned function is called. Its errors never
   * change a run. Throws `invalid-options`, as do the next five methods.
   */
  on<TType extends AgentEventType>(this: void, type: TType, listener: Listener<TType, TTool>): () => void;
  /** Calls a listener for the next event of a type. */
  once<TType extends AgentEventType>(this: void, type: TType, listener: Listener<TType, TTool>): () => void;
  /** Removes a listener; does nothing if it was not added. */
  off<TType extends AgentEventType>(this: void, type: TType, listener: Listener<TType, TTool>): void;
  /** Counts the listeners that `on` and `once` have added for a type. */
  listenerCount(this: void, type: AgentEventType): number;
  /** Removes the listeners of a type, or of all types; those of `subscribe` stay. */
  removeAllListeners(this: void, type?: AgentEventType): void;
  /** Calls a listener for every event. */
  subscribe(this: void, listener: (event: AgentEvent<TTool>) => unknown): () => void;
  /**
   * The events of a run: the stored ones, then new ones from any process, until it ends or, unless `follow` is set, is
   * suspended or interrupted. No recorded event is left out, however slow the reader; transient events come from this
   * process alone. Throws `invalid-options`; reading rejects with `run-not-found`, `store-failed` or `cancelled`.
   */
  events(this: void, runId: string, options?: EventsOptions): AsyncIterable<AgentEvent<TTool>>;
  /** The state of a stored run; undefined if there is none. Rejects with `store-failed` and `invalid-options`. */
  getRun(this: void, runId: string, options?: ThreadOptions): Promise<RunSnapshot<TTool> | undefined>;
  /** Stored runs, newest first, in pages. Rejects with `store-failed`, and `invalid-options` for a wrong cursor. */
  listRuns(this: void, options?: ListRunsOptions): Promise<RunPage>;
  /**
   * The inbox: approvals, outcomes to settle, runs that do not fit or were given up, from the newest run on. A page has
   * all items of up to `limit` runs, without damaged ones. Rejects as `listRuns` does.
   */
  listPending(this: void, options?: ListPendingOptions): Promise<PendingPage>;

  /**
   * Lets a step, or the plan, run exactly as it was inspected, and resumes its run here, or sends the decision to the
   * process that runs it. The item is one of `result.pending`, or the `approval-request`. Throws `invalid-options`. The
   * handle's result resolves when the run ends or is suspended again; it rejects with `run-not-found`, `run-conflict`
   * if the run does not wait for this, `resume-mismatch` if its tools have changed, `store-failed`, or `interrupted`
   * after `close`.
   */
  approve(
    this: void,
    runId: string,
    item: ApprovalItem,
    ...options: OptionsArgument<TTool, ApprovalOptions<TTool>>
  ): RunHandle<TTool>;
  /** As `approve`, but the step, or the plan, is not run: the run fails with `approval-rejected`. */
  reject(
    this: void,
    runId: string,
    item: ApprovalItem,
    ...options: OptionsArgument<TTool, RejectionOptions<TTool>>
  ): RunHandle<TTool>;
  /**
   * Resumes a stored run where it stopped, a failed one with the step that failed. Recorded work is not run again; a
   * step that was cut off runs again, or is `unknown` if it is `once`. A run active here is joined; one that has ended
   * for good, or waits for a decision or event, resolves to its result. Rejects with `run-not-found`,
   * `run-owned-elsewhere`, `resume-mismatch`, `invalid-options`, `store-failed`, or `interrupted` after `close`.
   */
  resume(
    this: void,
    runId: string,
    ...options: OptionsArgument<TTool, ResumeOptions<TTool>>
  ): Promise<RunResult<TTool>>;
  /**
   * Undoes what a completed or failed run has done, the last step first: the run becomes `cancelled`, its steps
   * `undone`, and `notUndone` lists the others that had an effect. A second call resolves to the same. Rejects with
   * `run-not-found`, `run-conflict` if the run has not ended or was cancelled, and as `resume` does.
   */
  undo(
    this: void,
    runId: string,
    ...options: OptionsArgument<TTool, Omit<ResumeOptions<TTool>, "throwOnFailure"> & ThreadOptions>
  ): Promise<RunResult<TTool>>;
  /**
   * Resumes every run that can continue and that no process is running. Resolves to the result or error of each when
   * all have ended or wait for a decision or an event. Rejects with `store-failed`, `invalid-options` or `interrupted`.
   */
  resumeAll(
    this: void,
    ...options: OptionsArgument<TTool, ResumeAllOptions<TTool>>
  ): Promise<readonly ResumedRun<TTool>[]>;
  /**
   * Copies the events of a run, up to `sequence` `after`, to a new run, and resumes that as if its process had died
   * there: ended steps keep their results, and one that had only started runs again, or is `unknown` if its effect is
   * `once`. The new run has its own idempotency keys, asks again for unused approvals, and undoes only what it has done
   * itself. Copied events are not emitted, and the other run stays as it is. Throws `invalid-options`. The handle's
   * result rejects with `run-not-found`, `run-conflict` if another run has the new id, `invalid-options` if the run has
   * fewer events, `secret-unreadable`, and as `resume` does; then nothing is stored.
   */
  fork(this: void, runId: string, ...options: OptionsArgument<TTool, ForkOptions<TTool>>): RunHandle<TTool>;
  /**
   * Settles a step whose outcome is `unknown`, and resumes its run. Throws `invalid-options`; the handle's result
   * rejects with `run-conflict` if the run does not wait for that, `invalid-tool-output`, and as `resume` does.
   */
  settle(this: void, runId: string, stepId: string, options: SettleOptions<TTool>): RunHandle<TTool>;
  /**
   * Delivers an event to a run, for a step that waits for its name, now or later; the run keeps up to 100. Events of a
   * name are taken in order, and an `id` that the run has seen is ignored. A suspended run is resumed. Throws
   * `invalid-options` for a wrong name, id or option. The handle's result rejects with `invalid-options` for more than
   * 1 MiB of JSON, or a name or value that does not fit `events`; with `run-not-found`, `run-conflict` if the run has
   * ended, `limit-exceeded` if it keeps too many, and as `resume` does.
   */
  deliver(this: void, runId: string, name: string, value: unknown, options: DeliverOptions<TTool>): RunHandle<TTool>;
  /**
   * Answers the question of a step, and resumes its run. The item is one of `result.pending`, or the id of its step.
   * The first answer counts. Throws `invalid-options`. The handle's result rejects with `invalid-options` for what does
   * not fit the question, `run-conflict` if the run does not ask it, or it was answered differently or has expired, and
   * as `resume` does. An agent of `createAgent` reads a text as a line of a dialogue; to decline cancels the run.
   */
  answer(
    this: void,
    runId: string,
    item: AnsweredItem,
    answer: TRequest | GivenAnswer,
    ...options: OptionsArgument<TTool, DecidingOptions<TTool>>
  ): RunHandle<TTool>;
  /**
   * Cancels a run, whichever process owns it, unless it has ended; resolves to its result. `resources` are for `undo`.
   * Rejects with `run-not-found`, `store-failed`, `invalid-options`, or `interrupted` after `close`.
   */
  cancel(
    this: void,
    runId: string,
    reason?: string,
    options?: Partial<DecidingOptions<TTool>>,
  ): Promise<RunResult<TTool>>;
  /**
   * Takes no more runs, lets running steps end in time, and interrupts all other runs, which can be resumed. Resolves
   * when nothing runs here; tools that ignore their signal have `abortGraceMs`. The store stays open. Rejects with
   * `invalid-options`.
   */
  close(this: void, options?: CloseOptions): Promise<void>;

  /**
   * Runs a plan to its end. The compiler checks a plan that is written in the call; any other is checked here. Rejects
   * with `invalid-plan`, `plan-not-approved`, `invalid-options`, `unknown-tool`, `run-conflict` or
   * `run-owned-elsewhere` before anything starts; whatever happens later is in the result.
   */
  execute<const TPlan extends AnyPlan>(
    this: void,
    plan: PlanInput<TTool> | UncheckedPlan<TPlan>,
    ...options: OptionsArgument<TTool, RunOptions<TTool>>
  ): Promise<RunResult<TTool>>;

  /**
   * Tells what a plan would do, as far as is known; no tool is called. An agent plans a request first. Rejects with
   * `invalid-plan`, `plan-not-approved`, `cancelled`, `invalid-options` or `unknown-tool`, and as `plan` does.
   */
  dryRun<const TPlan extends AnyPlan>(
    this: void,
    plan: TRequest | PlanInput<TTool> | UncheckedPlan<TPlan>,
    options?: DryRunOptions<TTool>,
  ): Promise<DryRun<TTool>>;
  /**
   * Starts a plan or request, and returns at once. Throws `invalid-options`, `unknown-tool`, and `invalid-plan` for no
   * steps, unknown tools and duplicate ids. Other errors reject result and events, with the warning `start-refused`.
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
   * Deletes the runs that the options select, newest first, but none that a process owns. Resolves to how many.
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
  /** Plans a request and runs the plan. A failure to plan is in the result, too. */
  run(this: void, request: string, ...options: OptionsArgument<TTool, RunOptions<TTool>>): Promise<RunResult<TTool>>;
}

/** All copies of this package share this symbol. */
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
   * Resolves once the start, or the decision, is recorded, or is stored for the process that runs the run; a decision
   * with `resume: false` once that process has recorded it. Rejects with the error that refuses it. Left unread,
   * neither it nor `result` is an unhandled rejection.
   */
  readonly recorded: Promise<void>;
  /** The run's events from the first on, to be read once with `for await`; at most 1000 wait to be read. */
  readonly events: EventStream<AgentEvent<TTool>>;
  /** Resolves when the run has ended, whatever its status. */
  readonly result: Promise<RunResult<TTool>>;
  /** Cancels the run; its tools have `abortGraceMs` to end. Does nothing if it has ended. */
  cancel(this: void, reason?: string): void;
}
