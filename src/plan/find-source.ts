import type { JsonPath } from "../core/json.ts";
import { type JsonSchema, knownKeys, schemasAt, typesOf } from "../core/json-schema.ts";
import type { PlanStep } from "../core/plan.ts";
import { isIterationName } from "../core/step.ts";
import type { Tool } from "../core/tool.ts";
import { type ToolSchemas, toolSchemas } from "../core/tool-schemas.ts";
import { isOfIteration } from "./dependencies.ts";
import type { CelPath } from "./expressions/node.ts";
import type { ParsedSteps } from "./expressions/step-expressions.ts";

/** What a step is checked against. */
export interface StepScope {
  /** The path of the step. */
  readonly path: JsonPath;
  readonly tools: ReadonlyMap<string, Tool>;
  /** The first step of an id. */
  readonly stepOf: (stepId: string) => PlanStep | undefined;
  /** The names of the events that steps may wait for. @default any */
  readonly events?: ReadonlySet<string> | undefined;
  /** The expressions of the plan, if it has any. */
  readonly parsed: ParsedSteps | undefined;
}

/** The schemas of a value from outside a step, by the path in it; undefined if nothing is known. */
export type SchemasAt = (path: JsonPath) => readonly JsonSchema[] | undefined;

/**
 * What is known of the value that a name in a step stands for: the output of a step, or in a loop the `item` or
 * `index`. Synchronous, unless zod 3's converter has to be loaded; undefined if there is no such step or tool.
 */
export function findSource(
  { stepId }: { readonly stepId: string },
  step: PlanStep,
  scope: StepScope,
): SchemasAt | undefined | Promise<SchemasAt | undefined> {
  if (!isOfIteration(step, stepId)) return withOutput(stepId, scope, outputSchemas);
  if (stepId === "index") return schemasOfIndex;
  const source = scope.parsed?.get(step)?.source;
  // A loop cannot take its list from its own item.
  if (source === undefined || isOfIteration(step, source.name)) return undefined;
  return withOutput(source.name, scope, (output) => (path) => schemasOfItem(output, { list: source.path, path }));
}

function outputSchemas(output: StepOutput): SchemasAt {
  return (path) => schemasOfOutput(output, path);
}

const integer: readonly JsonSchema[] = [{ type: "integer" }];

function schemasOfIndex(path: JsonPath): readonly JsonSchema[] {
  return path.length === 0 ? integer : [];
}

function withOutput(
  stepId: string,
  scope: StepScope,
  use: (output: StepOutput) => SchemasAt,
): SchemasAt | undefined | Promise<SchemasAt | undefined> {
  const step = scope.stepOf(stepId);
  const tool = step && (step.tool === undefined ? undefined : scope.tools.get(step.tool));
  if (step === undefined || tool === undefined) return undefined;
  const isWhenPerIteration = scope.parsed?.get(step)?.expressions.isWhenPerIteration ?? false;
  const finish = ({ output }: ToolSchemas) => use({ step, isWhenPerIteration, schema: output });
  const schemas = toolSchemas(tool);
  return isReady(schemas) ? finish(schemas) : schemas.then(finish);
}

/** Whether a value is available without waiting. */
export function isReady<T>(value: T | Promise<T>): value is T {
  return !(value instanceof Promise);
}

/** The message for a path that leads nowhere, as it is written, with what there is instead. */
export function describeMissing(
  { text, name, path }: Pick<CelPath, "name" | "path"> & { readonly text: string },
  { schemasAt, isInExpression, isLooped }: MissingPlace,
): string {
  const around = schemasAt(path.slice(0, -1)) ?? [];
  const types = typesOf(around);
  const where = isIterationName(name) && !isLooped ? `"${name}"` : `the output of "${name}"`;
  const missing = `${text} does not exist in ${where}`;
  if (path.at(-1) === "length" && (types?.has("array") || types?.has("string"))) {
    const holder = text.replace(/(?:\.length|\["length"\])$/, "");
    return isInExpression
      ? `${missing}; for its length write size(${holder}).`
      : `${missing}; an input reads ${types.has("array") ? "items, as in [0]" : "the whole text"}, not the length.`;
  }
  if (isLooped && typeof path[0] === "string") {
    const item = `${name}[0]${text.slice(name.length)}`;
    return `${missing}: "${name}" has a forEach, so its output is a list: write ${item}, or give the step a forEach over ${name}.`;
  }
  const isList = typeof path.at(-1) === "string" && types?.has("array");
  return `${missing}; there are: ${knownKeys(around).join(", ") || (isList ? "only items, as in [0]" : "no keys")}.`;
}

interface MissingPlace {
  readonly schemasAt: SchemasAt;
  readonly isInExpression: boolean;
  /** Whether the name is that of a step with `forEach`. */
  readonly isLooped: boolean;
}

/** Whether a name in a step is that of another one with `forEach`. */
export function isNameOfLoop(name: string, step: PlanStep, { stepOf }: StepScope): boolean {
  return !isOfIteration(step, name) && stepOf(name)?.forEach !== undefined;
}

/** What is known of a step's output before it runs. */
interface StepOutput {
  readonly step: PlanStep;
  readonly isWhenPerIteration: boolean;
  /** The tool's output schema; undefined if it has none. */
  readonly schema: JsonSchema | undefined;
}

const list: JsonSchema = { type: "array" };
const nothing: JsonSchema = { type: "null" };

/**
 * The schemas that the value at a path in a step's output may have, as {@link schemasAt} returns them: the output of a
 * loop is a list of the tool's outputs, and that of a skipped step is null. A longer path ignores null: a step that
 * refers into null fails.
 */
function schemasOfOutput(output: StepOutput, path: JsonPath): readonly JsonSchema[] | undefined {
  const { step, isWhenPerIteration, schema } = output;
  const mayBeNull = step.when !== undefined;
  if (step.forEach === undefined) return orNull(schema && schemasAt(schema, path), mayBeNull && path.length === 0);
  const [index, ...rest] = path;
  if (index === undefined) return orNull([list], mayBeNull && !isWhenPerIteration);
  if (typeof index === "string") return [];
  return orNull(schema && schemasAt(schema, rest), isWhenPerIteration && rest.length === 0);
}

function orNull(schemas: readonly JsonSchema[] | undefined, mayBeNull: boolean): readonly JsonSchema[] | undefined {
  return schemas !== undefined && mayBeNull ? [...schemas, nothing] : schemas;
}

/** The schemas at a path in an item of the list at another path; undefined if that is not known for every item. */
function schemasOfItem(
  output: StepOutput,
  { list, path }: { readonly list: JsonPath; readonly path: JsonPath },
): readonly JsonSchema[] | undefined {
  const lists = schemasOfOutput(output, list);
  const types = lists && typesOf(lists);
  // A map is walked by its keys, which have no schema.
  if (types === undefined || !types.has("array") || types.has("object")) return undefined;
  // The items of a tuple differ.
  if (lists?.some(({ prefixItems, items }) => prefixItems !== undefined || Array.isArray(items)) ?? true)
    return undefined;
  return schemasOfOutput(output, [...list, 0, ...path]);
}
