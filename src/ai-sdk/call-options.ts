import type { ModelMessage, ModelRequest, ModelResponseFormat } from "../core/language-model.ts";
import type { AiSdkCallOptions, AiSdkMessage, AiSdkProviderOptions } from "./ai-sdk-language-model.ts";

/** Some providers want a name for what a schema describes. */
const answerName = "answer";

/**
 * The options for calling a model of the AI SDK with a request. Unset ones are left out, so that their defaults apply.
 */
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
 * OpenAI's strict mode, which its provider turns on, accepts only schemas without optional keys and refuses ours. Other
 * providers ignore options under its name.
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
