import { branchField, type JsonSchema, schemasAt } from "../../core/json-schema.ts";
import { type KnownGroups, PhraseError, type PhraseNode, readPhrase, slotNames } from "../../core/phrase-syntax.ts";
import { remembered } from "../../core/remembered.ts";
import { type StandardSchema, toJsonSchema, zodVersionOf } from "../../core/schema.ts";
import type { DefinedTool, SlotValue, ToolPhrase } from "../../core/tool.ts";
import { hasSensitive, type ToolSchemas, toolSchemas } from "../../core/tool-schemas.ts";
import type { DateClock } from "../../dates/read-dates.ts";
import { type Unit, unitsNamed } from "../../english/units.ts";
import { wordSet } from "../../english/word-set.ts";
import { examplePhrase, once, parsePhrase } from "../../language/phrases.ts";
import { tokenize } from "../../language/tokens.ts";
import { sayName } from "../../plan/say-call.ts";
import { addWords, compilePhrase, firstOf, requiredWords } from "./compiled-phrase.ts";
import { isArticle } from "./courtesy.ts";
import { readExample } from "./example-sentence.ts";
import type { Template } from "./match.ts";
import { Operation, wordsIn } from "./operation.ts";
import { onceEach } from "./request.ts";
import { isDate, isReadable, ownSlotType, type SlotType, slotTypeOf, unitsOfName } from "./slots.ts";

export interface PhraseRule extends Template {
  readonly tool: ToolRules;
  readonly source: ToolPhrase;
  readonly node: PhraseNode;
  readonly required: readonly ReadonlySet<string>[];
  readonly firstWords: ReadonlySet<string>;
  readonly example: string;
  readonly hasSum: boolean;
  readonly isGrave: boolean;
  readonly operation: Operation;
  readonly fixed: Readonly<Record<string, unknown>>;
}

export interface ToolRules {
  readonly tool: DefinedTool;
  readonly schemas: ToolSchemas;
  readonly rules: readonly PhraseRule[];
  readonly branch: string | undefined;
  candidates(words: Iterable<string>, hasThings?: boolean): readonly PhraseRule[];
  readonly vocabulary: ReadonlySet<string>;
  readonly leads: ReadonlySet<string>;
  readonly isSensitive: boolean;
  hasDates(): boolean;
  /** Path of the result in references to a step: `.value`, or empty for the whole output. */
  readonly resultPath: string;
}

const articles = wordSet("the a an my our this that these those all any");
const rulesOf = new WeakMap<DefinedTool, ToolRules>();

/** Returns a promise the first time if phrases or the zod 3 converter must be loaded. */
export function compileTool(tool: DefinedTool): ToolRules | Promise<ToolRules> {
  return compiledTool(tool) ?? load(tool);
}

export function compiledTool(tool: DefinedTool): ToolRules | undefined {
  const known = rulesOf.get(tool);
  if (known !== undefined) return known;
  const { phrases } = tool;
  const schemas = toolSchemas(tool);
  if (typeof phrases === "function" || schemas instanceof Promise || slotsOfZod3(phrases).length > 0) return undefined;
  return compile(tool, phrases, schemas);
}

async function load(tool: DefinedTool): Promise<ToolRules> {
  const phrases = typeof tool.phrases === "function" ? await tool.phrases() : tool.phrases;
  for (const schema of slotsOfZod3(phrases)) await toJsonSchema(schema, "input");
  return compile(tool, phrases, await toolSchemas(tool));
}

function slotsOfZod3(phrases: readonly ToolPhrase[]): readonly StandardSchema[] {
  return phrases.flatMap(({ slots = {} }) => Object.values(slots)).filter((schema) => zodVersionOf(schema) === 3);
}

function compile(tool: DefinedTool, phrases: readonly ToolPhrase[], schemas: ToolSchemas): ToolRules {
  const rules: PhraseRule[] = [];
  const ofKnown: PhraseRule[] = [];
  const vocabulary = new Set<string>();
  const leads = new Set<string>();
  const groups: KnownGroups = new Map();
  const seen = new Set<PhraseNode>();
  const asides: Template[][] = [];
  const nodes = new Map<string, PhraseNode>();
  const types = new Map<ToolPhrase["slots"], Map<string, SlotType>>();
  const operationOf = onceEach((_branch: string) => new Operation());
  const branch = branchField(schemasAt(schemas.input, []) ?? []);
  const result: ToolRules = {
    ...{ tool, schemas, rules, branch, vocabulary, leads },
    isSensitive: hasSensitive(tool.inputSchema, "input"),
    candidates: (said, hasThings = false) => {
      const words = new Set(said);
      const isThere = remembered((group: ReadonlySet<string>) => [...group].some((word) => words.has(word)));
      return [...rules, ...(hasThings ? ofKnown : [])].filter(({ required }) => required.every(isThere));
    },
    hasDates: once(() => {
      const all = rules.flatMap((rule) => [rule, ...rule.anywhere].flatMap(({ slots }) => [...slots.values()]));
      return all.some(isDate) || /"format":"(?:date|time)/.test(JSON.stringify(schemas.input));
    }),
    resultPath: resultPathOf(tool, schemas.output),
  };
  for (const [index, source] of phrases.entries()) {
    const read = (phrase: string): PhraseNode => {
      const node = readPhrase(`${tool.name}.phrases[${index}]`, phrase, () => parsePhrase(phrase, groups));
      addWords(node, vocabulary, seen);
      return node;
    };
    const known = types.get(source.slots) ?? new Map<string, SlotType>();
    types.set(source.slots, known);
    const inputKey = JSON.stringify([source.input, source.toInput === undefined]);
    const typeOf = (name: string) => {
      const type = known.get(name + inputKey) ?? slotType(name, source, { input: schemas.input, phrases });
      known.set(name + inputKey, type);
      return type;
    };
    const { template, rest } = readExample(source, typeOf);
    const node = read(template);
    const names = slotNames(node);
    const slots = once(() => new Map([...names].map((name) => [name, typeOf(name)])));
    // Only `toInput`, if present, knows how it uses a slot, so the slots of its phrase are not checked.
    if (source.toInput === undefined) readPhrase(`${tool.name}.phrases[${index}]`, source.phrase, slots);
    const beside = (source.anywhere ?? asidesOf(source, { node, input: schemas.input, typeOf })).map((phrase) => {
      const node = nodes.get(phrase) ?? read(phrase);
      nodes.set(phrase, node);
      return node;
    });
    const anywhere = once(() => shareAsides(asides, beside, typeOf));
    const first = firstOf(node);
    const operation = operationOf(JSON.stringify(branch === undefined ? null : (source.input?.[branch] ?? null)));
    const units = new Set([...names].flatMap((name) => typeOf(name).units?.flatMap((unit) => unit.names) ?? []));
    const isOptional = (word: string) => isArticle(word) || units.has(word);
    const required = requiredWords(node).filter((group) => ![...group].every(isOptional));
    const rule: PhraseRule = {
      ...{ tool: result, source, node, fixed: rest, operation },
      start: compilePhrase(node),
      isGrave: source.destructive === true || tool.declaredEffect === "once" || tool.declaredNeedsApproval !== false,
      required,
      firstWords: first.words,
      get slots() {
        return slots();
      },
      get anywhere() {
        return anywhere();
      },
      get hasSum() {
        return [...slots().values()].some(({ kind }) => kind === "sum");
      },
      get example() {
        return examplePhrase(node);
      },
    };
    if (source.known === true) ofKnown.push(rule);
    else {
      rules.push(rule);
      operation.rules.push(rule);
      for (const word of first.words) if (!articles.has(word)) leads.add(word);
    }
  }
  rulesOf.set(tool, result);
  return result;
}

/** Gives phrases with equal templates the same list, so that they also share the cached fits. */
function shareAsides(lists: Template[][], nodes: readonly PhraseNode[], typeOf: (name: string) => SlotType) {
  const isAlike = ({ node, slots }: Template, at: number) =>
    node === nodes[at] && [...slots].every(([name, type]) => typeOf(name) === type);
  const alike = lists.find((list) => list.length === nodes.length && list.every(isAlike));
  if (alike !== undefined) return alike;
  const made = nodes.map((node) => {
    const slots = new Map([...slotNames(node)].map((name) => [name, typeOf(name)]));
    return { node, start: compilePhrase(node), slots, anywhere: [] };
  });
  lists.push(made);
  return made;
}

function slotType(
  name: string,
  source: ToolPhrase,
  { input, phrases }: { readonly input: JsonSchema; readonly phrases: readonly ToolPhrase[] },
): SlotType {
  // The fixed input of a phrase may choose the branch of a union that has the field.
  const schemas = schemasAt(input, [name], source.input ?? {});
  const field = schemas === undefined || schemas.length === 0 ? undefined : typeOfField(name, schemas, phrases);
  const schema = source.slots?.[name];
  if (schema !== undefined) return ownSlotType(schema, field);
  if (source.toInput === undefined && schemas?.length === 0)
    throw new PhraseError(
      `the input has no field "${name}"; name the slot like a field, or give the phrase a \`toInput\``,
    );
  return field ?? slotTypeOf(schemas);
}

export function typeOfField(name: string, schemas: readonly JsonSchema[] | undefined, phrases: readonly ToolPhrase[]) {
  const type = slotTypeOf(schemas);
  const units = type.kind === "number" ? unitsOf(name, schemas?.[0] ?? {}, phrases) : [];
  return units.length === 0 ? type : { ...type, units };
}

function unitsOf(name: string, { unit, description }: JsonSchema, phrases: readonly ToolPhrase[]): readonly Unit[] {
  const own = unitsOfName(name);
  if (typeof unit === "string") {
    const given = unitsNamed(unit.toLowerCase());
    // "Cents" alone names no currency; the name of the field may.
    const same = own.filter(({ kind }) => given.some((each) => each.kind === kind));
    return same.length > 0 ? same : given;
  }
  if (own.length > 0) return own;
  const word = "(?:\\p{Sc}|%|\\p{L}+)";
  const choice = `(${word}(?:\\|${word})*)`;
  const beside = new RegExp(`\\{${name}\\}[\\s([]*${choice}|(\\p{Sc})[\\s([]*\\{${name}\\}`, "gu");
  const found = phrases.flatMap(({ phrase }) =>
    [...phrase.matchAll(beside)].flatMap(([, behind = "", before = ""]) => (behind || before).split("|")),
  );
  const words = found.filter((each) => !/^[a-z]$/i.test(each));
  const all = words.map((each) => unitsNamed(each.toLowerCase())).filter(({ length }) => length > 0);
  if (all.length > 0) return all.every(([first]) => first?.kind === all[0]?.[0]?.kind) ? (all[0] ?? []) : [];
  const said = typeof description === "string" ? tokenize(description, 40) : [];
  const long = said.filter(({ norm }) => norm.length > 2);
  const named = long.map(({ norm }) => unitsNamed(norm)).filter(({ length }) => length > 0);
  return new Set(named.map(([first]) => first?.kind)).size === 1 ? (named[0] ?? []) : [];
}

/** Returns undefined if the `toInput` of the phrase does so or throws. */
export function inputOfPhrase(
  { fixed, source }: PhraseRule,
  slots: Readonly<Record<string, SlotValue>>,
  clock: DateClock,
): Readonly<Record<string, unknown>> | undefined {
  if (source.toInput === undefined) return { ...fixed, ...slots };
  try {
    return source.toInput(slots, { previous: undefined, ...clock }) as Readonly<Record<string, unknown>> | undefined;
  } catch {
    return undefined;
  }
}

function asidesOf(
  { input: fixed = {}, toInput }: ToolPhrase,
  { node, input, typeOf }: { node: PhraseNode; input: JsonSchema; typeOf: (name: string) => SlotType },
): readonly string[] {
  if (toInput !== undefined) return [];
  const said = slotNames(node);
  const branches = schemasAt(input, [], fixed) ?? [];
  const names = branches.length === 1 ? Object.keys(branches[0]?.properties ?? {}) : [];
  return names.flatMap((name) => {
    if (said.has(name) || Object.hasOwn(fixed, name) || !/^[A-Za-z_][\w-]*$/.test(name)) return [];
    const type = typeOf(name);
    if (!isReadable(type) || type.kind === "boolean") return [];
    const noun = sayName(name).replace(/[^a-z0-9 ]/g, "");
    if (isDate(type)) return [`[due] [(on|for|by|at|until|from|starting)] {${name}}`];
    if (type.kind === "enum")
      return [
        `[(in|with|as|at|by|on|to)] [(a|the)] {${name}} [${noun}]`,
        `[(in|with|as|at|by)] [(a|the)] ${noun} [(of|is|:)] {${name}}`,
      ];
    const counted = type.units === undefined ? noun : `(${type.units.flatMap((unit) => unit.names).join("|")})`;
    return [`[(for|of|at|with|in|to)] {${name}} ${counted}`, `[(with|at|for)] [(a|the)] ${noun} [(of|is|:)] {${name}}`];
  });
}

function resultPathOf({ result }: DefinedTool, output: JsonSchema | undefined): string {
  if (result !== undefined) return result.startsWith("[") ? result : `.${result}`;
  const branches = output && schemasAt(output, []);
  const keys = branches?.length === 1 ? Object.keys(branches[0]?.properties ?? {}) : [];
  const [only] = keys;
  if (keys.length !== 1 || only === undefined) return "";
  return /^[A-Za-z_][\w-]*$/.test(only) ? `.${only}` : `[${JSON.stringify(only)}]`;
}

export function slotsIn({ example }: Pick<PhraseRule, "example">): readonly string[] {
  return [...example.matchAll(/\{([\w-]+)\}/g)].map(([, name = ""]) => name);
}

export function wordsBehind(phrases: readonly PhraseRule[], name: string): ReadonlySet<string> {
  return new Set(phrases.flatMap(({ operation }) => [...(operation.slots.get(name)?.behind ?? [])]));
}

export function literalsOf(templates: readonly Template[]): readonly string[] {
  return templates.flatMap(({ node }) => wordsIn(node));
}
