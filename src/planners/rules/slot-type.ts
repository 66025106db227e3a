import type { JsonSchema } from "../../core/json-schema.ts";
import type { StandardSchema } from "../../core/schema.ts";
import { PhraseError } from "./phrase-template.ts";

/** What a slot may be filled with. */
export interface SlotType {
  readonly kind: "text" | "number" | "boolean" | "enum" | "date" | "date-time" | "list";
  /** For `enum`: the ways to say each value, as words in lower case. */
  readonly values?: readonly { readonly words: readonly string[]; readonly value: string | number }[];
  /** For `list`: what each item is. */
  readonly item?: "text" | "number";
  /** The phrase's own schema for the slot: a value that does not fit it is not a match. */
  readonly schema?: StandardSchema;
  /** A list where the input wants one value: there is one step for each item. */
  readonly isSpread?: boolean;
}

/** The type of a slot that any of the schemas allows; the first that defines one wins. `null` defines none. */
export function slotTypeOf(schemas: readonly JsonSchema[] | undefined): SlotType {
  const values = (schemas ?? []).flatMap(valuesOf);
  if (values.length > 0) return { kind: "enum", values };
  for (const schema of schemas ?? []) {
    const type = typeOf(schema);
    if (type !== undefined) return type;
  }
  return { kind: "text" };
}

function typeOf({ type, format, items }: JsonSchema): SlotType | undefined {
  const types = [type ?? []].flat();
  if (types.includes("string")) {
    return { kind: format === "date" ? "date" : format === "date-time" ? "date-time" : "text" };
  }
  if (types.includes("number") || types.includes("integer")) return { kind: "number" };
  if (types.includes("boolean")) return { kind: "boolean" };
  if (!types.includes("array")) return undefined;
  const itemType = [items ?? []].flat().flatMap((item) => (item as JsonSchema).type ?? []);
  const isNumeric = itemType.includes("number") || itemType.includes("integer");
  return { kind: "list", item: isNumeric ? "number" : "text" };
}

/** The ways to say the constants of a schema: as words, in the plural, and as its `synonyms` (a metadata key). */
function valuesOf(schema: JsonSchema): { words: readonly string[]; value: string | number }[] {
  const constants = schema.const === undefined ? (schema.enum ?? []) : [schema.const];
  const synonyms = (schema.synonyms ?? {}) as Readonly<Record<string, unknown>>;
  return constants.flatMap((value) => {
    if (typeof value !== "string" && typeof value !== "number") return [];
    const own = Object.hasOwn(synonyms, value) ? [synonyms[value]].flat() : [];
    const said = [String(value), ...own.filter((word) => typeof word === "string")].flatMap(waysToSay);
    return said.map((words) => ({ words, value }));
  });
}

/** `inProgress`, `in-progress` and `in_progress` are "in progress"; "lists" also matches "list", and the reverse. */
function waysToSay(value: string): readonly (readonly string[])[] {
  const spaced = value.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").replace(/[\s_-]+/g, " ");
  const words = spaced.trim().toLowerCase().split(" ");
  const last = words.at(-1) ?? "";
  if (last === "" || !/\p{L}$/u.test(last)) return last === "" ? [] : [words];
  const other = last.endsWith("s") ? last.slice(0, -1) : `${last}s`;
  return other === "" ? [words] : [words, [...words.slice(0, -1), other]];
}

/** The type of a slot that has a schema of its own in the phrase. */
export function ownSlotType(own: { type: SlotType; schema: StandardSchema }, field: SlotType | undefined): SlotType {
  const { type, schema } = own;
  return {
    ...type,
    schema,
    ...(type.kind === "list" && field !== undefined && field.kind !== "list" && { isSpread: true }),
  };
}

/** Throws for a slot that the tool's input has no field for, where nothing else defines what to do with it. */
export function checkSlotField(name: string, schemas: readonly JsonSchema[] | undefined): void {
  if (schemas?.length === 0) {
    throw new PhraseError(
      `the input has no field "${name}"; name the slot like a field, or give the phrase a \`toInput\``,
    );
  }
}
