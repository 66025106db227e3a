import type { ModelResponseFormat } from "../../core/language-model.ts";
import type { AiSdkProviderOptions } from "./ai-sdk-language-model.ts";

/** Providers that want closed schemas, by the part of their name before the first dot. */
const strictProviders = new Set(["openai", "azure", "groq", "xai", "cerebras", "openrouter"]);
/** These send each schema as strict, whatever is asked. */
const alwaysStrict = new Set(["xai", "openrouter"]);
/** Others whose models are named like those of `@ai-sdk/openai-compatible`, such as `mistral.chat`. */
const otherProviders = new Set([
  "mistral",
  "cohere",
  "perplexity",
  "deepseek",
  "google",
  "vertex",
  "anthropic",
  "gateway",
]);

function familyOf(provider: string): string {
  return provider.split(".")[0] ?? provider;
}

/** Whether a provider wants closed schemas: OpenAI's, and those that speak like it. */
export function isStrict(provider: string): boolean {
  const family = familyOf(provider);
  return strictProviders.has(family) || (/\.(chat|completion)$/.test(provider) && !otherProviders.has(family));
}

/** The format to send: without its schema, if that is open and the provider would send it as a closed one. */
export function sendableFormat(
  provider: string,
  format: ModelResponseFormat | undefined,
): ModelResponseFormat | undefined {
  const isRefused = format?.type === "json" && !format.strict && alwaysStrict.has(familyOf(provider));
  return isRefused ? { type: "json" } : format;
}

/**
 * Options that ask how likely each token is. OpenAI's models know the option, also behind Azure or a gateway; others
 * ignore it. It is 1, as `true` makes some of them report twenty alternatives of each token.
 */
export function logprobsOptions(provider: string, given: AiSdkProviderOptions | undefined): AiSdkProviderOptions {
  const names = familyOf(provider) === "azure" ? ["openai", "azure"] : ["openai"];
  return { ...given, ...Object.fromEntries(names.map((name) => [name, { logprobs: 1, ...given?.[name] }])) };
}

/**
 * The options that say whether a schema is strict, which these providers otherwise take it for. Each reads those under
 * its own name, Azure also those of OpenAI.
 */
export function strictOptions(
  provider: string,
  format: ModelResponseFormat | undefined,
  given: AiSdkProviderOptions | undefined,
): { providerOptions?: AiSdkProviderOptions } {
  const isSent = format?.type === "json" && format.schema !== undefined;
  if (!isSent || !isStrict(provider)) return given === undefined ? {} : { providerOptions: given };
  const family = familyOf(provider);
  const names = family === "azure" ? ["openai", "azure"] : [family];
  const strictJsonSchema = format.strict === true;
  const own = names.map((name) => [name, { strictJsonSchema, ...given?.[name] }] as const);
  return { providerOptions: { ...given, ...Object.fromEntries(own) } };
}
