import type { AccountFor } from "./core/approval.ts";
import { checkObject } from "./core/options.ts";
import type { Planner } from "./core/planner.ts";
import type { RunStore } from "./core/run-store.ts";
import type { Tool } from "./core/tool.ts";
import { createRulePlanner } from "./planners/rules/rule-planner.ts";
import type { Agent, Orchestrator } from "./runs/agent-methods.ts";
import { createEngine } from "./runs/engine.ts";
import { type ExecutionOptions, type PlanningOptions, resolveOptions } from "./runs/options.ts";
import { createMemoryRunStore } from "./stores/memory-run-store.ts";

export type { Agent } from "./runs/agent-methods.ts";

/** Options of {@link createAgent}. @group Agents */
export interface AgentOptions<TTools extends readonly Tool[] = readonly Tool[]>
  extends ExecutionOptions<TTools>,
    PlanningOptions {
  /** Turns requests into plans. @default `createRulePlanner()`, loaded on the first request */
  planner?: Planner | undefined;
  /** The store in which runs are recorded. @default `createMemoryRunStore()` */
  store?: RunStore | undefined;
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
  const settings = resolveOptions({ ...rest, planner, store }, { canPlan: true });
  return createEngine({ ...settings, accountFor }) as Agent<TTools[number]>;
}

/** Reads what was said as the rules read it, whatever the planner; loaded when a run is replanned. */
const accountFor: AccountFor = async (steps, options) =>
  (await import("./planners/rules/account.ts")).accountFor(steps, options);

/** Options of {@link createOrchestrator}. @group Agents */
export interface OrchestratorOptions<TTools extends readonly Tool[] = readonly Tool[]>
  extends ExecutionOptions<TTools> {
  /** The store in which runs are recorded, such as `createMemoryRunStore()`. */
  store: RunStore;
}

/**
 * An orchestrator: it validates plans, runs them and emits their events, and has no planner. Throws `invalid-options`.
 *
 * {@includeCode ../examples/18-plans-as-json.ts}
 * @group Agents
 */
export function createOrchestrator<const TTools extends readonly Tool[]>(
  options: OrchestratorOptions<TTools>,
): Orchestrator<TTools[number]> {
  const { plan: _plan, run: _run, ...methods } = createEngine(resolveOptions(options, { canPlan: false }));
  const orchestrator: Orchestrator = methods;
  return orchestrator as Orchestrator<TTools[number]>;
}
