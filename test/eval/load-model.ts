import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { LanguageModel } from "planwright";
import { type AiSdkLanguageModel, createAiSdkModel } from "planwright/ai-sdk";

/**
 * A model of the AI SDK by the package of its provider, such as `@ai-sdk/openai`, or by the path of a module, beginning
 * with a point. What makes the model is the export `name`, by default the one named like the package (`openai`), which
 * is called with the model's id. Throws an error with a message for people.
 */
export async function loadModel(
  provider: string,
  { id, name }: { id: string; name?: string | undefined },
): Promise<LanguageModel> {
  const made = (await importProvider(provider))[name ?? nameOf(provider)];
  if (typeof made !== "function") {
    throw new Error(`${provider} exports no function "${name ?? nameOf(provider)}"; name another with --export.`);
  }
  return createAiSdkModel(made(id) as AiSdkLanguageModel);
}

async function importProvider(provider: string): Promise<Readonly<Record<string, unknown>>> {
  const specifier = provider.startsWith(".") ? pathToFileURL(resolve(provider)).href : provider;
  try {
    return await import(specifier);
  } catch (thrown) {
    throw new Error(`${provider} cannot be loaded: ${(thrown as Error).message.split("\n")[0]} Is it installed?`);
  }
}

/** `@ai-sdk/openai-compatible` is `openaiCompatible`. */
function nameOf(provider: string): string {
  const last =
    provider
      .replace(/\.[cm]?[jt]s$/, "")
      .split("/")
      .at(-1) ?? "";
  return last.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
