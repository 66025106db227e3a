import type { JsonPath } from "./json.ts";
import { type JsonSchema, schemasAt, typesOf } from "./json-schema.ts";
import type { PlanStep } from "./plan.ts";

/** What is known of a step's output before it runs. */
export interface StepOutput {
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
export function schemasOfOutput(output: StepOutput, path: JsonPath): readonly JsonSchema[] | undefined {
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
export function schemasOfItem(
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
