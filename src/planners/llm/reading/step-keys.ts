import { setOwn } from "../../../core/json.ts";
import { parseJson } from "./parse-json.ts";
import { isRecord, type JsonRecord, textOf } from "./records.ts";

/** A step with our names for its keys. */
export interface NamedStep {
  /** The keys of a plan's step, and those that are unknown. */
  readonly step: Readonly<Record<string, unknown>> & { readonly tool: unknown; readonly input: unknown };
  /** Whether it had other names or places. */
  readonly isRenamed: boolean;
  /** Keys that had another name. */
  readonly renamed: readonly { readonly written: string; readonly read: string }[];
  /** Keys that mean nothing to us, and were left out. */
  readonly dropped: readonly string[];
  /** The number that the model gave to the step. */
  readonly number: number | undefined;
}

/** Other names that models give to the keys of a step. */
const aliases = {
  tool: ["action", "intent", "name", "function", "tool_name", "toolName", "recipient_name"],
  input: [
    "params",
    "parameters",
    "arguments",
    "args",
    "tool_input",
    "toolInput",
    "action_input",
    "actionInput",
    "inputs",
    "tool_args",
    "toolArgs",
    "tool_params",
    "kwargs",
    "with",
  ],
  id: ["step_id", "stepId"],
  dependsOn: ["depends_on", "dependencies", "depends", "prerequisites", "needs", "requires", "dep", "deps", "after"],
  reasoning: [
    "reason",
    "rationale",
    "thought",
    "thoughts",
    "thinking",
    "explanation",
    "description",
    "purpose",
    "comment",
    "goal",
    "title",
    "name",
  ],
} as const;
const inputNames: ReadonlySet<string> = new Set(["input", ...aliases.input]);
const stepKeys: ReadonlySet<string> = new Set([
  "id",
  "tool",
  "input",
  "dependsOn",
  "reasoning",
  "when",
  "forEach",
  "concurrency",
]);
/** Keys that number a step. */
const numberKeys = new Set(["step_number", "stepNumber", "step", "number", "index", "order"]);
/** What models add and a step does not need: how a call is marked, and an output that is not known yet. */
const needless = new Set([
  ...["type", "status", "expected_output", "expectedOutput", "confidence"],
  ...["call_id", "callId", "tool_call_id", "toolCallId", "toolUseId"],
]);
const callTypes: ReadonlySet<unknown> = new Set(["function_call", "tool_call", "tool_use", "function"]);
/** A step with another status, such as "skipped", may not be meant to run. */
const openStatus = /^(?:pending|to[ _-]?do|planned|ready|queued|scheduled|waiting|open|new|not[ _-]started)?$/i;
/** Those of both that no tool's input is called: without an input of its own, all other keys of a step are its input. */
const surelyOfStep = new Set([
  ...stepKeys,
  ...aliases.id,
  ...aliases.dependsOn,
  "thought",
  "thoughts",
  "rationale",
  "explanation",
  "step_number",
  "stepNumber",
]);
/** Objects that hold the name and the input of a tool. */
const holders = [
  "function",
  "tool",
  "action",
  "step",
  "tool_call",
  "toolCall",
  "function_call",
  "functionCall",
  "call",
] as const;

/** Whether an object has a key for the name of a tool, and so may be a step. */
export function isStep(value: JsonRecord): boolean {
  return keyOf(value, "tool") !== undefined || holderOf(value) !== undefined;
}

/** Whether an object names a tool that there is. */
export function isCall(value: JsonRecord, isTool: (text: string) => boolean): boolean {
  const names = (step: JsonRecord) => isToolAt(step, toolKeyOf(step, isTool), isTool);
  const holder = holderOf(value);
  return names(value) || (holder !== undefined && names(value[holder] as JsonRecord));
}

/** The name under which a step has a key. */
function keyOf(step: JsonRecord, key: keyof typeof aliases): string | undefined {
  return [key, ...aliases[key]].find((name) => Object.hasOwn(step, name));
}

function isToolAt(step: JsonRecord, key: string | undefined, isTool: (text: string) => boolean): boolean {
  const name = key === undefined ? undefined : step[key];
  return typeof name === "string" && isTool(name);
}

/** The key under which a step names its tool: of those for it, one with the name of a tool, or else any other such key. */
function toolKeyOf(step: JsonRecord, isTool: (text: string) => boolean): string | undefined {
  const names = (key: string) => Object.hasOwn(step, key) && isToolAt(step, key, isTool);
  const [only, ...others] = Object.keys(step).filter((key) => !stepKeys.has(key) && names(key));
  const usual = ["tool", ...aliases.tool].find(names) ?? keyOf(step, "tool");
  return usual !== undefined && (names(usual) || others.length > 0 || only === undefined) ? usual : (only ?? usual);
}

/** The key of the object that holds a call. */
function holderOf(step: JsonRecord): string | undefined {
  return holders.find((key) => {
    const held = Object.hasOwn(step, key) ? step[key] : undefined;
    return isRecord(held) && typeof held[keyOf(held, "tool") ?? ""] === "string";
  });
}

/** What is needed to name the keys of a step. */
export interface KeyReading {
  /** Whether a text may be the name of a tool. */
  readonly isTool: (text: string) => boolean;
  /**
   * Which keys the tool's input has: beside the tool, without an input of their own, they are the input, as is everything
   * else that is not known.
   */
  readonly isInput: (tool: unknown, key: string) => boolean;
  /** Whether an input may have a value under a key. */
  readonly fitsInput: (tool: unknown, input: JsonRecord, entry: readonly [key: string, value: unknown]) => boolean;
  /** Whether the user has typed a text. */
  readonly isTyped: (text: string) => boolean;
  /** The place of the step in the answer, from 0. */
  readonly index: number;
}

/** Gives a step our names for its keys. */
export function nameKeys(raw: JsonRecord, reading: KeyReading): NamedStep {
  const toolAndInput = Object.hasOwn(raw, "tool") && Object.hasOwn(raw, "input");
  if (toolAndInput && isRecord(raw.input) && Object.keys(raw).every((key) => stepKeys.has(key))) {
    return { step: raw as NamedStep["step"], isRenamed: false, renamed: [], dropped: [], number: undefined };
  }
  const { isTool, isInput } = reading;
  const { outer, call } = unwrap(raw, isTool);
  const toolKey = toolKeyOf(call, isTool);
  const inputKey = keyOf(call, "input");
  const tool = toolKey === undefined ? undefined : call[toolKey];
  const { [toolKey ?? ""]: _tool, [inputKey ?? ""]: _input, ...rest } = call;
  const naming = new Naming(callTypes.has(raw.type));
  naming.rename(toolKey, "tool");
  naming.rename(inputKey, "input");
  const written = inputKey === undefined ? undefined : unwrapInput(call[inputKey], (key) => isInput(tool, key));
  const given = inputKey === undefined ? inputBeside(rest, tool, reading) : written;
  const isBeside = (key: string, value: unknown) =>
    inputKey === undefined
      ? Object.hasOwn(given as JsonRecord, key)
      : isRecord(given) && !Object.hasOwn(given, key) && isSaidBeside([key, value], { tool, given, reading });
  const beside: Record<string, unknown> = {};
  for (const [key, value] of [...Object.entries(rest), ...Object.entries(outer)]) {
    if (isBeside(key, value)) setOwn(beside, key, value);
    else naming.take(key, value);
  }
  const input = isRecord(given) ? { ...beside, ...given } : given;
  const { step, renamed, dropped, number } = naming;
  return { step: { ...step, tool, input }, isRenamed: true, renamed, dropped, number };
}

/** The input of a step that has none of its own: all keys that are not those of a step. */
function inputBeside(rest: JsonRecord, tool: unknown, { isInput, fitsInput }: KeyReading): JsonRecord {
  const others = Object.fromEntries(Object.entries(rest).filter(([key]) => !surelyOfStep.has(key)));
  // A step's own key may be one of the input, too: which of them depends on what else is there.
  const shared = Object.entries(rest).filter(
    ([key, value]) => surelyOfStep.has(key) && isInput(tool, key) && fitsInput(tool, others, [key, value]),
  );
  return { ...others, ...Object.fromEntries(shared) };
}

/**
 * Whether what stands beside an input is a part of it, though models also describe steps by such a key: the user has typed it,
 * or it is a number that is not that of the step; a key that only inputs have is always a part.
 */
function isSaidBeside(
  [key, value]: readonly [key: string, value: unknown],
  { tool, given, reading }: { readonly tool: unknown; readonly given: JsonRecord; readonly reading: KeyReading },
): boolean {
  const { isInput, fitsInput, isTyped, index } = reading;
  if (stepKeys.has(key) || !isInput(tool, key)) return false;
  const isDescription = needless.has(key) || numberKeys.has(key) || nameOf(key) !== undefined;
  if (!isDescription) return true;
  if (!fitsInput(tool, given, [key, value])) return false;
  if (typeof value === "number") return value !== index && value !== index + 1;
  return typeof value === "string" && value.trim() !== "" && isTyped(value);
}

/** The object that names the tool, and the keys around it. */
function unwrap(raw: JsonRecord, isTool: (name: string) => boolean): { outer: JsonRecord; call: JsonRecord } {
  const holder = holderOf(raw);
  if (holder !== undefined) {
    const { [holder]: call, ...outer } = raw;
    return { outer, call: call as JsonRecord };
  }
  const keys = Object.keys(raw);
  const [only] = keys.filter((key) => isTool(key) && isRecord(raw[key]));
  if (only === undefined || keyOf(raw, "tool") !== undefined) return { outer: {}, call: raw };
  const { [only]: input, ...outer } = raw;
  return { outer, call: { tool: only, input } };
}

/** Collects the keys of a step under our names. */
class Naming {
  readonly step: Record<string, unknown> = {};
  readonly renamed: { readonly written: string; readonly read: string }[] = [];
  readonly dropped: string[] = [];
  number: number | undefined;

  /** `isWireCall`: whether the object is one of those in which a provider sends a call, which has been written to its end. */
  constructor(private readonly isWireCall: boolean) {}

  rename(written: string | undefined, read: string): void {
    if (written !== undefined && written !== read) this.renamed.push({ written, read });
  }

  take(key: string, value: unknown): void {
    const name = nameOf(key);
    if (stepKeys.has(key)) setOwn(this.step, key, value);
    else if (numberKeys.has(key) && isNumber(value)) this.number = Number(value);
    else if (key === "status" && !this.isOpen(value)) setOwn(this.step, key, value);
    else if (needless.has(key) || numberKeys.has(key)) this.drop(key, value);
    else if (name === undefined) setOwn(this.step, key, value);
    else if (Object.hasOwn(this.step, name) || (name === "reasoning" && textOf(value) === undefined))
      this.drop(key, value);
    else {
      this.rename(key, name);
      this.step[name] = value;
    }
  }

  private isOpen(status: unknown): boolean {
    return typeof status === "string" && (openStatus.test(status) || (this.isWireCall && status === "completed"));
  }

  /** How a call is marked, and where it stands, says nothing that would be lost. */
  private drop(key: string, value: unknown): void {
    if (typeof value === "string" && key !== "type") this.dropped.push(key);
  }
}

function isNumber(value: unknown): boolean {
  return typeof value === "number" || (typeof value === "string" && /^\d{1,4}$/.test(value));
}

/** The key of a step that another name stands for. */
function nameOf(key: string): "id" | "dependsOn" | "reasoning" | undefined {
  return (["id", "dependsOn", "reasoning"] as const).find((name) => (aliases[name] as readonly string[]).includes(key));
}

/** An input that was written as text, is null, the only one of a list, or stands in an object of its own. */
function unwrapInput(input: unknown, isKnown: (key: string) => boolean): unknown {
  if (input === null) return {};
  const parsed = typeof input === "string" ? parseJson(input) : undefined;
  const value = isRecord(parsed) ? parsed : Array.isArray(input) && input.length === 1 ? input[0] : input;
  if (!isRecord(value)) return input;
  const [key, ...others] = Object.keys(value);
  const isHolder = key !== undefined && others.length === 0 && !isKnown(key) && inputNames.has(key);
  const inner = isHolder ? value[key] : undefined;
  return isRecord(inner) ? inner : value;
}
