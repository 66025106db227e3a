/** @module planwright/engine */

import { createEngine, withoutPlanner } from "./agent.ts";
import { checkObject, checkOption, failOption } from "./core/option-tables.ts";
import type { Planner } from "./core/planner.ts";
import { type StandardSchema, zodVersionOf } from "./core/schema.ts";
import type { Tool } from "./core/tool.ts";
import type * as main from "./create-agent.ts";
import type { Expressions } from "./plan/expressions.ts";
import type { Agent, Orchestrator } from "./runs/agent-interface.ts";
import { type EngineSettings, readPlanner, resolveOptions } from "./runs/run/engine-settings.ts";
import { createMemoryRunStore } from "./stores/memory-run-store.ts";

export { defineTool } from "./core/define-tool.ts";
export { AgentError, isAgentError } from "./core/errors.ts";
export type { AgentEvent } from "./core/events.ts";
export type { Plan, PlanInput } from "./core/plan.ts";
export type { PlanDraft, Planner, PlanRequest } from "./core/planner.ts";
export type { RunResult } from "./core/run-result.ts";
export type { RunStore } from "./core/run-store.ts";
export type { DefinedTool, Tool } from "./core/tool.ts";
export { createExpressions, type Expressions } from "./plan/expressions.ts";
export type { Agent, Orchestrator, RunHandle } from "./runs/agent-interface.ts";
export { createMemoryRunStore } from "./stores/memory-run-store.ts";

/** Options of {@link createOrchestrator}. @group Agents */
export interface OrchestratorOptions<TTools extends readonly Tool[] = readonly Tool[]>
  extends main.OrchestratorOptions<TTools> {
  /** The language of `when` and `forEach`: `createExpressions()`. @default none: a plan that has either is invalid */
  expressions?: Expressions | undefined;
}

/** Options of {@link createAgent}. @group Agents */
export interface AgentOptions<TTools extends readonly Tool[] = readonly Tool[]>
  extends main.AgentOptions<TTools>,
    Pick<OrchestratorOptions, "expressions"> {
  planner: Planner;
}

/**
 * Creates an agent without the rules of `planwright`. You pass the planner, and calls are described without phrases.
 * Schemas must come from zod 4 or another library. A call with an effect needs approval if a replan adds it, unless
 * `replanTools` has its tool, because only the rules can find out whether the request asks for it. Throws
 * `invalid-options`, for example for a schema of zod 3. {@includeCode ../examples/37-engine.ts} @group Agents
 */
export function createAgent<const TTools extends readonly Tool[]>(
  options: AgentOptions<TTools>,
): Agent<TTools[number]> {
  checkObject("options", options, "createAgent({ tools: [ … ], planner: … })");
  const { store = createMemoryRunStore(), ...rest } = options;
  readPlanner(rest.planner, "planner");
  return createEngine(settingsOf({ ...rest, store }, { canPlan: true })) as Agent<TTools[number]>;
}

/**
 * Creates an orchestrator without support for zod 3, and with expressions only if `expressions` is given. Throws
 * `invalid-options`. {@includeCode ../examples/37-engine.ts} @group Agents
 */
export function createOrchestrator<const TTools extends readonly Tool[]>(
  options: OrchestratorOptions<TTools>,
): Orchestrator<TTools[number]> {
  checkObject("options", options, "createOrchestrator({ tools: [ … ], store: … })");
  return withoutPlanner(settingsOf(options, { canPlan: false })) as Orchestrator<TTools[number]>;
}

function settingsOf({ expressions, ...options }: OrchestratorOptions, how: { canPlan: boolean }): EngineSettings {
  checkOption({ methods: ["load"], expected: "the result of createExpressions()" }, expressions, "expressions");
  const settings = resolveOptions(options, how);
  for (const { name, inputSchema, outputSchema } of settings.toolsByName.values()) {
    refuseZod3(`${name}.inputSchema`, inputSchema);
    refuseZod3(`${name}.outputSchema`, outputSchema);
  }
  for (const [name, schema] of settings.events ?? []) refuseZod3(`events.${name}`, schema);
  return { ...settings, expressions };
}

function refuseZod3(option: string, schema: StandardSchema | undefined): void {
  if (zodVersionOf(schema) !== 3) return;
  failOption(option, "a schema of zod 3", 'a schema of zod 4 or another library: only "planwright" reads zod 3', true);
}
