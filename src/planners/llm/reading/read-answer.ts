import { parseJson } from "./parse-json.ts";
import { isRecord, type JsonRecord, textOf } from "./records.ts";
import { isStep } from "./step-keys.ts";

/** What a model answered: steps, or that there is no plan and why. */
export type ModelAnswer =
  | {
      readonly type: "steps";
      readonly steps: readonly unknown[];
      readonly isReshaped: boolean;
      /** What the steps do not do, according to the model. */
      readonly missing?: string | undefined;
    }
  | { readonly type: "refusal"; readonly reason: string | undefined };

/** Other names that models give to the list of steps. */
const listKeys = ["actions", "tool_calls", "toolCalls", "calls", "function_calls", "tool_use", "tasks"] as const;
/** Names under which models put a whole plan. */
const planKeys = ["plan", "response", "answer", "final_answer", "result", "output", "data"] as const;
/** What stands under `missing` when nothing is. */
const nothing = /^(?:none|nothing|null|n\/?a|-|no)[.!]?$/i;
/** No plan stands deeper within others. */
const maxDepth = 5;

/** Reads a value as an answer; undefined if it is not one. A step among other JSON is not: the others would be lost. */
export function readAnswer(
  value: unknown,
  { isAlone = true, depth = 0 }: { isAlone?: boolean; depth?: number } = {},
): ModelAnswer | undefined {
  if (depth > maxDepth) return undefined;
  // An empty list in prose means nothing.
  if (Array.isArray(value)) {
    const [only, ...others] = value as readonly unknown[];
    return value.length === 0 ? undefined : stepsAnswer(Array.isArray(only) && others.length === 0 ? only : value);
  }
  if (!isRecord(value)) return undefined;
  return listedAnswer(value) ?? innerAnswer(value, { isAlone, depth: depth + 1 }) ?? soleAnswer(value, isAlone);
}

/** The answer whose steps stand in a list of the object. */
function listedAnswer(value: JsonRecord): ModelAnswer | undefined {
  const steps = stepsOf(value.steps);
  if (steps !== undefined) return answerOf(value, steps, { isReshaped: steps !== value.steps });
  for (const key of listKeys) {
    const list = stepsOf(value[key]);
    if (list !== undefined && list.length > 0) return answerOf(value, list, { isReshaped: true });
  }
  return undefined;
}

/** The answer that stands under another name. */
function innerAnswer(value: JsonRecord, inside: { isAlone: boolean; depth: number }): ModelAnswer | undefined {
  for (const key of planKeys) {
    const inner = value[key];
    const answer = typeof inner === "object" && inner !== null ? readAnswer(inner, inside) : undefined;
    if (answer !== undefined) return answer.type === "steps" ? { ...answer, isReshaped: true } : answer;
  }
  return undefined;
}

/** The only step, as the whole answer. */
function soleAnswer(value: JsonRecord, isAlone: boolean): ModelAnswer | undefined {
  return isAlone && isStep(value) ? stepsAnswer([value]) : undefined;
}

/** Reads several pieces of JSON as the steps of one plan; undefined unless each is a step and nothing else. */
export function readSteps(values: readonly unknown[]): ModelAnswer | undefined {
  return values.length > 1 && values.every((value) => isRecord(value) && isStep(value))
    ? stepsAnswer(values)
    : undefined;
}

function answerOf(
  { missing, reason }: JsonRecord,
  list: readonly unknown[],
  { isReshaped }: { isReshaped: boolean },
): ModelAnswer {
  const steps = list.filter((step) => !isSpeech(step));
  const said = reasonOf(missing);
  if (steps.length > 0)
    return { type: "steps", steps, isReshaped: isReshaped || steps.length < list.length, missing: said };
  return { type: "refusal", reason: said ?? textOf(reason) };
}

function stepsAnswer(list: readonly unknown[]): ModelAnswer | undefined {
  const steps = list.filter((step) => !isSpeech(step));
  return steps.length === 0 ? undefined : { type: "steps", steps, isReshaped: true };
}

/** What is missing; undefined if it is nothing. */
function reasonOf(missing: unknown): string | undefined {
  const said = Array.isArray(missing) ? missing.flatMap((part) => textOf(part) ?? []).join(", ") : textOf(missing);
  return said === undefined || said === "" || nothing.test(said) ? undefined : said;
}

/** A list of steps, which may be written as text, under their ids, or as the only one. */
function stepsOf(value: unknown): readonly unknown[] | undefined {
  const read = typeof value === "string" ? parseJson(value) : value;
  if (Array.isArray(read)) return read.some((step) => typeof step === "string") ? read.map(parsedStep) : read;
  if (!isRecord(read)) return undefined;
  if (isStep(read)) return [read];
  const entries = Object.entries(read);
  const areSteps = entries.length > 0 && entries.every(([, step]) => isRecord(step) && isStep(step));
  return areSteps ? entries.map(([id, step]) => ({ id, ...(step as JsonRecord) })) : undefined;
}

function parsedStep(step: unknown): unknown {
  const value = typeof step === "string" ? parseJson(step) : undefined;
  return isRecord(value) ? value : step;
}

/** Whether an entry is what a model says between its calls. */
function isSpeech(step: unknown): boolean {
  return isRecord(step) && (step.type === "text" || step.type === "thinking") && !isStep(step);
}
