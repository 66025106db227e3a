import type * as planwright from "planwright";
import { withFirstProposal } from "./first-proposal.mjs";

/** Who plans: the rules, and with the first proposal; with a model the model alone, and the model for what the rules refuse. */
export function plannersWith(
  { createFallbackPlanner, createLlmPlanner, createRulePlanner, toPlan }: typeof planwright,
  model: planwright.LanguageModel | undefined,
): Readonly<Record<string, planwright.Planner>> {
  const rules = createRulePlanner();
  if (model === undefined) return { rules, proposals: withFirstProposal(rules, toPlan) };
  const llm = createLlmPlanner({ model });
  return { rules, model: llm, both: createFallbackPlanner([rules, llm]) };
}
