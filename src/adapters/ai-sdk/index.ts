/** @module planwright/ai-sdk */

export type { AiSdkLanguageModel } from "./ai-sdk-language-model.ts";
export { createAiSdkModel } from "./ai-sdk-model.ts";
