import { toDefinedTool } from "../core/define-tool.ts";
import type { JsonValue } from "../core/json.ts";
import type { AnyPlan, PlanStep } from "../core/plan.ts";
import { printable, printableJson } from "../core/printable.ts";
import { isSensitiveTool } from "../core/sensitive.ts";
import { SensitiveView } from "../core/sensitive-paths.ts";
import { describeConditions, describeWait } from "../core/step-words.ts";
import type { DefinedTool, Tool } from "../core/tool.ts";
import { toolSchemas } from "../core/tool-schemas.ts";
import { callsTool } from "../core/wait-step.ts";
import { dependenciesOf, stepsNamedIn } from "../plan/dependencies.ts";
import { HiddenTexts } from "./secrets/hidden-texts.ts";
import { hideInput } from "./secrets/map-sensitive.ts";

/**
 * Describes a plan as text for a person who decides whether it may run: for each step its `reasoning`, the call as it
 * will be made, its condition, its loop, what it waits for, and whether it runs only once or asks first. Sensitive
 * values are shown as `"[sensitive]"`. The plan is not validated: a tool that is not among `tools` is called unknown.
 * The `needsApproval` of an agent is not known here.
 *
 * {@includeCode ../../examples/04-approve-a-plan.ts}
 * @group Plans
 */
export function describePlan(plan: AnyPlan, { tools }: { readonly tools: readonly Tool[] }): string {
  const steps = plan.steps as readonly PlanStep[];
  const byName = new Map(tools.map((tool) => [tool.name, toDefinedTool("tools", tool)]));
  const hidden = new HiddenTexts();
  const calls = steps.map((step) => describeCall(step, byName, hidden));
  const width = Math.max(...steps.map(({ id }) => printable(id).length)) + 2;
  const earlier = new Set<string>();
  const blocks = steps.map((step, index) => {
    const { id, reasoning } = step;
    const after = dependenciesOf(step, steps[index - 1], { stepIds: stepsNamedIn(step, earlier) });
    earlier.add(id);
    const facts = [...describeTool(step, byName), ...(after.length > 0 ? [`after ${after.join(", ")}`] : [])];
    const lines = [
      ...(reasoning === undefined ? [] : [hidden.hide(reasoning)]),
      calls[index] as string,
      ...describeConditions(step),
      ...(facts.length > 0 ? [facts.join(", ")] : []),
    ];
    return lines.map((line, at) => (at === 0 ? printable(id) : "").padEnd(width) + printable(line)).join("\n");
  });
  return blocks.join("\n");
}

type ToolsByName = ReadonlyMap<string, DefinedTool>;

/** What the step does, without its secrets, which are added to the texts to hide. */
function describeCall(step: PlanStep, tools: ToolsByName, hidden: HiddenTexts): string {
  if (!callsTool(step)) return `wait ${describeWait(step.wait)}`;
  const tool = tools.get(step.tool);
  const input = hideInput(step.input, tool && viewOf(tool), (secret) => hidden.add(secret as JsonValue));
  return `${step.tool} ${printableJson(input)}`;
}

/** All counts as sensitive until a schema of zod 3 can be read, which takes its converter. */
function viewOf(tool: DefinedTool): SensitiveView | undefined {
  if (!isSensitiveTool(tool)) return undefined;
  const schemas = toolSchemas(tool);
  return new SensitiveView(schemas instanceof Promise ? { sensitive: true } : schemas.input);
}

function describeTool({ tool: name }: PlanStep, tools: ToolsByName): readonly string[] {
  if (name === undefined) return [];
  const tool = tools.get(name);
  if (tool === undefined) return ["unknown tool"];
  const once = tool.declaredEffect === "once" ? ["once"] : [];
  if (tool.declaredNeedsApproval === false) return once;
  return [...once, tool.declaredNeedsApproval === true ? "asks first" : "may ask first"];
}
