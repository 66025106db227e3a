import { indexTools, isOpenText } from "../core/define-tool.ts";
import { hiddenText, isRecord, isSealed, type JsonObject, type JsonPath, type JsonValue } from "../core/json.ts";
import { branchesOf, childOf, type JsonSchema, knownKeys, schemasAt } from "../core/json-schema.ts";
import { only } from "../core/lists.ts";
import { type SensitiveView, sensitiveViewOf } from "../core/sensitive-paths.ts";
import type { DefinedTool, Tool } from "../core/tool.ts";
import { type ToolSchemas, toolSchemas } from "../core/tool-schemas.ts";
import { wordSet } from "../english/word-set.ts";
import { toSingular } from "../language/word-forms.ts";
import { sayName } from "../plan/say-call.ts";

/** Something that an output shows and that another call can name: a booking, a todo, a room. */
export interface Thing {
  /** A noun in the singular, such as "booking". */
  readonly kind: string;
  readonly keyField: string;
  readonly key: string | number;
  readonly labelField?: string;
  readonly label?: string;
  /** Fields of the output, plus those of the input if the call created the thing; without sensitive values. */
  readonly fields: JsonObject;
  readonly path: JsonPath;
  /** Input fields that take the key, by tool name. */
  readonly keyInputs: ReadonlyMap<string, string>;
}

interface KnownTool {
  readonly tool: DefinedTool;
  readonly schemas: ToolSchemas;
  readonly view: SensitiveView | undefined;
  readonly inputs: ReadonlyMap<string, { readonly schemas: readonly JsonSchema[]; readonly isRequired: boolean }>;
  readonly isChanging: boolean;
  readonly words: readonly string[];
  readonly topics: ReadonlySet<string>;
  readonly nouns: ReadonlySet<string>;
}

interface KnownTools {
  readonly byName: ReadonlyMap<string, KnownTool>;
  readonly nouns: ReadonlySet<string>;
  readonly keyInputs: Map<string, ReadonlyMap<string, string>>;
}

const maxThings = 1_000;
const maxDepth = 8;
const maxKey = 200;

/** Returns the things in an output, in order; none for a tool with zod 3 schemas until a run has read them. */
export function thingsIn(tools: readonly Tool[], toolName: string, input: unknown, output: unknown): readonly Thing[] {
  const all = knownTools(tools);
  const tool = all.byName.get(toolName);
  if (tool?.schemas.output === undefined) return [];
  const found: Thing[] = [];
  const shapes = new Map<string, Shape>();
  const { view } = tool;
  const root = tool.schemas.output as JsonSchema;

  function visit(value: unknown, branches: readonly JsonSchema[], at: Place): void {
    if (found.length >= maxThings || at.path.length > maxDepth || !isHolder(value) || at.view?.isSensitive) return;
    if (isRecord(value)) {
      const thing = toThing(value, branches, at);
      if (thing !== undefined) found.push(thing);
    }
    for (const [name, item] of Object.entries(value)) {
      const key = Array.isArray(value) ? Number(name) : name;
      if (!isHolder(item)) continue;
      const below = childrenOf(branches, key).flatMap((child) => branchesOf(root, child, item));
      const noun = typeof key === "number" ? at.noun : nounOfList(key);
      visit(item, [...new Set(below)], { path: [...at.path, key], noun, view: at.view?.at(key) });
    }
  }

  function toThing(record: Readonly<Record<string, unknown>>, branches: readonly JsonSchema[], at: Place) {
    const own = shownFields(record, at.view);
    const { schemas, candidates } = shapeOf(own, branches, at);
    const found = candidates.find(({ name, rank }) => isKeyValue(own[name]) && (rank === 0 || !isDate(own[name])));
    if (found === undefined) return undefined;
    const { name: keyField, kind, keyInputs } = found;
    const schemaOf = (name: string) => schemas.get(name) ?? tool?.inputs.get(name)?.schemas ?? [];
    const isCreated =
      at.path.length === 0 && tool?.isChanging === true && findLabel(own, keyField, schemaOf) === undefined;
    const fields = isCreated ? { ...inputFields(tool as KnownTool, input), ...own } : own;
    const labelField = findLabel(fields, keyField, schemaOf);
    const label = labelField === undefined ? {} : { labelField, label: fields[labelField] as string };
    return { kind, keyField, key: own[keyField] as string | number, ...label, fields, path: at.path, keyInputs };
  }

  function shapeOf(own: JsonObject, branches: readonly JsonSchema[], at: Place): Shape {
    const types = Object.entries(own).map(([name, value]) => [name, typeof value]);
    const id = JSON.stringify([at.path.filter((part) => typeof part === "string"), types]);
    const known = shapes.get(id);
    if (known !== undefined) return known;
    const schemasOf = (name: string) =>
      childrenOf(branches, name).flatMap((child) => [child, ...branchesOf(root, child)]);
    const schemas = new Map(Object.keys(own).map((name) => [name, schemasOf(name)]));
    const noun = at.noun ?? nounOfTool(tool as KnownTool);
    const shape = { schemas, candidates: findKeys(own, { schemas, noun, known: all, tool: tool as KnownTool }) };
    shapes.set(id, shape);
    return shape;
  }

  visit(output, branchesOf(root, root, output), { path: [], noun: undefined, view });
  return found;
}

export function toolNamed(tools: readonly Tool[], name: string): DefinedTool | undefined {
  return knownTools(tools).byName.get(name)?.tool;
}

function childrenOf(branches: readonly JsonSchema[], key: string | number): readonly JsonSchema[] {
  return branches.map((branch) => childOf(branch, key)).filter((child) => typeof child === "object");
}

interface Shape {
  readonly schemas: ReadonlyMap<string, readonly JsonSchema[]>;
  readonly candidates: readonly Candidate[];
}

interface Place {
  readonly path: JsonPath;
  readonly noun: string | undefined;
  readonly view: SensitiveView | undefined;
}

const knownByTools = new WeakMap<readonly Tool[], KnownTools>();

function knownTools(tools: readonly Tool[]): KnownTools {
  const known = knownByTools.get(tools);
  if (known !== undefined) return known;
  const indexed = [...indexTools(tools)].map(([name, tool]) => [name, tool, toolSchemas(tool)] as const);
  const byName = new Map(indexed.map(([name, tool, read]) => [name, toKnownTool(tool, read)]));
  const nouns = new Set([...byName.values()].flatMap((tool) => [...tool.nouns]));
  const made = { byName, nouns, keyInputs: new Map() };
  if (!indexed.some(([, , read]) => read instanceof Promise)) knownByTools.set(tools, made);
  return made;
}

function toKnownTool(tool: DefinedTool, read: ReturnType<typeof toolSchemas>): KnownTool {
  if (read instanceof Promise) read.catch(() => {});
  const schemas: ToolSchemas = read instanceof Promise ? { input: {}, output: undefined } : read;
  const branches = schemasAt(schemas.input, []) ?? [];
  const inputs = new Map(
    knownKeys(branches).map((name) => {
      const having = branches.filter(({ properties = {} }) => Object.hasOwn(properties, name));
      const isRequired = having.every(({ required = [] }) => required.includes(name));
      return [name, { schemas: schemasAt(schemas.input, [name]) ?? [], isRequired }] as const;
    }),
  );
  const described = [...inputs.values()].flatMap(({ schemas }) => schemas.map(({ description = "" }) => description));
  const words = sayName(tool.name).split(" ").map(toSingular);
  return {
    tool,
    schemas,
    view: sensitiveViewOf(schemas.output),
    inputs,
    isChanging: tool.declaredEffect !== "pure",
    words,
    topics: new Set([...words, ...wordsOf([tool.description, ...described].join(" "))]),
    nouns: schemas.output === undefined ? new Set() : nounsOfLists(schemas.output),
  };
}

function wordsOf(text: string): readonly string[] {
  return (text.toLowerCase().match(/\p{L}+/gu) ?? []).map(toSingular);
}

function nounsOfLists(root: JsonSchema): ReadonlySet<string> {
  const nouns = new Set<string>();
  const seen = new Set<JsonSchema>();
  const visit = (schema: JsonSchema): void => {
    for (const branch of branchesOf(root, schema)) {
      // Schemas may be recursive.
      if (seen.has(branch)) continue;
      seen.add(branch);
      const { properties = {}, items } = branch;
      if (isRecord(items)) visit(items);
      for (const [name, child] of Object.entries(properties)) {
        const noun = branchesOf(root, child).some(isListOfObjects) ? nounOfList(name) : undefined;
        if (noun !== undefined) nouns.add(noun);
        visit(child);
      }
    }
  };
  const isListOfObjects = ({ items }: JsonSchema) =>
    isRecord(items) && branchesOf(root, items).some(({ properties }) => properties !== undefined);
  visit(root);
  return nouns;
}

const anyList = wordSet("all data entry found hit item list match output page record result row value");

function nounOfList(name: string): string | undefined {
  const noun = toSingular(sayName(name).split(" ").at(-1) ?? "");
  return noun === "" || anyList.has(noun) ? undefined : noun;
}

function nounOfTool({ nouns, words }: KnownTool): string {
  return only([...nouns]) ?? words.at(-1) ?? "thing";
}

const keyWords = wordSet("id number no code ref reference key isbn sku slug uuid");
const specificKeys = wordSet("isbn sku slug uuid");
/** Numbers and codes that describe a thing but do not identify it. */
const notOfThings = wordSet(
  "phone fax mobile page zip postal post country currency language error status version house tax",
);
const composedWords = wordSet(
  "title text body message content note notes description query expression comment reason subject summary",
);

/** Splits "bookingId" into the noun "booking" and the suffix "id". */
function splitName(field: string): { readonly noun: string; readonly suffix: string } {
  const words = sayName(field).split(" ");
  const last = words.at(-1) ?? "";
  const suffix = keyWords.has(last) || field === "name" ? last : "";
  return { noun: (suffix === "" ? words : words.slice(0, -1)).join(" "), suffix };
}

function keyInputsOf({ byName, nouns, keyInputs }: KnownTools, kind: string, keyField: string, own: KnownTool) {
  const id = `${kind}\n${keyField}\n${own.tool.name}`;
  const known = keyInputs.get(id);
  if (known !== undefined) return known;
  const key = splitName(keyField);
  const isTaken = (tool: KnownTool) => (field: string) => {
    const { noun, suffix } = splitName(field);
    // A plain "id" may identify anything, unless there is only one kind of thing.
    const isOnlyKind = nouns.size === 1 && nouns.has(kind);
    const isRelated = tool === own || tool.topics.has(kind) || isOnlyKind || specificKeys.has(key.suffix);
    const isSameNoun =
      noun === key.noun ? noun !== "" || isRelated : (noun || kind) === (key.noun || kind) && isRelated;
    const isName = suffix === "name" || key.suffix === "name";
    return isSameNoun && (suffix === key.suffix || (!isName && (suffix === "" || key.suffix === "")));
  };
  const found = new Map<string, string>();
  for (const tool of byName.values()) {
    const names = [...tool.inputs.keys()];
    const field = names.find((name) => name === keyField && isTaken(tool)(name)) ?? names.find(isTaken(tool));
    if (field !== undefined) found.set(tool.tool.name, field);
  }
  keyInputs.set(id, found);
  return found;
}

interface KeySearch extends Pick<Shape, "schemas"> {
  readonly noun: string;
  readonly known: KnownTools;
  readonly tool: KnownTool;
}

interface Candidate {
  readonly name: string;
  readonly kind: string;
  readonly keyInputs: ReadonlyMap<string, string>;
  /** Lower is better. 0: marked as key; 1: `id`; 2: named like the thing; 3: other ids; 4 to 5.1: required by calls. */
  readonly rank: number;
}

function findKeys(fields: JsonObject, search: KeySearch): readonly Candidate[] {
  const scalars = Object.entries(fields).filter(([, value]) => typeof value === "string" || typeof value === "number");
  const candidates = scalars.flatMap(([name, value]) => toCandidate(name, value, search) ?? []);
  return candidates.toSorted((one, other) => one.rank - other.rank);
}

function toCandidate(name: string, value: unknown, { schemas, noun, known, tool }: KeySearch): Candidate | undefined {
  const fieldSchemas = schemas.get(name) ?? [];
  const isMarked = fieldSchemas.some(({ key }) => key === true);
  if (!isMarked && !mayBeKey(name, fieldSchemas)) return undefined;
  const { noun: own, suffix } = splitName(name);
  const isIdOf = own !== "" && suffix !== "" && suffix !== "name";
  const isNoun = known.nouns.has(own) || (isIdOf && own === noun);
  const kind = isNoun || isIdOf ? own : noun;
  const keyInputs = keyInputsOf(known, kind, name, tool);
  if (isMarked) return { name, kind, keyInputs, rank: 0 };
  const changing = [...keyInputs].flatMap(([toolName, field]) => {
    const other = known.byName.get(toolName);
    return other?.isChanging === true ? [{ ...other.inputs.get(field), words: other.words }] : [];
  });
  if (changing.length === 0) return undefined;
  if (own === "" && suffix === "id") return { name, kind, keyInputs, rank: 1 };
  if (isNoun) return { name, kind, keyInputs, rank: 2 };
  if (suffix !== "" && suffix !== "name") return { name, kind, keyInputs, rank: 3 };
  const required = changing.filter(({ isRequired }) => isRequired);
  // A number is a key only if a tool is named after its field: "booking" for MoveBooking, not "people" for BookTable.
  const isKey = typeof value === "string" || required.some(({ words }) => words.includes(own));
  if (!isKey || required.length === 0) return undefined;
  return { name, kind: own || noun, keyInputs, rank: 4 + 1 / required.length + (typeof value === "string" ? 0 : 0.1) };
}

const isoDate = /^\d{4}-\d\d(?:-\d\d(?:T.*)?)?$|^T?\d\d:\d\d/;

function isKeyValue(value: unknown): value is string | number {
  return Number.isSafeInteger(value) || (typeof value === "string" && value !== "" && value.length <= maxKey);
}

function mayBeKey(name: string, schemas: readonly JsonSchema[]): boolean {
  if (isDate(undefined, schemas)) return false;
  const words = sayName(name).split(" ");
  return !notOfThings.has(words.at(-2) ?? "") && !composedWords.has(words.at(-1) ?? "");
}

function isDate(value: unknown, schemas: readonly JsonSchema[] = []): boolean {
  if (schemas.some(({ format }) => format === "date" || format === "date-time" || format === "time")) return true;
  return typeof value === "string" && isoDate.test(value);
}

export const labelNames = ["title", "name", "label", "subject", "summary", "text"];

function findLabel(
  fields: JsonObject,
  keyField: string,
  schemaOf: (name: string) => readonly JsonSchema[],
): string | undefined {
  const isLabel = (name: string) => {
    const value = fields[name];
    return typeof value === "string" && value.trim() !== "" && value !== hiddenText && name !== keyField;
  };
  const isFree = (name: string) => {
    const schemas = schemaOf(name);
    return isLabel(name) && schemas.some(isOpenText) && !isDate(fields[name], schemas) && splitName(name).suffix === "";
  };
  return labelNames.find(isLabel) ?? Object.keys(fields).find(isFree);
}

function shownFields(record: Readonly<Record<string, unknown>>, view: SensitiveView | undefined): JsonObject {
  const isShown = ([name, value]: readonly [string, unknown]) =>
    view?.at(name).isSensitive !== true && value !== hiddenText && !isSealed(value);
  return Object.fromEntries(Object.entries(record).filter(isShown)) as JsonObject;
}

export function openInput(tools: readonly Tool[], { tool, input }: { readonly tool: string; readonly input: unknown }) {
  const schemas = knownTools(tools).byName.get(tool)?.schemas;
  return schemas !== undefined && isRecord(input) ? shownFields(input, sensitiveViewOf(schemas.input)) : {};
}

/** Drops the field that only selects the operation. */
function inputFields({ inputs, schemas }: KnownTool, input: unknown): JsonObject {
  if (!isRecord(input)) return {};
  const isConstant = (name: string) => {
    const given = inputs.get(name)?.schemas ?? [];
    return given.length > 0 && given.every(({ const: constant }) => constant !== undefined);
  };
  const said = Object.entries(input).filter(([name]) => !isConstant(name));
  return shownFields(Object.fromEntries(said), sensitiveViewOf(schemas.input));
}

function isHolder(value: unknown): value is object {
  return typeof value === "object" && value !== null && !isSealed(value);
}

/** Makes a value that fits a simple schema. Arrays get one item. */
export function exampleOf(schema: JsonSchema, root: JsonSchema = schema, depth = 0): JsonValue {
  const [branch = {}] = branchesOf(root, schema);
  const { type, properties = {}, items, format, minimum, maximum, minLength = 1 } = branch;
  if (branch.const !== undefined) return branch.const as JsonValue;
  if (branch.enum?.[0] !== undefined) return branch.enum[0] as JsonValue;
  if (depth > maxDepth) return null;
  if (type === "array") return [exampleOf(([items ?? {}].flat()[0] ?? {}) as JsonSchema, root, depth + 1)];
  if (type === "object")
    return Object.fromEntries(
      Object.entries(properties).map(([name, child]) => [name, exampleOf(child, root, depth + 1)]),
    );
  // Tools often require positive keys.
  if (type === "number" || type === "integer") return Math.min(Math.max(1, Number(minimum ?? 1)), Number(maximum ?? 1));
  if (type === "boolean") return true;
  return examples[String(format)] ?? "x".repeat(Math.max(1, Math.min(Number(minLength), maxKey)));
}

const examples: Readonly<Record<string, string>> = {
  date: "2030-01-01",
  "date-or-date-time": "2030-01-01",
  "date-time": "2030-01-01T09:00:00Z",
  time: "09:00",
};
