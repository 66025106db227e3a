import { toJson } from "../../../core/json.ts";
import { type JsonSchema, knownKeys, schemasAt } from "../../../core/json-schema.ts";
import type { PlanMend, PlanStep, PlanWarning, ToolStep } from "../../../core/plan.ts";
import type { DefinedTool } from "../../../core/tool.ts";
import { toolSchemas } from "../../../core/tool-schemas.ts";
import { checkInput } from "../../../plan/check-input.ts";
import { hasWord } from "../../../plan/grounding/words.ts";
import { completeStep } from "./complete-step.ts";
import { escapeTyped } from "./escape-typed.ts";
import { addConstant, findTool, toolNames } from "./find-tool.ts";
import { leaveOut, mendInput } from "./mend-input.ts";
import { mayRefer, placeReferences } from "./place-references.ts";
import { describeMend } from "./plan-mend.ts";
import { isRecord, type JsonRecord, plainName } from "./records.ts";
import { StepIds } from "./step-ids.ts";
import { nameKeys } from "./step-keys.ts";
import { asTyped, TypedText } from "./typed-text.ts";
import { fits } from "./value-readings.ts";

/*
 * Turns what a model wrote into the steps of a plan. Mended, never guessed: what is invalid as it is written is read in
 * another way only if exactly one way is valid. Everything else is left to the validation of the plan, which refuses it.
 */

/** What is needed to read the steps of an answer. */
export interface StepReading {
  readonly tools: ReadonlyMap<string, DefinedTool>;
  /** What the user typed and the app added: none of it is a reference. */
  readonly typed: string;
  /** Whether steps may have conditions and loops. */
  readonly expressions: boolean;
  /** Steps of the plan so far that new ones may refer to. */
  readonly kept: readonly PlanStep[];
  /** The prefix of ids that the model did not write. */
  readonly prefix: string;
  /** Whether the model was told to write null in place of what it leaves out. */
  readonly isStrict?: boolean;
}

/** A step in the shape of a plan's, and how it came to it. What is not an object stays unchanged. */
export interface ReadStep {
  readonly step: unknown;
  readonly isReshaped: boolean;
  /** With paths within the step. */
  readonly mends: readonly PlanMend[];
  readonly warnings: readonly PlanWarning[];
}

/** Reads the steps of one answer, one after the other: each may refer to those before it. */
export class StepReader {
  private readonly typed: TypedText;
  private readonly ids: StepIds;
  private readonly isTool: (text: string) => boolean;
  private readonly isTyped = (text: string): boolean => this.plainTyped.includes(asTyped(text));
  private readonly plainTyped: string;
  private inputs: ReadonlyMap<string, JsonSchema> | undefined;
  private previous: unknown;
  /** The number that the model gave to the last step. */
  private number: number | undefined;
  private index = 0;

  constructor(private readonly reading: Omit<StepReading, "expressions">) {
    this.typed = new TypedText(reading.typed);
    this.ids = new StepIds(reading);
    this.isTool = toolNames(reading.tools);
    this.plainTyped = asTyped(reading.typed);
  }

  /** Reads the next step. */
  async next(raw: unknown): Promise<ReadStep> {
    // What is nested too deeply is left to validation.
    const isReadable = isRecord(raw) && toJson(raw).ok;
    const read = isReadable ? await this.read(raw) : { step: raw, isReshaped: false, mends: [], warnings: [] };
    this.ids.add(read.step);
    this.previous = read.step;
    this.index++;
    return read;
  }

  private async read(raw: JsonRecord): Promise<ReadStep> {
    const { step: named, isRenamed, renamed, dropped, number } = await this.nameKeys(raw);
    const found = await findTool(named.tool, this.reading.tools);
    const ids = this.ids.next(named);
    const mends = [
      ...renamed.map(({ written, read }) => describeMend("key", { path: [read], written, read })),
      ...ids.mends,
    ];
    if (found !== undefined && found.tool.name !== named.tool) {
      mends.push(describeMend("tool", { path: ["tool"], written: named.tool, read: found.tool.name }));
    }
    // In which of two orders they are meant is not to be guessed.
    const isOutOfOrder = number !== undefined && this.number !== undefined && number <= this.number;
    this.number = number ?? this.number;
    const step: JsonRecord = withoutEmpty({
      ...named,
      ...ids.step,
      ...(isOutOfOrder && { number }),
      tool: found?.tool.name ?? named.tool,
    });
    const read = found
      ? await this.readInput({ ...step, input: addConstant(named.input, found) }, found.tool)
      : { input: escapeTyped(named.input, this.typed), mends: [] };
    mends.push(...read.mends);
    const warnings = [...dropped, ...ids.dropped].map((key) => {
      return { code: "dropped", path: [key], message: `The step's "${key}" was left out.` } as const;
    });
    const isReshaped = isRenamed || mends.length > 0 || warnings.length > 0;
    return { step: this.complete({ ...step, input: read.input }), isReshaped, mends, warnings };
  }

  private async nameKeys(raw: JsonRecord): Promise<ReturnType<typeof nameKeys>> {
    this.inputs ??= new Map(
      await Promise.all(
        [...this.reading.tools].map(
          async ([name, tool]) => [plainName(name), (await toolSchemas(tool)).input] as const,
        ),
      ),
    );
    const { inputs } = this;
    const schemaOf = (tool: unknown) => (typeof tool === "string" ? inputs.get(plainName(tool)) : undefined);
    return nameKeys(raw, {
      isTool: this.isTool,
      isTyped: this.isTyped,
      index: this.index,
      isInput: (tool, key) => {
        const schema = schemaOf(tool);
        return schema !== undefined && knownKeys(schemasAt(schema, []) ?? []).includes(key);
      },
      fitsInput: (tool, input, [key, value]) => {
        const schema = schemaOf(tool);
        const schemas = schema && schemasAt(schema, [key], { ...input, [key]: value });
        return schemas !== undefined && schemas.length > 0 && fits(value, schemas);
      },
    });
  }

  private async readInput(
    step: JsonRecord,
    tool: DefinedTool,
  ): Promise<{ readonly input: unknown; readonly mends: readonly PlanMend[] }> {
    const { tools, isStrict } = this.reading;
    const { isTyped } = this;
    const { input: schema } = await toolSchemas(tool);
    const earlier = { tools, stepOf: this.ids.stepOf, idsOf: this.ids.idsOf, isNamed: this.ids.isNamed };
    const given = asOnlyField(step.input, schema);
    const mended = mendInput(given, {
      schema,
      mayRefer: (text) => !isTyped(text) && mayRefer(text, earlier),
      isSaid: (text) => hasWord(this.reading.typed, text),
      isStrict,
    });
    const escaped = escapeTyped(mended.input, this.typed);
    const planned = { id: "", ...step, input: escaped } as ToolStep;
    const placed = await placeReferences(escaped, { step: planned, schema, earlier, isTyped });
    const filled = await this.leaveOutBlanks({ ...planned, input: placed.input as ToolStep["input"] });
    const named =
      given === step.input ? [] : [describeMend("value", { path: ["input"], written: step.input, read: given })];
    return { input: filled.input, mends: [...named, ...mended.mends, ...placed.mends, ...filled.mends] };
  }

  /** Leaves out empty texts that a tool refuses in a field it does not require, such as a date. */
  private async leaveOutBlanks(
    step: ToolStep,
  ): Promise<{ readonly input: unknown; readonly mends: readonly PlanMend[] }> {
    const { tools } = this.reading;
    const unchanged = { input: step.input, mends: [] };
    if (!isRecord(step.input) || !hasBlank(step.input)) return unchanged;
    const check = (input: ToolStep["input"]) =>
      checkInput({ ...step, input }, { path: [], tools, stepOf: this.ids.stepOf, parsed: undefined });
    const issues = await check(step.input);
    // In a list, an item has no name that could be left out.
    const paths = issues
      .map(({ path }) => path.slice(1))
      .filter((path) => typeof path.at(-1) === "string" && valueAt(step.input, path) === "")
      .slice(0, maxBlanks);
    if (paths.length === 0) return unchanged;
    const tried = paths.reduce<unknown>(leaveOut, step.input) as ToolStep["input"];
    const left = await check(tried);
    if (left.length > issues.length - paths.length) return unchanged;
    const mends = paths.map((path) =>
      describeMend("value", { path: ["input", ...path], written: "", read: undefined }),
    );
    return { input: tried, mends };
  }

  private complete(step: JsonRecord): unknown {
    const { index, previous, ids } = this;
    const { tools, prefix } = this.reading;
    return completeStep(step, { index, previous, isEarlier: (id) => ids.stepOf(id) !== undefined, tools, prefix });
  }
}

/** A text or number in place of an input that has just one field which is required. */
function asOnlyField(input: unknown, schema: JsonSchema): unknown {
  if (typeof input !== "number" && (typeof input !== "string" || /^\s*[[{]/.test(input))) return input;
  const [only, ...others] = schemasAt(schema, []) ?? [];
  const [key, ...more] = only?.required ?? [];
  return key === undefined || others.length > 0 || more.length > 0 ? input : { [key]: input };
}

/** No input has more fields that are left empty. */
const maxBlanks = 100;

function withoutEmpty(step: JsonRecord): JsonRecord {
  const keys = new Set(["id", "dependsOn", "reasoning", "when", "forEach", "concurrency"]);
  const isEmpty = (value: unknown) => value === null || value === "" || value === undefined;
  return Object.fromEntries(Object.entries(step).filter(([key, value]) => !keys.has(key) || !isEmpty(value)));
}

function hasBlank(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some(hasBlank);
  return value === "";
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((current, key) => {
    return typeof current === "object" && current !== null && Object.hasOwn(current, key)
      ? (current as Record<string | number, unknown>)[key]
      : undefined;
  }, value);
}
