import type { JsonValue } from "../../core/json.ts";
import type { SensitiveView } from "../../core/sensitive-paths.ts";
import { mapSensitive } from "../../runs/secrets/map-sensitive.ts";

/** Shorter texts occur in others by chance. */
const minLength = 4;

/** Stands for a secret where it does not matter which. */
export const anySecret = "[secret]";

/** Stands for a secret that should have been that of a placeholder, but is not. */
export const anotherSecret = "[another secret]";

/** Stands for the secret that is the nth of a recording: that is all a file has of it, so it cannot be guessed. */
export function placeholderOf(number: number): string {
  return `[secret ${number}]`;
}

/** Whether a value stands for a secret of a recording. */
export function isPlaceholder(value: unknown): value is string {
  return typeof value === "string" && /^\[secret \d+\]$/.test(value);
}

/** What stands for secrets, and the search for these in other texts. */
export class SecretTexts {
  private pattern: RegExp | undefined;

  constructor(private readonly placeholders = new Map<string, string>()) {}

  get isEmpty(): boolean {
    return this.placeholders.size === 0;
  }

  copy(): SecretTexts {
    return new SecretTexts(new Map(this.placeholders));
  }

  /**
   * Finds all texts and numbers of a secret from now on. The first placeholder of a text counts. Returns the texts that
   * are new.
   */
  add(secret: unknown, placeholder: string): readonly string[] {
    if (typeof secret === "object" && secret !== null)
      return Object.values(secret).flatMap((item) => this.add(item, placeholder));
    if (typeof secret !== "string" && typeof secret !== "number") return [];
    const text = String(secret);
    const added: string[] = [];
    // As it appears in a URL, and in JSON.
    for (const form of [text, encode(text), JSON.stringify(text).slice(1, -1)]) {
      if (form.length < minLength || this.placeholders.has(form)) continue;
      this.placeholders.set(form, placeholder);
      this.pattern = undefined;
      added.push(form);
    }
    return added;
  }

  /** A text with placeholders instead of secrets. */
  hide(text: string): string {
    if (this.isEmpty) return text;
    this.pattern ??= patternOf([...this.placeholders.keys()]);
    return text.replace(this.pattern, (found) => this.placeholders.get(found) ?? found);
  }

  /** A value whose texts, numbers and keys contain no secret. */
  hideIn<T>(value: T): T {
    if (this.isEmpty) return value;
    return mapTexts(
      value,
      (text) => this.hide(text),
      (number) => this.placeholders.get(String(number)) ?? number,
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

/** Half a surrogate pair has no form in a URL. */
function encode(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : text;
}

/** Finds the longest of several texts, and passes over placeholders, which may themselves contain one. */
function patternOf(texts: readonly string[]): RegExp {
  const longestFirst = texts.toSorted((one, other) => other.length - one.length);
  const escaped = longestFirst.map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(["\\[(?:another )?secret(?: \\d+)?\\]", ...escaped].join("|"), "g");
}

/** A value with {@link anySecret} for each secret: those that the schema marks, and known ones in texts, if given. */
export function withoutSecrets(value: JsonValue, view: SensitiveView | undefined, known?: SecretTexts): JsonValue {
  const texts = known?.copy();
  const replace = (secret: unknown) => {
    texts?.add(secret, anySecret);
    return anySecret;
  };
  const masked = mapSensitive({ value, view, path: [] }, { replace }) as JsonValue;
  const shown = texts === undefined ? masked : texts.hideIn(masked);
  return mapTexts(shown, (text) => text.replace(/\[secret \d+\]/g, anySecret)) as JsonValue;
}
