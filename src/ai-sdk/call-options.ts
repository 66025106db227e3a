import type { ModelMessage, ModelRequest, ModelResponseFormat } from "../core/language-model.ts";
import type { AiSdkCallOptions, AiSdkMessage, AiSdkProviderOptions } from "./ai-sdk-language-model.ts";

/** Some providers want a name for what a schema describes. */
const answerName = "answer";

/** What a model of the AI SDK is called with for a request. What is not asked for is left out, for its default to hold. */
export function toCallOptions(
  { messages, responseFormat, maxOutputTokens, temperature }: ModelRequest,
  { signal, providerOptions }: { signal: AbortSignal; providerOptions: AiSdkProviderOptions | undefined },
): AiSdkCallOptions {
  return {
    prompt: messages.map(toMessage),
    ...(responseFormat && { responseFormat: toFormat(responseFormat) }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(providerOptions && { providerOptions }),
    abortSignal: signal,
  };
}

function toMessage({ role, content }: ModelMessage): AiSdkMessage {
  return role === "system" ? { role, content } : { role, content: [{ type: "text", text: content }] };
}

function toFormat(format: ModelResponseFormat): NonNullable<AiSdkCallOptions["responseFormat"]> {
  if (format.type === "text") return { type: "text" };
  return { type: "json", ...(format.schema && { schema: format.schema, name: answerName }) };
}
