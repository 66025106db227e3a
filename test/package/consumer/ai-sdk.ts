import type { LanguageModel } from "ai";
import { createAiSdkModel } from "planwright/ai-sdk";

/** Every kind of model object that the installed version of the AI SDK knows. */
declare const model: Exclude<LanguageModel, string>;

createAiSdkModel(model).modelId satisfies string;
createAiSdkModel(model, {
  price: { inputPerMillion: 0.25, outputPerMillion: 2 },
  providerOptions: { openai: { reasoningEffort: "low" } },
});
// @ts-expect-error: an id alone is no model.
createAiSdkModel("openai/gpt-5-mini");
