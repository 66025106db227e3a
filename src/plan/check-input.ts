import type { JsonPath, JsonValue } from "../core/json.ts";
import { findUnknownKeys, hasOnlyKnownKeys, knownKeys, schemasAt, typesOf } from "../core/json-schema.ts";
import type { PlanIssue, ToolStep } from "../core/plan.ts";
import { type ParseResult, parseWith, zodVersionOf } from "../core/schema.ts";
import type { Tool } from "../core/tool.ts";
import { type ToolSchemas, toolSchemas } from "../core/tool-schemas.ts";
import { describeMissing, findSource, isNameOfLoop, isReady, type SchemasAt, type StepScope } from "./find-source.ts";
import { unknownTool } from "./plain-issues.ts";
import { type FoundReference, findReferences } from "./reference.ts";
import { replaceReferences } from "./resolve-input.ts";

/**
 * The issues of one step's tool and input. Synchronous, unless a schema is async or zod 3's converter is not loaded.
 */
export function checkInput(step: ToolStep, scope: StepScope): readonly PlanIssue[] | Promise<readonly PlanIssue[]> {
  const tool = scope.tools.get(step.tool);
  if (tool === undefined) return [unknownTool(step.tool, scope)];
  const references = findReferences(step.input);
  if (references.length === 0 && isPlainlyValid(step, tool)) return none;
  const preview = replaceReferences(step.input, unknownValue);
  const parsed = parseWith(tool.inputSchema, preview);
  const schemas = toolSchemas(tool);
  const outputs = references.map(({ reference }) => reference && findSource(reference, step, scope));
  if (isReady(parsed) && isReady(schemas) && outputs.every(isReady)) {
    return collectIssues({ step, scope, references, preview, parsed, schemas, outputs });
  }
  return Promise.all([parsed, schemas, Promise.all(outputs)]).then(([parsed, schemas, outputs]) =>
    collectIssues({ step, scope, references, preview, parsed, schemas, outputs }),
  );
}

const none: readonly PlanIssue[] = [];

/** Whether an input without references passes a quick check. Most do; the others are checked again, to find out why. */
function isPlainlyValid(step: ToolStep, tool: Tool): boolean {
  const input = replaceReferences(step.input, unknownValue);
  const schemas = toolSchemas(tool);
  if (!isReady(schemas) || !hasOnlyKnownKeys(schemas.input, input)) return false;
  const parsed = parseWith(tool.inputSchema, input);
  return isReady(parsed) && parsed.ok;
}

/** Stands for a value that is known only when the plan runs. */
function unknownValue(): JsonValue {
  return undefined as unknown as JsonValue;
}

interface Findings {
  readonly step: ToolStep;
  readonly scope: StepScope;
  readonly references: readonly FoundReference[];
  readonly preview: JsonValue;
  readonly parsed: ParseResult<unknown>;
  readonly schemas: ToolSchemas;
  readonly outputs: readonly (SchemasAt | undefined)[];
}

function collectIssues({ step, scope, references, preview, parsed, schemas, outputs }: Findings): readonly PlanIssue[] {
  const at = (path: JsonPath): JsonPath => [...scope.path, "input", ...path];
  const tool = scope.tools.get(step.tool);
  const issues: PlanIssue[] = [];
  for (const [index, found] of references.entries()) {
    const isLooped = found.reference !== undefined && isNameOfLoop(found.reference.stepId, step, scope);
    const issue = checkReference(found, { input: schemas.input, value: preview, output: outputs[index], isLooped });
    if (issue !== undefined) issues.push({ ...issue, path: at(found.path) });
  }
  for (const path of findUnknownKeys(schemas.input, preview)) {
    const known = knownKeys(schemasAt(schemas.input, path.slice(0, -1), preview) ?? []);
    const message = `"${step.tool}" has no input "${path.at(-1)}"; it knows: ${known.join(", ") || "nothing"}.`;
    issues.push({ code: "unknown-key", path: at(path), message });
  }
  if (parsed.ok) return issues;
  const unknown = new PathSet(references.map((reference) => reference.path));
  // Of what zod did not make nothing is known but the path, which for a union may be that of the whole.
  const isOpaque = tool !== undefined && zodVersionOf(tool.inputSchema) === undefined;
  const hasUnknownKeys = issues.some(({ code }) => code === "unknown-key");
  for (const [index, { path, message }] of parsed.issues.entries()) {
    const raw = parsed.raw[index];
    // A strict schema's own issue about keys is already reported key by key.
    if ((hasUnknownKeys && codeOf(raw) === "unrecognized_keys") || isExcused(path, raw, unknown)) continue;
    if (isOpaque && unknown.hasAtOrBelow(path)) continue;
    issues.push({ code: "invalid-input", path: at(path), message });
  }
  // A schema that throws says nothing about the input while a part of it is not known.
  return references.length > 0 && parsed.raw.length === 0
    ? issues.filter(({ code }) => code !== "invalid-input")
    : issues;
}

function codeOf(raw: unknown): unknown {
  return ((raw ?? {}) as { code?: unknown }).code;
}

/** Whether an issue is only about values not known yet: at or below a reference, or all of one branch of a union. */
function isExcused(path: JsonPath, raw: unknown, unknown: PathSet): boolean {
  if (unknown.hasAtOrAbove(path)) return true;
  const { code, errors, unionErrors } = (raw ?? {}) as RawDetails;
  // A refinement of a value that contains a reference was run without the referenced value.
  if (code === "custom" && unknown.hasAtOrBelow(path)) return true;
  // In zod 4 the paths of a union's branches start at the union, in zod 3 at the root.
  if (errors !== undefined) {
    return errors.some((branch) => branch.every((issue) => isExcused([...path, ...issue.path], issue, unknown)));
  }
  return unionErrors?.some(({ issues }) => issues.every((issue) => isExcused(issue.path, issue, unknown))) ?? false;
}

/** What zod's own issues also contain: the branches of a union. */
interface RawDetails {
  readonly code?: string;
  readonly errors?: readonly RawIssue[][];
  readonly unionErrors?: readonly { readonly issues: readonly RawIssue[] }[];
}

interface RawIssue {
  readonly path: JsonPath;
}

interface ReferenceSchemas {
  readonly input: ToolSchemas["input"];
  readonly value: JsonValue;
  readonly output: SchemasAt | undefined;
  /** Whether the output is that of a step with `forEach`. */
  readonly isLooped: boolean;
}

/** Checks that a reference can be read, names something the output can have, and fits its place. */
function checkReference(found: FoundReference, schemas: ReferenceSchemas): Omit<PlanIssue, "path"> | undefined {
  const { reference, kind, text } = found;
  if (reference === undefined) {
    const message = `"${text}" is not a reference. Write \${s1.key}, or \${$}{ for the text \${.`;
    return { code: "invalid-reference", message };
  }
  const outputs = schemas.output?.(reference.path);
  if (schemas.output !== undefined && outputs?.length === 0) {
    const path = { text, name: reference.stepId, path: reference.path };
    return {
      code: "invalid-reference",
      message: describeMissing(path, { schemasAt: schemas.output, isInExpression: false, isLooped: schemas.isLooped }),
    };
  }
  const wanted = schemasAt(schemas.input, found.path, schemas.value);
  const wantedTypes = wanted && wanted.length > 0 ? typesOf(wanted) : undefined;
  const givenTypes = kind === "text" ? new Set(["string"]) : outputs && typesOf(outputs);
  if (wantedTypes === undefined || givenTypes === undefined) return undefined;
  if ([...givenTypes].some((type) => wantedTypes.has(type))) return undefined;
  const [given, needed] = [[...givenTypes].join(" or "), [...wantedTypes].join(" or ")];
  const hint = needed === "string" ? ` Write "\${${text}}" to put it into text.` : "";
  return { code: "reference-type", message: `${text} is ${given}, but ${needed} is needed here.${hint}` };
}

interface PathNode {
  isEnd: boolean;
  readonly below: Map<string | number, PathNode>;
}

const newNode = (): PathNode => ({ isEnd: false, below: new Map() });

/** Paths as a tree, so that a lookup takes the length of its path, however many there are. */
export class PathSet {
  private readonly root = newNode();

  constructor(paths: Iterable<JsonPath>) {
    for (const path of paths) {
      let node = this.root;
      for (const key of path) {
        let next = node.below.get(key);
        if (next === undefined) {
          next = newNode();
          node.below.set(key, next);
        }
        node = next;
      }
      node.isEnd = true;
    }
  }

  /** Whether one of the paths leads to a place or to something that contains it. */
  hasAtOrAbove(path: JsonPath): boolean {
    let node: PathNode | undefined = this.root;
    for (const key of path) {
      if (node.isEnd) return true;
      node = node.below.get(key);
      if (node === undefined) return false;
    }
    return node.isEnd;
  }

  /** Whether one of the paths leads to a place or to something in it. */
  hasAtOrBelow(path: JsonPath): boolean {
    let node: PathNode | undefined = this.root;
    for (const key of path) {
      node = node.below.get(key);
      if (node === undefined) return false;
    }
    return node.isEnd || node.below.size > 0;
  }
}
