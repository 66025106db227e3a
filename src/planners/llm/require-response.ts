import { type LanguageModel, type ModelResponse, modelName } from "../../core/language-model.ts";
import { modelFailure } from "../../core/model-failure.ts";

/** A custom model may return anything. */
export function requireResponse(model: LanguageModel, response: unknown): ModelResponse {
  const { text, finishReason } = (response ?? {}) as Partial<ModelResponse>;
  if (typeof text === "string" && typeof finishReason === "string") return response as ModelResponse;
  const message = `generate of ${modelName(model)} must return { text, finishReason, usage }, but returned ${typeof response}.`;
  throw modelFailure(model, "invalid-response", { message });
}
