import { countPending } from "../../async/pending-work.ts";
import { indexTools } from "../../core/define-tool.ts";
import { AgentError } from "../../core/errors.ts";
import { type OptionTable, readOptions } from "../../core/options.ts";
import type { PlanStep } from "../../core/plan.ts";
import type { PlanDraft, Planner, PlanRequest } from "../../core/planner.ts";
import type { Tool } from "../../core/tool.ts";
import { compileTool, type ToolRules } from "./phrase-rules.ts";
import { RequestReader } from "./readings.ts";
import { readRequest } from "./request.ts";
import { Spelling } from "./spelling.ts";
import { orderSteps } from "./steps.ts";

/** Makes the planner "rules" anew. */
export function createGrammarPlanner(): Planner {
  return {
    name: "rules",
    usesModel: false,
    async plan(request): Promise<PlanDraft> {
      const { steps } = await countPending(planByGrammar(request));
      return { steps };
    },
  };
}

/** Plans a request with the phrases of the tools, or throws `cannot-plan`. */
export async function planByGrammar(request: PlanRequest): Promise<{ readonly steps: readonly PlanStep[] }> {
  const { tools, nowMs, timeZone } = request;
  const compiled = tools.map(compileTool);
  const rules: readonly ToolRules[] = compiled.some((tool) => tool instanceof Promise)
    ? await Promise.all(compiled)
    : (compiled as readonly ToolRules[]);
  const text = await readRequest(request.request, { nowMs, timeZone });
  const spelling = new Spelling(rules.map(({ vocabulary }) => vocabulary));
  const reader = new RequestReader(rules, text, (word) => spelling.meaningsOf(word));
  const found = await reader.read();
  if (found.type === "read") return { steps: orderSteps(found.drafts, text) };
  const why =
    found.type === "ambiguous"
      ? `ambiguous: ${found.matches.map(({ rule }) => rule?.example).join(" | ")}`
      : found.type === "refused"
        ? `${found.refusal.reason}: ${reader.quote(found.clause)}`
        : `not understood: ${reader.quote(found.clause)} ${found.unfit?.why ?? ""} ${found.match?.rule?.example ?? ""}`;
  throw new AgentError("cannot-plan", `The request cannot be planned: ${why}`, {
    details: { reason: "not-understood", examples: [] },
  });
}
void [indexTools, readOptions];
export type { OptionTable, Tool };
