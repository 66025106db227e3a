import { canonicalJson } from "../../../core/canonical-json.ts";
import { parseJson } from "./parse-json.ts";
import { isRecord, type JsonRecord, textOf } from "./records.ts";
import { isCall, isStep } from "./step-keys.ts";

/** What a model answered: steps, or that there is no plan and why. */
export type ModelAnswer =
  | {
      readonly type: "steps";
      readonly steps: readonly unknown[];
      readonly isReshaped: boolean;
      /** What the steps do not do, according to the model. */
      readonly missing?: string | undefined;
    }
  | { readonly type: "refusal"; readonly reason: string | undefined }
  /** It has two lists of steps, or steps and a refusal: which of them is meant is not to be guessed. */
  | { readonly type: "several" };

/** What is needed to read a value as an answer. */
export interface AnswerReading {
  /** Whether it is the only JSON of the answer. One of several steps is not the whole plan. */
  readonly isAlone: boolean;
  /** Whether a text may be the name of a tool. */
  readonly isTool: (text: string) => boolean;
}

/** Other names that models give to the list of steps. */
const listKeys = [
  ...["actions", "tool_calls", "toolCalls", "tool_use", "tool_uses", "toolUses", "calls", "function_calls", "tasks"],
] as const;
/** Names under which models put a whole plan. */
const planKeys = ["plan", "response", "answer", "final_answer", "result", "output", "data"] as const;
/** Names under which the interfaces of providers, protocols and agents put calls. */
const wrapperKeys = [
  ...["choices", "candidates", "message", "messages", "content", "parts", "items", "outputs", "delta"],
  ...[
    "params",
    "parameters",
    "command",
    "commands",
    "next_action",
    "workflow",
    "toolUse",
    "function_call",
    "functionCall",
  ],
] as const;
/** What stands under `missing` when nothing is. */
const nothing = /^(?:none|nothing|null|n\/?a|-|no)[.!]?$/i;
/** No plan stands deeper within others. */
const maxDepth = 6;

/** Reads a value as an answer; undefined if it is not one. A step among other JSON is not: the others would be lost. */
export function readAnswer(value: unknown, reading: AnswerReading): ModelAnswer | undefined {
  return answerIn(value, reading, 0);
}

function answerIn(value: unknown, reading: AnswerReading, depth: number): ModelAnswer | undefined {
  if (depth > maxDepth) return undefined;
  // An empty list in prose means nothing.
  if (Array.isArray(value)) return value.length === 0 ? undefined : listAnswer(value, reading, depth);
  if (!isRecord(value)) return undefined;
  const inside = { reading, depth: depth + 1 };
  const answers = [
    ...listedAnswers(value),
    ...planKeys.flatMap((key) => innerAnswer(value, key, inside) ?? []),
    ...wrappedAnswers(value, inside),
  ];
  return answers.length > 0 ? onlyOf(answers) : soleAnswer(value, reading);
}

/** The answer, if all are the same. */
function onlyOf(answers: readonly ModelAnswer[]): ModelAnswer | undefined {
  const different = new Map(answers.map((answer) => [contentOf(answer), answer]));
  const [answer] = different.values();
  return different.size > 1 ? { type: "several" } : answer;
}

function contentOf(answer: ModelAnswer): string {
  if (answer.type === "steps") return canonicalJson([answer.steps, answer.missing ?? null]);
  return answer.type === "refusal" ? canonicalJson(answer.reason ?? null) : answer.type;
}

/** The answer in a list: its steps, or what its only item has. */
function listAnswer(list: readonly unknown[], reading: AnswerReading, depth: number): ModelAnswer | undefined {
  const [only, ...others] = withoutSpeech(list);
  if (others.length > 0 || only === undefined) return stepsAnswer(list);
  if (Array.isArray(only)) return stepsAnswer(only);
  const isWrapper = isRecord(only) && !isStep(only);
  return (isWrapper ? answerIn(only, reading, depth + 1) : undefined) ?? stepsAnswer(list);
}

/** The answers whose steps stand in lists of the object. */
function listedAnswers(value: JsonRecord): readonly ModelAnswer[] {
  const steps = stepsOf(value.steps);
  const others = listKeys.flatMap((key) => {
    const list = stepsOf(value[key]);
    return list === undefined || list.length === 0 ? [] : [answerOf(value, list, { isReshaped: true })];
  });
  return steps === undefined ? others : [answerOf(value, steps, { isReshaped: steps !== value.steps }), ...others];
}

interface Inside {
  readonly reading: AnswerReading;
  readonly depth: number;
}

/** The answer that stands under another name. */
function innerAnswer(value: JsonRecord, key: string, { reading, depth }: Inside): ModelAnswer | undefined {
  const inner = value[key];
  const answer = typeof inner === "object" && inner !== null ? answerIn(inner, reading, depth) : undefined;
  return answer?.type === "steps" ? { ...answer, isReshaped: true } : answer;
}

/**
 * The answers that the interface of a provider, such as `{ choices: [{ message: { tool_calls } }] }`, has around them: calls
 * of tools and nothing else.
 */
function wrappedAnswers(value: JsonRecord, { reading, depth }: Inside): readonly ModelAnswer[] {
  if (isCall(value, reading.isTool)) return [];
  const answers = wrapperKeys.flatMap(
    (key) => innerAnswer(value, key, { reading: { ...reading, isAlone: true }, depth }) ?? [],
  );
  const isOfCalls = (answer: ModelAnswer) =>
    answer.type === "steps" && answer.steps.every((step) => isRecord(step) && isCall(step, reading.isTool));
  return reading.isAlone ? answers.filter(isOfCalls) : [];
}

/** The only step, as the whole answer. */
function soleAnswer(value: JsonRecord, { isAlone }: AnswerReading): ModelAnswer | undefined {
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
  const steps = withoutSpeech(list);
  const said = reasonOf(missing);
  if (steps.length > 0)
    return { type: "steps", steps, isReshaped: isReshaped || steps.length < list.length, missing: said };
  return { type: "refusal", reason: said ?? textOf(reason) };
}

function stepsAnswer(list: readonly unknown[]): ModelAnswer | undefined {
  const steps = withoutSpeech(list);
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

/** A list without what a model says between its calls. */
function withoutSpeech(list: readonly unknown[]): readonly unknown[] {
  return list.some(isSpeech) ? list.filter((entry) => !isSpeech(entry)) : list;
}

const speech: ReadonlySet<unknown> = new Set(["text", "thinking", "reasoning", "output_text", "redacted_thinking"]);

function isSpeech(entry: unknown): boolean {
  if (!isRecord(entry) || isStep(entry)) return false;
  return speech.has(entry.type) || (typeof entry.text === "string" && Object.keys(entry).length === 1);
}
