import { toDefinedTool } from "./core/define-tool.ts";
import { isRecord, type JsonObject } from "./core/json.ts";
import { type SensitiveView, sensitiveViewOf } from "./core/sensitive-paths.ts";
import { printable } from "./core/text.ts";
import type { DefinedTool, SaidCall, Tool } from "./core/tool.ts";
import { isSensitiveTool, toolSchemas } from "./core/tool-schemas.ts";
import { addedByDefault, describeDefaults } from "./plan/added-defaults.ts";
import { compileTool } from "./planners/rules/phrase-rules.ts";
import { sayNames, sayStep } from "./planners/rules/say.ts";
import { hideInput } from "./runs/secrets/sensitive-values.ts";

/** Apart from the exports of the package, or a bundler would load the phrases' English with every agent. */
export function sayCall({ tool: name, input }: SaidCall, tools: readonly Tool[]): string {
  if (!isRecord(input)) return sayNames(name, {});
  const given = tools.find((each) => each.name === name);
  const tool = given && toDefinedTool("tool", given);
  const { shown, words = sayNames(name, shown), added } = inWords(tool, input as JsonObject);
  return printable(added === undefined ? words : `${words} (${added})`);
}

/** A phrase that cannot be read is reported by whoever plans. */
export async function loadPhrases(tools: readonly Tool[]): Promise<void> {
  const load = async (tool: Tool) => void (await compileTool(toDefinedTool("tool", tool)));
  await Promise.allSettled(tools.map(load));
}

export function inWords(tool: DefinedTool | undefined, input: JsonObject, onSecret = (_secret: unknown) => {}) {
  const shown = hideInput(input, tool && viewOf(tool), onSecret);
  if (tool === undefined) return { shown, words: undefined, added: undefined };
  return { shown, words: sayStep(tool, shown), added: describeDefaults(addedByDefault(tool, input)) };
}

/** Each field counts as sensitive until a schema of zod 3 can be read, which takes its converter. */
function viewOf(tool: DefinedTool): SensitiveView | undefined {
  if (!isSensitiveTool(tool)) return undefined;
  const schemas = toolSchemas(tool);
  return sensitiveViewOf(schemas instanceof Promise ? { additionalProperties: { sensitive: true } } : schemas.input);
}
