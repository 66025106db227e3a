import type { RunStore } from "../core/run-store.ts";
import type { Tool } from "../core/tool.ts";
import type { Orchestrator } from "./agent-methods.ts";
import { createEngine } from "./engine.ts";
import { type ExecutionOptions, resolveOptions } from "./options.ts";

/** Options of {@link createOrchestrator}. @group Agents */
export interface OrchestratorOptions<TTools extends readonly Tool[] = readonly Tool[]>
  extends ExecutionOptions<TTools> {
  /** Where runs are recorded, such as `createMemoryRunStore()`. */
  store: RunStore;
}

/**
 * An orchestrator: it validates plans, runs them and emits their events, and has no planner. Throws `invalid-options`.
 *
 * {@includeCode ../../examples/18-plans-as-json.ts}
 * @group Agents
 */
export function createOrchestrator<const TTools extends readonly Tool[]>(
  options: OrchestratorOptions<TTools>,
): Orchestrator<TTools[number]> {
  const { plan: _plan, run: _run, ...methods } = createEngine(resolveOptions(options, { canPlan: false }));
  const orchestrator: Orchestrator = methods;
  return orchestrator as Orchestrator<TTools[number]>;
}
