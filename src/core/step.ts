import type { JsonObject } from "./json.ts";
import type { PlanSource, PlanStep, Question, StepWait } from "./plan.ts";
import { cutText } from "./text.ts";
import type { PhraseReference } from "./tool.ts";

/** A step, or an iteration of one. @inline */
export interface StepRef {
  readonly stepId: string;
  /** Index of the iteration of a `forEach`, from 0; absent for any other step. */
  readonly iteration?: number;
}

export function stepRefOf({ stepId, iteration }: { stepId: string; iteration?: number | undefined }): StepRef {
  return iteration === undefined ? { stepId } : { stepId, iteration };
}

export function describeStepRef({ stepId, iteration }: StepRef): string {
  return iteration === undefined ? stepId : `${stepId}[${iteration}]`;
}

export function describeSubject(ref: StepRef | undefined): string {
  return ref === undefined ? "the plan" : `step "${describeStepRef(ref)}"`;
}

export function isIterationName(name: string): name is "item" | "index" {
  return name === "item" || name === "index";
}

export const waitToolName = "wait";

export function toolOf({ tool }: Pick<PlanStep, "tool">): string {
  return tool ?? waitToolName;
}

export function inputOf({ input, wait }: Pick<PlanStep, "input" | "wait">): JsonObject {
  return input ?? (wait as StepWait & JsonObject);
}

export function templateOf(step: Pick<PlanStep, "input" | "wait">): JsonObject {
  return step.wait !== undefined && "ask" in step.wait ? {} : inputOf(step);
}

export function callsTool<TStep extends { readonly wait?: unknown }>(
  step: TStep,
): step is Extract<TStep, { readonly wait?: undefined }> {
  return step.wait === undefined;
}

export function withInputs<TPlan>(plan: TPlan): TPlan {
  const { steps } = (plan ?? {}) as { readonly steps?: unknown };
  if (!Array.isArray(steps) || !steps.some(lacksInput)) return plan;
  return { ...plan, steps: steps.map((step) => (lacksInput(step) ? { ...step, input: {} } : step)) };
}

function lacksInput(step: unknown): step is object {
  if (typeof step !== "object" || step === null) return false;
  const { tool, input, wait } = step as Partial<PlanStep>;
  return typeof tool === "string" && input === undefined && wait === undefined;
}

export function planVersionOf(steps: unknown): 1 | 2 {
  if (!Array.isArray(steps)) return 1;
  return steps.some((step) => (step as { wait?: unknown } | null | undefined)?.wait !== undefined) ? 2 : 1;
}

export function timeOfInstant(value: unknown): number | undefined {
  if (typeof value !== "string" || !instantPattern.test(value) || !isInCalendar(value)) return undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}

const instantPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** False for a day that does not exist: Date turns the 30th of February into a day of March. */
export function isInCalendar(text: string): boolean {
  const [day] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
  if (day === undefined) return true;
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;

function describeDuration(ms: number): string {
  let rest = ms;
  const parts: string[] = [];
  for (const [name, size] of units) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${name}${count === 1 ? "" : "s"}`);
  }
  return rest > 0 || parts.length === 0 ? [...parts, `${rest} ms`].join(" ") : parts.join(" ");
}

interface WaitInWords {
  readonly event?: string;
  readonly ask?: Pick<Question, "message" | "options">;
  readonly until?: string | PhraseReference | undefined;
  readonly timeoutMs?: number | undefined;
}

export function describeWait(wait: StepWait | WaitInWords): string {
  if ("forMs" in wait) return `for ${describeDuration(wait.forMs)}`;
  const { event, ask, until, timeoutMs }: WaitInWords = wait;
  const time = typeof until === "object" ? until.$ref : until;
  const what = ask === undefined ? event && `the event "${event}"` : `the answer to ${describeQuestion(ask)}`;
  if (what === undefined) return `until ${time}`;
  const limit = timeoutMs === undefined ? time && `until ${time}` : `at most ${describeDuration(timeoutMs)}`;
  return `for ${what}, ${limit ?? "without a time limit"}`;
}

const maxOptions = 10;

export function describeQuestion({ message, options = [] }: Pick<Question, "message" | "options">): string {
  const labels = options.slice(0, maxOptions).map(({ label }) => cutText(label, 100));
  const more = options.length > maxOptions ? [`${options.length - maxOptions} more`] : [];
  return `"${cutText(message, 500)}"${labels.length > 0 ? ` (${[...labels, ...more].join(", ")})` : ""}`;
}

export function describeRead(source: PlanSource | undefined, stepId: string): readonly string[] {
  return (source?.read ?? []).filter((value) => value.stepId === stepId).map(({ text }) => text);
}

export function describeConditions({ when, forEach, concurrency = 1 }: PlanStep): readonly string[] {
  const parallel = concurrency > 1 ? `, ${concurrency} at a time` : "";
  return [
    ...(when === undefined ? [] : [`if ${when}`]),
    ...(forEach === undefined ? [] : [`for each ${forEach}${parallel}`]),
  ];
}
