import { type JsonObject, type JsonPath, type JsonValue, setOwn } from "../../core/json.ts";
import { type JsonSchema, schemasAt, typesOf } from "../../core/json-schema.ts";
import { parseWith } from "../../core/schema.ts";
import { escapeTemplate } from "../../core/text.ts";
import type { DefinedTool, PhraseReference, Tool, ToolEffect } from "../../core/tool.ts";
import { checkStep, readSchemas } from "../../plan/check-step.ts";
import { asLiteral, asReference, findReferences } from "../../plan/references.ts";

interface CopyContext {
  readonly schema: JsonSchema;
  readonly known: readonly PhraseReference[];
  readonly whole: object;
}

/** Escapes every text, so that user input cannot contain references. Returns undefined unless `made` is an object. */
export function toStepInput(made: unknown, context: Omit<CopyContext, "whole">): JsonObject | undefined {
  if (typeof made !== "object" || made === null || Array.isArray(made)) return undefined;
  return copyValue(made, [], { ...context, whole: made }) as JsonObject;
}

function copyValue(value: unknown, path: JsonPath, context: CopyContext): JsonValue {
  if (typeof value === "string") return escapeTemplate(value);
  if (typeof value !== "object" || value === null) return value as JsonValue;
  if (Array.isArray(value)) return value.map((item, index) => copyValue(item, [...path, index], context));
  const reference = path.length > 0 ? asReference(value) : undefined;
  if (reference !== undefined) return copyReference(reference.$ref, path, context);
  if (path.length > 0 && asLiteral(value) !== undefined) return { $literal: value as JsonObject };
  const copy: Record<string, JsonValue> = {};
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) setOwn(copy, key, copyValue(item, [...path, key], context));
  }
  return copy;
}

function copyReference(reference: unknown, path: JsonPath, { schema, known, whole }: CopyContext): JsonValue {
  const isOurs =
    typeof reference === "string" &&
    known.some(({ $ref }) => reference.startsWith($ref) && /^$|^[.[]/.test(reference.slice($ref.length)));
  if (!isOurs) return { $literal: { $ref: reference as JsonValue } };
  const wanted = schemasAt(schema, path, whole);
  const types = wanted && wanted.length > 0 ? typesOf(wanted) : undefined;
  const isText = types?.has("string") === true && types.size === 1;
  return isText ? `\${${reference}}` : { $ref: reference };
}

export async function issueOf(input: JsonObject, tool: Tool, before: Tool | undefined): Promise<string | undefined> {
  const tools = new Map([[tool.name, tool]]);
  if (before !== undefined) tools.set(before.name, before);
  const step = { id: "step", tool: tool.name, input };
  const earlier = before && { id: "before", tool: before.name, input: {} };
  const schemas = await readSchemas([step, earlier], { tools });
  const references = findReferences(input);
  const scope = { step, path: [], tools, schemas, stepOf: () => earlier, references, parsed: undefined };
  const [first] = await checkStep(scope);
  if (first === undefined) return undefined;
  const where = first.path.length > 1 ? `${first.path.slice(1).join(".")}: ` : "";
  return `${where}${first.message}`;
}

/**
 * Each call waits for the results that it uses. A call with an effect also waits for all calls before it; a `pure` call
 * waits for the last one with an effect. Transitive waits are left out.
 */
export function waitsOf(
  calls: readonly { readonly id: string; readonly tool: DefinedTool; readonly input: JsonObject }[],
): readonly (readonly string[])[] {
  const all: ReadonlySet<number>[] = [];
  const places = new Map<string, number>();
  let lastEffect = -1;
  return calls.map(({ id, tool, input }, index) => {
    const direct = new Set<number>();
    for (const { reference } of findReferences(input)) {
      const place = places.get(reference?.stepId ?? "");
      if (place !== undefined) direct.add(place);
    }
    if (isPureStep(tool, input)) {
      if (lastEffect >= 0) direct.add(lastEffect);
    } else {
      for (let place = Math.max(0, lastEffect); place < index; place++) direct.add(place);
      lastEffect = index;
    }
    places.set(id, index);
    const later = new Set([...direct].flatMap((place) => [...(all[place] ?? [])]));
    all.push(new Set([...direct, ...later]));
    const own = [...direct].filter((place) => !later.has(place)).sort((left, right) => left - right);
    return own.map((place) => calls[place]?.id ?? "");
  });
}

export function effectOfStep(tool: DefinedTool, input: JsonObject): ToolEffect | undefined {
  if (tool.declaredEffect !== "by-input") return tool.declaredEffect;
  if (findReferences(input).length > 0) return undefined;
  const parsed = parseWith(tool.inputSchema, input);
  return parsed instanceof Promise || !parsed.ok ? undefined : tool.effect(parsed.value);
}

export function isPureStep(tool: DefinedTool, input: JsonObject): boolean {
  return effectOfStep(tool, input) === "pure";
}
