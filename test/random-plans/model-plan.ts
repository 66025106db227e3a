import type { JsonObject, JsonValue, PlanStep } from "planwright";
import type { StepDraft } from "./model-case.ts";

/** A step whose numbers have become ids, with all that the checks need. They read it and never the plan. */
export interface ModelStep extends Omit<StepDraft, "tool" | "dependsOn" | "references" | "when" | "forEach"> {
  readonly id: string;
  readonly tool: string;
  readonly dependsOn: readonly string[] | undefined;
  readonly references: readonly ModelReference[];
  readonly when: ModelCondition | undefined;
  readonly forEach: ModelList | undefined;
}

/** A reference to a step that may be looped. */
export interface ModelReference {
  readonly id: string;
  readonly kind: "whole" | "number" | "text";
  readonly isToLoop: boolean;
}

/** A `when`. */
export type ModelCondition =
  | { readonly kind: "constant"; readonly value: boolean }
  | { readonly kind: "above"; readonly id: string; readonly limit: number }
  | { readonly kind: "index" | "item"; readonly limit: number };

/** A `forEach`. */
export type ModelList =
  | { readonly kind: "literal"; readonly count: number }
  | { readonly kind: "output"; readonly id: string };

/** The result for a step with a reference that leads nowhere, or a condition that cannot be evaluated. */
export const nowhere = Symbol("nowhere");

/** Resolves the numbers of drafts to earlier steps. */
export function toModelSteps(
  drafts: readonly StepDraft[],
  { ids, toolCount, earlier = [] }: { ids: readonly string[]; toolCount: number; earlier?: readonly ModelStep[] },
): ModelStep[] {
  const steps: ModelStep[] = [];
  for (const [index, draft] of drafts.entries()) {
    const before = [...earlier, ...steps];
    steps.push(toModelStep(draft, { id: ids[index] ?? `s${index}`, before, toolCount }));
  }
  return steps;
}

interface Place {
  readonly id: string;
  readonly before: readonly ModelStep[];
  readonly toolCount: number;
}

function toModelStep(draft: StepDraft, { id, before, toolCount }: Place): ModelStep {
  const at = (to: number) => before[to % before.length];
  const forEach = toList(draft, at);
  return {
    ...draft,
    id,
    tool: `T${draft.tool % toolCount}`,
    dependsOn: draft.dependsOn && unique(draft.dependsOn.flatMap((to) => at(to)?.id ?? [])),
    references: draft.references.flatMap(({ to, kind }) => {
      const target = at(to);
      return target === undefined ? [] : [{ id: target.id, kind, isToLoop: target.forEach !== undefined }];
    }),
    forEach,
    when: toCondition(draft, at, forEach),
    concurrency: forEach && draft.concurrency,
  };
}

type StepAt = (to: number) => ModelStep | undefined;

function toList({ forEach }: StepDraft, at: StepAt): ModelList | undefined {
  if (forEach === undefined) return undefined;
  const target = at(forEach.to);
  if (forEach.kind === "literal" || target === undefined || target.forEach !== undefined) {
    return { kind: "literal", count: forEach.count };
  }
  return { kind: "output", id: target.id };
}

function toCondition({ when }: StepDraft, at: StepAt, forEach: ModelList | undefined): ModelCondition | undefined {
  if (when === undefined) return undefined;
  const { kind, limit } = when;
  const target = at(when.to);
  if (kind === "above" && target !== undefined && target.forEach === undefined) return { kind, id: target.id, limit };
  if ((kind === "index" || kind === "item") && forEach !== undefined) return { kind, limit };
  return { kind: "constant", value: limit > 1 };
}

function unique(ids: readonly string[]): readonly string[] {
  return [...new Set(ids)];
}

/** A step as it appears in a plan. */
export function toPlanStep(step: ModelStep): PlanStep {
  const { id, tool, dependsOn, references, flag, when, forEach, concurrency } = step;
  const input: Record<string, JsonValue> = { flag };
  const values = references.filter(({ kind }) => kind !== "text");
  const text = references.filter(({ kind }) => kind === "text");
  if (values.length > 0) input.values = values.map((reference) => ({ $ref: pathOf(reference) }));
  if (text.length > 0) input.text = text.map((reference) => `<\${${pathOf(reference)}}>`).join(" and ");
  if (forEach !== undefined) Object.assign(input, { item: { $ref: "item" }, index: "at ${index}" });
  return {
    id,
    tool,
    input,
    ...(dependsOn && { dependsOn }),
    ...(when && { when: writeCondition(when) }),
    ...(forEach && {
      forEach: forEach.kind === "literal" ? JSON.stringify(literalItems(forEach.count)) : `${forEach.id}.list`,
    }),
    ...(concurrency !== undefined && { concurrency }),
  };
}

function pathOf({ id, kind, isToLoop }: ModelReference): string {
  if (kind === "whole") return id;
  return isToLoop ? `${id}[0].n` : `${id}.n`;
}

function writeCondition(when: ModelCondition): string {
  if (when.kind === "constant") return String(when.value);
  return when.kind === "above" ? `${when.id}.n > ${when.limit}` : `${when.kind} < ${when.limit}`;
}

function literalItems(count: number): readonly number[] {
  return Array.from({ length: count }, (_, item) => item + 1);
}

/** The ids of all steps that a step waits for. */
export function dependenciesOf(step: ModelStep, previous: ModelStep | undefined): ReadonlySet<string> {
  const ids = new Set(step.dependsOn ?? (previous ? [previous.id] : []));
  for (const { id } of step.references) ids.add(id);
  if (step.when?.kind === "above") ids.add(step.when.id);
  if (step.forEach?.kind === "output") ids.add(step.forEach.id);
  return ids;
}

/** The recorded outputs of the completed steps. */
export type Outputs = ReadonlyMap<string, JsonValue>;

/** The current pass of a loop. */
export interface Pass {
  readonly index: number;
  readonly item: JsonValue;
}

/** The input that a step must get; {@link nowhere} if one of its references leads nowhere. */
export function expectedInput(step: ModelStep, outputs: Outputs, pass: Pass | undefined): JsonObject | typeof nowhere {
  const input: Record<string, JsonValue> = { flag: step.flag };
  const values: JsonValue[] = [];
  const texts: string[] = [];
  for (const reference of step.references) {
    const value = lookUp(reference, outputs);
    if (value === nowhere) return nowhere;
    if (reference.kind === "text") texts.push(`<${JSON.stringify(value)}>`);
    else values.push(value);
  }
  if (values.length > 0) input.values = values;
  if (texts.length > 0) input.text = texts.join(" and ");
  if (pass !== undefined) Object.assign(input, { item: pass.item, index: `at ${pass.index}` });
  return input;
}

function lookUp({ id, kind, isToLoop }: ModelReference, outputs: Outputs): JsonValue | typeof nowhere {
  const output = outputs.get(id) ?? null;
  if (kind === "whole") return output;
  const one = isToLoop && Array.isArray(output) ? (output[0] ?? null) : output;
  return numberOf(one as JsonValue);
}

function numberOf(output: JsonValue): number | typeof nowhere {
  return output === null || typeof output !== "object" || !("n" in output) ? nowhere : (output.n as number);
}

/** Whether a step, or a pass of it, must run; {@link nowhere} if that cannot be determined. */
export function expectedCondition(
  { when }: ModelStep,
  outputs: Outputs,
  pass: Pass | undefined,
): boolean | typeof nowhere {
  if (when === undefined) return true;
  if (when.kind === "constant") return when.value;
  if (when.kind === "above") {
    const value = numberOf(outputs.get(when.id) ?? null);
    return value === nowhere ? nowhere : value > when.limit;
  }
  return Number(when.kind === "index" ? pass?.index : pass?.item) < when.limit;
}

/** Whether the condition is evaluated for each pass of a loop. */
export function isAskedPerPass({ when }: ModelStep): boolean {
  return when?.kind === "index" || when?.kind === "item";
}

/** The items of a loop; {@link nowhere} if there is no such list. */
export function expectedItems({ forEach }: ModelStep, outputs: Outputs): readonly JsonValue[] | typeof nowhere {
  if (forEach === undefined) return [];
  if (forEach.kind === "literal") return literalItems(forEach.count);
  const output = outputs.get(forEach.id) ?? null;
  if (output === null || typeof output !== "object" || !("list" in output)) return nowhere;
  return output.list as readonly JsonValue[];
}
