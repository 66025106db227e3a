import type { JsonPath } from "../core/json.ts";

/** A reference to a step's output or a part of it, parsed. */
export interface ParsedReference {
  /** As it is written: `s1.todos[0]["any key"]`. */
  readonly text: string;
  /** The step's id. */
  readonly stepId: string;
  /** Where in the output; empty for the whole. */
  readonly path: JsonPath;
}

/** A piece of a template: plain text, a reference, or a `${` that does not start a valid reference. */
type TemplatePart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reference"; readonly reference: ParsedReference }
  | { readonly type: "invalid"; readonly text: string };

const name = /[A-Za-z_][\w-]*/y;
const index = /\[(\d{1,15})\]/y;
const quoted = /\[("(?:[^"\\]|\\.)*")\]/y;

/** Parses `s1`, `s1.key`, `s1[0]`, `s1["any key"]` and longer paths of these; undefined for anything else. */
export function parseReference(text: string): ParsedReference | undefined {
  const scanned = scanReference(text, 0);
  return scanned?.end === text.length ? scanned.reference : undefined;
}

/** Splits a text into its parts. Text without `${` is one part. Linear in the length of the text. */
export function parseTemplate(text: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  let literal = "";
  let position = 0;
  for (let start = text.indexOf("${"); start !== -1; start = text.indexOf("${", position)) {
    literal += text.slice(position, start);
    if (text.startsWith("${$}", start)) {
      literal += "$";
      position = start + 4;
      continue;
    }
    if (literal !== "") parts.push({ type: "text", text: literal });
    literal = "";
    const scanned = scanReference(text, start + 2);
    if (scanned !== undefined && text[scanned.end] === "}") {
      parts.push({ type: "reference", reference: scanned.reference });
      position = scanned.end + 1;
    } else {
      parts.push({ type: "invalid", text: text.slice(start, start + 40) });
      position = start + 2;
    }
  }
  literal += text.slice(position);
  if (literal !== "" || parts.length === 0) parts.push({ type: "text", text: literal });
  return parts;
}

function scanReference(text: string, start: number): { reference: ParsedReference; end: number } | undefined {
  const stepId = matchAt(name, text, start)?.[0];
  if (stepId === undefined) return undefined;
  const path: (string | number)[] = [];
  let end = start + stepId.length;
  for (let part = scanPathPart(text, end); part !== undefined; part = scanPathPart(text, end)) {
    path.push(part.key);
    end = part.end;
  }
  return { reference: { text: text.slice(start, end), stepId, path }, end };
}

function scanPathPart(text: string, start: number): { key: string | number; end: number } | undefined {
  if (text[start] === ".") {
    const key = matchAt(name, text, start + 1)?.[0];
    return key === undefined ? undefined : { key, end: start + 1 + key.length };
  }
  if (text[start] !== "[") return undefined;
  const number = matchAt(index, text, start);
  if (number?.[1] !== undefined) return { key: Number(number[1]), end: start + number[0].length };
  const key = matchAt(quoted, text, start);
  if (key?.[1] === undefined) return undefined;
  try {
    return { key: JSON.parse(key[1]) as string, end: start + key[0].length };
  } catch {
    return undefined;
  }
}

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(text);
}

/** The reference that an input value is, if it is one: an object whose only key is `$ref`. */
export function asReference(value: object): { readonly $ref: unknown } | undefined {
  return isSoleKey(value, "$ref") ? (value as { $ref: unknown }) : undefined;
}

/** The literal that an input value is, if it is one: an object whose only key is `$literal`. */
export function asLiteral(value: object): { readonly $literal: unknown } | undefined {
  return isSoleKey(value, "$literal") ? (value as { $literal: unknown }) : undefined;
}

function isSoleKey(value: object, key: string): boolean {
  return Object.hasOwn(value, key) && Object.keys(value).length === 1;
}

/** A reference as it is written, of any type: one that is not text names nothing. */
export function textOfReference({ $ref }: { readonly $ref: unknown }): string {
  return typeof $ref === "string" ? $ref : (JSON.stringify($ref) ?? "nothing");
}

/** A reference found somewhere in an input. */
export interface FoundReference {
  /** Where in the input the value is that contains it. */
  readonly path: JsonPath;
  /** `value` for `{ $ref }`, `text` inside a template. */
  readonly kind: "value" | "text";
  /** Undefined if it is not valid. */
  readonly reference: ParsedReference | undefined;
  /** As it is written. */
  readonly text: string;
}

/** Every reference in an input, valid or not, with its place. Literals are skipped. */
export function findReferences(input: unknown): readonly FoundReference[] {
  const found: FoundReference[] = [];
  collect(input, [], found);
  return found;
}

function collect(value: unknown, path: (string | number)[], found: FoundReference[]): void {
  if (typeof value === "string") {
    if (value.includes("${")) collectFromTemplate(value, path, found);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  const wanted = asReference(value);
  if (wanted !== undefined) {
    const text = textOfReference(wanted);
    const reference = typeof wanted.$ref === "string" ? parseReference(wanted.$ref) : undefined;
    found.push({ path: [...path], kind: "value", reference, text });
    return;
  }
  if (asLiteral(value) !== undefined) return;
  for (const [key, item] of Object.entries(value)) {
    path.push(Array.isArray(value) ? Number(key) : key);
    collect(item, path, found);
    path.pop();
  }
}

function collectFromTemplate(template: string, path: readonly (string | number)[], found: FoundReference[]): void {
  for (const part of parseTemplate(template)) {
    if (part.type === "text") continue;
    const [reference, text] =
      part.type === "reference" ? [part.reference, part.reference.text] : [undefined, part.text];
    found.push({ path: [...path], kind: "text", reference, text });
  }
}
