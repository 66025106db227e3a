import { estimateTokens, type ModelMessage } from "../../core/language-model.ts";
import type { PlanWarning } from "../../core/plan.ts";
import type { DefinedTool } from "../../core/tool.ts";
import type { DateClock } from "../../dates/read-dates.ts";
import { startsWithVerb } from "../../english/word-classes.ts";
import { tokenize } from "../../language/tokens.ts";
import { type PhraseRule, slotsIn } from "../rules/phrase-rules.ts";
import { readRequest, textBetween } from "../rules/request.ts";
import { choicesOf, isDate, type SlotType } from "../rules/slots.ts";
import { describeType, type Operation, operationOf, operationsOf, resultKeys } from "./operations.ts";

/** A request and its plan, shown to the model as an example. @group Planners */
export interface PlanExample {
  readonly request: string;
  /** Names of tools and their inputs, with references such as `${s1.value}`. */
  readonly steps: readonly { readonly tool: string; readonly input: object }[];
}

export interface PromptOptions {
  readonly instructions: string | undefined;
  readonly examples: readonly PlanExample[];
  readonly expressions: boolean;
}

/** Always the same for a set of tools, so that servers can cache it. */
export interface Prompt {
  readonly tools: readonly DefinedTool[];
  readonly operations: readonly Operation[];
  readonly messages: readonly ModelMessage[];
  readonly warnings: readonly PlanWarning[];
}

export type WrittenCall = { readonly do: string } & Readonly<Record<string, unknown>>;

interface Turn {
  readonly request: string;
  readonly calls: readonly WrittenCall[];
}

export const unclear = "unclear";
/** Estimated tokens that a small model reads in a few seconds. */
const maxTokens = 2_000;
const phrasesOfEach = 3;
const sentencesOfEach = 12;
const maxOutputs = 6;

export async function promptOf(
  tools: readonly DefinedTool[],
  options: PromptOptions & { readonly contextTokens: number | undefined },
): Promise<Prompt> {
  const { instructions, examples, expressions, contextTokens } = options;
  const operations = await operationsOf(tools);
  const lines = operations.map(describeOperation);
  const about = [
    'You turn what a user types into calls. Answer with JSON only: {"steps":[{"do":"…",…}]}',
    `Calls:\n${lines.join("\n")}`,
    `${unclear} {} – nothing that these calls do, a question whether to do it, "do not", or something needed is missing`,
    'Copy the user\'s words. Write a time as the user says it. "$1" is the result of step 1, "$1.key" a part of it.',
  ];
  if (expressions)
    about.push(
      'A call may have "if": a CEL condition ("$1.value > 3"), and "each": a list ("$1.todos"), of which "$item" is one.',
    );
  if (instructions !== undefined) about.push(instructions);
  const system = about.join("\n");
  const warnings: PlanWarning[] = [];
  const own: Turn[] = [];
  for (const example of examples) {
    const turn = turnOf(example, operations);
    if (turn !== undefined) own.push(turn);
    else {
      const said = JSON.stringify(example.request.slice(0, 80));
      const message = `The example ${said} was dropped: its request must contain the values of its steps, and the planner must have its tools.`;
      warnings.push({ code: "dropped", path: [], message });
    }
  }
  const room = Math.min(maxTokens, (contextTokens ?? Number.POSITIVE_INFINITY) / 4) - estimateTokens(system);
  const messages: readonly ModelMessage[] = [{ role: "system", content: system }, ...turnsOf(operations, own, room)];
  return { tools, operations, warnings, messages };
}

export function describeOperation(operation: Operation): string {
  const { name, slots, description } = operation;
  const parts = resultKeys(operation);
  const result = parts.length > 0 && parts.length <= maxOutputs ? ` → ${parts.join(", ")}` : "";
  const fields = slots.map((slot) => `${slot.key}${slot.isRequired ? "" : "?"}: ${describeType(slot)}`);
  return `${name} {${fields.join(", ")}} – ${description}${result}`;
}

function turnsOf(operations: readonly Operation[], own: readonly Turn[], room: number): readonly ModelMessage[] {
  const filler = new Filler();
  const samples = inTurns(operations.map((operation) => samplesOf(operation, filler)));
  const all: Turn[] = [...own];
  let verbs = 0;
  for (const [index, sample] of samples.entries()) {
    all.push(sample);
    if (startsWithVerb(sample.request.split(" "))) {
      if (verbs % 5 === 1) all.push({ request: `do not ${sample.request}`, calls: refused });
      if (verbs % 5 === 3) all.push({ request: `should I ${sample.request}?`, calls: refused });
      verbs++;
    }
    if (index % 9 === 2)
      all.push({ request: smallTalk[((index / 9) % smallTalk.length) | 0] ?? "hello", calls: refused });
    if (index % 7 === 4) all.push(...withoutObject(sample));
  }
  const messages: ModelMessage[] = [];
  let left = room;
  for (const { request, calls } of all) {
    const answer = JSON.stringify({ steps: calls });
    left -= estimateTokens(request) + estimateTokens(answer) + turnTokens;
    if (left < 0) break;
    messages.push({ role: "user", content: request }, { role: "assistant", content: answer });
  }
  return messages;
}

const turnTokens = 10;
const refused: readonly WrittenCall[] = [{ do: unclear }];
const smallTalk = ["hello", "what's the capital of Peru", "thanks", "tell me a joke", "how are you?"];

function inTurns<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1))).flat();
}

function samplesOf(operation: Operation, filler: Filler): readonly Turn[] {
  const written: Turn[] = [];
  const filled: Turn[] = [];
  for (const rule of operation.phrases) {
    const { source, example } = rule;
    const { phrase, input } = source;
    const isLike = ({ request }: Turn) => request.split(" ")[0] === example.split(" ")[0];
    if (!/[{[(|]/.test(phrase) && input !== undefined && source.toInput === undefined) {
      const call = callOf(operation, { request: phrase, input });
      if (call !== undefined && written.length < sentencesOfEach) written.push({ request: phrase, calls: [call] });
    } else if (filled.length < phrasesOfEach && !filled.some(isLike)) {
      const turn = filler.fill(operation, rule);
      if (turn !== undefined) filled.push(turn);
    }
  }
  return inTurns([filled, written]);
}

class Filler {
  #count = 0;

  fill(operation: Operation, { example, slots: types }: Pick<PhraseRule, "example" | "slots">): Turn | undefined {
    const names = slotsIn({ example });
    const slots = new Map(operation.slots.map((slot) => [slot.name, slot]));
    const isKnown = names.every((name) => slots.has(name) || operation.closed.has(name));
    const isWhole = operation.slots.every(({ name, isRequired }) => !isRequired || names.includes(name));
    if (!isKnown || !isWhole || example.trim() === "") return undefined;
    const said = new Map(names.map((name) => [name, this.#valueOf(name, types.get(name) ?? { kind: "text" })]));
    const request = example.replace(/\{([\w-]+)\}/g, (_, name: string) => String(said.get(name)));
    const values = operation.slots.flatMap(({ name, key, type }) => {
      const value = said.get(name);
      return value === undefined ? [] : [[key, type.kind === "list" ? [value] : value] as const];
    });
    return { request, calls: [{ do: operation.name, ...Object.fromEntries(values) }] };
  }

  #valueOf(name: string, type: SlotType): string | number | boolean {
    const at = this.#count++;
    const pick = <T>(values: readonly T[]): T => values[at % values.length] as T;
    switch (type.kind) {
      case "enum":
        return pick(choicesOf(type));
      case "number":
        return 2 + ((at * 7) % 47);
      case "boolean":
        return "yes";
      case "date":
      case "range":
        return pick(["tomorrow", "monday", "12 May", "next friday"]);
      case "date-time":
        return pick(["tomorrow at 4pm", "monday at 9:30", "12 May at noon", "friday at 8"]);
      case "time":
        return pick(["4pm", "9:30", "noon"]);
      case "sum":
        return pick(["12 * 7", "15% * 80", "(41 + 9) / 2"]);
      case "list":
        return pick(["home", "work"]);
      case "text":
        if (/^(?:list|place|folder|project)$/i.test(name)) return pick(["garden", "office"]);
        if (isPerson.test(name)) return pick(["Kowalski", "Ines", "Dr. Moreau", "Tanaka"]);
        return pick(["budget review", "blue lamp", "call the harbour office", "spare key"]);
    }
  }
}

const isPerson = /name|person|who|to$|customer|contact|recipient|assignee|author|artist|user|guest|client|agent/i;

function withoutObject({ request, calls: [call] }: Turn): readonly Turn[] {
  const value = Object.entries(call ?? {}).find(([key, each]) => key !== "do" && typeof each === "string")?.[1];
  const rest = typeof value === "string" ? request.replace(value, "").replace(/\s+/g, " ").trim() : "";
  return rest === "" || rest === request ? [] : [{ request: rest, calls: refused }];
}

function turnOf({ request, steps }: PlanExample, operations: readonly Operation[]): Turn | undefined {
  const calls: WrittenCall[] = [];
  const earlier: Operation[] = [];
  for (const { tool, input } of steps) {
    const values = input as Readonly<Record<string, unknown>>;
    const operation = operationOf(operations, tool, values);
    const call = operation && callOf(operation, { request, input: values, earlier });
    if (operation === undefined || call === undefined) return undefined;
    calls.push(call);
    earlier.push(operation);
  }
  return calls.length === 0 ? undefined : { request, calls };
}

function callOf(
  operation: Operation,
  said: { request: string; input: Readonly<Record<string, unknown>>; earlier?: readonly Operation[] },
): WrittenCall | undefined {
  const { request, input, earlier = [] } = said;
  const found: [string, unknown][] = [];
  const others = Object.entries(input).filter(([key]) => !(key in operation.constants));
  for (const { name, key, type, isRequired, isComposed } of operation.slots) {
    const value = input[name] ?? (others.length === 1 && operation.slots.length === 1 ? others[0]?.[1] : undefined);
    if (value === undefined && isRequired) return undefined;
    if (value === undefined) continue;
    const written = isDate(type) ? datesIn(request) : (resultIn(value, earlier) ?? value);
    const isText = typeof written === "string" && type.kind === "text" && !written.startsWith("$");
    if (written === undefined || (isText && !isComposed && !says(request, written))) return undefined;
    found.push([key, written]);
  }
  return { do: operation.name, ...Object.fromEntries(found) };
}

function resultIn(value: unknown, earlier: readonly Operation[]): string | undefined {
  const text = typeof value === "object" && value !== null && "$ref" in value ? `\${${String(value.$ref)}}` : value;
  const [, step, key = ""] = (typeof text === "string" && /^\$\{s(\d+)(?:\.(\w+))?\}$/.exec(text)) || [];
  if (step === undefined) return undefined;
  const from = earlier[Number(step) - 1];
  return from !== undefined && resultKeys(from).includes(key) ? `$${step}.${key}` : `$${step}`;
}

const anyDay: DateClock = { nowMs: Date.UTC(2026, 0, 5, 10), timeZone: "UTC" };

function datesIn(sentence: string): string | undefined {
  const request = readRequest(sentence, anyDay);
  const [only, second] = request.dates;
  return only === undefined || second !== undefined ? undefined : textBetween(request, only.start, only.end);
}

function says(sentence: string, value: string): boolean {
  const words = new Set(tokenize(sentence).map(({ norm }) => norm));
  return tokenize(value).every(({ norm }) => words.has(norm)) || sentence.toLowerCase().includes(value.toLowerCase());
}
