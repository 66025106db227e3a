import { countPending } from "../../async/promises.ts";
import type { LanguageModel } from "../../core/language-model.ts";
import { failOption, type OptionTable, readOptions } from "../../core/option-tables.ts";
import type { Planner } from "../../core/planner.ts";
import { readZod3 } from "../../core/schema-zod3.ts";
import type { ModelPlanner, ModelPlannerSettings } from "./model-planner.ts";
import type { PlanExample } from "./prompt.ts";

/** Options of {@link createLlmPlanner}. @group Planners */
export interface LlmPlannerOptions {
  /** The model that writes the plans, such as `createOllamaModel({ model: "qwen3" })`. */
  model: LanguageModel;
  /** Name of the planner, for `source.planner`. @default "llm" */
  name?: string | undefined;
  /** Further instructions for the model, such as the terms that your users use. */
  instructions?: string | undefined;
  /** Requests and their plans, shown if the model sees all their tools. They help small models much. @default none */
  examples?: readonly PlanExample[] | undefined;
  /** 0 for the likeliest answer, null for the model's default. Omitted for a model that refuses it. @default 0 */
  temperature?: number | null | undefined;
  /**
   * The longest answer, in tokens, thinking included. A cut answer is requested once more, with twice the room.
   * @default the limit of a hosted model, or what the budget leaves; for others 2048
   */
  maxOutputTokens?: number | undefined;
  /**
   * The model sees all tools (the nearest ones if not all fit into its prompt), or only the `nearest`, about twenty. They
   * share the most words with the wish by name, description, examples and fields; a request in another language shares
   * few. If none is meant, the model is asked once more, about others. `source.tools` names those it saw. @default "all"
   */
  tools?: "all" | "nearest" | undefined;
  /**
   * Least certainty of a plan, from 0 to 1. A plan is less certain if a token of the model is unlikely (0.75 at most if it
   * reports no likelihoods), and for each word that is left unexplained. Below it, or at 0, the request is refused as
   * `unsure`, with the plan among `proposals`. Tools that are `once` or need approval, and `destructive` phrases, need more.
   * @default 0.6
   */
  minCertainty?: number | undefined;
  /** Lets the model write conditions and loops, which agents check; for strong models. @default false */
  expressions?: boolean | undefined;
  /**
   * Reuses the plan of an earlier, equal request, for the same tools and context, unless it speaks of a time.
   * The most recently used plans are kept, 100 by default. @default false
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
 * Makes the planner "llm": a language model names the operation and copies the user's words, following a schema that
 * contains only the tools, and code reads the values.
 *
 * Every word of the plan is checked against the request. A value that cannot be read is asked for once more; then, or
 * if the model finds nothing that is meant, or is less sure than `minCertainty`, planning fails with `cannot-plan`. An
 * answer that is not JSON of the schema twice is `planning-failed`, with every try. Nothing in a request can add a
 * tool, lift an approval or leave the schema. Throws `invalid-options`.
 *
 * {@includeCode ../../../examples/12-plan-with-a-model.ts}
 * @group Planners
 */
export function createLlmPlanner(options: LlmPlannerOptions): Planner {
  readZod3();
  const { cache: maxCachedPlans, ...others } = readOptions(plannerOptions, options, "llmPlanner");
  const settings: ModelPlannerSettings = { ...others, maxCachedPlans };
  let loading: Promise<ModelPlanner> | undefined;
  const load = (): Promise<ModelPlanner> => {
    loading ??= countPending(import("./model-planner.ts")).then(({ ModelPlanner }) => new ModelPlanner(settings));
    return loading;
  };
  return {
    name: settings.name,
    plan: async (request) => (await load()).plan(request),
    replan: async (request) => (await load()).plan(request, request),
  };
}

function readModel(model: unknown, option: string): LanguageModel {
  const { generate, modelId, provider } = (model ?? {}) as Partial<Record<keyof LanguageModel, unknown>>;
  const isModel = typeof generate === "function" && typeof modelId === "string" && typeof provider === "string";
  if (isModel) return model as LanguageModel;
  const { doGenerate } = (model ?? {}) as { readonly doGenerate?: unknown };
  if (typeof doGenerate === "function") {
    return failOption(option, model, 'createAiSdkModel(model), from "planwright/ai-sdk", for a model of the AI SDK');
  }
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
