/** @module planwright/ai-sdk */

export { type AiSdkLanguageModel, createAiSdkModel } from "./ai-sdk-model.ts";
