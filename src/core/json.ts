import { countPending } from "../async/promises.ts";
import { describeThrown } from "./text.ts";

/** Any JSON value. @group Runs and results */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. @group Runs and results */
export type JsonObject = { readonly [key: string]: JsonValue };

export type JsonPath = readonly (string | number)[];

interface WithToJson {
  toJSON(...args: never[]): unknown;
}

/** The type of a value as JSON: a `Date` becomes text; functions and `undefined` are removed. @group Runs and results */
export type Jsonify<T> = unknown extends T
  ? unknown
  : T extends void
    ? null
    : T extends string | number | boolean | null
      ? T
      : T extends WithToJson
        ? Jsonify<ReturnType<T["toJSON"]>>
        : T extends (...args: never[]) => unknown
          ? never
          : T extends readonly unknown[]
            ? { [K in keyof T]: Jsonify<T[K]> }
            : T extends object
              ? JsonifyObject<T>
              : never;

type JsonKey<T, K extends keyof T> = K extends symbol
  ? never
  : unknown extends T[K]
    ? K
    : [Exclude<T[K], undefined>] extends [(...args: never[]) => unknown]
      ? never
      : K;

type JsonifyObject<T> = {
  [K in keyof T as undefined extends T[K] ? never : JsonKey<T, K>]: Jsonify<T[K]>;
} & {
  [K in keyof T as undefined extends T[K] ? JsonKey<T, K> : never]?: Jsonify<Exclude<T[K], undefined>>;
} extends infer TObject
  ? { [K in keyof TObject]: TObject[K] }
  : never;

export type JsonResult =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly issue: { readonly path: JsonPath; readonly message: string } };

const maxDepth = 500;

/** Returns a frozen copy, as `JSON.stringify` writes it. Refuses `$sealed` and what JSON loses, except `undefined`. */
export function toJson(
  value: unknown,
  { maxBytes = Number.POSITIVE_INFINITY }: { maxBytes?: number } = {},
): JsonResult {
  const walk = new JsonWalk(maxBytes);
  try {
    return { ok: true, value: walk.copy(value, "") };
  } catch (thrown) {
    if (thrown instanceof TooDeep) return notJson(cyclePath(value, walk.path), thrown.message);
    if (thrown instanceof NotJson) return notJson([...walk.path], thrown.message);
    return notJson([...walk.path], `a getter or toJSON threw: ${describeThrown(thrown)}`);
  }
}

function notJson(path: JsonPath, message: string): JsonResult {
  return { ok: false, issue: { path, message } };
}

class NotJson extends Error {}
class TooDeep extends NotJson {}

export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

export function isHolder(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return isHolder(value) && !Array.isArray(value);
}

export function copyContainers(value: unknown, copies = new Map<unknown, unknown>()): unknown {
  const isList = Array.isArray(value);
  if (!isList && !isPlainObject(value)) return value;
  const known = copies.get(value);
  if (known !== undefined) return known;
  const copy: Record<string, unknown> | unknown[] = isList ? [] : {};
  copies.set(value, copy);
  if (isList) for (const item of value) (copy as unknown[]).push(copyContainers(item, copies));
  else
    for (const key of Object.keys(value))
      setOwn(copy as Record<string, unknown>, key, copyContainers(value[key], copies));
  return copy;
}

export function copyJson<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson) as T;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) setOwn(copy, key, copyJson((value as Record<string, unknown>)[key]));
  return copy as T;
}

export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const item of Object.values(value)) deepFreeze(item);
  return Object.freeze(value);
}

/** Sets `__proto__` as a property like any other, as `JSON.parse` does. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") target[key] = value;
  else Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

class JsonWalk {
  readonly path: (string | number)[] = [];
  #bytesLeft: number;

  constructor(private readonly maxBytes: number) {
    this.#bytesLeft = maxBytes;
  }

  copy(value: unknown, key: string): JsonValue {
    return this.#copyUnwrapped(this.#unwrap(value, key));
  }

  #unwrap(value: unknown, key: string): unknown {
    if (typeof value !== "object" || value === null) return value;
    if (ArrayBuffer.isView(value)) return this.#fail("binary data is not JSON; use text or an array of numbers");
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON !== "function") return value;
    if (value instanceof Date && Number.isNaN(value.getTime())) return this.#fail("an invalid Date is not JSON");
    return toJSON.call(value, key);
  }

  #copyUnwrapped(value: unknown): JsonValue {
    switch (typeof value) {
      case "string":
        return this.#text(value);
      case "number":
        if (!Number.isFinite(value)) return this.#fail(`${value} is not JSON; use null or text`);
        this.#count(Object.is(value, -0) ? 1 : String(value).length);
        return Object.is(value, -0) ? 0 : value;
      case "boolean":
        this.#count(value ? 4 : 5);
        return value;
      case "undefined":
        this.#count(4);
        return null;
      case "object":
        if (value !== null) return this.#object(value);
        this.#count(4);
        return null;
      case "bigint":
        return this.#fail("a BigInt is not JSON; use text or a number");
      default:
        return this.#fail(`a ${typeof value} is not JSON`);
    }
  }

  #object(value: object): JsonValue {
    if (this.path.length > maxDepth) throw new TooDeep(`nested deeper than ${maxDepth} levels, or a cycle`);
    return Array.isArray(value) ? this.#array(value) : this.#plain(value);
  }

  #array(value: readonly unknown[]): JsonValue {
    this.#count(2 + Math.max(0, value.length - 1));
    const copy: JsonValue[] = [];
    for (let index = 0; index < value.length; index++) {
      this.path.push(index);
      copy.push(this.copy(value[index], String(index)));
      this.path.pop();
    }
    return Object.freeze(copy);
  }

  #plain(value: object): JsonValue {
    const kind = isPlainObject(value) ? "Object" : Object.prototype.toString.call(value).slice(8, -1);
    const advice = kind === "Promise" ? "await it" : "use arrays and plain objects";
    if (kind !== "Object") return this.#fail(`a value of type ${kind} is not JSON; ${advice}`);
    this.#count(2);
    const copy: Record<string, JsonValue> = {};
    let isFirst = true;
    for (const key of Object.keys(value)) {
      this.path.push(key);
      if (key === sealedKey) this.#fail(`the key ${sealedKey} is reserved for recorded secrets`);
      const item = this.#unwrap((value as Record<string, unknown>)[key], key);
      if (item !== undefined) {
        this.#count(isFirst ? 1 : 2);
        this.#text(key);
        setOwn(copy, key, this.#copyUnwrapped(item));
        isFirst = false;
      }
      this.path.pop();
    }
    return Object.freeze(copy);
  }

  #text(value: string): string {
    this.#count(value.length + 2);
    if (this.maxBytes !== Number.POSITIVE_INFINITY) this.#count(extraBytes(value));
    return value;
  }

  #count(bytes: number): void {
    this.#bytesLeft -= bytes;
    if (this.#bytesLeft < 0) this.#fail(`larger than ${this.maxBytes} bytes of JSON`);
  }

  #fail(message: string): never {
    throw new NotJson(message);
  }
}

function extraBytes(value: string): number {
  if (/^[ !#-[\]-~]*$/.test(value)) return 0;
  return encoder.encode(JSON.stringify(value)).length - value.length - 2;
}

const encoder = new TextEncoder();

function cyclePath(value: unknown, path: JsonPath): JsonPath {
  const ancestors = new Set<unknown>();
  let current = value;
  try {
    for (const [depth, key] of path.entries()) {
      if (ancestors.has(current)) return path.slice(0, depth);
      ancestors.add(current);
      current = (current as Record<string | number, unknown>)[key];
    }
  } catch {
    // A getter threw when it was read again, or returned something else.
  }
  return path.slice(0, 10);
}

export async function sha256(text: string): Promise<string> {
  const digest = await countPending(crypto.subtle.digest("SHA-256", encoder.encode(text)));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === "\\" ? 2 : 1;
  return index;
}

/** JSON Canonicalization Scheme, RFC 8785. Omits `undefined` in objects and writes null for it elsewhere. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(",")}]`;
  const members = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`);
  return `{${members.join(",")}}`;
}

export interface Sealed {
  readonly $sealed: string;
}

const sealedKey = "$sealed";

export const hiddenText = "[sensitive]";

export function isSealed(value: unknown): value is Sealed {
  return isHolder(value) && typeof (value as Partial<Sealed>).$sealed === "string";
}

export function replaceSealed<T>(value: T, replace: (sealed: Sealed) => unknown): T {
  if (typeof value !== "object" || value === null) return value;
  if (isSealed(value)) return replace(value) as T;
  return mapItems(value, (item) => replaceSealed(item, replace));
}

export function hideSealed<T>(value: T): T {
  return replaceSealed(value, () => hiddenText);
}

/** Returns the same object if no item has changed. */
export function mapItems<T extends object>(holder: T, map: (item: unknown, key: string | number) => unknown): T {
  if (Array.isArray(holder)) {
    const items = holder.map((item, index) => map(item, index));
    return (items.every((item, index) => item === holder[index]) ? holder : items) as T;
  }
  const copy: Record<string, unknown> = {};
  let isSame = true;
  for (const key of Object.keys(holder)) {
    const item = (holder as Record<string, unknown>)[key];
    const mapped = map(item, key);
    if (mapped !== item) isSame = false;
    setOwn(copy, key, mapped);
  }
  return isSame ? holder : (copy as T);
}

export function mapLeaves<T>(value: T, map: (leaf: unknown) => unknown): T {
  if (typeof value !== "object" || value === null) return map(value) as T;
  return mapItems(value, (item) => mapLeaves(item, map));
}

/** Returns undefined for an integer above 2^53 that would be rounded. */
export function exactNumber(digits: string): number | undefined {
  const value = Number(digits);
  const [, whole] = /^[-+]?(\d+)(?:\.0*)?$/.exec(digits) ?? [];
  const isExact =
    whole === undefined ||
    Number.isSafeInteger(value) ||
    (Number.isFinite(value) && BigInt(whole) === BigInt(Math.abs(value)));
  return isExact ? value : undefined;
}
