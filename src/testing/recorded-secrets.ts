import { canonicalJson, type JsonValue } from "../core/json.ts";
import type { SensitiveView } from "../core/sensitive-paths.ts";
import { HiddenTexts } from "../runs/secrets/hidden-texts.ts";
import { mapSensitive, type SensitiveViews } from "../runs/secrets/sensitive-values.ts";
import {
  isAnswer,
  type RecordedAnswer,
  type RecordedError,
  type RecordedToolCall,
  type ToolCallOutcome,
} from "./tool-recording.ts";

/** Stands for a secret where it does not matter which. */
export const anySecret = "[secret]";

/** Stands for a secret that should have been that of a placeholder, but is not. */
export const anotherSecret = "[another secret]";

/** Stands for the secret that is the nth of a recording: that is all a file has of it, so it cannot be guessed. */
export function placeholderOf(number: number): string {
  return `[secret ${number}]`;
}

/** True if a value stands for a secret of a recording. */
export function isPlaceholder(value: unknown): value is string {
  return typeof value === "string" && /^\[secret \d+\]$/.test(value);
}

/** The placeholders of secrets, and the search for these in other texts. */
export class SecretTexts {
  private readonly texts: HiddenTexts;

  /** `outer` has further ones, which may become more. */
  constructor(outer?: SecretTexts) {
    this.texts = new HiddenTexts(outer?.texts);
  }

  get isEmpty(): boolean {
    return this.texts.isEmpty;
  }

  /**
   * Finds all texts and numbers of a secret from now on. The first placeholder of a text counts. Returns the texts that
   * are new.
   */
  add(secret: JsonValue, placeholder: string): readonly string[] {
    return this.texts.add(secret, placeholder);
  }

  /** A text with placeholders instead of secrets. */
  hide(text: string): string {
    if (this.isEmpty) return text;
    // A placeholder may itself contain a secret, such as "secret": it stands for itself.
    for (const [placeholder] of text.matchAll(/\[(?:another )?secret(?: \d+)?\]/g))
      this.texts.add(placeholder, placeholder);
    return this.texts.hide(text);
  }

  /** A value whose texts, numbers and keys contain no secret. */
  hideIn<T>(value: T): T {
    if (this.isEmpty) return value;
    return mapTexts(
      value,
      (text) => this.hide(text),
      (number) => this.texts.hideIn(number),
    ) as T;
  }
}

/** A value with its texts, keys and numbers replaced. */
function mapTexts(
  value: unknown,
  map: (text: string) => string,
  mapNumber: (number: number) => unknown = (number) => number,
): unknown {
  if (typeof value === "string") return map(value);
  if (typeof value === "number") return mapNumber(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map, mapNumber));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [map(key), mapTexts(item, map, mapNumber)] as const),
  );
}

/** A value with {@link anySecret} for each secret: those that the schema marks, and known ones in texts, if given. */
export function withoutSecrets(value: JsonValue, view: SensitiveView | undefined, known?: SecretTexts): JsonValue {
  const texts = known && new SecretTexts(known);
  const replace = (secret: unknown) => {
    texts?.add(secret as JsonValue, anySecret);
    return anySecret;
  };
  const masked = mapSensitive({ value, view, path: [] }, { replace }) as JsonValue;
  const shown = texts === undefined ? masked : texts.hideIn(masked);
  return mapTexts(shown, (text) => text.replace(/\[secret \d+\]/g, anySecret)) as JsonValue;
}

/**
 * Returns calls as a file may have them. Each secret is replaced by a placeholder with its number, in the order in which
 * secrets first appear; equal secrets have the same one. Their texts are replaced wherever else they appear in the calls.
 */
export function hideSecrets<TCall extends RecordedToolCall | RecordedAnswer>(
  calls: readonly TCall[],
  viewsOf: (tool: string) => SensitiveViews | undefined,
): readonly TCall[] {
  /** By the canonical JSON of each secret. */
  const placeholders = new Map<string, string>();
  const texts = new SecretTexts();
  const number = (secret: unknown) => {
    const key = canonicalJson(secret);
    const placeholder = placeholders.get(key) ?? placeholderOf(placeholders.size + 1);
    if (!placeholders.has(key)) texts.add(secret as JsonValue, placeholder);
    placeholders.set(key, placeholder);
    return placeholder;
  };
  const masked = calls.map((call) => (isAnswer(call) ? call : maskCall(call, viewsOf(call.tool), number)));
  return masked.map((call) =>
    isAnswer(call)
      ? { ...call, input: withoutSecrets(call.input, viewsOf(call.tool)?.input, texts) }
      : hideTexts(call, texts),
  ) as readonly TCall[];
}

/** A call with replacements for the parts that are sensitive by their schema. */
function maskCall(
  call: RecordedToolCall,
  views: SensitiveViews | undefined,
  replace: (secret: unknown) => unknown,
): RecordedToolCall {
  const { tool, input, undone, outcome } = call;
  const mask = (value: JsonValue, view: SensitiveView | undefined) =>
    mapSensitive({ value, view, path: [] }, { replace }) as JsonValue;
  return {
    tool,
    input: mask(input, views?.input),
    undone: undone === undefined ? undefined : mask(undone, views?.output),
    outcome: outcome.type === "output" ? { type: "output", output: mask(outcome.output, views?.output) } : outcome,
  };
}

function hideTexts({ tool, input, undone, outcome }: RecordedToolCall, texts: SecretTexts): RecordedToolCall {
  return { tool, input: texts.hideIn(input), undone: texts.hideIn(undone), outcome: hideInOutcome(outcome, texts) };
}

function hideInOutcome(outcome: ToolCallOutcome, texts: SecretTexts): ToolCallOutcome {
  switch (outcome.type) {
    case "output":
      return { type: "output", output: texts.hideIn(outcome.output) };
    case "error":
      return { type: "error", error: hideInError(outcome.error, texts) };
    case "invalid-output": {
      const issues = outcome.issues.map(({ path, message }) => ({
        path: texts.hideIn(path),
        message: texts.hide(message),
      }));
      return { type: "invalid-output", issues };
    }
    default:
      return outcome satisfies never;
  }
}

function hideInError(error: RecordedError, texts: SecretTexts): RecordedError {
  const { name, message, code, details, cause } = error;
  return {
    ...error,
    name: texts.hide(name),
    message: texts.hide(message),
    ...(code !== undefined && { code: texts.hide(code) }),
    ...(details !== undefined && { details: texts.hideIn(details) }),
    ...(cause !== undefined && { cause: hideInError(cause, texts) }),
  };
}
