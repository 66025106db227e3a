import type { PlanStep } from "../core/plan.ts";
import type { RunSnapshot, StepRecord } from "../core/run-result.ts";
import { cutText, printable, printableJson } from "../core/text.ts";
import type { Tool } from "../core/tool.ts";
import { dependenciesOf, stepsNamedIn } from "../plan/dependencies.ts";
import { type ParsedReference, parseReference } from "../plan/references.ts";
import type { Colors } from "./printer.ts";

/** Dims text, or leaves it unchanged. */
interface Style {
  dim(text: string): string;
}

type JsonRecord = Readonly<Record<string, unknown>>;

/** The keys that contain the title of an object, the best first. */
const titleKeys = ["title", "name", "label", "summary", "text"];
const maxSummary = 100;

/**
 * A step's output in a few words: the result that the tool names, the title of an object, or its plain fields.
 * Undefined if there is nothing to show.
 */
export function summarizeOutput(output: unknown, tool: Tool | undefined): string | undefined {
  const value = selectResult(output, tool);
  if (value === null || value === undefined) return undefined;
  if (typeof value === "string") return cutText(printable(value), maxSummary);
  if (!isRecord(value)) return cutText(printableJson(value), maxSummary);
  const text = findTitleKey(value) === undefined ? renderFields(value) : describeThing(value);
  return cutText(text || printableJson(value), maxSummary);
}

/** An output as readable lines: numbers and texts unchanged, objects and lists of them by their titles, else JSON. */
export function renderOutput(output: unknown, { tool, style }: { tool: Tool | undefined; style: Style }): string[] {
  const value = selectResult(output, tool);
  if (value === null || value === undefined) return ["Done."];
  if (typeof value === "string") return value.split("\n").map(printable);
  if (isThings(value)) return renderThings(value, style);
  if (!isRecord(value)) return printableJson(value, 2).split("\n");
  if (findTitleKey(value) !== undefined) return renderThings([value], style);
  const [things, ...others] = Object.entries(value).filter(([, field]) => typeof field === "object" && field !== null);
  if (things === undefined) return [renderFields(value) || "Done."];
  if (others.length > 0 || !isThings(things[1])) return printableJson(value, 2).split("\n");
  const list = things[1].length === 0 ? [`No ${printable(things[0])}.`] : renderThings(things[1], style);
  const rest = renderFields(value);
  return rest === "" ? list : [...list, style.dim(rest)];
}

function renderThings(things: readonly JsonRecord[], style: Style): string[] {
  return things.map((thing) => {
    const fields = getDetails(thing);
    return fields === "" ? describeThing(thing) : `${describeThing(thing)} ${style.dim(`(${fields})`)}`;
  });
}

/** The part of an output that its tool names as its result; the whole output if it names none. */
function selectResult(output: unknown, tool: Tool | undefined): unknown {
  const path: ParsedReference["path"] = parseReference(`output.${tool?.result}`)?.path ?? [];
  if (tool?.result === undefined) return output;
  let value = output;
  for (const key of path) value = isContainer(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value ?? output;
}

function isContainer(value: unknown): value is Readonly<Record<string | number, unknown>> {
  return typeof value === "object" && value !== null;
}

function isRecord(value: unknown): value is JsonRecord {
  return isContainer(value) && !Array.isArray(value);
}

/** A list of objects that have a title each; also the empty list. */
function isThings(value: unknown): value is readonly JsonRecord[] {
  return Array.isArray(value) && value.every((item) => isRecord(item) && findTitleKey(item) !== undefined);
}

function findTitleKey(value: JsonRecord): string | undefined {
  return titleKeys.find((key) => typeof value[key] === "string");
}

function describeThing(thing: JsonRecord): string {
  const title = printable(String(thing[findTitleKey(thing) ?? ""]));
  const done = thing.completed ?? thing.done;
  if (typeof done !== "boolean") return title;
  return `${done ? "[x]" : "[ ]"} ${title}`;
}

/** The other fields of an object: without its id, its title, its checkbox, and what says when something was done to it. */
function getDetails(thing: JsonRecord): string {
  const isTold = (key: string) => key === findTitleKey(thing) || ["id", "completed", "done"].includes(key);
  return renderFields(
    Object.fromEntries(Object.entries(thing).filter(([key]) => !isTold(key) && !key.endsWith("edAt"))),
  );
}

/** The fields that fit on a line: `count: 2, tags: a b`. */
function renderFields(value: JsonRecord): string {
  const texts: string[] = [];
  for (const [key, field] of Object.entries(value)) {
    const text = renderField(field);
    if (text !== "") texts.push(`${printable(key)}: ${text}`);
  }
  return texts.join(", ");
}

function renderField(field: unknown): string {
  if (Array.isArray(field)) return field.every(isScalar) ? field.map(renderField).join(" ") : "";
  return isScalar(field) ? printable(String(field)) : "";
}

function isScalar(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** The result of a run as readable lines, with the usage of models. */
export function renderResult(
  run: Pick<RunSnapshot, "plan" | "steps" | "output" | "usage">,
  { tools, colors }: { readonly tools: readonly Tool[]; readonly colors: Colors },
): string[] {
  const alike = findLastAlike(run);
  const tool = tools.find(({ name }) => name === alike.at(-1)?.tool);
  const outputs = alike.length > 1 ? alike.map((step) => step.output) : [run.output];
  const lines = outputs.flatMap((output) => renderOutput(output, { tool, style: colors }));
  return ["", colors.bold("Result"), ...lines.map((text) => `  ${text}`), ...renderUsage(run, colors)];
}

/** The last step that completed and those of its kind right before it that no step uses, as of several adds. */
function findLastAlike({ plan, steps }: Pick<RunSnapshot, "plan" | "steps">) {
  const completed = steps.filter((step) => step.status === "completed");
  const last = completed.at(-1);
  const usedBy = (step: PlanStep) =>
    dependenciesOf({ ...step, dependsOn: [] }, undefined, { stepIds: stepsNamedIn(step, { has: () => true }) });
  const used = new Set(plan?.steps.flatMap(usedBy));
  const isOther = ({ stepId, tool, effect }: StepRecord) =>
    tool !== last?.tool || effect !== last.effect || used.has(stepId);
  // The iterations of a loop stay together.
  const others = new Set(completed.filter(isOther).map(({ stepId }) => stepId));
  const isCut = ({ stepId }: StepRecord) => stepId !== last?.stepId && others.has(stepId);
  return completed.slice(completed.findLastIndex(isCut) + 1);
}

function renderUsage({ usage }: Pick<RunSnapshot, "usage">, colors: Colors): string[] {
  if (usage === undefined || usage.inputTokens === 0) return [];
  const { modelCalls, inputTokens, outputTokens } = usage;
  const calls = modelCalls === 1 ? "1 model call" : `${modelCalls} model calls`;
  return [colors.dim(`  (${calls}: ${inputTokens} tokens read, ${outputTokens} written)`)];
}
