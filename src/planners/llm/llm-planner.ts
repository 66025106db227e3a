import { countPending, loadOnce } from "../../async/promises.ts";
import type { LanguageModel } from "../../core/language-model.ts";
import { failOption, type OptionTable, readOptions } from "../../core/option-tables.ts";
import type { Planner } from "../../core/planner.ts";
import { readZod3 } from "../../core/schema-zod3.ts";
import type { PlanExample } from "./prompt.ts";

/** Options of {@link createLlmPlanner}. @group Planners */
export interface LlmPlannerOptions {
  /** Writes the plans, such as `createOllamaModel({ model: "qwen3" })`. */
  model: LanguageModel;
  /** Name of the planner, for `source.planner`. @default "llm" */
  name?: string | undefined;
  /** Further instructions for the model, such as the terms that your users use. */
  instructions?: string | undefined;
  /** Requests with their plans, shown to a model that sees all their tools. They help small models. @default none */
  examples?: readonly PlanExample[] | undefined;
  /** 0 for the likeliest answer, null for the model's default. Not sent to a model that rejects it. @default 0 */
  temperature?: number | null | undefined;
  /**
   * Maximum tokens of an answer, including thinking. An answer cut off at this limit is requested once more, with twice
   * the limit. @default the limit of a hosted model, or what the budget leaves; 2048 for other models
   */
  maxOutputTokens?: number | undefined;
  /**
   * Tools that the model sees: `all`, if they fit into its prompt, or about twenty of the `nearest`. Their names,
   * descriptions, examples and fields share the most words with the wish; a request in another language shares few. If
   * none fits, the model is asked once more, about other tools. `source.tools` names those it saw. @default "all"
   */
  tools?: "all" | "nearest" | undefined;
  /**
   * Minimum certainty of a plan, from 0 to 1. Unlikely tokens and unexplained words lower the certainty, which is at
   * most 0.75 if the model reports no likelihoods. Below the minimum, or at 0, the request is refused as `unsure`, with
   * the plan among `proposals`. Tools that are `once` or need approval, and `destructive` phrases, need more certainty.
   * @default 0.6
   */
  minCertainty?: number | undefined;
  /** Lets the model write conditions and loops, which agents check; for strong models. @default false */
  expressions?: boolean | undefined;
  /**
   * Reuses the plan of an equal earlier request with the same tools and context, unless the request mentions a time or
   * has a `thread`. Keeps the most recently used plans, 100 by default. @default false
   */
  cache?: boolean | { readonly maxPlans: number } | undefined;
}

const plannerOptions = {
  model: readModel,
  name: { type: "short-text", default: "llm" },
  instructions: { type: "text" },
  examples: readExamples,
  temperature: { isValid: isTemperature, expected: "a number from 0 to 2", isHarmless: true, default: 0 },
  maxOutputTokens: { type: "integer", min: 1 },
  tools: { oneOf: ["all", "nearest"], default: "all" },
  minCertainty: { type: "number", min: 0, max: 1, default: 0.6 },
  expressions: { type: "boolean", default: false },
  cache: readCache,
} satisfies OptionTable<LlmPlannerOptions>;

/**
 * Creates the planner "llm". A language model names the operations and copies the user's words, following a schema
 * that contains only the tools. Code then reads the values.
 *
 * Every word of the plan is checked against the request. If a value cannot be read, the model is asked once more.
 * Planning fails with `cannot-plan` if that does not help, if no tool fits, or if the certainty is too low.
 * It fails with `planning-failed`, which lists every try, after two answers that are not JSON of the expected form.
 * Nothing in a request can add a tool, lift an approval or leave the schema. Throws `invalid-options`.
 *
 * {@includeCode ../../../examples/12-plan-with-a-model.ts}
 * @group Planners
 */
export function createLlmPlanner(options: LlmPlannerOptions): Planner {
  readZod3();
  const { cache: maxCachedPlans, ...settings } = readOptions(plannerOptions, options, "llmPlanner");
  const planner = loadOnce(async () => {
    const { ModelPlanner } = await countPending(import("./model-planner.ts"));
    return new ModelPlanner({ ...settings, maxCachedPlans });
  });
  return {
    name: settings.name,
    plan: async (request) => (await planner.get()).plan(request),
    replan: async (request) => (await planner.get()).plan(request, request),
  };
}

function readModel(model: unknown, option: string): LanguageModel {
  const { generate, modelId, provider } = (model ?? {}) as Partial<Record<keyof LanguageModel, unknown>>;
  const isModel = typeof generate === "function" && typeof modelId === "string" && typeof provider === "string";
  if (isModel) return model as LanguageModel;
  const { doGenerate } = (model ?? {}) as { readonly doGenerate?: unknown };
  if (typeof doGenerate === "function")
    return failOption(option, model, 'createAiSdkModel(model), from "planwright/ai-sdk", for a model of the AI SDK');
  return failOption(option, model, 'a language model, such as createOllamaModel({ model: "qwen3" })');
}

function isTemperature(value: unknown): boolean {
  return value === null || (typeof value === "number" && value >= 0 && value <= 2);
}

function readExamples(examples: unknown = [], option: string): readonly PlanExample[] {
  if (!Array.isArray(examples)) failOption(option, examples, "a list of { request, steps }");
  for (const [index, example] of (examples as readonly Partial<PlanExample>[]).entries()) {
    const isExample = typeof example?.request === "string" && Array.isArray(example.steps);
    if (!isExample) failOption(`${option}[${index}]`, example, "{ request, steps: [{ tool, input }] }");
  }
  return examples;
}

function readCache(cache: unknown = false, option: string): number {
  if (cache === false) return 0;
  if (cache === true) return 100;
  const table = { maxPlans: { type: "integer", min: 1, isRequired: true } } as const;
  return readOptions(table, cache as { maxPlans: number }, option).maxPlans;
}
