import { type JsonPath, setOwn } from "../../../core/json.ts";
import { type JsonSchema, jsonTypeOf, knownKeys, schemasAt, typesOf } from "../../../core/json-schema.ts";
import type { PlanMend } from "../../../core/plan.ts";
import { asLiteral, asReference } from "../../../plan/reference.ts";
import { parseJson } from "./parse-json.ts";
import { describeMend } from "./plan-mend.ts";
import { isRecord, plainName } from "./records.ts";

/*
 * Mends values that their schema does not allow as they are written, if there is exactly one value that they can mean:
 * "COMPLETE" for one of an enum, "30" for a number, one value for a list, null or "" for a field that may be left out.
 * What a schema allows stays as it is.
 */

/** What an input is mended by. */
export interface InputMending {
  readonly schema: JsonSchema;
  /** Whether a text may refer to an earlier step: it is left to be read as a reference. */
  readonly mayRefer: (text: string) => boolean;
}

/** An input whose parts fit their schemas, as far as that can be mended; the same object if nothing changes. */
export function mendInput(
  input: unknown,
  mending: InputMending,
): { readonly input: unknown; readonly mends: readonly PlanMend[] } {
  if (!isRecord(input) || asReference(input) !== undefined) return { input, mends: [] };
  const walk = new Mending(input, mending);
  walk.visit([], input);
  return { input: walk.root, mends: walk.mends };
}

/** No longer text is read as a list or an object. */
const maxJsonLength = 100_000;
/** Leaves a field out. */
const omitted = Symbol("omitted");

class Mending {
  root: unknown;
  readonly mends: PlanMend[] = [];

  constructor(
    input: unknown,
    private readonly mending: InputMending,
  ) {
    this.root = input;
  }

  /** Mends the value at a path, and those in it. */
  visit(path: JsonPath, written: unknown): void {
    const value = this.mendValue(path, written);
    if (value === omitted || typeof value !== "object" || value === null) return;
    if (asReference(value) !== undefined || asLiteral(value) !== undefined) return;
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) this.visit([...path, index], item);
      return;
    }
    const named = this.nameKeys(path, value as Record<string, unknown>);
    // A constant decides which branch of a union the other values have to fit.
    const entries = Object.entries(named).sort(([left], [right]) => this.rank(path, left) - this.rank(path, right));
    for (const [key, item] of entries) this.visit([...path, key], item);
  }

  private schemasAt(path: JsonPath): readonly JsonSchema[] | undefined {
    return schemasAt(this.mending.schema, path, this.root);
  }

  private rank(path: JsonPath, key: string): number {
    const schemas = this.schemasAt([...path, key]) ?? [];
    return schemas.length > 0 && schemas.every(({ const: constant }) => constant !== undefined) ? 0 : 1;
  }

  private mendValue(path: JsonPath, value: unknown): unknown {
    const schemas = this.schemasAt(path);
    if (schemas === undefined || schemas.length === 0 || fits(value, schemas)) return value;
    if (typeof value === "object" && value !== null && (asReference(value) ?? asLiteral(value)) !== undefined)
      return value;
    if (typeof value === "string" && this.mending.mayRefer(value)) return value;
    const readings = new Map<string, unknown>();
    for (const reading of readingsOf(value, schemas)) {
      if (fits(reading, schemas)) readings.set(JSON.stringify(reading), reading);
    }
    if (isBlank(value) && this.isOptional(path)) readings.set("", omitted);
    if (readings.size !== 1) return value;
    const [reading] = readings.values();
    this.replace(path, reading);
    this.mends.push(
      describeMend("value", {
        path: ["input", ...path],
        written: value,
        read: reading === omitted ? undefined : reading,
      }),
    );
    return reading;
  }

  /** Whether a field may be left out, whichever branch of a union is meant. */
  private isOptional(path: JsonPath): boolean {
    const key = path.at(-1);
    if (typeof key !== "string") return false;
    const around = (this.schemasAt(path.slice(0, -1)) ?? []).filter(({ properties = {} }) =>
      Object.hasOwn(properties, key),
    );
    return around.length > 0 && around.every(({ required = [] }) => !required.includes(key));
  }

  /** Renames keys that are spelled in another way: `due_date` for `dueDate`. */
  private nameKeys(path: JsonPath, value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const around = this.schemasAt(path);
    if (around === undefined || around.length === 0) return value;
    const known = knownKeys(around);
    const named: Record<string, unknown> = {};
    let isRenamed = false;
    for (const [key, item] of Object.entries(value)) {
      const isKnown = known.includes(key) || this.schemasAt([...path, key])?.length !== 0;
      if (!isKnown && (item === null || item === "")) {
        // Says nothing about something that does not exist: models fill in the keys of all branches.
        isRenamed = true;
        this.mends.push(describeMend("key", { path: ["input", ...path, key], written: key, read: undefined }));
        continue;
      }
      const alike = isKnown
        ? []
        : known.filter((name) => plainName(name) === plainName(key) || this.isConstantOf(path, name, { value, item }));
      const [name = key] = alike.length === 1 && !Object.hasOwn(value, alike[0] ?? "") ? alike : [];
      if (name !== key) {
        isRenamed = true;
        this.mends.push(describeMend("key", { path: ["input", ...path, name], written: key, read: name }));
      }
      setOwn(named, name, item);
    }
    if (!isRenamed) return value;
    this.replace(path, named);
    return named;
  }

  /** Whether a value is one of those that a missing, required key may have, such as an operation. */
  private isConstantOf(
    path: JsonPath,
    name: string,
    { value, item }: { readonly value: Readonly<Record<string, unknown>>; readonly item: unknown },
  ): boolean {
    if (Object.hasOwn(value, name) || typeof item !== "string") return false;
    const around = this.schemasAt(path) ?? [];
    const isRequired = around.every(({ required = [] }) => required.includes(name));
    return isRequired && constantsLike(item, this.schemasAt([...path, name]) ?? []).length === 1;
  }

  private replace(path: JsonPath, value: unknown): void {
    this.root = replaceAt(this.root, path, value);
  }
}

/** A copy in which the value at a path is another one, or left out. */
function replaceAt(root: unknown, path: JsonPath, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(root))
    return root.map((item: unknown, index) => (index === key ? replaceAt(item, rest, value) : item));
  const copy: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(root as object)) {
    const next = name === key ? replaceAt(item, rest, value) : item;
    if (next !== omitted) setOwn(copy, name, next);
  }
  return copy;
}

/** A copy without the value at a path. */
export function leaveOut(root: unknown, path: JsonPath): unknown {
  return replaceAt(root, path, omitted);
}

function isBlank(value: unknown): boolean {
  if (value === null) return true;
  if (typeof value === "string") return value.trim() === "";
  return isRecord(value) && Object.keys(value).length === 0;
}

/** Whether a value may fit one of the schemas: its type, its constants, and whether anything is there at all. */
function fits(value: unknown, schemas: readonly JsonSchema[]): boolean {
  return schemas.some((schema) => {
    const { const: constant, enum: values, minLength = 0, required = [] } = schema;
    if (constant !== undefined) return value === constant;
    if (values !== undefined) return values.includes(value);
    if (typesOf([schema])?.has(jsonTypeOf(value)) === false) return false;
    if (typeof value === "number") return schema.type !== "integer" || Number.isInteger(value);
    if (typeof value === "string") return value !== "" || minLength === 0;
    return !isRecord(value) || Object.keys(value).length > 0 || required.length === 0;
  });
}

/** What a value may mean where it does not fit. */
function readingsOf(value: unknown, schemas: readonly JsonSchema[]): readonly unknown[] {
  const allows = (type: string) => schemas.some((schema) => typesOf([schema])?.has(type) ?? true);
  const readings: unknown[] = [];
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    readings.push(...constantsLike(String(value), schemas));
    if (allows("array") && !isListed(value)) readings.push([value]);
  }
  if (typeof value === "number" || typeof value === "boolean") readings.push(String(value));
  if (value === 0 || value === 1) readings.push(value === 1);
  if (typeof value === "string") readings.push(...readText(value.trim()));
  if (Array.isArray(value) && value.length === 1) readings.push(value[0]);
  return readings;
}

/** Whether a text may be several values, or none. */
function isListed(value: unknown): boolean {
  return typeof value === "string" && (value.trim() === "" || /^\s*[[{]|[,;\n]/.test(value));
}

function constantsLike(text: string, schemas: readonly JsonSchema[]): readonly unknown[] {
  const constants = schemas.flatMap(
    ({ const: constant, enum: values }) => values ?? (constant === undefined ? [] : [constant]),
  );
  return constants.filter((constant) => constant !== null && plainName(String(constant)) === plainName(text));
}

function readText(text: string): readonly unknown[] {
  if (/^[$€£¥+-]?\d+(\.\d+)?$/.test(text)) {
    const number = Number(text.replace(/^[$€£¥]/, ""));
    // An inexact number would be a different one.
    return Number.isSafeInteger(Math.trunc(number)) ? [number] : [];
  }
  if (/^(?:true|false|yes|no|on|off)$/i.test(text)) return [/^(?:true|yes|on)$/i.test(text)];
  if (!/^[[{]/.test(text) || text.length > maxJsonLength) return [];
  const value = parseJson(text);
  return value === undefined ? [] : [value];
}
