import type { JsonObject } from "../../core/json.ts";
import { type JsonSchema, schemasAt } from "../../core/json-schema.ts";
import type { DefinedTool } from "../../core/tool.ts";
import { areOpposite, emptyWords, lightVerbs, verbsLike } from "../../english/word-classes.ts";
import { stem } from "../../language/word-forms.ts";
import { sayName } from "../../plan/say-call.ts";
import { particleOf, particles } from "../rules/compiled-phrase.ts";
import type { Template } from "../rules/match.ts";
import {
  compileTool,
  literalsOf,
  type PhraseRule,
  slotsIn,
  type ToolRules,
  typeOfField,
} from "../rules/phrase-rules.ts";
import { choicesOf, isDate, isReadable, type SlotType } from "../rules/slots.ts";
import { effectOfStep } from "../rules/steps.ts";

export interface Operation {
  readonly name: string;
  readonly rules: ToolRules;
  readonly constants: Readonly<Record<string, unknown>>;
  readonly description: string;
  readonly slots: readonly Slot[];
  readonly closed: ReadonlyMap<string, SlotType>;
  readonly phrases: readonly PhraseRule[];
  readonly beside: readonly Template[];
  readonly outputs: readonly string[];
}

export interface Slot {
  readonly name: string;
  readonly key: string;
  readonly type: SlotType;
  readonly schema: JsonSchema | undefined;
  readonly isRequired: boolean;
  readonly isComposed: boolean;
}

const reserved: ReadonlySet<string> = new Set(["do", "if", "each"]);
const maxFields = 8;
const maxDescription = 160;
const usual = 0.8;

export async function operationsOf(tools: readonly DefinedTool[]): Promise<readonly Operation[]> {
  const rules = await Promise.all(tools.map(compileTool));
  return rules.flatMap(ofTool);
}

export function operationOf(
  operations: readonly Operation[],
  tool: string | undefined,
  input: Readonly<Record<string, unknown>>,
): Operation | undefined {
  const isMeant = ({ constants }: Operation) =>
    Object.entries(constants).every(([key, constant]) => input[key] === constant);
  return operations.find((each) => each.rules.tool.name === tool && isMeant(each));
}

export function resultKeys({ rules, outputs }: Operation): readonly string[] {
  return rules.tool.result === undefined && outputs.length > 1 ? outputs : [];
}

export function isGrave({ rules: { tool }, phrases }: Operation, input: JsonObject): boolean {
  const isDestructive = phrases.some(({ source }) => source.destructive === true);
  return isDestructive || tool.declaredNeedsApproval !== false || effectOfStep(tool, input) === "once";
}

/** Requires the particle, because "turn" alone may mean "turn on" or "turn off". */
export function isAskedFor(operation: Operation, words: readonly string[], all: Iterable<Operation>): boolean {
  const { rules, constants, description } = operation;
  const said = new Set(words.map(stem));
  const isSaid = (word: string) => said.has(stem(word));
  const wordsOf = (other: Operation) => [...namesOf(other), ...literalsOf(other.phrases)];
  const rest = [...all].filter((other) => other !== operation);
  const others = new Set(rest.flatMap(wordsOf).map(stem));
  const asks = (verb = "") => isSaid(verb) && !emptyWords.has(verb) && !lightVerbs.has(verb) && !others.has(stem(verb));
  const phrases = rules.rules.filter((rule) => mayMean(rule, constants));
  if (phrases.length > 0)
    return phrases.some((phrase) => {
      const particle = particleOf(phrase.node);
      const needed = [...phrase.required, ...particle];
      if (!openWords(phrase, constants).every(isSaid)) return false;
      if (phrase.required.length > 0 && needed.every((group) => [...group].some(isSaid))) return true;
      return particle.length === 0 && verbsOf(phrase).some(asks);
    });
  const names = namesOf(operation);
  const [verb] = description.toLowerCase().match(/[\p{L}\p{N}]+/u) ?? [];
  const meaning = names.filter((word) => !emptyWords.has(word));
  if (!names.filter((word) => particles.has(word)).every(isSaid)) return false;
  return [names[0], verb].some(asks) || (meaning.length > 0 && meaning.every(isSaid));
}

export function isUndoneBy(operation: Operation, verb: string): boolean {
  return !isDoneBy(operation, verb) && leadingVerbs(operation).some((each) => areOpposite(each, verb));
}

export function isDoneBy(operation: Operation, verb: string): boolean {
  return leadingVerbs(operation).some((each) => verbsLike(each).includes(verb));
}

function leadingVerbs(operation: Operation): readonly string[] {
  const [ofName = ""] = namesOf(operation);
  const [described = ""] = operation.description.toLowerCase().match(/[\p{L}\p{N}]+/u) ?? [];
  return [...operation.phrases.flatMap(({ firstWords }) => [...firstWords]), ofName, stem(described)];
}

function namesOf({ rules, constants }: Operation): readonly string[] {
  const named = Object.keys(constants).length === 0 ? [rules.tool.name] : Object.values(constants).map(String);
  return named.flatMap((name) => sayName(name).toLowerCase().split(" "));
}

function openWords(phrase: PhraseRule, constants: Operation["constants"]): readonly string[] {
  const open = Object.entries(constants).filter(([key]) => fixedIn(phrase, key) === undefined);
  return open.flatMap(([, value]) => sayName(String(value)).toLowerCase().split(" "));
}

function verbsOf({ firstWords, required }: PhraseRule): readonly string[] {
  if (required.some((group) => [...group].some((word) => emptyWords.has(word)))) return [];
  return [...firstWords].filter((word) => !lightVerbs.has(word) && required.some((group) => group.has(word)));
}

function mayMean(phrase: PhraseRule, constants: Operation["constants"]): boolean {
  return Object.entries(constants).every(([key, value]) => (fixedIn(phrase, key) ?? value) === value);
}

function fixedIn({ fixed, source }: PhraseRule, key: string): unknown {
  return fixed[key] ?? source.input?.[key];
}

function ofTool(rules: ToolRules): readonly Operation[] {
  const branches = schemasAt(rules.schemas.input, []) ?? [];
  const field = rules.branch;
  const { name } = rules.tool;
  if (field === undefined) return [new OperationReader(rules, join(branches), {}).read(name)];
  return branches.flatMap((branch) => {
    const { const: only, enum: several = [only] } = branch.properties?.[field] ?? {};
    return several.map((constant) =>
      new OperationReader(rules, branch, { [field]: constant }).read(`${name}.${constant}`),
    );
  });
}

function join(branches: readonly JsonSchema[]): JsonSchema {
  const [first = {}, ...others] = branches;
  if (others.length === 0) return first;
  const required = branches.map((branch) => new Set(branch.required ?? []));
  return {
    properties: Object.assign({}, ...branches.map(({ properties }) => properties)),
    required: [...(required[0] ?? [])].filter((name) => required.every((each) => each.has(name))),
  };
}

class OperationReader {
  readonly #phrases: readonly PhraseRule[];
  readonly #fields: Readonly<Record<string, JsonSchema>>;
  readonly #hasFunction: boolean;
  readonly #named: ReadonlyMap<string, SlotType>;
  readonly #beside: ReadonlyMap<string, SlotType>;

  constructor(
    private readonly rules: ToolRules,
    private readonly branch: JsonSchema,
    private readonly constants: Readonly<Record<string, unknown>>,
  ) {
    const isOwn = (rule: PhraseRule) => Object.entries(constants).every(([key, value]) => fixedIn(rule, key) === value);
    this.#phrases = rules.rules.filter(isOwn);
    this.#fields = branch.properties ?? {};
    this.#hasFunction = this.#phrases.some(({ source }) => source.toInput !== undefined);
    this.#named = new Map(this.#phrases.flatMap(({ slots }) => [...slots]));
    this.#beside = new Map(rules.rules.flatMap(slotsBeside));
  }

  read(name: string): Operation {
    const { rules, branch, constants } = this;
    const { tool, schemas } = rules;
    const { slots, closed } = this.#splitSlots();
    const isKnown = (slot: string) => closed.has(slot) || slots.some((each) => each.name === slot);
    const said = this.#phrases
      .filter((rule) => slotsIn(rule).every(isKnown))
      .sort((left, right) => Number(slotsIn(left).length === 0) - Number(slotsIn(right).length === 0))
      .slice(0, 2)
      .map(({ example }) => `"${example}"`)
      .join(", ");
    const ofBranch =
      typeof branch.description === "string" && branch !== schemas.input ? branch.description : undefined;
    const about = ofBranch ?? (Object.keys(constants).length > 0 && said !== "" ? `as ${said}` : tool.description);
    const outputs = (schemasAt(schemas.output ?? {}, []) ?? []).flatMap(({ properties = {} }) =>
      Object.keys(properties),
    );
    const description = about.replace(/\s+/g, " ").slice(0, maxDescription);
    const beside = this.#templatesOf(closed);
    return {
      name,
      rules,
      constants,
      phrases: this.#phrases,
      slots,
      closed,
      beside,
      description,
      outputs: [...new Set(outputs)],
    };
  }

  #templatesOf(closed: ReadonlyMap<string, SlotType>): readonly Template[] {
    const isClosed = ({ slots }: Template) => slots.size > 0 && [...slots.keys()].every((name) => closed.has(name));
    const templatesIn = (rules: readonly PhraseRule[]) =>
      new Set(rules.flatMap(({ anywhere }) => anywhere).filter(isClosed));
    const own = templatesIn(this.#phrases);
    const has = (name: string) => [...own].some(({ slots }) => slots.has(name));
    const others = [...templatesIn(this.rules.rules)].filter(({ slots }) => ![...slots.keys()].some(has));
    return [...own, ...others];
  }

  #splitSlots(): { readonly slots: readonly Slot[]; readonly closed: ReadonlyMap<string, SlotType> } {
    const names = this.#inSpokenOrder(this.#slotNames());
    const required = new Set(names.filter((name) => this.#isRequired(name)));
    const kindOf = (name: string) => (isDate(this.#typeOf(name)) ? "date" : this.#typeOf(name).kind);
    const isTwofold = (name: string) =>
      names.some((each) => each !== name && !required.has(each) && kindOf(each) === kindOf(name));
    const isClosed = (name: string) => {
      const type = this.#typeOf(name);
      if (required.has(name) || this.#phrases.length === 0 || !isRead(type, this.#fields[name])) return false;
      if (!this.#hasFunction) return !isTwofold(name) && (this.#beside.has(name) || isReadable(type));
      const isLed = type.kind === "list" || (this.#isText(name) && this.#isNamed(name));
      return this.#beside.has(name) || isReadable(type) || isLed;
    };
    const slots = names
      .filter((name) => !isClosed(name))
      .map((name) => ({
        name,
        key: reserved.has(name) ? `${name}_` : name,
        type: this.#typeOf(name),
        isRequired: required.has(name),
        schema: isRead(this.#typeOf(name), this.#fields[name]) ? undefined : this.#fields[name],
        isComposed: this.#fields[name]?.composed === true,
      }));
    const read = names.filter(isClosed).map((name) => [name, this.#typeOf(name)] as const);
    const closed = new Map<string, SlotType>([
      ...(this.#hasFunction ? this.#phrases.flatMap(slotsBeside) : []),
      ...read,
    ]);
    for (const { slots: all } of this.rules.rules.flatMap(({ anywhere }) => anywhere))
      if ([...all.keys()].some((name) => closed.has(name))) for (const [name, type] of all) closed.set(name, type);
    for (const { name } of slots) closed.delete(name);
    return { slots, closed };
  }

  #typeOf(name: string): SlotType {
    const { rules, constants } = this;
    const known = this.#named.get(name) ?? this.#beside.get(name);
    const phrases = rules.rules.map(({ source }) => source);
    return known ?? typeOfField(name, schemasAt(rules.schemas.input, [name], constants), phrases);
  }

  #isText(name: string): boolean {
    return !isReadable(this.#typeOf(name)) && this.#typeOf(name).kind !== "list";
  }

  #slotNames(): readonly string[] {
    const [fields, named] = [this.#fields, this.#named];
    const required = new Set(this.branch.required ?? []);
    const isMany = Object.keys(fields).length > maxFields;
    const isUsed = (name: string) =>
      named.has(name) || this.#phrases.some(({ source }) => name in (source.input ?? {}));
    const isShown = (name: string) =>
      this.#hasFunction ? named.has(name) : required.has(name) || !isMany || isUsed(name);
    const ofFields = Object.keys(fields).filter((name) => !(name in this.constants) && isShown(name));
    // If the name of a slot is not that of a field, only `toInput` knows which field it fills.
    const hasOwnText = ofFields.some((name) => this.#isText(name));
    const others = [...named.keys()].filter((name) => !(name in fields) && !(this.#isText(name) && hasOwnText));
    return [...ofFields, ...others];
  }

  #isRequired(name: string): boolean {
    if (!this.#hasFunction) return this.branch.required?.includes(name) === true;
    const standsFor = (each: string) => !(each in this.#fields) && this.#isText(each) && this.#isText(name);
    const speaking = this.#phrases.filter(({ source }) => source.toInput !== undefined);
    const saying = speaking.filter((rule) => slotsIn(rule).some((each) => each === name || standsFor(each)));
    return saying.length > usual * speaking.length;
  }

  #isNamed(name: string): boolean {
    const having = this.#phrases.filter((rule) => slotsIn(rule).includes(name));
    return having.length > 0 && having.every(({ example }) => example.includes(`{${name}} `));
  }

  #inSpokenOrder(names: readonly string[]): readonly string[] {
    const orders = this.#phrases.map(slotsIn).sort((left, right) => right.length - left.length);
    const place = (name: string) => orders.find((order) => order.includes(name))?.indexOf(name) ?? names.length;
    return [...new Set(names)].sort((left, right) => place(left) - place(right));
  }
}

function slotsBeside({ anywhere }: PhraseRule): readonly (readonly [string, SlotType])[] {
  return anywhere.flatMap(({ slots }) => [...slots]);
}

function isRead(type: SlotType, schema: JsonSchema | undefined): boolean {
  if (schema === undefined || type.kind === "enum") return true;
  if (type.kind === "list") {
    const item = Array.isArray(schema.items) ? undefined : (schema.items as JsonSchema | undefined);
    return item !== undefined && /^(?:string|number|integer)$/.test(String(item.type)) && item.enum === undefined;
  }
  return type.kind !== "text" || [schema.type ?? []].flat().includes("string");
}

const maxChoices = 20;

export function describeType({ type, schema }: Slot): string {
  if (schema !== undefined) return describeFields(schema, 0);
  if (isDate(type)) return "when";
  switch (type.kind) {
    case "range":
      return "when";
    case "enum": {
      const choices = choicesOf(type);
      return choices.length > maxChoices ? `${choices.slice(0, maxChoices).join("|")}|…` : choices.join("|");
    }
    case "list":
      return type.item === "number" ? "numbers[]" : "words[]";
    case "text":
      return "words";
    default:
      return type.kind;
  }
}

const maxDepth = 4;

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
