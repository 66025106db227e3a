import fc from "fast-check";
import { defineTool, type Tool } from "planwright";
import { z } from "zod/v4";
import { note, open, sum } from "../fixtures/plan-tools.ts";

/** A step that may be broken. */
export interface LooseStep {
  [key: string]: unknown;
  id: string;
  tool: string;
  input: Record<string, unknown>;
  dependsOn?: string[];
}

/** A plan that may be broken. */
export interface LoosePlan {
  [key: string]: unknown;
  steps: LooseStep[];
}

/** The source of a step: numbers that are read as earlier steps, or as which way to write something. */
export interface ValidStepDraft {
  readonly kind: "Sum" | "Note" | "Open" | "Loop";
  readonly to: number;
  readonly way: number;
  readonly dependsOn: number | undefined;
  readonly hasWhen: boolean;
}

const list = defineTool({
  name: "List",
  description: "Gives a list",
  inputSchema: z.object({ count: z.number().int().min(0), title: z.string() }),
  outputSchema: z.object({
    items: z.array(z.object({ id: z.string(), size: z.number() })),
    total: z.number(),
    title: z.string(),
  }),
  effect: "pure",
  execute: ({ count, title }) => ({
    items: Array.from({ length: count }, (_, index) => ({ id: `item ${index}`, size: index })),
    total: count,
    title,
  }),
});

/** The tools, of zod 3 and 4, and how often they were called. */
export function createCountedTools(): { readonly tools: readonly Tool[]; readonly calls: readonly string[] } {
  const calls: string[] = [];
  const tools = [list, sum, note, open].map((tool: Tool) => ({
    ...tool,
    execute(input: unknown, context: Parameters<Tool["execute"]>[1]) {
      calls.push(tool.name);
      return tool.execute(input, context);
    },
  }));
  return { tools, calls };
}

/** Drafts of the steps after the first three. */
export const validDrafts: fc.Arbitrary<readonly ValidStepDraft[]> = fc.array(
  fc.record({
    kind: fc.constantFrom("Sum", "Note", "Open", "Loop"),
    to: fc.nat(9),
    way: fc.nat(3),
    dependsOn: fc.option(fc.nat(9), { nil: undefined }),
    hasWhen: fc.boolean(),
  }),
  { maxLength: 7 },
);

/** Ids that are easily mistaken for each other. */
const ids = ["s1", "s10", "s2", "s1_0", "s12", "S1", "s3", "s-1", "s100", "_s1"];

/** A plan that is valid and completes: a List, a Sum and a Note, followed by the drafts. */
export function validPlan(drafts: readonly ValidStepDraft[]): LoosePlan {
  const steps: LooseStep[] = [
    { id: "s1", tool: "List", input: { count: 2, title: "two" }, dependsOn: [] },
    { id: "s10", tool: "Sum", input: { a: { $ref: "s1.total" } }, dependsOn: ["s1"] },
    { id: "s2", tool: "Note", input: { title: "It is ${s10.value}" } },
  ];
  for (const draft of drafts) steps.push(toStep(draft, steps));
  return { steps };
}

function toStep(draft: ValidStepDraft, before: readonly LooseStep[]): LooseStep {
  const { kind, to, way, dependsOn } = draft;
  const at = (number: number) => before[number % before.length] as LooseStep;
  const sums = before.filter(({ tool }) => tool === "Sum");
  const notes = before.filter(({ tool, forEach }) => tool === "Note" && forEach === undefined);
  const earlier = {
    any: at(to).id,
    sum: sums[to % sums.length]?.id ?? "",
    note: notes[to % notes.length]?.id ?? "",
  };
  const step: LooseStep = { id: ids[before.length] as string, tool: kind, input: {}, ...partsOf(draft, earlier) };
  if (dependsOn !== undefined) step.dependsOn = way === 0 ? [] : [at(dependsOn).id];
  return step;
}

/** Ids of earlier steps. */
interface Earlier {
  readonly any: string;
  readonly sum: string;
  readonly note: string;
}

function partsOf({ kind, way, hasWhen }: ValidStepDraft, { any, sum, note }: Earlier): Partial<LooseStep> {
  switch (kind) {
    case "Sum": {
      const first = [1, { $ref: `${sum}.value` }, 1, 2][way];
      return {
        input: { a: first, ...[{}, {}, { label: { $ref: "s1.title" } }, { b: { $ref: "s1.items[1].size" } }][way] },
      };
    }
    case "Note": {
      const title = ["x", { $ref: `${sum}.text` }, `\${${note}.id} and \${$}`, "x"][way];
      return { input: way < 3 ? { title } : { title, tags: ["${s1.items[0].id}"], priority: "low" } };
    }
    case "Open": {
      const input = way === 0 ? { deep: [{ any: { $literal: "${" } }] } : { whole: { $ref: any } };
      if (!hasWhen) return { input };
      return {
        input,
        when: way < 2 ? `${sum.includes("-") ? "s10" : sum}.value > 100` : "s1.items.exists(one, one.size == 1)",
      };
    }
    case "Loop":
      return {
        tool: "Note",
        forEach: way === 0 ? "[1, 2, 3]" : "s1.items",
        input: { title: way === 0 ? "${item} of ${index}" : { $ref: "item.id" } },
        ...(hasWhen && { when: "index > 0" }),
        ...(way > 1 && { concurrency: way }),
      };
  }
}

/** The ids of the steps that each step waits for, from the way its draft was written. */
export function waitsFor(steps: readonly LooseStep[]): ReadonlyMap<string, ReadonlySet<string>> {
  const result = new Map<string, Set<string>>();
  for (const [index, step] of steps.entries()) {
    const previous = steps[index - 1];
    const written = step.dependsOn ?? (previous ? [previous.id] : []);
    const text = JSON.stringify([step.input, step.when ?? "", step.forEach ?? ""]);
    // An id of these plans counts wherever one can appear: no text of theirs looks like one.
    const named = steps.filter(({ id }) => new RegExp(`(?<![\\w-])${id}(?![\\w-])`).test(text)).map(({ id }) => id);
    result.set(step.id, new Set([...written, ...named]));
  }
  return result;
}

/** Whether a step waits for another one, directly or through others. */
export function reaches(plan: LoosePlan, from: string, to: string, seen = new Set<string>()): boolean {
  if (seen.has(from)) return false;
  seen.add(from);
  return [...(waitsFor(plan.steps).get(from) ?? [])].some((id) => id === to || reaches(plan, id, to, seen));
}
