import { hideQuotedOf } from "../core/hidden-texts.ts";
import type { JsonPath, JsonValue } from "../core/json.ts";
import {
  findUnknownKeys,
  hasOnlyKnownKeys,
  type JsonSchema,
  knownKeys,
  nameValues,
  schemasAt,
  typesOf,
  valuesOf,
} from "../core/json-schema.ts";
import type { PlanIssue, PlanStep, ToolStep, WaitStep } from "../core/plan.ts";
import { answerSchemaOf, findQuestionIssues } from "../core/question.ts";
import { type ParseResult, parseWith, type StandardSchema, toJsonSchema, zodVersionOf } from "../core/schema.ts";
import { callsTool, isIterationName, timeOfInstant } from "../core/step.ts";
import { suggestName } from "../core/text.ts";
import type { Tool } from "../core/tool.ts";
import { type ToolSchemas, toolSchemas } from "../core/tool-schemas.ts";
import type { SchemasAt } from "./expressions/infer.ts";
import type { CelPath } from "./expressions/node.ts";
import type { ExpressionKey } from "./expressions/step-expressions.ts";
import type { ParsedSteps } from "./expressions.ts";
import { type FoundReference, fillReferences, isOfIteration } from "./references.ts";

interface StepScope {
  readonly step: PlanStep;
  readonly path: JsonPath;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly schemas: KnownSchemas;
  readonly stepOf: (stepId: string) => PlanStep | undefined;
  readonly references: readonly FoundReference[];
  readonly events?: ReadonlyMap<string, StandardSchema> | undefined;
  readonly parsed: ParsedSteps | undefined;
  readonly item?: SchemasAt | undefined;
}

type KnownSchemas = ReadonlyMap<Tool | StandardSchema, Partial<ToolSchemas>>;

export function readSchemas(
  steps: readonly (Pick<PlanStep, "tool"> | undefined)[],
  { tools, events }: Pick<StepScope, "tools" | "events">,
): KnownSchemas | Promise<KnownSchemas> {
  const found = new Map<Tool | StandardSchema, Partial<ToolSchemas>>();
  const reading: Promise<unknown>[] = [];
  const called = steps.map((step) => tools.get(step?.tool ?? ""));
  for (const key of new Set<Tool | StandardSchema | undefined>([...called, ...(events?.values() ?? [])])) {
    if (key === undefined) continue;
    const schemas = "~standard" in key ? valueSchemas(key) : toolSchemas(key);
    if (schemas instanceof Promise) reading.push(schemas.then((read) => found.set(key, read)));
    else found.set(key, schemas);
  }
  return reading.length === 0 ? found : Promise.all(reading).then(() => found);
}

function valueSchemas(schema: StandardSchema): Pick<ToolSchemas, "output"> | Promise<Pick<ToolSchemas, "output">> {
  const output = toJsonSchema(schema, "output");
  return output instanceof Promise ? output.then((read) => ({ output: read })) : { output };
}

export function checkStep(scope: StepScope): readonly PlanIssue[] | Promise<readonly PlanIssue[]> {
  const { step } = scope;
  const { issues, item } = checkExpressions(scope);
  const inLoop = item === undefined ? scope : { ...scope, item };
  const found = callsTool(step) ? checkInput(step, inLoop) : checkWait(step, scope);
  if (found instanceof Promise) return found.then((others) => [...issues, ...others]);
  return issues.length === 0 ? found : [...issues, ...found];
}

function checkInput(step: ToolStep, scope: StepScope): readonly PlanIssue[] | Promise<readonly PlanIssue[]> {
  const tool = scope.tools.get(step.tool);
  const input = tool && scope.schemas.get(tool)?.input;
  if (tool === undefined || input === undefined) return [unknownTool(step.tool, scope)];
  const preview = fillReferences(step.input, () => undefined as unknown as JsonValue);
  const parsing = parseWith(tool.inputSchema, preview);
  const isPlain = scope.references.length === 0 && hasOnlyKnownKeys(input, preview);
  const finish = (parsed: ParseResult<unknown>) =>
    isPlain && parsed.ok ? [] : collectIssues(scope, { tool, input, preview, parsed });
  return parsing instanceof Promise ? parsing.then(finish) : finish(parsing);
}

export function unknownTool(
  tool: string,
  { path, tools }: { readonly path: JsonPath; readonly tools: ReadonlyMap<string, Tool> },
): PlanIssue {
  return { code: "unknown-tool", path: [...path, "tool"], message: noSuch("tool", tool, tools.keys()) };
}

export function noSuch(kind: "tool" | "event", name: string, known: Iterable<string>): string {
  const names = [...known];
  return `There is no ${kind} "${name}".${suggestName(name, names)} Available ${kind}s: ${names.join(", ") || "none"}.`;
}

function collectIssues(
  scope: StepScope,
  { tool, input, preview, parsed }: { tool: Tool; input: JsonSchema; preview: JsonValue; parsed: ParseResult<unknown> },
): readonly PlanIssue[] {
  const { step, references } = scope;
  const hide = hideQuotedOf(input, preview);
  const issues: PlanIssue[] = [];
  const add = (issue: PlanIssue) => issues.push({ ...issue, path: [...scope.path, "input", ...issue.path] });
  for (const found of references) {
    const wanted = schemasAt(input, found.path, preview);
    const issue = checkReference(found, wanted, scope);
    if (issue !== undefined) add({ ...issue, path: found.path });
  }
  const unknownKeys = findUnknownKeys(input, preview);
  for (const path of unknownKeys) {
    const known = knownKeys(schemasAt(input, path.slice(0, -1), preview) ?? []);
    const message = `"${step.tool}" has no input "${path.at(-1)}" here; available: ${known.join(", ") || "none"}.`;
    add(hide({ code: "unknown-key", path, message: ownMessageOf(path, parsed) ?? message }));
  }
  // If a part of the input is unknown, the schema may throw an error only because of that part.
  if (parsed.ok || (references.length > 0 && parsed.raw.length === 0)) return issues;
  const unknown = new PathSet(references.map((reference) => reference.path));
  // Schemas of other libraries may report an issue within a union only at the path of the union.
  const isOpaque = zodVersionOf(tool.inputSchema) === undefined;
  for (const [index, { path, message }] of parsed.issues.entries()) {
    const raw = (parsed.raw[index] ?? {}) as RawIssue;
    // Unknown keys were already reported one by one.
    if (unknownKeys.length > 0 && raw.code === "unrecognized_keys") continue;
    if (isExcused(path, raw, unknown) || (isOpaque && unknown.hasAtOrBelow(path))) continue;
    add(hide({ code: "invalid-input", path, message }));
  }
  return issues;
}

function ownMessageOf(path: JsonPath, parsed: ParseResult<unknown>): string | undefined {
  if (parsed.ok) return undefined;
  const at = parsed.raw.findIndex((raw) => (raw as RawIssue).keys?.includes(String(path.at(-1))));
  const { message = "", path: place = [] } = parsed.issues[at] ?? {};
  const isOfPlace = at !== -1 && place.length === path.length - 1 && place.every((key, index) => key === path[index]);
  return !isOfPlace || message.startsWith("Unrecognized key") ? undefined : message;
}

/** A union has the issues of its branches in `errors` (zod 4) or `unionErrors` (zod 3). */
interface RawIssue {
  readonly path: JsonPath;
  readonly code?: string;
  readonly keys?: readonly string[];
  readonly errors?: readonly RawIssue[][];
  readonly unionErrors?: readonly { readonly issues: readonly RawIssue[] }[];
}

function isExcused(path: JsonPath, { code, errors, unionErrors }: RawIssue, unknown: PathSet): boolean {
  if (unknown.hasAtOrAbove(path)) return true;
  // A refinement of a value that contains a reference was run without the referenced value.
  if (code === "custom" && unknown.hasAtOrBelow(path)) return true;
  // In zod 4 the paths of a union's branches start at the union, in zod 3 at the root.
  if (errors !== undefined)
    return errors.some((branch) => branch.every((issue) => isExcused([...path, ...issue.path], issue, unknown)));
  return unionErrors?.some(({ issues }) => issues.every((issue) => isExcused(issue.path, issue, unknown))) ?? false;
}

function checkReference(
  { reference, kind, text }: FoundReference,
  wanted: readonly JsonSchema[] | undefined,
  scope: StepScope,
): Omit<PlanIssue, "path"> | undefined {
  if (reference === undefined) {
    const message = `"${text}" is not a reference. Write \${s1.key}, or \${$}{ for the text \${.`;
    return { code: "invalid-reference", message };
  }
  const source = findSource(reference.stepId, scope);
  const outputs = source?.(reference.path);
  if (source !== undefined && outputs?.length === 0) {
    const { path, stepId: name } = reference;
    const around = source(path.slice(0, -1)) ?? [];
    const message = describeMissing({ text, name, path }, around, { scope, isInExpression: false });
    return { code: "invalid-reference", message };
  }
  const wantedTypes = wanted && wanted.length > 0 ? typesOf(wanted) : undefined;
  const givenTypes = kind === "text" ? new Set(["string"]) : outputs && typesOf(outputs);
  if (wantedTypes === undefined || givenTypes === undefined) return undefined;
  if ([...givenTypes].some((type) => wantedTypes.has(type))) {
    const [known, allowed] = [kind === "text" ? undefined : valuesOf(outputs ?? []), valuesOf(wanted ?? [])];
    if (known === undefined || allowed === undefined || allowed.some((value) => known.includes(value)))
      return undefined;
    const message = `${text} is ${nameValues(known)}, but ${nameValues(allowed)} is needed here.`;
    return { code: "reference-type", message };
  }
  const [given, needed] = [[...givenTypes].join(" or "), [...wantedTypes].join(" or ")];
  const hint = needed === "string" ? ` Write "\${${text}}" to put it into text.` : "";
  return { code: "reference-type", message: `${text} is of type ${given}, but ${needed} is needed here.${hint}` };
}

function checkWait({ wait }: WaitStep, scope: StepScope): readonly PlanIssue[] {
  const { path, events, references } = scope;
  if ("event" in wait) {
    if (events === undefined || events.has(wait.event)) return [];
    const message = noSuch("event", wait.event, events.keys());
    return [{ code: "unknown-event", path: [...path, "wait", "event"], message }];
  }
  if ("ask" in wait) {
    const found = findQuestionIssues(wait.ask);
    return found.map((issue) => ({ ...issue, code: "invalid-shape", path: [...path, "wait", "ask", ...issue.path] }));
  }
  if (!("until" in wait)) return [];
  const at = [...path, "wait", "until"];
  if (references.length > 0) {
    const found = references.map((reference) => checkReference(reference, [instant], scope));
    return found.flatMap((issue) => (issue === undefined ? [] : [{ ...issue, path: at }]));
  }
  if (timeOfInstant(wait.until) !== undefined) return [];
  const message = `${JSON.stringify(wait.until)} is not an existing date and time with a zone, such as ${instants}.`;
  return [{ code: "invalid-input", path: at, message }];
}

const instants = '"2026-03-01T08:00:00Z" or "2026-03-01T08:00:00+01:00"';

function checkExpressions(scope: StepScope): {
  readonly issues: readonly PlanIssue[];
  readonly item?: SchemasAt | undefined;
} {
  const parsed = scope.parsed?.get(scope.step);
  if (parsed === undefined) return { issues: [] };
  const issues: PlanIssue[] = [];
  const add = (code: PlanIssue["code"], key: ExpressionKey, message: string) =>
    issues.push({ code, path: [...scope.path, key], message });
  for (const { key, message, position } of parsed.issues)
    add("invalid-expression", key, `The expression cannot be used: ${message} (at character ${position}).`);
  for (const { name, position } of parsed.forEach?.names ?? []) {
    if (!isIterationName(name)) continue;
    const message = `"${name}" (at character ${position}) does not exist in "forEach" itself, only in the input and the "when" of its step.`;
    add("unknown-step", "forEach", message);
  }
  const check = (key: ExpressionKey, around: StepScope) => {
    const checked = parsed.check(key, {
      sourceOf: (name) => findSource(name, around),
      describeMissing: (path, schemas) => describeMissing(path, schemas, { scope, isInExpression: true }),
    });
    for (const { code, message } of checked.issues) add(code, key, message);
    return checked;
  };
  const { item } = check("forEach", scope);
  check("when", { ...scope, item });
  return { issues, item };
}

function findSource(name: string, scope: StepScope): SchemasAt | undefined {
  if (!isOfIteration(scope.step, name)) return findOutput(name, scope);
  return name === "item" ? scope.item : (path) => (path.length === 0 ? [integer] : []);
}

const instant: JsonSchema = { type: "string" };
const integer: JsonSchema = { type: "integer" };
const anyList: JsonSchema = { type: "array" };
const nothing: JsonSchema = { type: "null" };

/** Adds null for the whole output of a step or iteration that may be skipped, but not for its parts: null has none. */
function findOutput(stepId: string, scope: StepScope): SchemasAt | undefined {
  const step = scope.stepOf(stepId);
  if (step === undefined) return undefined;
  const output = outputSchemaOf(step, scope);
  const outputAt = (path: JsonPath) => output && schemasAt(output, path);
  const mayBeNull = step.when !== undefined;
  if (step.forEach === undefined) return (path) => orNull(outputAt(path), mayBeNull && path.length === 0);
  const isWhenPerIteration = scope.parsed?.get(step)?.isWhenPerIteration ?? false;
  return ([index, ...rest]) => {
    if (index === undefined) return orNull([anyList], mayBeNull && !isWhenPerIteration);
    if (typeof index === "string") return [];
    return orNull(outputAt(rest), isWhenPerIteration && rest.length === 0);
  };
}

function outputSchemaOf({ tool, wait }: PlanStep, { tools, events, schemas }: StepScope): JsonSchema | undefined {
  if (wait !== undefined && "ask" in wait) return answerSchemaOf(wait.ask) as JsonSchema;
  if (wait !== undefined && !("event" in wait)) return instant;
  const source = wait === undefined ? tools.get(tool) : events?.get(wait.event);
  return source && schemas.get(source)?.output;
}

function orNull(schemas: readonly JsonSchema[] | undefined, mayBeNull: boolean): readonly JsonSchema[] | undefined {
  return schemas !== undefined && mayBeNull ? [...schemas, nothing] : schemas;
}

function describeMissing(
  { text, name, path, isVariable = false }: Pick<CelPath, "name" | "path" | "text"> & Partial<CelPath>,
  around: readonly JsonSchema[],
  { scope, isInExpression }: { readonly scope: StepScope; readonly isInExpression: boolean },
): string {
  const types = typesOf(around);
  const isStep = !isVariable && !isOfIteration(scope.step, name);
  const isLooped = isStep && scope.stepOf(name)?.forEach !== undefined;
  const where = !isStep ? `"${name}"` : `the output of "${name}"`;
  const missing = `${text} does not exist in ${where}`;
  if (path.at(-1) === "length" && (types?.has("array") || types?.has("string"))) {
    const holder = text.replace(/(?:\.length|\["length"\])$/, "");
    return isInExpression
      ? `${missing}; for its length write size(${holder}).`
      : `${missing}; an input can refer to ${types.has("array") ? "items, as in [0]" : "the whole text"}, not to the length.`;
  }
  if (isLooped && typeof path[0] === "string") {
    const item = `${name}[0]${text.slice(name.length)}`;
    return `${missing}: "${name}" has a forEach, so its output is a list: write ${item}, or give this step a forEach over ${name}.`;
  }
  const isList = typeof path.at(-1) === "string" && types?.has("array");
  return `${missing}; available: ${knownKeys(around).join(", ") || (isList ? "only items, as in [0]" : "no keys")}.`;
}

const end = Symbol("end");

interface PathTree extends Map<string | number | typeof end, PathTree> {}

export class PathSet {
  readonly #root: PathTree = new Map();

  constructor(paths: Iterable<JsonPath>) {
    for (const path of paths) {
      let node = this.#root;
      for (const key of [...path, end] as const) {
        const next: PathTree = node.get(key) ?? new Map();
        node.set(key, next);
        node = next;
      }
    }
  }

  hasAtOrAbove(path: JsonPath): boolean {
    let node: PathTree | undefined = this.#root;
    for (const key of path) {
      if (node === undefined || node.has(end)) break;
      node = node.get(key);
    }
    return node?.has(end) ?? false;
  }

  hasAtOrBelow(path: JsonPath): boolean {
    let node: PathTree | undefined = this.#root;
    for (const key of path) node = node?.get(key);
    return node !== undefined && node.size > 0;
  }
}
