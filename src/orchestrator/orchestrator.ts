import type { EventStream } from "../async/event-channel.ts";
import type { AgentEvent } from "../core/events.ts";
import { checkOption } from "../core/options.ts";
import type { AnyPlan, PlanInput, UncheckedPlan } from "../core/plan.ts";
import type { RunResult } from "../core/run-result.ts";
import type { RunStore } from "../core/run-store.ts";
import type { InferToolResources, Tool } from "../core/tool.ts";
import type { Decision } from "./decide-run.ts";
import { type ApprovalItem, type ApprovalOptions, type RejectionOptions, readDecision } from "./decision-options.ts";
import type { DryRun } from "./dry-run.ts";
import { Engine } from "./engine.ts";
import { observe, type RunObserver } from "./observe-runs.ts";
import { type ExecutionOptions, resolveOptions } from "./options.ts";
import type { ResumeAllOptions, ResumedRun } from "./resume-all.ts";
import {
  type CloseOptions,
  checkResumeOptions,
  type ResumeOptions,
  readCloseOptions,
  readSettleOptions,
  type SettleOptions,
} from "./resume-options.ts";
import type { RunKeeper } from "./retention.ts";
import type { RunTarget } from "./run-identity.ts";
import type { ContinueOptions, DryRunOptions, RunArguments } from "./run-options.ts";

/** Options of {@link createOrchestrator}. */
export interface OrchestratorOptions<TTools extends readonly Tool[] = readonly Tool[]>
  extends ExecutionOptions<TTools> {
  /** Where runs are recorded, such as `createMemoryRunStore()`. */
  store: RunStore;
}

/** A run in progress. */
export interface RunHandle<TTool extends Tool = Tool> {
  readonly runId: string;
  /** The run's events from the first on, to be read once with `for await`; at most 1000 wait to be read. */
  readonly events: EventStream<AgentEvent<TTool>>;
  /** Resolves when the run has ended, whatever its status. Left unread, it is never an unhandled rejection. */
  readonly result: Promise<RunResult<TTool>>;
  /** Cancels the run; its tools have `abortGraceMs` to end. Does nothing if it has ended. */
  cancel(this: void, reason?: string): void;
}

/**
 * Decides about runs that wait for approval, in this process or another that has the same store.
 *
 * Invalid options throw `invalid-options` at once. The result of the handle rejects with `run-not-found`,
 * `run-conflict` if the run is not waiting for this, `run-owned-elsewhere` if another process is running it,
 * `resume-mismatch` if its tools have changed, or `store-failed`; it resolves when the run ends or is suspended again.
 */
export interface RunApprover<TTool extends Tool = Tool> {
  /**
   * Lets a step, or the plan, run exactly as it was inspected, and resumes its run: at once if it is active in this
   * process, else from the store. The item is one of `result.pending`, or the `approval-request`. Throws
   * `invalid-options`; {@link RunApprover} lists what the result rejects with.
   */
  approve(
    this: void,
    runId: string,
    item: ApprovalItem,
    ...options: ResumeArguments<TTool, ApprovalOptions<TTool>>
  ): RunHandle<TTool>;
  /**
   * As {@link RunApprover.approve}, but the step, or the plan, is not run: the run fails with `approval-rejected`.
   * Throws `invalid-options`; {@link RunApprover} lists what the result rejects with.
   */
  reject(
    this: void,
    runId: string,
    item: ApprovalItem,
    ...options: ResumeArguments<TTool, RejectionOptions<TTool>>
  ): RunHandle<TTool>;
}

/** The arguments of methods that resume runs: options may be left out unless a tool needs resources. */
export type ResumeArguments<TTool extends Tool, TOptions> =
  unknown extends InferToolResources<TTool> ? [options?: TOptions] : [options: TOptions];

/** Resumes runs that have stopped: their process died or was closed, or they failed. */
export interface RunResumer<TTool extends Tool = Tool> {
  /**
   * Resumes a stored run where it stopped. Recorded work is not run again; a step that was cut off runs again, unless
   * its effect is `once`: then its outcome is `unknown`. A failed run resumes with the step that failed. A run that is
   * active in this process is joined, and one that has ended for good, or waits for somebody, resolves to its result.
   * Rejects with `run-not-found`, `run-owned-elsewhere` if another process is running it, `resume-mismatch`,
   * `invalid-options`, `store-failed`, or `interrupted` once the agent was closed.
   */
  resume(
    this: void,
    runId: string,
    ...options: ResumeArguments<TTool, ResumeOptions<TTool>>
  ): Promise<RunResult<TTool>>;
  /**
   * Resumes every run that no process is running, for a process that starts. Resolves to the outcome of each when all
   * have ended or wait for somebody; a run that cannot be resumed is included with its error. Rejects with
   * `store-failed`, `invalid-options` or `interrupted`.
   */
  resumeAll(
    this: void,
    ...options: ResumeArguments<TTool, ResumeAllOptions<TTool>>
  ): Promise<readonly ResumedRun<TTool>[]>;
  /**
   * Settles a step whose outcome is `unknown`, and resumes its run. Throws `invalid-options`; the result of the handle
   * rejects with `run-conflict` if the run does not wait for that, `invalid-tool-output`, and what `resume` rejects
   * with.
   */
  settle(this: void, runId: string, stepId: string, options: SettleOptions<TTool>): RunHandle<TTool>;
  /**
   * Cancels a run, whether this process, another or, as with a suspended run, none has it. Resolves to how it ended;
   * does nothing if it has ended already. `resources` are for tools that undo. Rejects with `run-not-found`,
   * `store-failed`, `invalid-options`, or `interrupted` once the agent was closed.
   */
  cancel(
    this: void,
    runId: string,
    reason?: string,
    options?: Partial<ResumeOptions<TTool>>,
  ): Promise<RunResult<TTool>>;
  /**
   * Takes no more runs, lets running steps end within the time, and leaves the rest to be resumed: those runs end
   * `interrupted`. Resolves when nothing is running here any more; tools that ignore their signal have `abortGraceMs`.
   * The store stays open. Rejects with `invalid-options`.
   */
  close(this: void, options?: CloseOptions): Promise<void>;
}

/** Runs plans. */
export interface Orchestrator<TTool extends Tool = Tool>
  extends RunObserver<TTool>,
    RunApprover<TTool>,
    RunResumer<TTool>,
    RunKeeper {
  /**
   * What a plan would do, with which effects: it is validated and resolved as far as can be known, and no tool is
   * called. Rejects with `invalid-plan`, `plan-not-approved`, `cancelled`, `invalid-options` or `unknown-tool`.
   */
  dryRun<const TPlan extends AnyPlan>(
    this: void,
    plan: PlanInput<TTool> | UncheckedPlan<TPlan>,
    options?: DryRunOptions<TTool>,
  ): Promise<DryRun<TTool>>;
  /**
   * Runs a plan to its end. The compiler checks a plan that is written in the call; one from JSON, or from a variable
   * whose tool names are any text, is checked here. Rejects with `invalid-plan`, `plan-not-approved`,
   * `invalid-options`, `unknown-tool`, `run-conflict` or `run-owned-elsewhere` before anything was started; whatever
   * happens later is in the result.
   */
  execute<const TPlan extends AnyPlan>(
    this: void,
    plan: PlanInput<TTool> | UncheckedPlan<TPlan>,
    ...options: RunArguments<TTool>
  ): Promise<RunResult<TTool>>;
  /**
   * Starts a plan and returns at once. Throws `invalid-options`, `unknown-tool`, and `invalid-plan` for no steps,
   * unknown tools and duplicate ids. Other errors of `execute` reject the handle's result; readers of its events
   * receive them, too, and they are reported as the warning `start-refused`.
   */
  start<const TPlan extends AnyPlan>(
    this: void,
    plan: PlanInput<TTool> | UncheckedPlan<TPlan>,
    ...options: RunArguments<TTool>
  ): RunHandle<TTool>;
}

/**
 * An orchestrator: it validates plans, runs them and emits their events, and has no planner. Throws `invalid-options`.
 */
export function createOrchestrator<const TTools extends readonly Tool[]>(
  options: OrchestratorOptions<TTools>,
): Orchestrator<TTools[number]> {
  const engine = new Engine(resolveOptions({ ...options }, { canPlan: false }));
  return {
    ...observe<TTools[number]>(engine),
    ...decide<TTools[number]>(engine),
    ...continueRuns<TTools[number]>(engine),
    ...keepRuns(engine),
    dryRun: (plan, dryRunOptions) => lookAhead(engine, { plan }, dryRunOptions),
    execute: (plan, ...args) => run(engine, { plan }, args),
    start: (plan, ...args) => start(engine, { plan }, args),
  };
}

/** The part of an engine that takes decisions, with the types of its tools. */
export function decide<TTool extends Tool>(engine: Engine): RunApprover<TTool> {
  const send = (runId: string, verdict: Decision["verdict"], item: ApprovalItem, given: unknown) => {
    const { decision, options } = readDecision(verdict, item, given as RejectionOptions);
    return engine.decide(runId, decision, options) as RunHandle<TTool>;
  };
  return {
    approve: (runId, item, ...[options = {}]) => send(runId, "approve", item, options),
    reject: (runId, item, ...[options = {}]) => send(runId, "reject", item, options),
  };
}

/** The part of an engine that resumes runs, with the types of its tools. */
export function continueRuns<TTool extends Tool>(engine: Engine): RunResumer<TTool> {
  return {
    resume: async (runId, ...[options = {}]) =>
      (await engine.resume(runId, checkResumeOptions(options as ContinueOptions))) as RunResult<TTool>,
    resumeAll: async (...[options = {}]) =>
      (await engine.resumeAll(options as ResumeAllOptions)) as readonly ResumedRun<TTool>[],
    settle: (runId, stepId, options) => {
      const { options: rest, ...settling } = readSettleOptions(stepId, options as SettleOptions);
      return engine.settle(runId, settling, rest) as RunHandle<TTool>;
    },
    cancel: async (runId, reason = "no reason given", options = {}) => {
      checkOption({ type: "text" }, reason, "reason");
      return (await engine.cancel(runId, reason, checkResumeOptions(options as ContinueOptions))) as RunResult<TTool>;
    },
    close: async (options = {}) => engine.close(readCloseOptions(options)),
  };
}

/** The part of an engine that deletes runs. */
export function keepRuns(engine: Engine): RunKeeper {
  return {
    deleteRun: async (runId) => engine.deleteRun(runId),
    prune: async (options) => engine.prune(options),
  };
}

/** Runs a target to its end on an engine, with the types of its tools. */
export function run<TTool extends Tool>(
  engine: Engine,
  target: { request: string } | { plan: object },
  [options]: RunArguments<TTool>,
): Promise<RunResult<TTool>> {
  return engine.run(target as RunTarget, options) as Promise<RunResult<TTool>>;
}

/** Starts a run on an engine, with the types of its tools. */
export function start<TTool extends Tool>(
  engine: Engine,
  target: { request: string } | { plan: object },
  [options]: RunArguments<TTool>,
): RunHandle<TTool> {
  return engine.start(target as RunTarget, options) as RunHandle<TTool>;
}

/** Does a dry run on an engine, with the types of its tools. */
export function lookAhead<TTool extends Tool>(
  engine: Engine,
  target: { request: string } | { plan: object },
  options: DryRunOptions<TTool> | undefined,
): Promise<DryRun<TTool>> {
  return engine.dryRun(target as RunTarget, options) as Promise<DryRun<TTool>>;
}
