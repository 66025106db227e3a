import { AgentError } from "../core/errors.ts";
import { type JsonPath, toJson } from "../core/json.ts";
import { maxPlanBytes, noSteps, type PlanIssue } from "../core/plan.ts";
import { suggestName } from "../core/text.ts";
import type { Tool } from "../core/tool.ts";

/**
 * The issues of a plan that can be found at once, without schemas, so that `start` throws for them: no steps, a tool
 * that does not exist, or a duplicate id. Anything else that is malformed, or not JSON, is left to `checkPlan`.
 */
export function plainIssues(plan: unknown, tools: ReadonlyMap<string, Tool>): readonly PlanIssue[] {
  try {
    if (findPlain(plan, tools).length === 0) return [];
    // It may be a different plan once it is JSON, and only that one counts.
    const json = toJson(plan, { maxBytes: maxPlanBytes });
    return json.ok ? findPlain(json.value, tools) : [];
  } catch {
    return [];
  }
}

function findPlain(plan: unknown, tools: ReadonlyMap<string, Tool>): readonly PlanIssue[] {
  const { steps } = (plan ?? {}) as { readonly steps?: unknown };
  if (!Array.isArray(steps) || steps.length === 0)
    return [{ code: "invalid-shape", path: ["steps"], message: noSteps }];
  const issues: PlanIssue[] = [];
  const firstOf = new Map<string, number>();
  for (const [index, step] of steps.entries()) {
    const { id, tool } = (step ?? {}) as { readonly id?: unknown; readonly tool?: unknown };
    if (typeof tool === "string" && !tools.has(tool)) issues.push(unknownTool(tool, { path: ["steps", index], tools }));
    if (typeof id !== "string") continue;
    const first = firstOf.get(id);
    if (first === undefined) firstOf.set(id, index);
    else issues.push(duplicateId(id, { index, first }));
  }
  return issues;
}

/** The error for an invalid plan, with its issues. */
export function invalidPlan(complaint: string, issues: readonly PlanIssue[]): AgentError<"invalid-plan"> {
  const shown = issues
    .slice(0, 5)
    .map(({ code, path, message }) => `${code} at ${path.join(".") || "the plan"}: ${message}`);
  const more = issues.length > 5 ? ` … and ${issues.length - 5} more.` : "";
  return new AgentError("invalid-plan", `${complaint}: ${shown.join(" ")}${more}`, { details: { issues } });
}

/** The issue of a step whose tool does not exist. */
export function unknownTool(
  tool: string,
  { path, tools }: { readonly path: JsonPath; readonly tools: ReadonlyMap<string, Tool> },
): PlanIssue {
  return { code: "unknown-tool", path: [...path, "tool"], message: noSuchTool(tool, [...tools.keys()]) };
}

/** The message about a tool that does not exist. */
export function noSuchTool(name: string, names: readonly string[]): string {
  return `There is no tool "${name}".${suggestName(name, names)} Available tools: ${names.join(", ") || "none"}.`;
}

/** The issue of a step with the id of another one. */
export function duplicateId(
  id: string,
  { index, first }: { readonly index: number; readonly first: number },
): PlanIssue {
  const message = `"${id}" is already the id of steps[${first}].`;
  return { code: "duplicate-id", path: ["steps", index, "id"], message };
}
