import { jsonOfParsed } from "../core/approval.ts";
import { copyJson, isRecord, type JsonObject, type JsonValue } from "../core/json.ts";
import { type JsonSchema, schemasAt } from "../core/json-schema.ts";
import { parseWith } from "../core/schema.ts";
import { maskPaths, sensitivePaths } from "../core/sensitive-paths.ts";
import { cutText } from "../core/text.ts";
import type { DefinedTool } from "../core/tool.ts";
import { isSensitiveTool, toolSchemas } from "../core/tool-schemas.ts";
import { fillReferences, findReferences } from "./references.ts";

/** The fields that the schema adds to an input, each in its place. Sensitive values are hidden. */
export function addedByDefault(tool: DefinedTool, input: JsonObject): JsonObject {
  const schemas = toolSchemas(tool);
  const root = schemas instanceof Promise ? undefined : schemas.input;
  const unreadPaths = isSensitiveTool(tool) ? ["/*"] : [];
  const added = addedByParsing(tool, input) ?? declaredFor(root ?? {}, input);
  return maskPaths(added, root === undefined ? unreadPaths : sensitivePaths(root));
}

function addedByParsing({ inputSchema }: DefinedTool, input: JsonObject): JsonObject | undefined {
  if (findReferences(input).length > 0) return undefined;
  const given = fillReferences(input, (_, text) => text) as JsonObject;
  const parsed = parseWith(inputSchema, copyJson(given));
  return parsed instanceof Promise || !parsed.ok ? undefined : addedTo(given, jsonOfParsed(parsed.value, given));
}

function addedTo(given: JsonObject, parsed: JsonValue): JsonObject {
  const added = Object.entries(isRecord(parsed) ? parsed : {}).flatMap(([name, value]) => {
    if (!Object.hasOwn(given, name)) return [[name, value] as const];
    const before = given[name];
    const below = isRecord(before) ? addedTo(before as JsonObject, value as JsonValue) : {};
    return Object.keys(below).length > 0 ? [[name, below] as const] : [];
  });
  return Object.fromEntries(added) as JsonObject;
}

/** An input with references cannot be parsed before the plan runs. */
function declaredFor(root: JsonSchema, input: JsonObject): JsonObject {
  const branches = schemasAt(root, [], input) ?? [];
  const fields = branches.length === 1 ? Object.entries(branches[0]?.properties ?? {}) : [];
  const missing = fields.filter(([name, field]) => !Object.hasOwn(input, name) && field.default !== undefined);
  return Object.fromEntries(missing.map(([name, field]) => [name, field.default as JsonValue]));
}

const maxText = 500;

/** "everybody: yes, note: none, by default"; undefined if nothing is added. */
export function describeDefaults(added: JsonObject): string | undefined {
  const found = fieldsOf(added, "").join(", ");
  return found === "" ? undefined : `${cutText(found, maxText)}, by default`;
}

function fieldsOf(added: JsonObject, around: string): readonly string[] {
  return Object.entries(added).flatMap(([name, value]) => {
    if (isRecord(value) && Object.keys(value).length > 0) return fieldsOf(value as JsonObject, `${around}${name}.`);
    const plain = typeof value === "string" && value !== "" ? value : JSON.stringify(value);
    const said =
      new Map<JsonValue, string>([
        [true, "yes"],
        [false, "no"],
        [null, "none"],
      ]).get(value) ?? plain;
    return [`${around}${name}: ${said}`];
  });
}
