import { hiddenText, isHolder, isSealed, type JsonPath, type JsonValue, mapItems, mapLeaves } from "../../core/json.ts";
import { type SensitiveView, sensitiveViewOf } from "../../core/sensitive-paths.ts";
import { waitToolName } from "../../core/step.ts";
import type { ToolSchemas } from "../../core/tool-schemas.ts";
import { asLiteral, asReference } from "../../plan/references.ts";

export interface SensitiveViews {
  readonly input: SensitiveView | undefined;
  readonly output: SensitiveView | undefined;
  readonly literals: ReadonlySet<unknown>;
}

export function sensitiveViewsOf({ input, output }: ToolSchemas): SensitiveViews {
  const literals = new Set<unknown>();
  mapLeaves(input, (leaf) => literals.add(leaf) && leaf);
  return { input: sensitiveViewOf(input), output: sensitiveViewOf(output), literals };
}

interface SensitivePart {
  readonly view: SensitiveView | undefined;
  readonly marked?: unknown;
  readonly path?: JsonPath;
  readonly replace: (value: unknown, path: JsonPath) => unknown;
  readonly onReference?: ((path: JsonPath) => void) | undefined;
}

export function mapSensitive<T>(value: T, part: SensitivePart): T {
  const { view, marked, path = [], replace, onReference } = part;
  if (onReference !== undefined && isHolder(value) && asReference(value) !== undefined) {
    onReference(path);
    return value;
  }
  if (view?.isSensitive || isMarked(marked)) return replace(value, path) as T;
  if (!isHolder(value)) return value;
  const isLiteral = onReference !== undefined && asLiteral(value) !== undefined;
  return mapItems(value, (item, key) =>
    mapSensitive(item, {
      view: isLiteral ? view : view?.at(key),
      marked: (marked as Readonly<Record<string | number, unknown>> | undefined)?.[key],
      path: [...path, key],
      replace,
      onReference: isLiteral ? undefined : onReference,
    }),
  );
}

export function hideInput<T>(input: T, view: SensitiveView | undefined, onSecret: (secret: unknown) => void): T {
  const replace = (secret: unknown) => {
    onSecret(secret);
    return hiddenText;
  };
  return mapSensitive(input, { view, replace, onReference: () => {} });
}

export interface SealedPart {
  readonly tool: string;
  readonly path: JsonPath;
  readonly text: string;
}

export function* sealedPartsIn(
  holder: unknown,
  tools = new Map<unknown, string>(),
  { around, isOurs = true }: { readonly around?: string | undefined; readonly isOurs?: boolean } = {},
): Iterable<SealedPart> {
  if (!isHolder(holder)) return;
  const { tool: name, stepId, id = stepId, wait, iterations } = holder as Readonly<Record<string, unknown>>;
  const own = typeof name === "string" ? name : wait === undefined ? undefined : waitToolName;
  if (isOurs && own !== undefined && id !== undefined) tools.set(id, own);
  const tool = own ?? tools.get(id) ?? around;
  for (const [key, value] of Object.entries(holder)) {
    if (key === "output" && typeof iterations === "object") continue;
    const part = partKeys.get(key);
    if (part === undefined)
      yield* sealedPartsIn(value, tools, { around: tool, isOurs: isOurs && !fromOutside.has(key) });
    else if (tool !== undefined) for (const found of visitSealed(value, [part])) yield { tool, ...found };
  }
}

const partKeys = new Map(Object.entries({ input: "input", given: "input", output: "output", reasoning: "reasoning" }));
const fromOutside: ReadonlySet<string> = new Set(["value", "metadata", "details"]);

export function hasHidden(value: unknown): boolean {
  if (!isHolder(value)) return value === hiddenText;
  return isSealed(value) || Object.values(value).some(hasHidden);
}

export function* visitSealed(value: unknown, path: JsonPath): Iterable<Omit<SealedPart, "tool">> {
  if (isSealed(value)) yield { path, text: value.$sealed };
  else if (isHolder(value)) {
    for (const [key, item] of Object.entries(value))
      yield* visitSealed(item, [...path, Array.isArray(value) ? Number(key) : key]);
  }
}

/** References are filled in twice: with secrets, and with marks. A result with a mark is derived from a secret. */

const mark = "\u{10fffe}\u{10ffff}";
const markedHolders = new WeakSet<object>();

function isMarked(value: unknown): boolean {
  return typeof value === "string" ? value.includes(mark) : markedHolders.has(value as object);
}

/** Properties of a marked object can be read but not listed. As text, the object is a mark. */
export function markValue(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return mark;
  const marked: object = Array.isArray(value) ? value.map(markValue) : {};
  if (!Array.isArray(value)) {
    for (const [key, item] of Object.entries(value)) {
      Object.defineProperty(marked, key, { value: markValue(item as JsonValue) });
    }
  }
  Object.defineProperty(marked, "toJSON", { value: () => mark });
  markedHolders.add(marked);
  return marked as JsonValue;
}

export function markPlanned(value: JsonValue): JsonValue {
  if (typeof value === "string") return mark + value;
  if (typeof value !== "object" || value === null) return mark;
  if (asReference(value) !== undefined) return value;
  const literal = asLiteral(value);
  if (literal !== undefined) return { $literal: markPlanned(literal.$literal as JsonValue) };
  return mapItems(value, (item) => markPlanned(item as JsonValue));
}
