import type { DefinedTool } from "../../../core/tool.ts";
import { findReferences } from "../../../plan/reference.ts";
import { isRecord, type JsonRecord } from "./records.ts";

/** What is needed to complete a step. */
export interface StepPlace {
  readonly index: number;
  /** The step before it, completed. */
  readonly previous: unknown;
  /** Whether a step before it has this id. */
  readonly isEarlier: (id: string) => boolean;
  readonly tools: ReadonlyMap<string, DefinedTool>;
  /** The prefix of ids that the model did not write. */
  readonly prefix: string;
}

/**
 * Completes a step with an id from its position if the model wrote none, and with `dependsOn`: the steps that it refers
 * to and, unless both are of pure tools, the one before it.
 */
export function completeStep(step: JsonRecord, { index, previous, isEarlier, tools, prefix }: StepPlace): JsonRecord {
  const { id = `${prefix}${index + 1}`, tool, input, dependsOn, ...rest } = step;
  // A reference to nothing is left out here: validation reports where it is.
  const named = findReferences(input).flatMap(({ reference }) => reference?.stepId ?? []);
  const waitsFor = new Set<unknown>(named.filter(isEarlier));
  const isPure = (other: JsonRecord) =>
    typeof other.tool === "string" && tools.get(other.tool)?.declaredEffect === "pure";
  if (isRecord(previous) && !(isPure(step) && isPure(previous))) waitsFor.add(previous.id);
  return { id, tool, input, dependsOn: dependsOn ?? [...waitsFor], ...rest };
}
