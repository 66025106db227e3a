import { copyJson, type JsonObject } from "../core/json.ts";
import { isIterationName } from "../core/step.ts";
import { cutText, textFrom } from "../core/text.ts";
import type { DefinedTool } from "../core/tool.ts";
import { fillReferences, type parseReference } from "./references.ts";

export const maxSaid = 300;

export function sayNames(name: string, input: JsonObject): string {
  const fields = Object.entries(fillReferences(input, sayReference) as JsonObject).map(
    ([field, value]) => `${sayName(field)}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return cutText([sayName(name), ...fields].join(", "), maxSaid);
}

export function sayOwn(tool: DefinedTool, input: JsonObject): string | undefined {
  return textFrom(() => tool.describeCall?.(copyJson(fillReferences(input, sayReference))));
}

export function sayName(name: string): string {
  return name
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replace(/[\s_-]+/g, " ")
    .toLowerCase();
}

export function sayReference(reference: ReturnType<typeof parseReference>): string {
  if (reference === undefined) return "the result";
  const { stepId, path } = reference;
  if (stepId === "index") return "its number";
  const key = path.findLast((part) => typeof part === "string");
  const field = key === undefined ? undefined : sayName(String(key));
  if (isIterationName(stepId)) return field === undefined ? "each item" : `the ${field} of each item`;
  return `the ${field ?? "whole result"} of step ${/^s(\d+)$/.exec(stepId)?.[1] ?? stepId}`;
}
