import type { Planner } from "../core/planner.ts";
import { createOllamaModel } from "../models/ollama/ollama-model.ts";
import { createFallbackPlanner } from "../planners/fallback-planner.ts";
import { createLlmPlanner } from "../planners/llm/llm-planner.ts";
import { createRulePlanner } from "../planners/rules/rule-planner.ts";
import type { PlannerChoice } from "./cli-io.ts";

/** The planner that was chosen. Behind a model stand the rules, so that there is a plan when no server runs. */
export function createPlanner(choice: PlannerChoice): Planner {
  const rules = createRulePlanner();
  if (choice.type === "rules") return rules;
  const { model, host } = choice;
  const llm = createLlmPlanner({ model: createOllamaModel({ model, host: host && reachable(host) }) });
  return createFallbackPlanner([llm, rules]);
}

/** `OLLAMA_HOST` also tells a server to listen on every address, which is none to call. */
function reachable(host: string): string {
  return host.replace("0.0.0.0", "127.0.0.1");
}
