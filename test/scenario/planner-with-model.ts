import type { LanguageModel, PlanDraft, Planner, PlanRequest, ReplanRequest } from "planwright";
import type { ModelTokens } from "../../src/core/language-model.ts";
import type { ScriptedText } from "../../src/testing/scripted-model.ts";
import { planOf } from "./plans.ts";

/** An answer of a scripted model with this token usage. */
export const used = (inputTokens: number, outputTokens: number): ScriptedText => ({
  text: "ok",
  usage: { inputTokens, outputTokens } satisfies ModelTokens,
});

/** Options of {@link asksModel}. */
export interface AsksModelOptions {
  readonly name?: string;
  /** How often it asks for a plan, and for replacement steps. */
  readonly calls?: number;
  readonly maxOutputTokens?: number;
  readonly plan?: unknown;
  readonly replan?: unknown;
}

/** A planner that calls its model, and returns the plan of the test. The prompt is estimated at 15 tokens. */
export function asksModel(
  model: LanguageModel,
  { name = "model", calls = 1, maxOutputTokens, plan = planOf("A"), replan }: AsksModelOptions = {},
): Planner {
  const ask = async ({ generate, signal }: PlanRequest | ReplanRequest, answer: unknown) => {
    for (let call = 0; call < calls; call++) {
      const messages = [{ role: "user", content: "x".repeat(32) }] as const;
      await generate?.(model, { messages, maxOutputTokens, signal });
    }
    return answer as PlanDraft;
  };
  return {
    name,
    plan: (request) => ask(request, plan),
    ...(replan !== undefined && { replan: (request: ReplanRequest) => ask(request, replan) }),
  };
}
