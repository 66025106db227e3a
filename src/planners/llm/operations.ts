import { branchField, type JsonSchema, schemasAt } from "../../core/json-schema.ts";
import type { DefinedTool } from "../../core/tool.ts";
import { compileTool, type PhraseRule, type ToolRules } from "../rules/phrase-rules.ts";
import { choicesOf, isDate, isReadable, type SlotType, slotTypeOf, withUnit } from "../rules/slots.ts";

/** One thing that a tool does: all of it, or a branch of its input that a constant names. */
export interface Operation {
  /** As a model writes it: `Refund`, `Mail.send`. */
  readonly name: string;
  readonly rules: ToolRules;
  /** The part of the input that names the branch. */
  readonly constants: Readonly<Record<string, unknown>>;
  /** What it does, in a line. */
  readonly description: string;
  /** What a model is asked for, in the order in which people say it. */
  readonly slots: readonly Slot[];
  /** What code reads beside that: the optional slots of a closed kind. */
  readonly closed: ReadonlyMap<string, SlotType>;
  readonly phrases: readonly PhraseRule[];
  /** The fields of its result that later steps may name. */
  readonly outputs: readonly string[];
}

/** One value that a model is asked for. */
export interface Slot {
  /** The name of a phrase's slot, or of a field of the input. */
  readonly name: string;
  /** As a model writes it: with `_` behind a name that is one of ours. */
  readonly key: string;
  readonly type: SlotType;
  /** How a field that no reader knows is written; undefined for one that is copied as words. */
  readonly schema: JsonSchema | undefined;
  readonly isRequired: boolean;
  /** True if a model may write it in its own words. */
  readonly isComposed: boolean;
}

const reserved: ReadonlySet<string> = new Set(["do", "if", "each"]);
/** Of an input with more fields, a model is shown those that are required or that a phrase names. */
const maxFields = 8;
const maxDescription = 160;
/** A slot without which few phrases of an operation can be said is required. */
const usual = 0.8;

/** The operations of some tools, in their order. */
export async function operationsOf(tools: readonly DefinedTool[]): Promise<readonly Operation[]> {
  const rules = await Promise.all(tools.map(compileTool));
  return rules.flatMap(ofTool);
}

/** The operation that an input of a tool is of. */
export function operationOf(
  operations: readonly Operation[],
  tool: string | undefined,
  input: Readonly<Record<string, unknown>>,
): Operation | undefined {
  return operations.find(
    ({ rules, constants }) =>
      rules.tool.name === tool && Object.entries(constants).every(([key, constant]) => input[key] === constant),
  );
}

function ofTool(rules: ToolRules): readonly Operation[] {
  const branches = schemasAt(rules.schemas.input, []) ?? [];
  const field = branchField(branches);
  if (field === undefined)
    return [makeOperation(rules, { name: rules.tool.name, constants: {}, branch: join(branches) })];
  return branches.flatMap((branch) => {
    const { const: only, enum: several = [only] } = branch.properties?.[field] ?? {};
    return several.map((constant) =>
      makeOperation(rules, { name: `${rules.tool.name}.${constant}`, constants: { [field]: constant }, branch }),
    );
  });
}

/** The fields of all branches; one is required if it is in each. */
function join(branches: readonly JsonSchema[]): JsonSchema {
  const [first = {}, ...others] = branches;
  if (others.length === 0) return first;
  const required = branches.map((branch) => new Set(branch.required ?? []));
  return {
    properties: Object.assign({}, ...branches.map(({ properties }) => properties)),
    required: [...(required[0] ?? [])].filter((name) => required.every((each) => each.has(name))),
  };
}

interface Branch {
  readonly name: string;
  readonly constants: Readonly<Record<string, unknown>>;
  readonly branch: JsonSchema;
}

function makeOperation(rules: ToolRules, { name, constants, branch }: Branch): Operation {
  const { tool, schemas } = rules;
  const phrases = rules.rules.filter(({ fixed, source }) =>
    Object.entries(constants).every(([key, value]) => (fixed[key] ?? source.input?.[key]) === value),
  );
  const { asked, closed } = splitSlots({ phrases, all: rules.rules, constants, branch, input: schemas.input });
  const isKnown = (slot: string) => closed.has(slot) || asked.some((each) => each.name === slot);
  const said = phrases
    .filter((rule) => slotsIn(rule).every(isKnown))
    .sort((left, right) => Number(slotsIn(left).length === 0) - Number(slotsIn(right).length === 0))
    .slice(0, 2)
    .map(({ example }) => `"${example}"`)
    .join(", ");
  const branchText =
    typeof branch.description === "string" && branch !== schemas.input ? branch.description : undefined;
  const about = branchText ?? (Object.keys(constants).length > 0 && said !== "" ? `as ${said}` : tool.description);
  const outputs = schemasAt(schemas.output ?? {}, []) ?? [];
  return {
    ...{ name, rules, constants, phrases, closed },
    description: about.replace(/\s+/g, " ").slice(0, maxDescription),
    slots: asked.map((slot) => ({ ...slot, key: reserved.has(slot.name) ? `${slot.name}_` : slot.name })),
    outputs: [...new Set(outputs.flatMap(({ properties = {} }) => Object.keys(properties)))],
  };
}

interface Parts {
  readonly phrases: readonly PhraseRule[];
  /** Those of the whole tool. */
  readonly all: readonly PhraseRule[];
  readonly constants: Readonly<Record<string, unknown>>;
  readonly branch: JsonSchema;
  readonly input: JsonSchema;
}

/**
 * Which slots a model is asked for, and which code reads: the optional ones of a closed kind, unless two are of one kind
 * and nobody could tell which is meant.
 */
function splitSlots(parts: Parts) {
  const { phrases, all, constants, branch, input } = parts;
  const fields = branch.properties ?? {};
  const beside = new Map(all.flatMap(({ anywhere }) => anywhere.flatMap(({ slots }) => [...slots])));
  const named = new Map(phrases.flatMap(({ slots }) => [...slots]));
  const hasFunction = phrases.some(({ source }) => source.toInput !== undefined);
  const typeOf = (name: string): SlotType =>
    named.get(name) ?? beside.get(name) ?? withUnit(slotTypeOf(schemasAt(input, [name], constants)), name);
  const isText = (name: string) => !isReadable(typeOf(name)) && typeOf(name).kind !== "list";
  const names = inSpokenOrder(slotNamesOf(parts, { named: new Set(named.keys()), hasFunction, isText }), phrases);
  const isRequired = requiredIn(parts, { hasFunction, isText });
  const optional = names.filter((name) => !isRequired(name));
  const kindOf = (name: string) => (isDate(typeOf(name)) ? "date" : typeOf(name).kind);
  const isClosed = (name: string) => {
    const type = typeOf(name);
    if (isRequired(name) || phrases.length === 0 || !isRead(type, fields[name])) return false;
    // Two of one kind are told apart by a function only.
    if (!hasFunction && optional.filter((each) => kindOf(each) === kindOf(name)).length > 1) return false;
    const isLed = hasFunction && (type.kind === "list" || (isText(name) && isNamed(name, phrases)));
    return beside.has(name) || isReadable(type) || isLed;
  };
  const asked = names
    .filter((name) => !isClosed(name))
    .map((name) => ({
      ...{ name, type: typeOf(name), isRequired: isRequired(name) },
      schema: isRead(typeOf(name), fields[name]) ? undefined : fields[name],
      isComposed: fields[name]?.composed === true,
    }));
  const own = hasFunction ? phrases.flatMap(({ anywhere }) => anywhere.flatMap(({ slots }) => [...slots])) : [];
  const read = names.filter(isClosed).map((name) => [name, typeOf(name)] as const);
  const closed = new Map<string, SlotType>([...own, ...read]);
  // A template may fill one of several slots: the name of a list, or of a place.
  for (const { slots } of all.flatMap(({ anywhere }) => anywhere))
    if ([...slots.keys()].some((name) => closed.has(name))) for (const [name, type] of slots) closed.set(name, type);
  for (const { name } of asked) closed.delete(name);
  return { asked, closed };
}

interface SlotNaming {
  /** The slots that phrases name. */
  readonly named: ReadonlySet<string>;
  readonly hasFunction: boolean;
  readonly isText: (name: string) => boolean;
}

/** The fields of an operation that count, and the slots of its phrases that are no fields. */
function slotNamesOf(
  { phrases, constants, branch }: Parts,
  { named, hasFunction, isText }: SlotNaming,
): readonly string[] {
  const fields = branch.properties ?? {};
  const required = new Set(branch.required ?? []);
  const isMany = Object.keys(fields).length > maxFields;
  const isUsed = (name: string) => named.has(name) || phrases.some(({ source }) => name in (source.input ?? {}));
  const isShown = (name: string) => (hasFunction ? named.has(name) : required.has(name) || !isMany || isUsed(name));
  const ofFields = Object.keys(fields).filter((name) => !(name in constants) && isShown(name));
  // A slot without a field stands for one, in a way that the phrase's function knows.
  const hasOwnText = ofFields.some(isText);
  return [...ofFields, ...[...named].filter((name) => !(name in fields) && !(isText(name) && hasOwnText))];
}

/** Tells which slots a call must have: the required fields, or those without which few phrases can be said. */
function requiredIn(
  { phrases, branch }: Parts,
  { hasFunction, isText }: Omit<SlotNaming, "named">,
): (name: string) => boolean {
  const { properties: fields = {}, required = [] } = branch;
  if (!hasFunction) return (name) => required.includes(name);
  const standsFor = (each: string, name: string) => !(each in fields) && isText(each) && isText(name);
  const speaking = phrases.filter(({ source }) => source.toInput !== undefined);
  return (name) => {
    const saying = speaking.filter((rule) => slotsIn(rule).some((each) => each === name || standsFor(each, name)));
    return saying.length > usual * speaking.length;
  };
}

/** True if phrases say what the value of a slot is: "to the {newList} list". */
function isNamed(name: string, phrases: readonly PhraseRule[]): boolean {
  const having = phrases.filter((rule) => slotsIn(rule).includes(name));
  return having.length > 0 && having.every(({ example }) => example.includes(`{${name}} `));
}

/** The slots of a phrase as somebody would say it, in their order. */
export function slotsIn({ example }: Pick<PhraseRule, "example">): readonly string[] {
  return [...example.matchAll(/\{([\w-]+)\}/g)].map(([, name = ""]) => name);
}

/** Names as the phrases have them: what comes first in the phrase with the most of them. */
function inSpokenOrder(names: readonly string[], phrases: readonly PhraseRule[]): readonly string[] {
  const orders = phrases.map(slotsIn).sort((left, right) => right.length - left.length);
  const place = (name: string) => {
    const order = orders.find((each) => each.includes(name));
    return order === undefined ? names.length : order.indexOf(name);
  };
  return [...new Set(names)].sort((left, right) => place(left) - place(right));
}

/** True if a reader knows the type: words, a number, a time, a choice; not an object or a list of objects. */
function isRead(type: SlotType, schema: JsonSchema | undefined): boolean {
  if (schema === undefined || type.kind === "enum") return true;
  const types = [schema.type ?? []].flat();
  if (type.kind === "list") {
    const item = Array.isArray(schema.items) ? undefined : (schema.items as JsonSchema | undefined);
    return item !== undefined && /^(?:string|number|integer)$/.test(String(item.type)) && item.enum === undefined;
  }
  if (type.kind === "text") return types.includes("string");
  return true;
}

/** A slot as a line of the prompt has it: `when`, `number`, `low|high`. */
export function describeSlot({ key, type, schema, isRequired }: Slot): string {
  return `${key}${isRequired ? "" : "?"}: ${describeType(type, schema)}`;
}

const maxChoices = 20;

function describeType(type: SlotType, schema: JsonSchema | undefined): string {
  if (schema !== undefined) return describeFields(schema, 0);
  switch (type.kind) {
    case "date":
    case "date-time":
    case "range":
      return "when";
    case "enum": {
      const choices = choicesOf(type);
      return choices.length > maxChoices ? `${choices.slice(0, maxChoices).join("|")}|…` : choices.join("|");
    }
    case "number":
    case "boolean":
      return type.kind;
    case "list":
      return type.item === "number" ? "numbers[]" : "words[]";
    case "sum":
      return "sum";
    case "text":
      return "words";
  }
}

const maxDepth = 4;

/** An object or a list that no reader knows, by its fields. */
function describeFields(schema: JsonSchema, depth: number): string {
  const [plain = {}] = schemasAt(schema, []) ?? [];
  if (depth > maxDepth) return "any";
  if (plain.enum !== undefined) return plain.enum.slice(0, maxChoices).join("|");
  if (plain.type === "array") return `${describeFields((plain.items ?? {}) as JsonSchema, depth + 1)}[]`;
  if (plain.properties === undefined) return plain.type === "string" ? "words" : String(plain.type ?? "any");
  const required = new Set(plain.required ?? []);
  const fields = Object.entries(plain.properties).map(
    ([key, field]) => `${key}${required.has(key) ? "" : "?"}: ${describeFields(field, depth + 1)}`,
  );
  return `{${fields.join(", ")}}`;
}
