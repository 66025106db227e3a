import type { ZodTypeAny } from "zod/v3";
import { countPending } from "../async/promises.ts";
import type { JsonSchema } from "./json-schema.ts";
import { convertZod3With } from "./schema.ts";

interface Zod3Definition {
  readonly typeName?: string;
  readonly coerce?: boolean;
  readonly defaultValue?: () => unknown;
  readonly effect?: { readonly type: string };
  readonly [part: string]: unknown;
}

/** Must be called before a schema of zod 3 is read: `planwright/engine` is bundled without the converter. */
export function readZod3(): void {
  convertZod3With(convertZod3);
}

export async function convertZod3(schema: object, io: "input" | "output"): Promise<JsonSchema> {
  const { ignoreOverride, zodToJsonSchema } = await countPending(import("zod-to-json-schema"));
  return zodToJsonSchema(schema as ZodTypeAny, {
    effectStrategy: io === "output" ? "any" : "input",
    pipeStrategy: io === "output" ? "output" : "input",
    $refStrategy: "root",
    override: (definition) =>
      io === "input" && takesAnything(definition) ? marksIn(definition, parts) : ignoreOverride,
    // The converter merges some wrappers with what they wrap, so wrappers of the same value share marks.
    postProcess: (schema, definition) =>
      schema && {
        ...schema,
        ...marksIn(definition, [...sameValueParts, "in", "out"]),
        ...(hasZod3Mark(otherSide(definition, io), "sensitive") && { sensitive: true }),
      },
  }) as JsonSchema;
}

function takesAnything(definition: unknown): boolean {
  const { typeName, coerce, effect } = definition as Zod3Definition;
  return coerce === true || typeName === "ZodCatch" || effect?.type === "preprocess";
}

function otherSide(definition: unknown, io: "input" | "output"): unknown {
  const { typeName, schema, keyType, in: input, out } = definition as Zod3Definition;
  if (typeName === "ZodRecord") return keyType;
  if (typeName === "ZodPipeline") return io === "input" ? out : input;
  return typeName === "ZodEffects" && io === "output" ? schema : undefined;
}

export function markZod3<TSchema>(schema: TSchema, mark: string): TSchema {
  const { constructor: Schema, _def } = schema as { constructor: unknown; _def: object };
  return new (Schema as new (definition: object) => TSchema)({ ..._def, [mark]: true });
}

export function hasZod3Mark(schema: unknown, mark: string): boolean {
  const definition = (schema as { readonly _def?: unknown } | undefined)?._def;
  return definition !== undefined && Object.hasOwn(marksIn(definition, [...parts, "out"]), mark);
}

function marksIn(definition: unknown, within: readonly string[]): object {
  const marks: { sensitive?: true; composed?: true } = {};
  visitParts({ _def: definition }, within, ({ sensitive, composed }) => {
    if (sensitive === true) marks.sensitive = true;
    if (composed === true) marks.composed = true;
    return true;
  });
  return marks;
}

export function defaultsOfZod3(schema: unknown): JsonSchema {
  const definitionOf = (part: unknown) => (part as { readonly _def: Zod3Definition })._def;
  const fields = schemasHeldAt(definitionOf(schema), "shape");
  const defaultOf = (part: unknown) => ({ default: definitionOf(part).defaultValue?.() });
  return { properties: Object.fromEntries(fields.map(([name, part]) => [name.slice(1), defaultOf(part)])) };
}

/** Finds types that the converter silently accepts, although no planner can produce their values. */
export function findNotJson(schema: unknown): { path: string; type: string } | undefined {
  let found: { path: string; type: string } | undefined;
  visitParts(schema, parts, ({ typeName = "", coerce, effect }, path) => {
    if (notJson.has(typeName) && coerce !== true) found ??= { path, type: typeName };
    return found === undefined && effect?.type !== "preprocess";
  });
  return found;
}

const notJson: ReadonlySet<string> = new Set(
  "ZodDate ZodBigInt ZodMap ZodSet ZodSymbol ZodFunction ZodPromise ZodNaN ZodVoid".split(" "),
);

const sameValueParts = ["innerType", "schema", "left", "right", "options", "brandedType"];
const parts = ["shape", ...sameValueParts, "type", "items", "keyType", "valueType", "rest", "catchall", "in", "getter"];

type Visit = (definition: Zod3Definition, path: string) => boolean;

function visitParts(schema: unknown, keys: readonly string[], visit: Visit): void {
  const seen = new Set<unknown>();
  const enter = (node: unknown, path: string): void => {
    const definition = (node as { readonly _def?: Zod3Definition } | null | undefined)?._def;
    if (definition === undefined || seen.has(node)) return;
    seen.add(node);
    if (!visit(definition, path)) return;
    for (const [name, part] of keys.flatMap((key) => schemasHeldAt(definition, key))) enter(part, path + name);
  };
  enter(schema, "input");
}

function schemasHeldAt(definition: Zod3Definition, key: string): readonly (readonly [name: string, part: unknown])[] {
  if (key === "brandedType" && definition.typeName !== "ZodBranded") return [];
  const held = definition[key === "brandedType" ? "type" : key];
  const value = typeof held === "function" && (key === "shape" || key === "getter") ? held() : held;
  if (key === "shape") return Object.entries(value ?? {}).map(([name, part]) => [`.${name}`, part]);
  const parts = value instanceof Map ? [...value.values()] : Array.isArray(value) ? value : [value];
  return parts.map((part) => ["", part]);
}
