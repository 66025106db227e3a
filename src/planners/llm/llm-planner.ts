import type { LanguageModel } from "../../core/language-model.ts";
import { checkKeys, checkNumber, failOption } from "../../core/options.ts";
import { countOutside } from "../../core/outside-work.ts";
import type { Planner } from "../../core/planner.ts";
import type { GroundingPolicy } from "./check-grounding.ts";
import type { ModelPlanner, ModelPlannerSettings } from "./plan-by-model.ts";
import type { PlanExample } from "./plan-prompt.ts";

/** Options of {@link createLlmPlanner}. @group Planners */
export interface LlmPlannerOptions {
  /** The model that writes the plans, such as `createOllamaModel({ model: "qwen3" })`. */
  model: LanguageModel;
  /** What `source.planner` is. @default "llm" */
  name?: string | undefined;
  /** Further instructions for the model, such as the terms that your users use. */
  instructions?: string | undefined;
  /**
   * Requests and their plans, shown to the model if it may use all their tools. Small models gain much. @default none
   */
  examples?: readonly PlanExample[] | undefined;
  /** 0 for the likeliest answer, null for the model's default. Omitted for a model that refuses it. @default 0 */
  temperature?: number | null | undefined;
  /**
   * The longest answer, in tokens, thinking included. A cut answer is requested once more, with twice the room.
   * @default by the length of the request, 2048 to 8192
   */
  maxOutputTokens?: number | undefined;
  /**
   * What to do about a word or number in a step that is not in the request: `refuse` refuses the plan if the step has
   * an effect and warns if it has none, `warn` only warns (in `source.warnings`), `off` does not check. A value that a
   * schema prescribes, such as an operation, needs no word: a tool that may not act unasked needs approval.
   * @default "refuse"
   */
  grounding?: GroundingPolicy | undefined;
  /** Whether the model may write conditions and loops; for strong models. @default false */
  expressions?: boolean | undefined;
  /**
   * Whether the plan of an earlier, equal request is reused: within a day, for the same tools, context and time zone.
   * The most recently used plans are kept, 100 by default. @default false
   */
  cache?: boolean | { readonly maxPlans: number } | undefined;
}

const keys = [
  "model",
  "name",
  "instructions",
  "examples",
  "temperature",
  "maxOutputTokens",
  "grounding",
  "expressions",
  "cache",
];
const defaultCachedPlans = 100;

/**
 * Makes the planner "llm": a language model writes the plan, following a schema that contains only the tools and their
 * inputs.
 *
 * A small model may answer with anything, so each answer is read with care, checked against the tools and the request,
 * and requested once more if it is invalid. If the next one is invalid too, planning fails with `planning-failed`, with
 * every try; if the model states that the tools cannot do it, with `cannot-plan`. Nothing in a request can add a tool,
 * lift an approval or leave the schema.
 *
 * Throws `invalid-options`.
 *
 * {@includeCode ../../../examples/12-plan-with-a-model.ts}
 * @group Planners
 */
export function createLlmPlanner(options: LlmPlannerOptions): Planner {
  const settings = resolveSettings(options);
  let loading: Promise<ModelPlanner> | undefined;
  const load = (): Promise<ModelPlanner> => {
    // The code that reads answers is loaded by the first request.
    loading ??= countOutside(import("./plan-by-model.ts")).then(({ ModelPlanner }) => new ModelPlanner(settings));
    return loading;
  };
  return {
    name: settings.name,
    plan: async (request) => (await load()).plan(request),
    replan: async (request) => (await load()).replan(request),
  };
}

function resolveSettings(options: LlmPlannerOptions): ModelPlannerSettings {
  checkKeys("llmPlanner", options, keys);
  const { model, name = "llm", instructions, examples = [], temperature = 0, maxOutputTokens } = options;
  const { grounding = "refuse", expressions = false } = options;
  checkModel("llmPlanner.model", model);
  if (typeof name !== "string" || name === "") failOption("llmPlanner.name", name, "a short text");
  if (instructions !== undefined && typeof instructions !== "string") {
    failOption("llmPlanner.instructions", instructions, "text");
  }
  checkExamples(examples);
  if (temperature !== null) checkNumber("llmPlanner.temperature", temperature, { min: 0, max: 2 });
  checkNumber("llmPlanner.maxOutputTokens", maxOutputTokens, { min: 1, isInteger: true });
  if (!["refuse", "warn", "off"].includes(grounding))
    failOption("llmPlanner.grounding", grounding, "refuse, warn or off");
  if (typeof expressions !== "boolean") failOption("llmPlanner.expressions", expressions, "true or false");
  const maxCachedPlans = resolveCache(options.cache);
  return { name, model, instructions, examples, temperature, maxOutputTokens, grounding, expressions, maxCachedPlans };
}

/** Throws `invalid-options` unless the value is a language model. */
function checkModel(option: string, model: unknown): void {
  const { generate, modelId, provider } = (model ?? {}) as Partial<Record<keyof LanguageModel, unknown>>;
  const isModel = typeof generate === "function" && typeof modelId === "string" && typeof provider === "string";
  if (isModel) return;
  const { doGenerate } = (model ?? {}) as { readonly doGenerate?: unknown };
  if (typeof doGenerate === "function") {
    failOption(option, model, 'createAiSdkModel(model), from "planwright/ai-sdk", for a model of the AI SDK');
  }
  failOption(option, model, 'a language model, such as createOllamaModel({ model: "qwen3" })');
}

function checkExamples(examples: unknown): void {
  if (!Array.isArray(examples)) failOption("llmPlanner.examples", examples, "a list of { request, steps }");
  for (const [index, example] of (examples as readonly Partial<PlanExample>[]).entries()) {
    const isExample = typeof example?.request === "string" && Array.isArray(example.steps);
    if (!isExample) failOption(`llmPlanner.examples[${index}]`, example, "{ request, steps: [{ tool, input }] }");
  }
}

function resolveCache(cache: LlmPlannerOptions["cache"]): number {
  if (cache === undefined || cache === false) return 0;
  if (cache === true) return defaultCachedPlans;
  checkKeys("llmPlanner.cache", cache, ["maxPlans"]);
  checkNumber("llmPlanner.cache.maxPlans", cache.maxPlans, { min: 1, isInteger: true, isRequired: true });
  return cache.maxPlans;
}
