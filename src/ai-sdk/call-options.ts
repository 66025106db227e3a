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
    ...providerOptionsFor(responseFormat, providerOptions),
    abortSignal: signal,
  };
}

/**
 * OpenAI's strict mode, which its provider turns on, takes only schemas without optional keys and refuses ours. Other
 * providers do not look at what is under its name.
 */
function providerOptionsFor(
  format: ModelResponseFormat | undefined,
  given: AiSdkProviderOptions | undefined,
): { providerOptions?: AiSdkProviderOptions } {
  if (format?.type !== "json" || format.schema === undefined)
    return given === undefined ? {} : { providerOptions: given };
  return { providerOptions: { ...given, openai: { strictJsonSchema: false, ...given?.openai } } };
}

function toMessage({ role, content }: ModelMessage): AiSdkMessage {
  return role === "system" ? { role, content } : { role, content: [{ type: "text", text: content }] };
}

function toFormat(format: ModelResponseFormat): NonNullable<AiSdkCallOptions["responseFormat"]> {
  if (format.type === "text") return { type: "text" };
  return { type: "json", ...(format.schema && { schema: format.schema, name: answerName }) };
}
