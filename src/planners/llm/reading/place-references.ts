import { type JsonPath, setOwn } from "../../../core/json.ts";
import { type JsonSchema, schemasOfPlace, typesOf } from "../../../core/json-schema.ts";
import type { PlanMend, PlanStep } from "../../../core/plan.ts";
import { asLiteral, asReference } from "../../../plan/reference.ts";
import { describeMend } from "./plan-mend.ts";
import {
  type EarlierSteps,
  isNameOfStep,
  type ReadReference,
  readReference,
  resultOf,
  segmentsOf,
} from "./references.ts";

/*
 * A model writes a reference in one way only, as text: "${s1.value}". Where its field takes no text, it becomes
 * `{ $ref }`. What models write in place of it is read, too, if it names a value of an earlier step, and nobody typed it.
 */

/** What the references of a step are read with. */
export interface ReferencePlaces {
  readonly step: PlanStep;
  readonly schema: JsonSchema;
  readonly earlier: EarlierSteps;
  readonly isTyped: (text: string) => boolean;
}

/** How many pieces of one input are looked at. */
const maxPieces = 200;
/** What stands between the signs of a reference, in the ways in which models write them, `${…}` first. */
const inner = "([^{}()<>]{1,200})";
const signs = [
  String.raw`\$\{${inner}\}`,
  String.raw`\$?\{\{${inner}\}\}`,
  String.raw`[#@%]?\{${inner}\}`,
  String.raw`\$\(${inner}\)`,
  `<<${inner}>>`,
  `<${inner}>`,
];
const pathParts = String.raw`(?:\.[A-Za-z_][\w-]*|\[\d+\])`;
const plainPath = String.raw`[A-Za-z_][\w-]*${pathParts}+`;
/** A step by what the model calls it, such as `#E1`; an amount such as `$1` is none within a text. */
const label = String.raw`[A-Za-z_]\w{0,20}\d${pathParts}*|\d{1,3}${pathParts}+`;
/** A typed `${` that was escaped is skipped with what follows it. */
const piece = new RegExp(
  [
    String.raw`\$\{\$\}(?:\{[^{}]*\}?)?`,
    ...signs,
    String.raw`\$(${plainPath})`,
    String.raw`(?<![\w&])[#$](${label})(?!\w)`,
    String.raw`(?<![\w.$/@-])(${plainPath})(?![\w@(-])`,
  ].join("|"),
  "g",
);
const whole = new RegExp(`^(?:${signs.join("|")})$`);
const bare = /^(?:[#$]?[./]?[A-Za-z_][\w-]*|[#$]\d{1,3})(?:[./][\w-]+|\[\d+\])+$/;
const wholeLabel = /^[#$]([A-Za-z]{0,10}\d{1,3})$/;

/** Whether a text may be a reference as a whole: what it means is seen when the references are read. */
export function mayRefer(text: string, earlier: EarlierSteps): boolean {
  if (text.length > 200) return false;
  const inner = innerOf(text) ?? labelOf(text, earlier);
  if (inner === undefined || inner.isOurs) return inner !== undefined;
  const [first] = segmentsOf(inner.text) ?? [];
  return first !== undefined && isNameOfStep(String(first), earlier);
}

/** An input with the references that its steps were given; the same object if there are none. */
export async function placeReferences(
  input: unknown,
  places: ReferencePlaces,
): Promise<{ readonly input: unknown; readonly mends: readonly PlanMend[] }> {
  const placing = new Placing(input, places);
  return { input: await placing.place(input, []), mends: placing.mends };
}

class Placing {
  readonly mends: PlanMend[] = [];
  private pieces = 0;

  constructor(
    private readonly root: unknown,
    private readonly places: ReferencePlaces,
  ) {}

  async place(value: unknown, path: JsonPath): Promise<unknown> {
    if (typeof value === "string") return this.placeText(value, path);
    if (typeof value !== "object" || value === null || asLiteral(value) !== undefined) return value;
    const reference = asReference(value);
    if (reference !== undefined) return this.placeObject(value, reference.$ref, path);
    const named = this.namedReference(value);
    if (named !== undefined) return this.placeNamed(value, named, path);
    if (Array.isArray(value)) {
      const items = await inOrder(value.entries(), ([index, item]) => this.place(item, [...path, index]));
      return items.some((item, index) => item !== value[index]) ? items : value;
    }
    const placed: Record<string, unknown> = {};
    let isChanged = false;
    for (const [key, item] of Object.entries(value)) {
      const next = await this.place(item, [...path, key]);
      isChanged ||= next !== item;
      setOwn(placed, key, next);
    }
    return isChanged ? placed : value;
  }

  private async placeObject(value: object, target: unknown, path: JsonPath): Promise<unknown> {
    if (typeof target !== "string") return value;
    const inner = /^(?:\$\{|\{\{)([^{}]*)\}{1,2}$/.exec(target.trim())?.[1] ?? target;
    const read = await this.read(inner);
    if (read === undefined) return value;
    const placed = await this.whole(read, { path, written: target, isOurs: !read.isMended && inner === target });
    return asReference(placed as object)?.$ref === target ? value : placed;
  }

  /** The text of an object such as `{ ref: "s1.value" }` or `{ from_step: "s1", output: "value" }`. */
  private namedReference(value: object): string | undefined {
    const [[key, text] = [], [other, part] = [], ...others] = Object.entries(value) as [string, unknown][];
    if (others.length > 0 || (typeof text !== "string" && typeof text !== "number")) return undefined;
    const isAlone = other === undefined && typeof text === "string" && /^[$@]?(?:ref|reference|from)$/.test(key ?? "");
    const isPair = stepNames.test(key ?? "") && partNames.test(other ?? "") && typeof part === "string";
    const named = isAlone ? text : isPair ? `${text}.${part}` : undefined;
    return named === undefined || this.places.isTyped(named) ? undefined : named;
  }

  /** Only where no object is allowed. */
  private async placeNamed(value: object, text: string, path: JsonPath): Promise<unknown> {
    const schemas = schemasOfPlace(this.places.schema, path, this.root);
    const types = schemas && schemas.length > 0 ? typesOf(schemas) : undefined;
    const read = types === undefined || types.has("object") ? undefined : await this.read(innerOf(text)?.text ?? text);
    return read === undefined ? value : this.whole(read, { path, written: JSON.stringify(value), isOurs: false });
  }

  private async placeText(text: string, path: JsonPath): Promise<unknown> {
    const { earlier } = this.places;
    if (!/[#${<.[]/.test(text) && earlier.stepOf(text) === undefined) return text;
    const inner = innerOf(text) ?? labelOf(text, earlier) ?? this.idOf(text, path);
    if (inner !== undefined && (inner.isOurs || !this.places.isTyped(text))) {
      const read = await this.read(inner.text);
      if (read !== undefined) return this.whole(read, { path, written: text, isOurs: inner.isOurs && !read.isMended });
    }
    return this.placePieces(text, path);
  }

  /** The bare id of an earlier step, where there is no text. */
  private idOf(text: string, path: JsonPath): ReturnType<typeof innerOf> {
    if (this.places.earlier.stepOf(text) === undefined) return undefined;
    const schemas = schemasOfPlace(this.places.schema, path, this.root);
    const types = schemas && schemas.length > 0 ? typesOf(schemas) : undefined;
    return types === undefined || types.has("string") ? undefined : { text, isOurs: false };
  }

  /** Reads the references within a text, which stay within it. */
  private async placePieces(text: string, path: JsonPath): Promise<string> {
    let placed = "";
    let end = 0;
    for (const match of text.matchAll(piece)) {
      if (this.pieces >= maxPieces) break;
      const [written, ours, ...others] = match;
      const inner = ours ?? others.find((other) => other !== undefined);
      const read =
        inner === undefined ? undefined : await this.readPiece(inner, { written, isOurs: ours !== undefined });
      if (read === undefined) continue;
      const part = (isText(read) ? undefined : await resultOf(read)) ?? read;
      placed += `${text.slice(end, match.index)}\${${part.text}}`;
      end = match.index + written.length;
      if (part.isMended || ours === undefined) this.mend(path, { written, read: `\${${part.text}}` });
    }
    return placed + text.slice(end);
  }

  /** A plain path needs to lead to something that is known, and a label to be one that the model gave. */
  private async readPiece(
    inner: string,
    { written, isOurs }: { readonly written: string; readonly isOurs: boolean },
  ): Promise<ReadReference | undefined> {
    const isTyped = !isOurs && this.places.isTyped(written);
    // "[0-9]{2}" counts digits.
    if (isTyped || (!isOurs && /^\d+$/.test(inner.trim())) || isUnknownLabel(written, inner, this.places.earlier))
      return undefined;
    const read = await this.read(inner);
    return inner === written && read?.types === undefined ? undefined : read;
  }

  private async read(text: string): Promise<ReadReference | undefined> {
    if (++this.pieces > maxPieces) return undefined;
    return readReference(text, this.places.step, this.places.earlier);
  }

  /** A reference in place of a whole value, in the form that its field takes. */
  private async whole(
    read: ReadReference,
    { path, written, isOurs }: { readonly path: JsonPath; readonly written: string; readonly isOurs: boolean },
  ): Promise<unknown> {
    const schemas = schemasOfPlace(this.places.schema, path, this.root);
    // Nothing is known by this name: validation says so.
    if (schemas?.length === 0) return `\${${read.text}}`;
    const types = schemas && typesOf(schemas);
    const isMisplaced = types !== undefined && !types.has("array") && !overlap(types, read.types);
    const part = (isMisplaced ? await resultOf(read) : undefined) ?? read;
    const items = schemasOfPlace(this.places.schema, [...path, 0], this.root);
    const placed = formOf(part, types, items && typesOf(items));
    if (!isOurs || part !== read || Array.isArray(placed)) {
      this.mend(path, { written, read: typeof placed === "string" ? placed : part.text });
    }
    return placed;
  }

  private mend(path: JsonPath, { written, read }: { readonly written: string; readonly read: string }): void {
    this.mends.push(describeMend("reference", { path: ["input", ...path], written, read }));
  }
}

/** Keys of an object that names a step, and a part of its output. */
const stepNames = /^\$?(?:from_?)?(?:step|task|node)(?:_?id)?$|^\$?from$/i;
const partNames = /^(?:output|path|field|key|property|value)$/i;

/** What the model called a step, as a whole text: `#E1`, `$1`. */
function labelOf(text: string, { isNamed }: EarlierSteps): ReturnType<typeof innerOf> {
  const [, name] = wholeLabel.exec(text.trim()) ?? [];
  return name !== undefined && isNamed(name) ? { text: name, isOurs: false } : undefined;
}

function isUnknownLabel(written: string, inner: string, { isNamed }: EarlierSteps): boolean {
  return /^[#$]\w/.test(written) && /^\w+$/.test(inner) && !isNamed(inner);
}

/** The reference that a text is as a whole, and whether it has our form. */
function innerOf(text: string): { readonly text: string; readonly isOurs: boolean } | undefined {
  if (text.length > 210) return undefined;
  const [, ours, ...others] = whole.exec(text.trim()) ?? [];
  if (ours !== undefined) return { text: ours, isOurs: true };
  const inner = others.find((other) => other !== undefined) ?? (bare.test(text.trim()) ? text.trim() : undefined);
  return inner === undefined ? undefined : { text: inner.trim(), isOurs: false };
}

/** A field that takes text has a template; any other, `{ $ref }`; one that takes both by what the output is. */
function formOf(
  { text, types: given }: ReadReference,
  types: ReadonlySet<string> | undefined,
  itemTypes: ReadonlySet<string> | undefined,
): unknown {
  const template = `\${${text}}`;
  const takesText = types?.has("string") ?? true;
  const takesOther = types === undefined || [...types].some((type) => type !== "string" && type !== "null");
  if (takesText && (!takesOther || (given?.size === 1 && given.has("string")))) return template;
  const isListed = types?.has("array") === true && !types.has("string") && given !== undefined;
  if (!isListed || overlap(types, given)) return { $ref: text };
  const isTextItem = itemTypes?.has("string") === true && (itemTypes.size === 1 || given.has("string"));
  return [isTextItem ? template : { $ref: text }];
}

function isText({ types }: ReadReference): boolean {
  return types === undefined || ["string", "number", "boolean"].some((type) => types.has(type));
}

/** Whether two sets of types may have a value in common; a text field also takes what can be written into it. */
function overlap(wanted: ReadonlySet<string>, given: ReadonlySet<string> | undefined): boolean {
  if (given === undefined) return true;
  if (wanted.has("string") && (given.has("number") || given.has("boolean"))) return true;
  return [...given].some((type) => wanted.has(type));
}

async function inOrder<TItem, TResult>(
  items: Iterable<TItem>,
  each: (item: TItem) => Promise<TResult>,
): Promise<readonly TResult[]> {
  const results: TResult[] = [];
  for (const item of items) results.push(await each(item));
  return results;
}
