/** @module planwright/ai-sdk */

export { type AiSdkLanguageModel, createAiSdkModel } from "./ai-sdk-model.ts";
export { type PostedMessage, readUIMessages } from "./read-ui-messages.ts";
export { toUIMessageStream } from "./to-ui-message-stream.ts";
