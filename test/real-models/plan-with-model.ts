import { isDeepStrictEqual } from "node:util";
import {
  createCalculator,
  createFallbackPlanner,
  createLlmPlanner,
  createRulePlanner,
  createTodoStore,
  type DefinedTool,
  isAgentError,
  type LanguageModel,
  type LlmPlannerOptions,
  type PlanDraft,
} from "../../src/index.ts";
import type { EngineRequest } from "./engine-requests.ts";

/** The tools that the tiny model knows. */
export const engineTools: readonly DefinedTool[] = [createTodoStore(), createCalculator()];

/** How a request ended. */
export interface EngineOutcome {
  /** The model's plan is what it should be, or its refusal is. */
  readonly isRight: boolean;
  /** `wrong` is a plan that holds and is not right. */
  readonly kind: "plan" | "refusal" | "wrong" | "fallback" | "failed";
  /** Codes of the answers that were no plan. */
  readonly failures: readonly string[];
  readonly draft?: PlanDraft;
}

/** How requests are planned. */
export interface EngineOptions {
  readonly temperature: number;
  readonly grounding: LlmPlannerOptions["grounding"];
  /** Whether the rules stand behind the model. @default true */
  readonly withRules?: boolean;
}

/** Plans a request by a model, as an app would. */
export async function planWithModel(
  model: LanguageModel,
  { request, steps: wanted }: EngineRequest,
  { temperature, grounding, withRules = true }: EngineOptions,
): Promise<EngineOutcome> {
  const llm = createLlmPlanner({ model, temperature, grounding });
  const planner = createFallbackPlanner(withRules ? [llm, createRulePlanner()] : [llm]);
  const { signal } = new AbortController();
  try {
    const draft = await planner.plan({ request, tools: engineTools, maxSteps: 10, signal, nowMs: 0, timeZone: "UTC" });
    const made = draft.steps.map(({ tool, input }) => ({ tool, input }));
    const isRight = isDeepStrictEqual(made, wanted);
    const failures = draft.source?.failures?.map(({ code }) => code) ?? [];
    const isByModel = draft.source?.planner === "llm";
    return { isRight, kind: isByModel ? (isRight ? "plan" : "wrong") : "fallback", failures, draft };
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    const details = thrown.details as { failures?: readonly { code: string; message: string }[] };
    // The tiny model was taught to write no steps for what no tool can do, and knows no other way to say it.
    const isRefusal = details.failures?.every(({ message }) => message.startsWith("There are no steps.")) ?? true;
    if (isRefusal && isAgentError(thrown) && ["cannot-plan", "planning-failed"].includes(thrown.code)) {
      return { isRight: wanted.length === 0, kind: "refusal", failures: [] };
    }
    return { isRight: false, kind: "failed", failures: details.failures?.map(({ code }) => code) ?? [thrown.code] };
  }
}
