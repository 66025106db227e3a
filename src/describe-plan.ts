import { indexTools } from "./core/define-tool.ts";
import { HiddenTexts } from "./core/hidden-texts.ts";
import { toJson } from "./core/json.ts";
import { checkObject, checkOption, failOption, readOptions } from "./core/option-tables.ts";
import { type AnyPlan, type PlanSource, type PlanStep, planSchema, type ToolStep } from "./core/plan.ts";
import { readZod3 } from "./core/schema-zod3.ts";
import { callsTool, describeConditions, describeRead, withInputs } from "./core/step.ts";
import { printable, printableJson } from "./core/text.ts";
import type { DefinedTool, SaidCall, Tool } from "./core/tool.ts";
import { effectOf, inWords, sayCall } from "./describe-call.ts";
import { dependenciesOf, describeWaits, stepsNamedIn } from "./plan/references.ts";
import { sayStep } from "./planners/rules/say.ts";

/**
 * Describes a plan for a person who decides whether it may run. Each step begins with the words of its tool's
 * `describeCall` or phrases, or else with its `reasoning`. Below follow its call, condition, loop and wait, whether it
 * runs only once or asks first, and a `reasoning` that says more than the request. Defaults of the schema are shown if
 * the step changes anything or asks first. Sensitive values are shown as `"[sensitive]"`.
 *
 * Phrases that a function loads, and the phrases and schemas of tools with zod 3, are used once an agent has read
 * them. Until then, all fields of a sensitive tool with zod 3 are hidden. The plan is not validated. A tool that is
 * not in `tools` is marked as unknown. Throws `invalid-options`. {@includeCode ../examples/00-transfer.ts} @group Plans
 */
export function describePlan(plan: AnyPlan, options: { readonly tools: readonly Tool[] }): string {
  readZod3();
  checkObject("plan", plan);
  checkOption(stepsSpec, plan.steps, "plan.steps");
  const { tools } = readOptions(describeOptions, options, undefined, { call: "describePlan(plan, " });
  const steps = withInputs(plan).steps as readonly PlanStep[];
  const { request = "", source } = plan as { readonly request?: string; readonly source?: PlanSource };
  if (!steps.every(isStep))
    failOption("plan.steps", steps, "a list of steps, each with an id and either a wait or a tool with its input");
  const hidden = new HiddenTexts();
  const calls = steps.map((step) => describeStep(step, tools, hidden));
  const width = Math.max(...steps.map(({ id }) => printable(id).length)) + 2;
  const waits = describeWaits(steps);
  const earlier = new Set<string>();
  const blocks = steps.map((step, index) => {
    const { id, reasoning } = step;
    const { words, call = waits.get(id) ?? "", added } = calls[index] ?? {};
    const after = dependenciesOf(step, steps[index - 1], { stepIds: stepsNamedIn(step, earlier) });
    earlier.add(id);
    const facts = [...describeTool(step, tools), ...(after.length > 0 ? [`after ${after.join(", ")}`] : [])];
    const isReasoned = reasoning && words && !`${words}\n${request}`.toLowerCase().includes(reasoning.toLowerCase());
    const about = [
      added,
      ...describeRead(source, id),
      ...describeConditions(step),
      facts.join(", "),
      isReasoned && `reasoning: ${reasoning}`,
    ];
    const lines = [
      ...[words ?? reasoning].filter(Boolean).map((line) => hidden.hide(String(line))),
      calls[index] === undefined ? hidden.hide(call) : call,
      ...about.filter(Boolean).map((line) => hidden.hide(String(line))),
    ];
    return lines.map((line, at) => (at === 0 ? printable(id) : "").padEnd(width) + printable(line)).join("\n");
  });
  return blocks.join("\n");
}

/**
 * Describes a call in words, as {@link describePlan} does, or with the names of its tool and fields, and adds the
 * defaults of the schema. For an approval, the defaults come from its `input`. Sensitive values are hidden.
 * Throws `invalid-options`. {@includeCode ../examples/29-pictures.ts} @group Plans
 */
export function describeCall(call: SaidCall, options: { readonly tools: readonly Tool[] }): string {
  readZod3();
  const { tools } = readOptions({ tools: toolsSpec }, options, undefined, { call: "describeCall(call, " });
  checkObject("call", call, "describeCall({ tool: …, input: … }, …)");
  checkOption({ type: "text", isRequired: true }, call.tool, "call.tool");
  checkOption(jsonSpec, call, "call");
  return sayCall(call, tools, sayStep);
}

function isStep(step: unknown): boolean {
  if (typeof step !== "object" || step === null) return false;
  const { id, tool, input, wait, reasoning = "", when = "", forEach = "", dependsOn = [] } = step as Partial<ToolStep>;
  const isCall =
    wait === undefined &&
    typeof tool === "string" &&
    typeof input === "object" &&
    input !== null &&
    jsonSpec.isValid(input);
  const isWait =
    typeof wait === "object" && wait !== null && (!("ask" in wait) || planSchema.safeParse({ steps: [step] }).success);
  const texts: readonly unknown[] = [id, reasoning, when, forEach, ...(Array.isArray(dependsOn) ? dependsOn : [0])];
  return (isCall || isWait) && texts.every((text) => typeof text === "string");
}

type ToolsByName = ReadonlyMap<string, DefinedTool>;

const toolsSpec = { isValid: Array.isArray, expected: "a list of tools", isRequired: true } as const;
const jsonSpec = { isValid: (value: unknown) => toJson(value).ok, expected: "JSON" } as const;
const stepsSpec = { isValid: Array.isArray, expected: "an array of steps", isRequired: true } as const;
const describeOptions = { tools: (value: unknown) => indexTools(value as readonly Tool[]) };

function describeStep(step: PlanStep, tools: ToolsByName, hidden: HiddenTexts) {
  if (!callsTool(step)) return undefined;
  const onSecret = (secret: unknown) => hidden.add(secret);
  const { shown, ...rest } = inWords(tools.get(step.tool), { input: step.input, sayStep, onSecret });
  return { ...rest, call: `${step.tool} ${printableJson(shown)}` };
}

function describeTool(step: PlanStep, tools: ToolsByName): readonly string[] {
  if (!callsTool(step)) return [];
  const tool = tools.get(step.tool);
  if (tool === undefined) return ["unknown tool"];
  const effect = effectOf(tool, step.input);
  const once = effect === "once" ? ["once"] : effect === "by-input" ? ["may run only once"] : [];
  if (tool.declaredNeedsApproval === false) return once;
  return [...once, tool.declaredNeedsApproval === true ? "asks first" : "may ask first"];
}
