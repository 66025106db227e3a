/** @module planwright/ai-sdk */

export type { AiSdkLanguageModel, AiSdkProviderOptions, AiSdkReader, AiSdkStream } from "./ai-sdk-language-model.ts";
export { type AiSdkModelOptions, createAiSdkModel } from "./ai-sdk-model.ts";
