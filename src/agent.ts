import type { AccountFor } from "./core/approval.ts";
import { checkObject } from "./core/options.ts";
import type { AnyPlan, Plan, PlanInput, UncheckedPlan } from "./core/plan.ts";
import type { Planner } from "./core/planner.ts";
import type { RunResult } from "./core/run-result.ts";
import type { RunStore } from "./core/run-store.ts";
import type { Tool } from "./core/tool.ts";
import { createRulePlanner } from "./planners/rules/rule-planner.ts";
import type { DryRun } from "./runs/dry-run.ts";
import { Engine } from "./runs/engine.ts";
import type { RunObserver } from "./runs/observe-runs.ts";
import { type ExecutionOptions, type PlanningOptions, resolveOptions } from "./runs/options.ts";
import { methodsOf, type RunApprover, type RunResumer } from "./runs/orchestrator.ts";
import type { RunKeeper } from "./runs/retention.ts";
import type { RunHandle } from "./runs/run-handle.ts";
import type { DryRunOptions, OptionsArgument, PlanOptions, RunOptions } from "./runs/run-options.ts";
import type { RunTarget } from "./runs/run-target.ts";
import { createMemoryRunStore } from "./stores/memory-run-store.ts";

/** Options of {@link createAgent}. @group Agents */
export interface AgentOptions<TTools extends readonly Tool[] = readonly Tool[]>
  extends ExecutionOptions<TTools>,
    PlanningOptions {
  /** Turns requests into plans. @default `createRulePlanner()`, loaded on the first request */
  planner?: Planner | undefined;
  /** Where runs are recorded. @default `createMemoryRunStore()` */
  store?: RunStore | undefined;
}

/** A planner and an orchestrator in one. @group Agents */
export interface Agent<TTool extends Tool = Tool>
  extends RunObserver<TTool>,
    RunApprover<TTool>,
    RunResumer<TTool>,
    RunKeeper {
  /**
   * Turns a request into a validated plan; nothing runs and nothing is stored. Rejects with `cannot-plan`,
   * `planning-failed`, `invalid-plan`, `invalid-request`, `timeout`, `cancelled` or `invalid-options`.
   */
  plan(this: void, request: string, options?: PlanOptions<TTool>): Promise<Plan>;
  /**
   * What a request or a plan would do, with which effects: it is planned, validated and resolved as far as can be
   * known, and no tool is called. Rejects as `plan` and `execute` do.
   */
  dryRun<const TPlan extends AnyPlan>(
    this: void,
    requestOrPlan: string | PlanInput<TTool> | UncheckedPlan<TPlan>,
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
    ...options: OptionsArgument<TTool, RunOptions<TTool>>
  ): Promise<RunResult<TTool>>;
  /** Plans a request and runs the plan. A failure to plan is in the result, too. */
  run(this: void, request: string, ...options: OptionsArgument<TTool, RunOptions<TTool>>): Promise<RunResult<TTool>>;
  /**
   * Starts a request or a plan and returns at once. Throws `invalid-options`, `unknown-tool`, and `invalid-plan` for no
   * steps, unknown tools and duplicate ids. Other errors of `run` or `execute` reject the handle's result; readers of
   * its events receive them, too, and they are reported as the warning `start-refused`.
   */
  start<const TPlan extends AnyPlan>(
    this: void,
    requestOrPlan: string | PlanInput<TTool> | UncheckedPlan<TPlan>,
    ...options: OptionsArgument<TTool, RunOptions<TTool>>
  ): RunHandle<TTool>;
}

/**
 * An agent: it turns what people type into a plan, and runs the plan.
 *
 * Works without a model and without a server: rules plan, memory stores. Throws `invalid-options`, for example for two
 * tools with the same name.
 *
 * {@includeCode ../examples/01-first-run.ts}
 * @group Agents
 */
export function createAgent<const TTools extends readonly Tool[]>(
  options: AgentOptions<TTools>,
): Agent<TTools[number]> {
  checkObject("options", options, "createAgent({ tools: [ … ] })");
  const { planner = createRulePlanner(), store = createMemoryRunStore(), ...rest } = options;
  const engine = new Engine({ ...resolveOptions({ ...rest, planner, store }, { canPlan: true }), accountFor });
  const agent: Agent = {
    ...methodsOf(engine),
    plan: (request, planOptions) => engine.plan(request, planOptions),
    dryRun: (target, dryRunOptions) => engine.dryRun(toTarget(target), dryRunOptions),
    run: (request, runOptions) => engine.run({ request }, runOptions),
    start: (target, runOptions) => engine.start(toTarget(target), runOptions),
  };
  return agent as Agent<TTools[number]>;
}

/** Reads what was said as the rules read it, whatever the planner; loaded when a run is replanned. */
const accountFor: AccountFor = async (steps, options) =>
  (await import("./planners/rules/account.ts")).accountFor(steps, options);

function toTarget(requestOrPlan: string | object): RunTarget {
  return typeof requestOrPlan === "string" ? { request: requestOrPlan } : { plan: requestOrPlan as PlanInput };
}
