import type { FakeModels, KnownModel } from "./fake-models.ts";
import type { FakeOllamaError } from "./fake-ollama-answer.ts";
import type { FakeOllamaChat } from "./fake-ollama-options.ts";

/** A chat request that can be answered, or the error that Ollama answers it with. */
export type CheckedChat =
  | { readonly ok: true; readonly chat: FakeOllamaChat; readonly model: KnownModel }
  | { readonly ok: false; readonly error: FakeOllamaError };

/** Checks a chat request in the same order as Ollama, with the same messages. */
export function checkChat(body: string, models: FakeModels): CheckedChat {
  const parsed = parseBody(body);
  if ("status" in parsed) return { ok: false, error: parsed };
  const fields = parsed.value;
  const wrong = checkFields(fields);
  if (wrong !== undefined) return refuse(400, wrong);
  if (typeof fields.model !== "string" || fields.model === "") return refuse(400, "model is required");
  const model = models.find(fields.model);
  if (model === undefined) return refuse(404, `model '${fields.model}' not found`);
  const chat = { ...fields, messages: fields.messages ?? [] } as unknown as FakeOllamaChat;
  const missing = missingCapability(chat, model);
  if (missing !== undefined) return refuse(400, `${JSON.stringify(chat.model)} does not support ${missing}`);
  const option = wrongOption(chat.options ?? {});
  if (option !== undefined) return refuse(500, option);
  if (chat.messages.length > 0 && !isFormat(chat.format)) {
    const text = JSON.stringify(JSON.stringify(chat.format));
    return refuse(500, `invalid format: ${text}; expected "json" or a valid JSON Schema object`);
  }
  return { ok: true, chat, model };
}

/** Parses a JSON body, or returns Ollama's error for an invalid one. */
export function parseBody(body: string): { readonly value: Readonly<Record<string, unknown>> } | FakeOllamaError {
  if (body.trim() === "") return { status: 400, error: "missing request body" };
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { value: value as Record<string, unknown> };
    }
    return { status: 400, error: `json: cannot unmarshal ${goType(value)} into Go value of type api.ChatRequest` };
  } catch {
    return { status: 400, error: `invalid character '${body.trim().slice(0, 1)}' looking for beginning of value` };
  }
}

function refuse(status: number, error: string): CheckedChat {
  return { ok: false, error: { status, error } };
}

const fieldTypes = {
  model: "string",
  messages: "[]api.Message",
  stream: "bool",
  logprobs: "bool",
  options: "map[string]interface {}",
} as const;

/** Checks the same types as Go's parser; `null` is the same as a missing field. */
function checkFields(fields: Readonly<Record<string, unknown>>): string | undefined {
  for (const [field, type] of Object.entries(fieldTypes)) {
    const value = fields[field];
    if (value === undefined || value === null || isOfType(value, type)) continue;
    return `json: cannot unmarshal ${goType(value)} into Go struct field ChatRequest.${field} of type ${type}`;
  }
  const { think } = fields;
  if (think === undefined || think === null || typeof think === "boolean") return undefined;
  const values = '"high", "medium", "low", "max", true, or false';
  if (typeof think !== "string") return `think must be a boolean or string (${values})`;
  const isLevel = ["high", "medium", "low", "max"].includes(think);
  return isLevel ? undefined : `invalid think value: ${JSON.stringify(think)} (must be ${values})`;
}

function isOfType(value: unknown, type: (typeof fieldTypes)[keyof typeof fieldTypes]): boolean {
  if (type === "bool") return typeof value === "boolean";
  if (type === "string") return typeof value === "string";
  return typeof value === "object" && Array.isArray(value) === (type === "[]api.Message");
}

function goType(value: unknown): string {
  if (typeof value === "boolean") return "bool";
  return Array.isArray(value) ? "array" : typeof value;
}

function missingCapability(chat: FakeOllamaChat, { capabilities }: KnownModel): string | undefined {
  const wantsToThink = chat.think !== undefined && chat.think !== null && chat.think !== false;
  if (wantsToThink && !capabilities.includes("thinking")) return "thinking";
  const wantsTools = Array.isArray(chat.tools) && chat.tools.length > 0;
  return wantsTools && !capabilities.includes("tools") ? "tools" : undefined;
}

const integers = "num_ctx num_predict num_keep num_batch num_gpu num_thread main_gpu seed top_k repeat_last_n".split(
  " ",
);
const floats = "temperature top_p min_p typical_p repeat_penalty presence_penalty frequency_penalty".split(" ");

/** Finds an option of the wrong type; options that Ollama does not know are ignored. */
function wrongOption(options: Readonly<Record<string, unknown>>): string | undefined {
  for (const [name, value] of Object.entries(options)) {
    if (value === null) continue;
    const type = integers.includes(name) ? "integer" : floats.includes(name) ? "float32" : undefined;
    if (type !== undefined && typeof value !== "number") return `option "${name}" must be of type ${type}`;
    if (name === "stop" && !Array.isArray(value)) return 'option "stop" must be of type array';
  }
  return undefined;
}

function isFormat(format: unknown): boolean {
  if (format === undefined || format === null || format === "" || format === "json") return true;
  return typeof format === "object" && !Array.isArray(format);
}
