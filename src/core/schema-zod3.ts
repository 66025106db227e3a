import type { ZodTypeAny } from "zod/v3";
import { countPending } from "../async/promises.ts";
import type { JsonSchema } from "./json-schema.ts";

/** JSON Schema of a zod 3 schema, by its own converter, which is loaded here on first use. */
export async function convertZod3(schema: object, io: "input" | "output"): Promise<JsonSchema> {
  const { ignoreOverride, zodToJsonSchema } = await countPending(import("zod-to-json-schema"));
  return zodToJsonSchema(schema as ZodTypeAny, {
    effectStrategy: io === "output" ? "any" : "input",
    pipeStrategy: io === "output" ? "output" : "input",
    $refStrategy: "root",
    override: (definition) => (io === "input" && takesAnything(definition) ? markOf(definition) : ignoreOverride),
    postProcess: (schema, definition) => schema && { ...schema, ...markOf(definition) },
  }) as JsonSchema;
}

/** The JSON Schema keywords of the marks of a definition. */
function markOf(definition: unknown): object {
  const marks = (["sensitive", "composed"] as const).filter((mark) => isMarked(definition as Zod3Definition, mark));
  return Object.fromEntries(marks.map((mark) => [mark, true]));
}

/** A wrapper of the same value around a marked schema is marked, too: the converter merges some of these into one. */
function isMarked(definition: Zod3Definition, mark: string): boolean {
  if (definition[mark] === true) return true;
  const { innerType, schema, left, right, options, typeName } = definition;
  const branches = Array.isArray(options) ? options : [];
  return [innerType, schema, left, right, typeName === "ZodBranded" && definition.type, ...branches].some((inner) => {
    const { _def } = (inner || {}) as { _def?: Zod3Definition };
    return _def !== undefined && isMarked(_def, mark);
  });
}

/** Whether a schema accepts anything and converts it: the converter reports only the resulting type. */
function takesAnything(definition: unknown): boolean {
  const { typeName, coerce, effect } = definition as Zod3Definition;
  return coerce === true || typeName === "ZodCatch" || effect?.type === "preprocess";
}

/** The parts of a zod 3 definition that can hold other schemas. */
interface Zod3Definition {
  readonly typeName?: string;
  readonly coerce?: boolean;
  readonly effect?: { readonly type: string };
  readonly shape?: () => Record<string, unknown>;
  readonly [part: string]: unknown;
}

const notJson: ReadonlySet<string> = new Set([
  "ZodDate",
  "ZodBigInt",
  "ZodMap",
  "ZodSet",
  "ZodSymbol",
  "ZodFunction",
  "ZodPromise",
  "ZodNaN",
  "ZodVoid",
]);
const parts = [
  "innerType",
  "schema",
  "type",
  "items",
  "options",
  "left",
  "right",
  "valueType",
  "rest",
  "catchall",
  "in",
  "getter",
];

/**
 * Where a zod 3 schema requires something that JSON cannot express, and what; undefined if nowhere. Its converter would
 * silently accept these, and no planner could ever produce such an input.
 */
export function findNotJson(schema: unknown): { path: string; type: string } | undefined {
  const seen = new Set<unknown>();
  const visit = (node: unknown, path: string): { path: string; type: string } | undefined => {
    const definition = (node as { _def?: Zod3Definition } | null | undefined)?._def;
    if (definition === undefined || seen.has(node)) return undefined;
    seen.add(node);
    const { typeName = "", coerce, effect } = definition;
    if (effect?.type === "preprocess") return undefined;
    if (notJson.has(typeName) && coerce !== true) return { path, type: typeName };
    for (const [key, child] of childrenOf(definition)) {
      const found = visit(child, key === "" ? path : `${path}.${key}`);
      if (found) return found;
    }
    return undefined;
  };
  return visit(schema, "input");
}

function* childrenOf(definition: Zod3Definition): Generator<[key: string, child: unknown]> {
  if (typeof definition.shape === "function") yield* Object.entries(definition.shape());
  for (const part of parts) {
    const value = part === "getter" ? callGetter(definition) : definition[part];
    const children = value instanceof Map ? [...value.values()] : Array.isArray(value) ? value : [value];
    for (const child of children) yield ["", child];
  }
}

function callGetter({ getter }: Zod3Definition): unknown {
  return typeof getter === "function" ? getter() : undefined;
}
