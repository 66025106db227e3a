import { parseArgs } from "node:util";
import { createLlmPlanner, createOllamaModel, createRulePlanner, type Planner } from "../../src/index.ts";

/** What the evaluation was asked to do. */
export interface EvalArguments {
  /** Undefined for the project's own requests. */
  readonly folder: string | undefined;
  readonly planner: Planner;
  /** The model that plans; undefined for the rules. */
  readonly model: string | undefined;
  /** How many misses are shown. */
  readonly misses: number;
  /** How many requests of each file are planned, at most. */
  readonly limit: number;
}

/** Reads the arguments. Throws an error with a message for people. */
export function readArguments(argv: readonly string[], env: NodeJS.ProcessEnv = process.env): EvalArguments {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      planner: { type: "string", default: "rules" },
      model: { type: "string" },
      host: { type: "string" },
      misses: { type: "string", default: "0" },
      limit: { type: "string", default: "Infinity" },
    },
  });
  const shared = { folder: positionals[0], misses: Number(values.misses), limit: Number(values.limit) };
  if (Number.isNaN(shared.misses) || Number.isNaN(shared.limit)) throw new Error("--misses and --limit are numbers.");
  if (values.planner === "rules") return { ...shared, planner: createRulePlanner(), model: undefined };
  if (values.planner !== "ollama") throw new Error(`There is no planner "${values.planner}", only rules and ollama.`);
  const { model = env.OLLAMA_MODEL, host = env.OLLAMA_HOST } = values;
  if (!model) throw new Error("--planner ollama needs the name of a model: --model qwen3");
  return { ...shared, planner: createLlmPlanner({ model: createOllamaModel({ model, host }) }), model };
}
