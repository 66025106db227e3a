import { parseArgs } from "node:util";
import { createLlmPlanner, createOllamaModel, createRulePlanner, type LanguageModel, type Planner } from "planwright";
import { loadModel } from "./load-model.ts";

/** What the evaluation was asked to do. */
export interface EvalArguments {
  /** As they were given. */
  readonly argv: readonly string[];
  /** Undefined for the project's own requests. */
  readonly folder: string | undefined;
  readonly planner: Planner;
  /** The model that plans; undefined for the rules. */
  readonly model: string | undefined;
  readonly languageModel: LanguageModel | undefined;
  /** How many misses are shown. */
  readonly misses: number;
  /** How many requests of each file are planned, at most. */
  readonly limit: number;
}

/** Reads the arguments. Throws an error with a message for people. */
export async function readArguments(
  argv: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<EvalArguments> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      planner: { type: "string", default: "rules" },
      model: { type: "string" },
      host: { type: "string" },
      provider: { type: "string" },
      export: { type: "string" },
      misses: { type: "string", default: "0" },
      limit: { type: "string", default: "Infinity" },
    },
  });
  const shared = { argv, folder: positionals[0], misses: Number(values.misses), limit: Number(values.limit) };
  if (Number.isNaN(shared.misses) || Number.isNaN(shared.limit)) throw new Error("--misses and --limit are numbers.");
  if (values.planner === "rules")
    return { ...shared, planner: createRulePlanner(), model: undefined, languageModel: undefined };
  if (values.planner === "ai-sdk") {
    const { provider, model: id, export: name } = values;
    if (!provider || !id)
      throw new Error("--planner ai-sdk needs --provider @ai-sdk/openai --model gpt-5-mini, or others");
    const model = await loadModel(provider, { id, name });
    return { ...shared, planner: createLlmPlanner({ model }), model: `${model.provider}/${id}`, languageModel: model };
  }
  if (values.planner !== "ollama")
    throw new Error(`There is no planner "${values.planner}", only rules, ollama and ai-sdk.`);
  const { model = env.OLLAMA_MODEL, host = env.OLLAMA_HOST } = values;
  if (!model) throw new Error("--planner ollama needs the name of a model: --model qwen3");
  const options = JSON.parse(env.EVAL_OPTIONS ?? "{}") as Record<string, unknown>;
  const languageModel = createOllamaModel({ model, host, options });
  return { ...shared, planner: createLlmPlanner({ model: languageModel }), model, languageModel };
}
