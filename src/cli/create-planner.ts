import type { Planner } from "../core/planner.ts";
import { createOllamaModel } from "../models/ollama/ollama-model.ts";
import { createFallbackPlanner } from "../planners/fallback-planner.ts";
import { createLlmPlanner } from "../planners/llm/llm-planner.ts";
import { createRulePlanner } from "../planners/rules/rule-planner.ts";
import type { PlannerChoice } from "./cli-io.ts";

/** The chosen planner. A model falls back to the rules, so that there is a plan when no server is running. */
export function createPlanner(choice: PlannerChoice): Planner {
  const rules = createRulePlanner();
  if (choice.type === "rules") return rules;
  const { model, host } = choice;
  const llm = createLlmPlanner({ model: createOllamaModel({ model, host: host && reachable(host) }) });
  return createFallbackPlanner([llm, rules]);
}

/** `OLLAMA_HOST` may also make a server listen on every address, which is not an address to call. */
function reachable(host: string): string {
  return host.replace("0.0.0.0", "127.0.0.1");
}
