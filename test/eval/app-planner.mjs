import { withFirstProposal } from "./first-proposal.mjs";

/** The planner of `run-apps.mjs`: EVAL_PLANNER is rules, proposals, model or both; EVAL_MODEL is a model in Ollama. */
// biome-ignore lint/style/noDefaultExport: the scorer imports it so
export default function createPlanner({
  createRulePlanner,
  createLlmPlanner,
  createFallbackPlanner,
  createOllamaModel,
  toPlan,
}) {
  const { EVAL_PLANNER: kind, EVAL_MODEL: name, EVAL_OPTIONS = "{}", OLLAMA_HOST: host } = process.env;
  const rules = createRulePlanner();
  if (kind === "rules") return rules;
  if (kind === "proposals") return withFirstProposal(rules, toPlan);
  const llm = createLlmPlanner({ model: createOllamaModel({ model: name, host, options: JSON.parse(EVAL_OPTIONS) }) });
  return kind === "model" ? llm : createFallbackPlanner([rules, llm]);
}
