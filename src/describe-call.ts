import { toDefinedTool } from "./core/define-tool.ts";
import { copyJson, isRecord, type JsonObject } from "./core/json.ts";
import { parseWith } from "./core/schema.ts";
import { type SensitiveView, sensitiveViewOf } from "./core/sensitive-paths.ts";
import { printable } from "./core/text.ts";
import type { DefinedTool, SaidCall, Tool } from "./core/tool.ts";
import { isSensitiveTool, toolSchemas } from "./core/tool-schemas.ts";
import { addedByDefault, describeDefaults } from "./plan/added-defaults.ts";
import { fillReferences, findReferences } from "./plan/references.ts";
import { sayNames, sayOwn } from "./plan/say-call.ts";
import { hideInput } from "./runs/run/sensitive-values.ts";

export type SayStep = (tool: DefinedTool, input: JsonObject) => string | undefined;

export function sayCall(
  { tool: name, input: last, given: input = last }: SaidCall,
  tools: readonly Tool[],
  sayStep?: SayStep,
): string {
  if (!isRecord(input)) return printable(sayNames(name, {}));
  const found = tools.find((each) => each?.name === name);
  const tool = found && toDefinedTool("tool", found);
  const parsed = input === last ? undefined : last;
  const { shown, words, added } = inWords(tool, { input: input as JsonObject, parsed, sayStep });
  const text = words ?? sayNames(name, shown);
  return printable(added === undefined ? text : `${text} (${added})`);
}

interface Said {
  readonly input: JsonObject;
  readonly parsed?: unknown;
  readonly sayStep?: SayStep | undefined;
  readonly onSecret?: (secret: unknown) => void;
}

export function inWords(tool: DefinedTool | undefined, { input, parsed, sayStep = sayOwn, onSecret = () => {} }: Said) {
  const shown = hideInput(input, tool && viewOf(tool), onSecret);
  if (tool === undefined) return { shown, words: undefined, added: undefined };
  // A call that only reads and needs no approval is described without its defaults.
  const isRead = parsed === undefined && tool.declaredNeedsApproval === false && effectOf(tool, input) === "pure";
  return {
    shown,
    words: sayStep(tool, shown),
    added: isRead ? undefined : describeDefaults(addedByDefault(tool, shown, parsed)),
  };
}

export function effectOf(tool: DefinedTool, input: JsonObject): DefinedTool["declaredEffect"] {
  if (tool.declaredEffect !== "by-input") return tool.declaredEffect;
  try {
    const unknown = new Set(findReferences(input).map(({ path }) => path[0]));
    const filled = fillReferences(input, (_, text) => text);
    const parsed = parseWith(tool.inputSchema, copyJson(filled));
    if (parsed instanceof Promise || !parsed.ok) return "by-input";
    let isKnown = true;
    // If the effect does not depend on fields with references, it is the same for all their values.
    const watched = new Proxy(parsed.value as object, {
      get(target, key) {
        isKnown &&= !unknown.has(String(key));
        return Reflect.get(target, key);
      },
    });
    const effect = tool.effect(watched);
    return isKnown ? effect : "by-input";
  } catch {
    return "by-input";
  }
}

function viewOf(tool: DefinedTool): SensitiveView | undefined {
  if (!isSensitiveTool(tool)) return undefined;
  const schemas = toolSchemas(tool);
  return sensitiveViewOf(schemas instanceof Promise ? { additionalProperties: { sensitive: true } } : schemas.input);
}
