import { canonicalJson, type JsonValue } from "../core/json.ts";
import type { SensitiveView } from "../core/sensitive-paths.ts";
import { HiddenTexts, mapSensitive, type SensitiveViews } from "../runs/secrets/sensitive-values.ts";
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

type AnyCall = RecordedToolCall | RecordedAnswer;

interface Entry {
  readonly call: AnyCall;
  /** As JSON, once a secret was looked for in it. */
  json?: string;
}

/** A secret's placeholder, and the first call that has it. */
interface Numbered {
  readonly placeholder: string;
  readonly place: number;
}

/**
 * Calls, at their places, as a file may have them. Each secret is replaced by a placeholder with its number, in the order
 * in which secrets first appear; equal secrets have the same one. Their texts are replaced wherever else they appear in
 * the calls.
 *
 * A call is changed once, and again only if it contains a secret that is found later, or if numbers change.
 */
export class HiddenCalls {
  private readonly entries: (Entry | undefined)[] = [];
  /** The secrets by their canonical JSON. */
  private readonly numbered = new Map<string, Numbered>();
  private texts = new SecretTexts();
  /** The last call with a secret that no earlier one has. */
  private lastNew = -1;

  constructor(private readonly viewsOf: (tool: string) => SensitiveViews | undefined) {}

  /** Sets the call at a place. Returns all calls that this changes, by their places. */
  set(place: number, call: AnyCall): ReadonlyMap<number, AnyCall> {
    this.entries[place] = { call };
    const found = this.numberSecrets(place, call) ?? this.numberAgain();
    const changed = new Map<number, AnyCall>();
    for (const [other, entry] of found === "all" || found.length > 0 ? this.entries.entries() : []) {
      if (entry !== undefined && (found === "all" || contains(entry, found))) changed.set(other, this.hide(entry.call));
    }
    return changed.has(place) ? changed : changed.set(place, this.hide(call));
  }

  /** Removes the call at a place. Returns all calls that this changes, by their places. */
  delete(place: number): ReadonlyMap<number, AnyCall | undefined> {
    this.entries[place] = undefined;
    const changed = new Map<number, AnyCall | undefined>([[place, undefined]]);
    if (![...this.numbered.values()].some((secret) => secret.place === place)) return changed;
    this.numberAgain();
    for (const [other, entry] of this.entries.entries()) changed.set(other, entry && this.hide(entry.call));
    return changed;
  }

  /** Returns the texts that are secret from now on; undefined if numbers do not have the order of the calls. */
  private numberSecrets(place: number, call: AnyCall): readonly string[] | undefined {
    if (isAnswer(call)) return [];
    const found: string[] = [];
    let isInOrder = true;
    this.mask(call, (secret) => {
      const key = canonicalJson(secret);
      const known = this.numbered.get(key);
      if ((known?.place ?? this.lastNew) > place) isInOrder = false;
      if (known !== undefined) return;
      const placeholder = placeholderOf(this.numbered.size + 1);
      this.numbered.set(key, { placeholder, place });
      this.lastNew = place;
      found.push(...this.texts.add(secret as JsonValue, placeholder));
    });
    return isInOrder ? found : undefined;
  }

  private numberAgain(): "all" {
    this.numbered.clear();
    this.texts = new SecretTexts();
    this.lastNew = -1;
    for (const [place, entry] of this.entries.entries()) if (entry !== undefined) this.numberSecrets(place, entry.call);
    return "all";
  }

  private hide(call: AnyCall): AnyCall {
    if (isAnswer(call))
      return { ...call, input: withoutSecrets(call.input, this.viewsOf(call.tool)?.input, this.texts) };
    const masked = this.mask(call, (secret) => this.numbered.get(canonicalJson(secret))?.placeholder ?? anySecret);
    return hideTexts(masked, this.texts);
  }

  /** A call with replacements for the parts that are sensitive by their schema. */
  private mask(call: RecordedToolCall, replace: (secret: unknown) => unknown): RecordedToolCall {
    const { tool, input, undone, outcome } = call;
    const { input: inputView, output: outputView } = this.viewsOf(tool) ?? {};
    if (inputView === undefined && outputView === undefined) return call;
    const mask = (value: JsonValue, view: SensitiveViews["input"]) =>
      mapSensitive({ value, view, path: [] }, { replace }) as JsonValue;
    return {
      tool,
      input: mask(input, inputView),
      undone: undone === undefined ? undefined : mask(undone, outputView),
      outcome: outcome.type === "output" ? { type: "output", output: mask(outcome.output, outputView) } : outcome,
    };
  }
}

/** True if a call may contain one of these texts. Half of a surrogate pair is not found in JSON. */
function contains(entry: Entry, texts: readonly string[]): boolean {
  entry.json ??= JSON.stringify(entry.call);
  const { json } = entry;
  return texts.some((text) => !text.isWellFormed() || json.includes(JSON.stringify(text).slice(1, -1)));
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
