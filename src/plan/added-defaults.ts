import { isRecord, type JsonObject, type JsonValue } from "../core/json.ts";
import { branchesOf, childOf, type JsonSchema, jsonTypeOf } from "../core/json-schema.ts";
import { defaultsOfZod3 } from "../core/schema-zod3.ts";
import { maskPaths, sensitivePaths } from "../core/sensitive-paths.ts";
import { cutText } from "../core/text.ts";
import type { DefinedTool } from "../core/tool.ts";
import { isSensitiveTool, toolSchemas } from "../core/tool-schemas.ts";
import { fillReferences } from "./references.ts";

export function addedByDefault(tool: DefinedTool, input: JsonObject, parsed?: unknown): JsonObject {
  const schemas = toolSchemas(tool);
  const isUnread = schemas instanceof Promise;
  const root = isUnread ? defaultsOfZod3(tool.inputSchema) : schemas.input;
  const given = fillReferences(input, (_, text) => text);
  const added = addedTo(given, { root, schema: root, parsed });
  return maskPaths(added, isUnread && isSensitiveTool(tool) ? ["/*"] : sensitivePaths(root));
}

type Place = { readonly root: JsonSchema; readonly schema: JsonSchema; readonly parsed: unknown };

function addedTo(given: JsonValue, { root, schema, parsed }: Place): JsonObject {
  if (typeof given !== "object" || given === null) return {};
  const kind = jsonTypeOf(given);
  const fits = ({ type = kind, required = [] }: JsonSchema) =>
    type.includes(kind) && required.every((name) => Object.hasOwn(given, name));
  const fitting = branchesOf(root, schema, given).filter(fits);
  const branches = fitting.length > 1 && parsed === undefined ? [] : fitting;
  const known = Array.isArray(given) && ownOf(parsed, "length") !== given.length ? undefined : parsed;
  const below = Object.entries(given).flatMap(([name, item]) => {
    const children = branches.map((branch) => childOf(branch, kind === "array" ? Number(name) : name));
    const child = children.find((each) => typeof each === "object") ?? {};
    const added = addedTo(item, { root, schema: child, parsed: parsed && (ownOf(known, name) ?? null) });
    return Object.keys(added).length > 0 ? [[name, added]] : [];
  });
  const missing = branches
    .flatMap(({ properties }) => Object.entries(properties ?? {}))
    .filter(([name, field]) => field.default !== undefined && !Object.hasOwn(given, name))
    .map(([name, field]) => [name, parsed === undefined ? field.default : ownOf(parsed, name)])
    .filter(([, value]) => value !== undefined);
  return Object.fromEntries([...below, ...missing]);
}

function ownOf(holder: unknown, key: string | number): unknown {
  if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, key)) return undefined;
  return (holder as Readonly<Record<string | number, unknown>>)[key];
}

const maxText = 500;
const saidFor: Readonly<Record<string, string>> = { true: "yes", false: "no", null: "none" };

export function describeDefaults(added: JsonObject): string | undefined {
  const found = fieldsOf(added, "").join(", ");
  return found === "" ? undefined : `${cutText(found, maxText)}, by default`;
}

function fieldsOf(added: JsonObject, around: string): readonly string[] {
  return Object.entries(added).flatMap(([name, value]) => {
    if (isRecord(value) && Object.keys(value).length > 0) return fieldsOf(value as JsonObject, `${around}${name}.`);
    const json = JSON.stringify(value);
    return [`${around}${name}: ${typeof value === "string" && value !== "" ? value : (saidFor[json] ?? json)}`];
  });
}
