import { createEngine, withoutPlanner } from "./agent.ts";
import { countPending } from "./async/promises.ts";
import type { AccountFor } from "./core/approval.ts";
import { checkObject } from "./core/option-tables.ts";
import type { Planner } from "./core/planner.ts";
import type { RunStore } from "./core/run-store.ts";
import { readZod3 } from "./core/schema-zod3.ts";
import type { Tool } from "./core/tool.ts";
import { createExpressions } from "./plan/expressions.ts";
import { createRulePlanner } from "./planners/rules/rule-planner.ts";
import type { Agent, Orchestrator } from "./runs/agent-interface.ts";
import {
  type EngineSettings,
  type ExecutionOptions,
  type PlanningOptions,
  resolveOptions,
} from "./runs/run/engine-settings.ts";
import { createMemoryRunStore } from "./stores/memory-run-store.ts";

/** Options of {@link createAgent}. @group Agents */
export interface AgentOptions<TTools extends readonly Tool[] = readonly Tool[]>
  extends ExecutionOptions<TTools>,
    PlanningOptions {
  /** Turns requests into plans. @default `createRulePlanner()`, loaded on the first request */
  planner?: Planner | undefined;
  /** Store that records the runs. @default `createMemoryRunStore()` */
  store?: RunStore | undefined;
}

/**
 * Creates an agent, which turns requests into plans and runs them. It works without a model or server. Throws
 * `invalid-options`, for example for two tools with the same name. {@includeCode ../examples/01-first-run.ts}
 * @group Agents
 */
export function createAgent<const TTools extends readonly Tool[]>(
  options: AgentOptions<TTools>,
): Agent<TTools[number]> {
  checkObject("options", options, "createAgent({ tools: [ … ] })");
  readZod3();
  const { planner = createRulePlanner(), store = createMemoryRunStore(), ...rest } = options;
  const settings = resolveOptions({ ...rest, planner, store }, { canPlan: true });
  // If the check cannot be loaded, for example because the process is ending, there is no warning.
  warnOfOpenPhrases(settings).catch(() => {});
  const loadTurns = () => import("./dialogue/read-turn.ts");
  return createEngine({ ...settings, ...allParts(), accountFor, loadTurns }) as Agent<TTools[number]>;
}

const accountFor: AccountFor = async (steps, options) =>
  (await import("./planners/rules/account.ts")).accountFor(steps, options);

async function warnOfOpenPhrases({ toolsByName, onWarning }: EngineSettings): Promise<void> {
  const tools = [...toolsByName.values()].filter(
    ({ phrases, declaredEffect, declaredNeedsApproval }) =>
      typeof phrases !== "function" &&
      phrases.length > 0 &&
      (declaredEffect === "once" || declaredNeedsApproval !== false),
  );
  if (tools.length === 0) return;
  const { findOpenPhrases } = await countPending(import("./planners/rules/open-phrases.ts"));
  for (const tool of tools)
    for (const phrase of findOpenPhrases(tool))
      onWarning({
        code: "open-phrase",
        message:
          `The phrase "${phrase}" of ${tool.name} fits nearly any request, and the tool runs once or needs approval: ` +
          "add a word that says what the tool does.",
      });
}

function allParts(): Pick<EngineSettings, "expressions" | "loadSpeech" | "loadWords"> {
  return {
    expressions: createExpressions(),
    loadSpeech: () => import("./planners/rules/say.ts"),
    loadWords: () => import("./dialogue/say-run.ts"),
  };
}

/** Options of {@link createOrchestrator}. @group Agents */
export interface OrchestratorOptions<TTools extends readonly Tool[] = readonly Tool[]>
  extends ExecutionOptions<TTools> {
  /** Store that records the runs, such as `createMemoryRunStore()`. */
  store: RunStore;
}

/**
 * Creates an orchestrator, which validates and runs plans and emits their events. Throws `invalid-options`.
 * {@includeCode ../examples/18-plans-as-json.ts} @group Agents
 */
export function createOrchestrator<const TTools extends readonly Tool[]>(
  options: OrchestratorOptions<TTools>,
): Orchestrator<TTools[number]> {
  readZod3();
  const settings = resolveOptions(options, { canPlan: false });
  return withoutPlanner({ ...settings, ...allParts() }) as Orchestrator<TTools[number]>;
}
