import { deepFreeze, hiddenText, type JsonObject, type JsonValue, mapLeaves } from "./json.ts";
import { cutText, describeThrown } from "./text.ts";

/** An error as JSON, as recorded in events and stores. It has no other fields, such as `response`. @group Errors */
export interface ErrorData {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly retryable?: boolean;
  /** The outcome of the call, if the error states it: `not-done` means that nothing happened. */
  readonly outcome?: "not-done" | "unknown";
  readonly details?: object;
  readonly cause?: unknown;
}

const maxMessageLength = 8_192;
const maxDetailsLength = 16_384;
/** Lower than the limit for outputs, because errors nest and stores need room on the stack. */
const maxDetailsDepth = 50;
const maxCauseDepth = 5;

export function toErrorData(thrown: unknown): ErrorData {
  return readError(thrown, 0);
}

function readError(thrown: unknown, depth: number): ErrorData {
  if (typeof thrown !== "object" || thrown === null)
    return { name: "Error", message: hideUrlKeys(cut(describeThrown(thrown))) };
  const { name, message, code, retryable, outcome, details, cause } = readFields(thrown, ...errorKeys);
  return {
    name: typeof name === "string" ? cut(name) : "Error",
    message: hideUrlKeys(cut(typeof message === "string" ? message : describeThrown(thrown))),
    ...((typeof code === "string" || typeof code === "number") && { code: cut(String(code)) }),
    ...(typeof retryable === "boolean" && { retryable }),
    ...((outcome === "not-done" || outcome === "unknown") && { outcome }),
    ...smallDetails(details, name === "AgentError"),
    ...(cause !== undefined && cause !== null && depth < maxCauseDepth && { cause: readError(cause, depth + 1) }),
  };
}

const maxShortLength = 1_000;

export function shortError(error: ErrorData): ErrorData {
  const message = cutText(error.message, maxShortLength);
  const cause = error.cause === undefined ? undefined : shortError(error.cause as ErrorData);
  const isShort = message === error.message && cause === error.cause;
  return isShort ? error : deepFreeze({ ...error, message, ...(cause && { cause }) });
}

const errorKeys = ["name", "message", "code", "retryable", "outcome", "details", "cause"] as const;

export function readFields<K extends string>(value: unknown, ...keys: readonly K[]): Partial<Record<K, unknown>> {
  const read: Partial<Record<K, unknown>> = {};
  if (typeof value !== "object" || value === null) return read;
  for (const key of keys) {
    try {
      read[key] = (value as Record<string, unknown>)[key];
    } catch {
      // The getter threw.
    }
  }
  return read;
}

function cut(text: string, maxLength = maxMessageLength): string {
  return cutText(text, maxLength, `… (${text.length} characters)`);
}

function smallDetails(details: unknown, isOurs: boolean): { details?: JsonObject } {
  const none = isOurs ? { details: {} } : {};
  if (typeof details !== "object" || details === null) return none;
  try {
    const text = JSON.stringify(details);
    const json = JSON.parse(text) as JsonValue;
    if (typeof json !== "object" || json === null) return none;
    const isSmall = text.length <= maxDetailsLength && !isDeeper(json, maxDetailsDepth);
    return { details: hideUrlKeysIn(isSmall ? (json as JsonObject) : trimDetails(json as JsonObject)) };
  } catch {
    return none;
  }
}

function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1));
}

const trimLimits = [
  { maxText: 2_000, maxItems: 20, maxDepth: maxDetailsDepth },
  { maxText: 400, maxItems: 10, maxDepth: maxDetailsDepth },
  { maxText: 100, maxItems: 4, maxDepth: maxDetailsDepth },
  { maxText: 100, maxItems: 4, maxDepth: 2 },
  { maxText: 100, maxItems: 0, maxDepth: 0 },
];
const maxKeys = 30;

function trimDetails(details: JsonObject): JsonObject {
  let trimmed: JsonValue = {};
  for (const { maxText, maxItems, maxDepth } of trimLimits) {
    const trim = (value: JsonValue, depth: number): JsonValue => {
      if (typeof value === "string") return cut(value, maxText);
      if (typeof value !== "object" || value === null) return value;
      if (depth >= maxDetailsDepth) return Array.isArray(value) ? [] : {};
      if (Array.isArray(value)) return value.slice(0, maxItems).map((item) => trim(item, depth + 1));
      if (depth > maxDepth) return {};
      const entries = Object.entries(value).slice(0, maxKeys);
      return Object.fromEntries(entries.map(([key, item]) => [cut(key, maxText), trim(item, depth + 1)]));
    };
    trimmed = trim(details, 0);
    if (JSON.stringify(trimmed).length <= maxDetailsLength) break;
  }
  return trimmed as JsonObject;
}

const parameter = /([?&;#])([^=&;#?\s]{1,100})=([^&;#\s"'`<>()[\]]+)/g;
const secretName = /key|token|secret|passw|passphrase|pwd|auth|credential|signature|^sig$|session/i;
const credentials = /:\/\/[^\s/?#@]{1,500}@/g;

export function hideUrlKeys(text: string): string {
  if (!text.includes("=") && !text.includes("@")) return text;
  return text
    .replace(credentials, `://${hiddenText}@`)
    .replace(parameter, (whole: string, before: string, name: string) =>
      secretName.test(name) ? `${before}${name}=${hiddenText}` : whole,
    );
}

export function hideUrlKeysIn<T>(value: T): T {
  return mapLeaves(value, (leaf) => (typeof leaf === "string" ? hideUrlKeys(leaf) : leaf));
}

const maxFrames = 10;
const maxLength = 2_000;
const maxHead = 500;
const frame = /^\s+at .*(?::\d+:\d+\)?|\((?:native|<anonymous>|index \d+)\))$|^[^\s@]*@.*:\d+:\d+$/;

/** Calls `hide` before the stack is cut, because half a secret would not be recognized. */
export function recordedStack(
  thrown: unknown,
  { name, message }: Pick<ErrorData, "name" | "message">,
  hide = (text: string) => text,
): string | undefined {
  const { stack, message: own } = isError(thrown) ? readFields(thrown, "stack", "message") : {};
  if (typeof stack !== "string" || stack === "") return undefined;
  const head = cutText(hide(message === "" ? name : `${name}: ${message}`), maxHead);
  // A message may have lines that look like frames.
  const lines = (typeof own === "string" && own.includes("\n") ? stack.replace(own, "") : stack).split("\n");
  const frames = lines.filter((line) => line.length <= maxLength && frame.test(line)).slice(0, maxFrames);
  return cutText([head, ...frames.map((line) => hideUrlKeys(hide(line)))].join("\n"), maxLength);
}

export function isError(value: unknown): boolean {
  try {
    return value instanceof Error || Object.prototype.toString.call(value) === "[object Error]";
  } catch {
    return false;
  }
}
