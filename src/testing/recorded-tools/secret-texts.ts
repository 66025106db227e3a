import type { JsonValue } from "../../core/json.ts";
import type { SensitiveView } from "../../core/sensitive-paths.ts";
import { HiddenTexts } from "../../runs/secrets/hidden-texts.ts";
import { mapSensitive } from "../../runs/secrets/sensitive-values.ts";

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
