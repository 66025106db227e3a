import type { LanguageModel, ModelFinishReason, ModelTokens } from "../core/language-model.ts";
import { modelName } from "../core/language-model.ts";
import { modelFailure } from "../core/model-failure.ts";
import { readFields } from "./read-fields.ts";

/** How an answer ended. */
export interface ModelEnd {
  readonly finishReason: ModelFinishReason;
  readonly usage: ModelTokens;
}

const finishReasons: ReadonlyMap<unknown, ModelFinishReason> = new Map([
  ["stop", "stop"],
  ["length", "length"],
  ["content-filter", "content-filter"],
]);

/**
 * Reads the finish reason and the usage of an answer: in version 2 a string and numbers, later objects with `unified`
 * and `total`. Throws `model-failed` if the model reports that it ended with an error, or (version 4) that it broke
 * off.
 */
export function readEnd(model: Pick<LanguageModel, "provider" | "modelId">, ended: unknown): ModelEnd {
  const { finishReason, usage } = readFields(ended, "finishReason", "usage");
  const unified = typeof finishReason === "string" ? finishReason : readFields(finishReason, "unified").unified;
  const name = modelName(model);
  if (unified === "error")
    throw modelFailure(model, "server-error", { message: `${name} ended its answer with an error it does not name.` });
  if (unified === "interrupted")
    throw modelFailure(model, "interrupted", { message: `The answer of ${name} broke off.` });
  return { finishReason: finishReasons.get(unified) ?? "other", usage: readUsage(usage) };
}

function readUsage(usage: unknown): ModelTokens {
  const read = readFields(usage, "inputTokens", "outputTokens");
  const inputTokens = readTokens(read.inputTokens);
  const outputTokens = readTokens(read.outputTokens);
  return {
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
  };
}

/** Some providers report NaN for unknown values. */
function readTokens(told: unknown): number | undefined {
  const tokens = typeof told === "number" ? told : readFields(told, "total").total;
  return typeof tokens === "number" && Number.isFinite(tokens) && tokens >= 0 ? tokens : undefined;
}
