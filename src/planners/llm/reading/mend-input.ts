import { type JsonPath, setOwn } from "../../../core/json.ts";
import { type JsonSchema, knownKeys, schemasAt } from "../../../core/json-schema.ts";
import type { PlanMend } from "../../../core/plan.ts";
import { asLiteral, asReference } from "../../../plan/reference.ts";
import { describeMend } from "./plan-mend.ts";
import { isRecord, plainName } from "./records.ts";
import { constantsLike, fits, readingsOf } from "./value-readings.ts";

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
  /** Whether the user has typed a text, as a word of its own. */
  readonly isSaid: (text: string) => boolean;
  /** Whether the schema sent asks for null in place of a key that is left out: this does not count as a mend. */
  readonly isStrict?: boolean | undefined;
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

/** No plan shows more of what was mended in one input. */
const maxMends = 100;
/** A choice that was mended may show how to mend another. */
const maxPasses = 3;
/** Leaves a field out. */
const omitted = Symbol("omitted");

class Mending {
  readonly mends: PlanMend[] = [];
  private isCopied = false;

  constructor(
    public root: unknown,
    private readonly mending: InputMending,
  ) {}

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
    const keys = Object.keys(named);
    this.mendChoices(path, keys);
    for (const key of keys) this.visit([...path, key], this.valueAt([...path, key]));
  }

  /** Choices decide which branch of a union the other values have to fit, and a wrong one may rule out every branch. */
  private mendChoices(path: JsonPath, keys: readonly string[]): void {
    for (let pass = 0; pass < maxPasses; pass++) {
      const before = this.mends.length;
      for (const key of keys) {
        const place = [...path, key];
        if (isChoice(this.schemasAt(place) ?? [])) this.mendValue(place, this.valueAt(place));
      }
      if (this.mends.length === before) return;
    }
  }

  private valueAt(path: JsonPath): unknown {
    return path.reduce<unknown>(
      (value, key) => (value as Record<string | number, unknown> | undefined)?.[key],
      this.root,
    );
  }

  private schemasAt(path: JsonPath): readonly JsonSchema[] | undefined {
    return schemasAt(this.mending.schema, path, this.root);
  }

  private mendValue(path: JsonPath, value: unknown): unknown {
    const schemas = this.schemasAt(path);
    if (schemas === undefined || schemas.length === 0 || fits(value, schemas)) return value;
    if (typeof value === "object" && value !== null && (asReference(value) ?? asLiteral(value)) !== undefined)
      return value;
    if (typeof value === "string" && this.mending.mayRefer(value)) return value;
    const readings = new Map<string, unknown>();
    for (const reading of readingsOf(value, { schemas, name: nameOf(path), isSaid: this.mending.isSaid })) {
      if (fits(reading, schemas)) readings.set(JSON.stringify(reading), reading);
    }
    if (isBlank(value) && this.isOptional(path)) readings.set("", omitted);
    if (readings.size !== 1) return value;
    const [reading] = readings.values();
    this.replace(path, reading);
    const isAsSent = this.mending.isStrict && value === null && reading === omitted;
    if (!isAsSent) this.mend("value", { path, written: value, read: reading === omitted ? undefined : reading });
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
        this.mend("key", { path: [...path, key], written: key, read: undefined });
        continue;
      }
      const alike = isKnown
        ? []
        : known.filter(
            (name) => plainName(name) === plainName(key) || this.isConstantOf(path, name, { value, key, item }),
          );
      const [name = key] = alike.length === 1 && !Object.hasOwn(value, alike[0] ?? "") ? alike : [];
      if (name !== key) {
        isRenamed = true;
        this.mend("key", { path: [...path, name], written: key, read: name });
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
    {
      value,
      key,
      item,
    }: { readonly value: Readonly<Record<string, unknown>>; readonly key: string; readonly item: unknown },
  ): boolean {
    if (Object.hasOwn(value, name) || typeof item !== "string") return false;
    const around = this.schemasAt(path) ?? [];
    const isRequired = around.every(({ required = [] }) => required.includes(name));
    if (!operationNames.has(plainName(name)) || !operationNames.has(plainName(key))) return false;
    return isRequired && constantsLike(item, this.schemasAt([...path, name]) ?? []).length === 1;
  }

  /** Changes a copy of the input, which is made with the first change. */
  private replace(path: JsonPath, value: unknown): void {
    if (!this.isCopied) this.root = structuredClone(this.root);
    this.isCopied = true;
    const key = path.at(-1);
    if (key === undefined) {
      this.root = value;
      return;
    }
    const holder = this.valueAt(path.slice(0, -1)) as Record<string | number, unknown>;
    if (value === omitted) delete holder[key];
    else if (Array.isArray(holder)) holder[key as number] = value;
    else setOwn(holder, String(key), value);
  }

  private mend(
    kind: PlanMend["kind"],
    { path, written, read }: { path: JsonPath; written: unknown; read: unknown },
  ): void {
    if (this.mends.length < maxMends) this.mends.push(describeMend(kind, { path: ["input", ...path], written, read }));
  }
}

/** A copy without the value at a path that ends with a key. */
export function leaveOut(root: unknown, [key, ...rest]: JsonPath): unknown {
  if (Array.isArray(root)) return root.map((item: unknown, index) => (index === key ? leaveOut(item, rest) : item));
  const copy: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(root as object)) {
    if (name !== key) setOwn(copy, name, item);
    else if (rest.length > 0) setOwn(copy, name, leaveOut(item, rest));
  }
  return copy;
}

function isBlank(value: unknown): boolean {
  if (value === null) return true;
  if (typeof value === "string") return value.trim() === "";
  return isRecord(value) && Object.keys(value).length === 0;
}

/** What the field is called that says what a tool is to do: "action" stands for "operation". */
const operationNames: ReadonlySet<string> = new Set(["operation", "op", "action", "command", "method", "verb"]);

/** Whether only constants are allowed. */
function isChoice(schemas: readonly JsonSchema[]): boolean {
  return schemas.length > 0 && schemas.every(({ const: constant, enum: values }) => (constant ?? values) !== undefined);
}

/** The name of the field that a value is in, or is an item of. */
function nameOf(path: JsonPath): string {
  return String(path.findLast((key) => typeof key === "string") ?? "");
}
