import { typesOf } from "../../../core/json-schema.ts";
import type { PlanStep } from "../../../core/plan.ts";
import type { DefinedTool } from "../../../core/tool.ts";
import { findSource } from "../../../plan/find-source.ts";
import { findReferences } from "../../../plan/reference.ts";

/** References within texts to outputs that are objects: nobody asked for JSON in a text. Each a line for the model. */
export async function findWholeOutputs(
  steps: readonly PlanStep[],
  { tools, kept }: { readonly tools: ReadonlyMap<string, DefinedTool>; readonly kept: readonly PlanStep[] },
): Promise<readonly string[]> {
  const byId = new Map([...kept, ...steps].map((step) => [step.id, step]));
  const scope = { path: [], tools, stepOf: (id: string) => byId.get(id), parsed: undefined };
  const problems: string[] = [];
  for (const [index, step] of steps.entries()) {
    for (const { kind, reference, path } of findReferences(step.input)) {
      if (kind !== "text" || reference === undefined) continue;
      const schemas = (await findSource(reference, step, scope))?.(reference.path);
      const types = schemas && schemas.length > 0 ? typesOf(schemas) : undefined;
      if (types?.size !== 1 || !types.has("object")) continue;
      const keys = [...new Set(schemas?.flatMap(({ properties }) => Object.keys(properties ?? {})))].slice(0, 5);
      const place = ["steps", index + kept.length, "input", ...path].join(".");
      const example = keys.map((key) => `\${${reference.text}.${key}}`).join(", ");
      problems.push(`${place}: \${${reference.text}} is an object; text needs one of its fields: ${example}.`);
    }
  }
  return problems;
}
