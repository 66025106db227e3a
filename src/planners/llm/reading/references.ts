import type { JsonPath } from "../../../core/json.ts";
import { knownKeys, schemasAt, typesOf } from "../../../core/json-schema.ts";
import type { PlanStep } from "../../../core/plan.ts";
import type { DefinedTool } from "../../../core/tool.ts";
import { toolSchemas } from "../../../core/tool-schemas.ts";
import { findSource, type SchemasAt } from "../../../plan/find-source.ts";
import { parseReference } from "../../../plan/reference.ts";
import { plainName } from "./records.ts";

/** The steps that a step may refer to. */
export interface EarlierSteps {
  readonly tools: ReadonlyMap<string, DefinedTool>;
  readonly stepOf: (id: string) => PlanStep | undefined;
  /** The ids of the steps that a name or number may mean, other than an id. */
  readonly idsOf: (name: string, options: { readonly fromZero: boolean }) => readonly string[];
  /** Whether the model itself called a step this. */
  readonly isNamed: (name: string) => boolean;
}

/** A reference that was understood. */
export interface ReadReference {
  /** As a plan has it: `s1.value`. */
  readonly text: string;
  /** Whether it was written in another way. */
  readonly isMended: boolean;
  /** What the output may have there; undefined if that is not known. */
  readonly types: ReadonlySet<string> | undefined;
  readonly isWhole: boolean;
  readonly tool: DefinedTool | undefined;
}

/** Words that models put before the name of a step, and between it and its output. */
const before = new Set(["steps", "step", "nodes", "results", "outputs"]);
const between = new Set(["output", "outputs", "result", "results", "response", "data"]);
const maxLength = 200;

/**
 * Reads what stands between the signs of a reference: `s1.value`, and what models write for it, such as
 * `steps.s1.output.value`, `#/steps/0/output/value` or `1.value`. Undefined unless it means exactly one value of an
 * earlier step.
 */
export async function readReference(
  written: string,
  step: PlanStep,
  earlier: EarlierSteps,
): Promise<ReadReference | undefined> {
  const text = written.trim().replace(/^(?:the )?(?:output|result|value) (?:of|from) (?:step )?/i, "");
  if (text === "" || text.length > maxLength) return undefined;
  const exact = await checkedReference(text, step, earlier);
  if (exact !== undefined) return exact;
  const readings = new Map<string, ReadReference>();
  for (const candidate of candidatesOf(text, earlier)) {
    const read = await checkedReference(candidate, step, earlier);
    if (read !== undefined) readings.set(read.text, { ...read, isMended: true });
  }
  const [only] = readings.size === 1 ? readings.values() : [];
  return only;
}

/** A reference, if it leads to something that the output of an earlier step can have. */
async function checkedReference(
  text: string,
  step: PlanStep,
  { tools, stepOf }: EarlierSteps,
): Promise<ReadReference | undefined> {
  const reference = parseReference(text);
  if (reference === undefined) return undefined;
  const source: SchemasAt | undefined = await findSource(reference, step, {
    path: [],
    tools,
    stepOf,
    parsed: undefined,
  });
  const isOfLoop = step.forEach !== undefined && (reference.stepId === "item" || reference.stepId === "index");
  const named = stepOf(reference.stepId);
  if (named === undefined && !isOfLoop) return undefined;
  const path = source === undefined ? reference.path : spelledAlike(reference.path, source);
  const schemas = path && source?.(path);
  if (path === undefined || schemas?.length === 0) return undefined;
  const isRespelled = path !== reference.path;
  const tool = named?.tool !== undefined && named.forEach === undefined ? tools.get(named.tool) : undefined;
  return {
    text: isRespelled ? writeReference(reference.stepId, path) : text,
    isMended: isRespelled,
    types: schemas && typesOf(schemas),
    isWhole: path.length === 0,
    tool,
  };
}

/** A path with keys that the output has, where they are spelled in another way; undefined if there are none. */
function spelledAlike(path: JsonPath, schemasAt: SchemasAt): JsonPath | undefined {
  let found: JsonPath = path;
  for (const [index, key] of path.entries()) {
    const schemas = schemasAt(found.slice(0, index + 1));
    if (schemas?.length !== 0) continue;
    const known = knownKeys(schemasAt(found.slice(0, index)) ?? []);
    const [name, ...others] = known.filter((one) => plainName(one) === plainName(String(key)));
    if (name === undefined || others.length > 0) return undefined;
    found = [...found.slice(0, index), name, ...found.slice(index + 1)];
  }
  return found;
}

/** Whether a reference may begin with a name. */
export function isNameOfStep(name: string, { stepOf, idsOf }: EarlierSteps): boolean {
  return before.has(name.toLowerCase()) || stepOf(name) !== undefined || idsOf(name, { fromZero: false }).length > 0;
}

/** The references that a text may mean. */
function candidatesOf(text: string, earlier: EarlierSteps): readonly string[] {
  const isPointer = text.startsWith("#");
  const all = segmentsOf(text);
  if (all === undefined) return [];
  const hasPrefix = before.has(String(all[0]).toLowerCase()) && all.length > 1;
  const [name, ...path] = hasPrefix ? all.slice(1) : all;
  if (name === undefined) return [];
  const fromZero = hasPrefix && (isPointer || /^(?:\$\.)?\w+\[/.test(text));
  const ids = earlier.stepOf(String(name)) ? [String(name)] : earlier.idsOf(String(name), { fromZero });
  const paths = between.has(String(path[0]).toLowerCase()) ? [path, path.slice(1)] : [path];
  return ids.flatMap((id) => paths.map((parts) => writeReference(id, parts)));
}

/** The parts of a path that dots, slashes and brackets separate; undefined if it is none. */
export function segmentsOf(text: string): readonly (string | number)[] | undefined {
  const inner = text.replace(/^[#$@]?[./]?/, "").replace(/^\{(.*)\}$/, "$1");
  const parts: (string | number)[] = [];
  for (const [, bracket, quoted, plain] of inner.matchAll(/\[(\d{1,9})\]|\[["']([^"'\]]*)["']\]|([^.[\]/]+)/g)) {
    if (bracket !== undefined) parts.push(Number(bracket));
    else if (quoted !== undefined) parts.push(quoted);
    else if (plain !== undefined)
      parts.push(parts.length > 0 && /^\d{1,9}$/.test(plain) ? Number(plain) : plain.trim());
  }
  return parts.every((part) => typeof part === "number" || /^[\w -]+$/.test(part)) ? parts : undefined;
}

/** A key that a reference names after a dot. */
const plainKey = /^[A-Za-z_][\w-]*$/;

/** A reference as a plan has it. */
export function writeReference(stepId: string, path: JsonPath): string {
  const parts = path.map((key) =>
    typeof key === "number" ? `[${key}]` : plainKey.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`,
  );
  return stepId + parts.join("");
}

/**
 * A reference to a whole output where one value is needed: to the part that its tool calls its result.
 */
export async function resultOf(read: ReadReference): Promise<ReadReference | undefined> {
  const { tool, text } = read;
  if (tool?.result === undefined || !read.isWhole) return undefined;
  const path = parseReference(`x.${tool.result}`)?.path;
  const { output } = await toolSchemas(tool);
  const schemas = path && output && schemasAt(output, path);
  if (path === undefined || schemas?.length === 0) return undefined;
  return {
    text: writeReference(text, path),
    isMended: true,
    types: schemas && typesOf(schemas),
    isWhole: false,
    tool,
  };
}
