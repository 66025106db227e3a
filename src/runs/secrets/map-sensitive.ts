import { hiddenText, isSealed, type JsonObject, mapItems } from "../../core/json.ts";
import type { RunState } from "../../core/run-state.ts";
import { type SensitiveView, sensitiveViewOf } from "../../core/sensitive-paths.ts";
import { inputOf, toolOf } from "../../core/step.ts";
import type { StepState } from "../../core/step-state.ts";
import type { ToolSchemas } from "../../core/tool-schemas.ts";
import { asLiteral, asReference } from "../../plan/references.ts";
import { isMarked } from "./marked-values.ts";

/** Where a part of a value is. */
export type Path = readonly (string | number)[];

/** What is done with the parts of a value. */
interface SensitiveMapping {
  /** Returns the replacement of a sensitive part. */
  readonly replace: (value: unknown, path: Path) => unknown;
  /** Called for each reference of a plan. If left out, the value is not of a plan, and has none. */
  readonly onReference?: (path: Path) => void;
}

interface Part {
  readonly value: unknown;
  /** What its schema states about it. */
  readonly view: SensitiveView | undefined;
  /** The same made from marks; see `marked-values.ts`. */
  readonly marked?: unknown;
  readonly path: Path;
}

/** A value with replacements for the parts that its schema calls sensitive, or that were made from a secret. */
export function mapSensitive({ value, view, marked, path }: Part, mapping: SensitiveMapping): unknown {
  const isHolder = typeof value === "object" && value !== null;
  if (mapping.onReference !== undefined && isHolder && asReference(value) !== undefined) {
    mapping.onReference(path);
    return value;
  }
  if (view?.isSensitive || isMarked(marked)) return mapping.replace(value, path);
  if (!isHolder) return value;
  const isLiteral = mapping.onReference !== undefined && asLiteral(value) !== undefined;
  const inner = isLiteral ? { replace: mapping.replace } : mapping;
  return mapItems(value, (item, key) => {
    const itemView = isLiteral ? view : view?.at(key);
    const itemMarked = (marked as Readonly<Record<string | number, unknown>> | undefined)?.[key];
    return mapSensitive({ value: item, view: itemView, marked: itemMarked, path: [...path, key] }, inner);
  });
}

/** A planned input as it may be shown. References stay, and each secret is passed to `onSecret`. */
export function hideInput<T>(input: T, view: SensitiveView | undefined, onSecret: (secret: unknown) => void): T {
  const replace = (secret: unknown) => {
    onSecret(secret);
    return hiddenText;
  };
  return mapSensitive({ value: input, view, path: [] }, { replace, onReference: () => {} }) as T;
}

/** Visits each sealed part of a value. */
export function visitSealed(value: unknown, path: Path, visit: (text: string, path: Path) => void): void {
  if (isSealed(value)) visit(value.$sealed, path);
  else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      visitSealed(item, [...path, Array.isArray(value) ? Number(key) : key], visit);
    }
  }
}

/** A value with its texts, numbers, booleans and nulls replaced. */
export function mapLeaves<T>(value: T, map: (leaf: unknown) => unknown): T {
  if (typeof value !== "object" || value === null) return map(value) as T;
  return mapItems(value, (item) => mapLeaves(item, map));
}

/** A sealed value in a state, and what it was sealed for. */
export interface SealedPart {
  readonly tool: string;
  readonly path: Path;
  readonly text: string;
}

/** What is sensitive by the schemas of a tool; undefined where nothing is. */
export interface SensitiveViews {
  readonly input: SensitiveView | undefined;
  readonly output: SensitiveView | undefined;
}

/** The views of the input and output of a tool. */
export function sensitiveViewsOf({ input, output }: ToolSchemas): SensitiveViews {
  return { input: sensitiveViewOf(input), output: sensitiveViewOf(output) };
}

/** A part of a step or of an event about one in which values may be sealed. */
export type SealedPlace = "input" | "output" | "reasoning";

/** The sealed values in a part of a step. */
export function sealedPartsIn(tool: string, part: SealedPlace, value: unknown): readonly SealedPart[] {
  const parts: SealedPart[] = [];
  visitSealed(value, [part], (text, path) => parts.push({ tool, path, text }));
  return parts;
}

/** All sealed values of a run, each once per place. */
export function sealedParts(state: RunState): readonly SealedPart[] {
  const parts = new Map<string, SealedPart>();
  const look = (tool: string, part: SealedPlace, value: unknown) => {
    for (const one of sealedPartsIn(tool, part, value)) parts.set(JSON.stringify([one.text, tool, ...one.path]), one);
  };
  for (const plan of new Set([state.givenPlan, state.firstPlan, state.plan])) {
    for (const step of plan?.steps ?? []) {
      look(toolOf(step), "input", inputOf(step));
      look(toolOf(step), "reasoning", step.reasoning);
    }
  }
  const lookAtStep = ({ tool, input, output, iterations }: StepState) => {
    look(tool, "input", input);
    // The output of a loop is the list of those of its iterations.
    if (iterations === undefined) look(tool, "output", output);
    else for (const iteration of iterations.states) lookAtStep(iteration);
  };
  for (const step of state.steps.values()) lookAtStep(step);
  return [...parts.values()];
}

/** An input with each `[sensitive]` replaced by what is sealed at the same place of the recorded one. */
export function restoreSealed(given: JsonObject, recorded: JsonObject): JsonObject {
  const texts = new Map<string, string>();
  visitSealed(recorded, [], (text, path) => texts.set(JSON.stringify(path), text));
  return mapHidden(given, [], (path) => {
    const text = texts.get(JSON.stringify(path));
    return text === undefined ? hiddenText : { $sealed: text };
  });
}

/** A value with each `[sensitive]` replaced. */
export function mapHidden<T>(value: T, path: Path, replace: (path: Path) => unknown): T {
  if (value === hiddenText) return replace(path) as T;
  if (typeof value !== "object" || value === null) return value;
  return mapItems(value, (item, key) => mapHidden(item, [...path, key], replace));
}
