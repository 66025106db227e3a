import { hasReader } from "../../core/clause-reader.ts";
import { AgentError } from "../../core/errors.ts";
import { type JsonSchema, schemasAt } from "../../core/json-schema.ts";
import { inputJsonSchema, type StandardSchema } from "../../core/schema.ts";
import type { DefinedTool, ToolPhrase } from "../../core/tool.ts";
import { type ToolSchemas, toolSchemas } from "../../core/tool-schemas.ts";
import { type ExampleSentence, readExample } from "./examples/example-sentence.ts";
import { buildIndex, type PhraseIndex } from "./phrase-index.ts";
import { compilePhrase, type PhraseProgram } from "./phrase-program.ts";
import { examplePhrase, KnownParts, PhraseError, type PhraseNode, parsePhrase, slotNames } from "./phrase-template.ts";
import { checkSlotField, isDate, ownSlotType, type SlotType, slotTypeOf } from "./slot-reading.ts";

/** One phrase of a tool, ready to be matched. */
export interface PhraseRule {
  readonly source: ToolPhrase;
  readonly node: PhraseNode;
  readonly slots: ReadonlyMap<string, SlotType>;
  /** The phrase as an example of what people say; undefined for a template. */
  readonly sentence: ExampleSentence | undefined;
  /** The phrase as someone would say it, with `{slot}` where there is something to fill in. */
  readonly example: string;
  /** The phrase compiled, on first use: of many phrases a request needs few. */
  program(): PhraseProgram;
}

/** The phrases of a tool, ready to be matched, and what else the planner needs of it. */
export interface ToolRules {
  readonly tool: DefinedTool;
  readonly schemas: ToolSchemas;
  readonly rules: readonly PhraseRule[];
  readonly index: PhraseIndex;
  /** Whether a phrase has a slot for a date. */
  readonly hasDates: boolean;
  /** What is appended to a step's id to refer to the result: `.value`, or nothing for the whole output. */
  readonly resultPath: string;
}

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

function compile(tool: DefinedTool, phrases: readonly ToolPhrase[]): ToolRules | Promise<ToolRules> {
  const schemas = toolSchemas(tool);
  const owned = phrases.map((phrase) => ownSchemas(phrase));
  if (!(schemas instanceof Promise) && owned.every((own) => !(own instanceof Promise))) {
    return remember(tool, { phrases, schemas, owned: owned as readonly OwnSchemas[] });
  }
  return Promise.all([schemas, Promise.all(owned)]).then(([schemas, owned]) =>
    remember(tool, { phrases, schemas, owned }),
  );
}

interface ReadTool {
  readonly phrases: readonly ToolPhrase[];
  readonly schemas: ToolSchemas;
  readonly owned: readonly OwnSchemas[];
}

type OwnSchemas = ReadonlyMap<string, JsonSchema>;

const ownJson = new WeakMap<StandardSchema, JsonSchema | Promise<JsonSchema>>();

/** The JSON Schema of a slot's own schema; many phrases of a tool share one. */
function ownSchema(schema: StandardSchema): JsonSchema | Promise<JsonSchema> {
  const known = ownJson.get(schema);
  if (known !== undefined) return known;
  const json = inputJsonSchema(schema);
  ownJson.set(schema, json);
  return json;
}

function ownSchemas({ slots = {} }: ToolPhrase): OwnSchemas | Promise<OwnSchemas> {
  const entries = Object.entries(slots).map(([name, schema]) => [name, ownSchema(schema)] as const);
  if (entries.every(([, schema]) => !(schema instanceof Promise))) return new Map(entries as [string, JsonSchema][]);
  return Promise.all(entries.map(async ([name, schema]) => [name, await schema] as const)).then(
    (ready) => new Map(ready),
  );
}

function remember(tool: DefinedTool, { phrases, schemas, owned }: ReadTool): ToolRules {
  const known = new KnownParts();
  const fields = new SlotFields(schemas.input);
  // What a reader of its own was trained for needs no examples.
  const readsSentences = !hasReader(tool);
  const parsed = phrases.map((source, index) => {
    try {
      const sentence = readsSentences ? readExample(source, (name) => fields.find(name, undefined).type) : undefined;
      const node = parsePhrase(sentence?.template ?? source.phrase, known);
      return {
        source,
        sentence,
        node,
        slots: typesOfSlots(source, node, { fields, ownSchemas: owned[index] ?? new Map() }),
      };
    } catch (thrown) {
      if (!(thrown instanceof PhraseError)) throw thrown;
      const option = `${tool.name}.phrases[${index}]`;
      const received = JSON.stringify(source.phrase.slice(0, 200));
      throw new AgentError(
        "invalid-options",
        `Option "${option}" is not a phrase: ${thrown.message}; received ${received}.`,
        {
          details: { option, received, expected: "words, {slot}, (one|or other), [optional]" },
        },
      );
    }
  });
  const rules: ToolRules = {
    tool,
    schemas,
    rules: parsed.map(({ source, sentence, node, slots }) => {
      let program: PhraseProgram | undefined;
      let example: string | undefined;
      return {
        source,
        node,
        slots,
        sentence,
        get example() {
          example ??= examplePhrase(node);
          return example;
        },
        program: () => (program ??= compilePhrase(node, slots)),
      };
    }),
    hasDates: parsed.some(({ slots }) => [...slots.values()].some(isDate)),
    index: buildIndex(
      parsed.map(({ node }) => node),
      new Set(known.words.keys()),
    ),
    resultPath: resultPathOf(tool, schemas.output),
  };
  rulesOf.set(tool, rules);
  return rules;
}

interface SlotField {
  readonly schemas: readonly JsonSchema[] | undefined;
  readonly type: SlotType;
}

/** The fields of a tool's input by name: many phrases have the same slots. */
class SlotFields {
  private readonly known = new Map<string, SlotField>();

  constructor(private readonly schema: JsonSchema) {}

  find(name: string, input: ToolPhrase["input"]): SlotField {
    const known = input === undefined ? this.known.get(name) : undefined;
    if (known !== undefined) return known;
    const schemas = schemasAt(this.schema, [name], input ?? {});
    const field = { schemas, type: slotTypeOf(schemas) };
    // A fixed part of the input may choose the branch of a union, and so the field.
    if (input === undefined) this.known.set(name, field);
    return field;
  }
}

const ownTypes = new WeakMap<JsonSchema, SlotType>();

function ownTypeOf(schema: JsonSchema): SlotType {
  const known = ownTypes.get(schema);
  if (known !== undefined) return known;
  const type = slotTypeOf(schemasAt(schema, []));
  ownTypes.set(schema, type);
  return type;
}

function typesOfSlots(
  { input, slots: own = {}, toInput }: ToolPhrase,
  node: PhraseNode,
  { fields, ownSchemas }: { fields: SlotFields; ownSchemas: OwnSchemas },
): ReadonlyMap<string, SlotType> {
  const types = new Map<string, SlotType>();
  for (const name of slotNames(node)) {
    const field = fields.find(name, input);
    const ownJson = ownSchemas.get(name);
    const ownSchema = own[name];
    if (ownJson !== undefined && ownSchema !== undefined) {
      const fieldType = field.schemas === undefined || field.schemas.length === 0 ? undefined : field.type;
      types.set(name, ownSlotType({ type: ownTypeOf(ownJson), schema: ownSchema }, fieldType));
      continue;
    }
    if (toInput === undefined) checkSlotField(name, field.schemas);
    types.set(name, field.type);
  }
  return types;
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
