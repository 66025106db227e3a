import { type JsonSchema, schemasAt } from "../../core/json-schema.ts";
import { inputJsonSchema, type StandardSchema } from "../../core/schema.ts";
import { hasSensitive } from "../../core/sensitive.ts";
import {
  addWords,
  compilePhrase,
  examplePhrase,
  firstOf,
  type PhraseNode,
  parsePhrase,
  readPhrase,
  requiredWords,
  slotNames,
} from "../../core/template.ts";
import type { DefinedTool, SlotValue, ToolPhrase } from "../../core/tool.ts";
import { type ToolSchemas, toolSchemas } from "../../core/tool-schemas.ts";
import type { DateClock } from "../../dates/read-dates.ts";
import { isArticle } from "./courtesy.ts";
import { readExample } from "./example-sentence.ts";
import { loosenPhrase } from "./loosen.ts";
import type { Template } from "./match.ts";
import { checkSlotField, isDate, isReadable, ownSlotType, type SlotType, slotTypeOf, withUnit } from "./slots.ts";

/** One phrase of a tool, ready to be matched. */
export interface PhraseRule extends Template {
  readonly tool: ToolRules;
  readonly index: number;
  readonly source: ToolPhrase;
  readonly node: PhraseNode;
  /** Words of which a request must have one of each set. */
  readonly required: readonly ReadonlySet<string>[];
  readonly firstWords: ReadonlySet<string>;
  /** True if it may start with a slot. */
  readonly isOpen: boolean;
  /** The phrase as someone would say it, with `{slot}` where there is something to fill in. */
  readonly example: string;
  /** True if a slot is a sum. */
  readonly hasSum: boolean;
  /** True for a phrase as people also say it: only where no phrase fits word for word. */
  readonly isLoose: boolean;
  /** The input that all requests of the phrase have; of an example without what its sentence says. */
  readonly fixed: Readonly<Record<string, unknown>>;
}

/** The phrases of a tool, ready to be matched, and what else the planner needs of it. */
export interface ToolRules {
  readonly tool: DefinedTool;
  readonly schemas: ToolSchemas;
  readonly rules: readonly PhraseRule[];
  /** The same phrases in other words, made when they are first needed. */
  loose(): readonly PhraseRule[];
  /** The phrases that words may fit, in their order: all for which a request has each required word. */
  candidates(words: ReadonlySet<string>): readonly PhraseRule[];
  /** Every word of the phrases. */
  readonly vocabulary: ReadonlySet<string>;
  /** The words with which phrases begin. */
  readonly leads: ReadonlySet<string>;
  /** True if the words of a request may be a secret. */
  readonly isSensitive: boolean;
  /** Whether a phrase has a slot for a date. */
  readonly hasDates: boolean;
  /** What is appended to a step's id to refer to the result: `.value`, or nothing for the whole output. */
  readonly resultPath: string;
}

const articles: ReadonlySet<string> = new Set("the a an my our this that these those all any".split(" "));
const rulesOf = new WeakMap<DefinedTool, ToolRules>();

/**
 * A tool's phrases, compiled once. Synchronous, except for the first time with zod 3, whose converter has to be loaded,
 * and for phrases that a function loads. Throws `invalid-options`, with the phrase, for one that cannot be read.
 */
export function compileTool(tool: DefinedTool): ToolRules | Promise<ToolRules> {
  const known = rulesOf.get(tool);
  if (known !== undefined) return known;
  const { phrases } = tool;
  return typeof phrases === "function" ? phrases().then((loaded) => compile(tool, loaded)) : compile(tool, phrases);
}

type OwnSchemas = ReadonlyMap<string, JsonSchema>;

function compile(tool: DefinedTool, phrases: readonly ToolPhrase[]): ToolRules | Promise<ToolRules> {
  const schemas = toolSchemas(tool);
  const owned = phrases.map(ownSchemas);
  if (!(schemas instanceof Promise) && owned.every((own) => !(own instanceof Promise)))
    return remember(tool, phrases, { schemas, owned: owned as readonly OwnSchemas[] });
  return Promise.all([schemas, Promise.all(owned)]).then(([schemas, owned]) =>
    remember(tool, phrases, { schemas, owned }),
  );
}

const ownJson = new WeakMap<StandardSchema, JsonSchema | Promise<JsonSchema>>();

/** The JSON Schemas of a phrase's own slots; many phrases of a tool share one. */
function ownSchemas({ slots = {} }: ToolPhrase): OwnSchemas | Promise<OwnSchemas> {
  const entries = Object.entries(slots).map(([name, schema]) => {
    const json = ownJson.get(schema) ?? inputJsonSchema(schema);
    ownJson.set(schema, json);
    return [name, json] as const;
  });
  if (entries.every(([, json]) => !(json instanceof Promise))) return new Map(entries as [string, JsonSchema][]);
  return Promise.all(entries.map(async ([name, json]) => [name, await json] as const)).then((ready) => new Map(ready));
}

/** Reads a phrase, or what may stand beside it. */
interface Reading {
  readonly typeOf: (name: string) => SlotType;
  readonly read: (phrase: string) => Pick<Template, "start" | "slots"> & { readonly node: PhraseNode };
}

interface Compiling {
  readonly schemas: ToolSchemas;
  readonly owned: readonly OwnSchemas[];
}

function remember(tool: DefinedTool, phrases: readonly ToolPhrase[], { schemas, owned }: Compiling): ToolRules {
  const rules: PhraseRule[] = [];
  const vocabulary = new Set<string>();
  const groups = new Map<string, PhraseNode>();
  const seen = new Set<PhraseNode>();
  // Phrases that share what may stand beside them share what is known about a request, too.
  const sharedAsides = new Map<string, Template[]>();
  const sharedLists: (readonly Template[])[] = [];
  const leads = new Set<string>();
  let looseRules: readonly PhraseRule[] | undefined;
  let byWord: RuleIndex | undefined;
  const result: ToolRules = {
    tool,
    schemas,
    rules,
    vocabulary,
    leads,
    isSensitive: hasSensitive(tool.inputSchema),
    loose: () => {
      looseRules ??= rules.flatMap(loosen);
      return looseRules;
    },
    candidates: (words) => {
      byWord ??= indexByWord(rules);
      const found = new Set(byWord.open);
      for (const word of words) for (const rule of byWord.rules.get(word) ?? []) found.add(rule);
      const known = new Map<ReadonlySet<string>, boolean>();
      const isThere = (group: ReadonlySet<string>) => {
        const answer = known.get(group) ?? hasOne(group, words);
        known.set(group, answer);
        return answer;
      };
      const fits = ({ required }: PhraseRule) => required.every(isThere);
      return [...found].filter(fits).sort((left, right) => left.index - right.index);
    },
    get hasDates() {
      return rules.some(({ slots, anywhere }) =>
        [{ slots }, ...anywhere].some((each) => [...each.slots.values()].some(isDate)),
      );
    },
    resultPath: resultPathOf(tool, schemas.output),
  };
  const shareAside = (phrase: string, { read, typeOf }: Pick<Reading, "read" | "typeOf">): Template => {
    const known = sharedAsides.get(phrase) ?? [];
    const alike = known.find(({ slots }) => [...slots].every(([name, type]) => typeOf(name) === type));
    if (alike !== undefined) return alike;
    const { node, ...made } = read(phrase);
    addWords(node, vocabulary, seen);
    const aside = { ...made, anywhere: [] };
    sharedAsides.set(phrase, [...known, aside]);
    return aside;
  };
  const shareAsides = (list: readonly Template[]): readonly Template[] => {
    const alike = sharedLists.find((each) => each.length === list.length && each.every((one, at) => one === list[at]));
    if (alike === undefined) sharedLists.push(list);
    return alike ?? list;
  };
  for (const [index, source] of phrases.entries()) {
    const own = owned[index] ?? new Map();
    const typeOf = (name: string) => withUnit(slotType(name, { source, own, input: schemas.input }), name);
    const read = (phrase: string) => reading(phrase, { option: `${tool.name}.phrases[${index}]`, groups, typeOf });
    const { template, rest } = readExample(source, typeOf);
    const { node, ...compiled } = read(template);
    addWords(node, vocabulary, seen);
    const asides = source.anywhere ?? asidesOf(source, { node, input: schemas.input, typeOf });
    const anywhere = shareAsides(asides.map((phrase) => shareAside(phrase, { read, typeOf })));
    const first = firstOf(node);
    const units = new Set([...compiled.slots.values()].flatMap(({ unit }) => unit?.names ?? []));
    for (const word of first.words) if (!articles.has(word)) leads.add(word);
    rules.push({
      ...compiled,
      ...{ tool: result, index, source, node, anywhere, fixed: rest, isLoose: false },
      // What cannot be taken back is not done for a word that may be mistyped.
      isExact: source.destructive === true || tool.declaredEffect === "once" || tool.declaredNeedsApproval !== false,
      hasSum: [...compiled.slots.values()].some(({ kind }) => kind === "sum"),
      required: requiredWords(node).filter((group) => ![...group].every((word) => isArticle(word) || units.has(word))),
      firstWords: first.words,
      isOpen: first.isOpen,
      example: examplePhrase(node),
    });
  }
  rulesOf.set(tool, result);
  return result;
}

interface RuleIndex {
  /** Under each word of the smallest group of required words. */
  readonly rules: ReadonlyMap<string, readonly PhraseRule[]>;
  /** Those without required words. */
  readonly open: readonly PhraseRule[];
}

function indexByWord(all: readonly PhraseRule[]): RuleIndex {
  const rules = new Map<string, PhraseRule[]>();
  const open: PhraseRule[] = [];
  for (const rule of all) {
    const [smallest] = [...rule.required].sort((left, right) => left.size - right.size);
    if (smallest === undefined) open.push(rule);
    for (const word of smallest ?? []) {
      const known = rules.get(word);
      if (known === undefined) rules.set(word, [rule]);
      else known.push(rule);
    }
  }
  return { rules, open };
}

function hasOne(group: ReadonlySet<string>, words: ReadonlySet<string>): boolean {
  const [few, many] = group.size < words.size ? [group, words] : [words, group];
  for (const word of few) if (many.has(word)) return true;
  return false;
}

function loosen(rule: PhraseRule): readonly PhraseRule[] {
  // A function knows only its own phrase, and values that an example does not say count only for its sentence.
  if (rule.source.toInput !== undefined || (Object.keys(rule.fixed).length > 0 && isExample(rule))) return [];
  return loosenPhrase(rule.node, rule.slots).map((template) => ({
    ...rule,
    ...template,
    anywhere: [...template.anywhere, ...rule.anywhere],
    ...{ isLoose: true, required: [], firstWords: new Set<string>(), isOpen: true },
  }));
}

function isExample({ source, fixed }: PhraseRule): boolean {
  return Object.keys(source.input ?? {}).length > Object.keys(fixed).length || !source.phrase.includes("{");
}

function reading(
  phrase: string,
  { option, groups, typeOf }: { option: string; groups: Map<string, PhraseNode>; typeOf: (name: string) => SlotType },
) {
  return readPhrase(option, phrase, () => {
    const node = parsePhrase(phrase, groups);
    const slots = new Map([...slotNames(node)].map((name) => [name, typeOf(name)]));
    return { node, start: compilePhrase(node), slots };
  });
}

interface Typing {
  readonly source: ToolPhrase;
  readonly own: OwnSchemas;
  readonly input: JsonSchema;
}

function slotType(name: string, { source, own, input }: Typing): SlotType {
  // A fixed part of the input may choose the branch of a union, and so the field.
  const schemas = schemasAt(input, [name], source.input ?? {});
  const field = schemas === undefined || schemas.length === 0 ? undefined : slotTypeOf(schemas);
  const json = own.get(name);
  const schema = source.slots?.[name];
  if (json !== undefined && schema !== undefined) return ownSlotType({ json, schema }, field);
  if (source.toInput === undefined) checkSlotField(name, schemas);
  return field ?? slotTypeOf(schemas);
}

/** The input that a phrase makes of some of its slots; undefined if its function cannot do without the others. */
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

/** "minutesBefore" as it is said. */
export function sayName(name: string): string {
  return name
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replace(/[\s_-]+/g, " ")
    .toLowerCase();
}

/** What may stand beside a phrase that does not say it: the other fields of the input that have a type of their own. */
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
    if (isDate(type)) return [`[(on|for|by|at|due|until|from|starting)] {${name}}`];
    if (type.kind === "enum")
      return [
        `[(in|with|as|at|by|on|to)] [(a|the)] {${name}} [${noun}]`,
        `[(in|with|as|at|by)] [(a|the)] ${noun} [(of|is|:)] {${name}}`,
      ];
    const counted = type.unit === undefined ? noun : `(${type.unit.names.join("|")})`;
    return [`[(for|of|at|with|in|to)] {${name}} ${counted}`, `[(with|at|for)] [(a|the)] ${noun} [(of|is|:)] {${name}}`];
  });
}

/** The path the tool names; else the only property of its output; else the whole output. */
function resultPathOf({ result }: DefinedTool, output: JsonSchema | undefined): string {
  if (result !== undefined) return result.startsWith("[") ? result : `.${result}`;
  const branches = output && schemasAt(output, []);
  const keys = branches?.length === 1 ? Object.keys(branches[0]?.properties ?? {}) : [];
  const [only] = keys;
  if (keys.length !== 1 || only === undefined) return "";
  return /^[A-Za-z_][\w-]*$/.test(only) ? `.${only}` : `[${JSON.stringify(only)}]`;
}
