import { isOurError } from "./errors.ts";
import { hiddenText, isHolder, type JsonPath, mapItems } from "./json.ts";
import { type JsonSchema, knownKeys, schemasAt } from "./json-schema.ts";
import { addTo } from "./lists.ts";
import type { SchemaIssue } from "./schema.ts";
import { maskPaths, sensitivePaths } from "./sensitive-paths.ts";

/** Shorter texts occur by chance in other texts. */
const minQuoted = 4;
const headLength = 16;
const cutEnd = /… \(\d+ characters\)$/;
const maxHalf = 1_024;

export class HiddenTexts {
  readonly #leaves = new Set<unknown>();
  readonly #texts = new Set<string>();
  readonly #byHead = new Map<string, string[]>();
  readonly #headLengths: readonly number[];

  constructor(private readonly minLength = minQuoted) {
    this.#headLengths = [headLength, minLength];
  }

  add(value: unknown): void {
    if (isHolder(value)) for (const item of Object.values(value)) this.add(item);
    if (typeof value !== "string" && typeof value !== "number") return;
    const text = String(value);
    if (text !== "") this.#leaves.add(value);
    // encodeURIComponent throws for half a surrogate pair.
    const encoded = text.isWellFormed() ? encodeURIComponent(text) : text;
    for (const form of [text, encoded, JSON.stringify(text).slice(1, -1)]) {
      if (form.length < this.minLength || this.#texts.has(form)) continue;
      this.#texts.add(form);
      const length = this.#headLengths.find((each) => form.length >= each);
      addTo(this.#byHead, form.slice(0, length), form);
    }
  }

  isRepeatedIn(leaf: unknown): boolean {
    return this.#leaves.has(leaf) || this.hideIn(leaf) !== leaf;
  }

  hide(text: string): string {
    if (text.length < this.minLength || this.#texts.size === 0) return text;
    let shown = "";
    let start = 0;
    for (let position = 0; position <= text.length - this.minLength; position++) {
      const found = this.#findAt(text, position);
      if (found === undefined) continue;
      shown += text.slice(start, position) + hiddenText;
      start = position + found.length;
      // Overlapping texts are hidden together, so that no part of a longer one remains.
      while (++position < start) start = Math.max(start, position + (this.#findAt(text, position)?.length ?? 0));
      position--;
    }
    const rest = text.slice(start);
    const half = this.#findHalf(rest);
    const end = half === undefined ? rest : rest.slice(0, half) + hiddenText + rest.slice(rest.search(cutEnd));
    return start === 0 && half === undefined ? text : shown + end;
  }

  #findHalf(text: string): number | undefined {
    const end = text.search(cutEnd);
    for (let position = Math.max(0, end - maxHalf); position <= end - minQuoted; position++) {
      const half = text.slice(position, end);
      const alike = half.length < headLength ? this.#texts : this.#byHead.get(half.slice(0, headLength));
      for (const hidden of alike ?? []) if (hidden.startsWith(half)) return position;
    }
    return undefined;
  }

  #findAt(text: string, position: number): string | undefined {
    let longest: string | undefined;
    for (const length of this.#headLengths) {
      for (const hidden of this.#byHead.get(text.slice(position, position + length)) ?? []) {
        if (hidden.length > (longest?.length ?? 0) && text.startsWith(hidden, position)) longest = hidden;
      }
    }
    return longest;
  }

  hideIn<T>(value: T, isMade = false): T {
    if (typeof value === "string") return this.hide(value) as T;
    if (typeof value === "number") return (this.#texts.has(String(value)) ? hiddenText : value) as T;
    if (!isHolder(value) || this.#texts.size === 0) return value;
    const isOurs = !isMade && isOurError(value);
    const hidden = mapItems(value, (item, key) =>
      isOurs && (key === "name" || key === "code") ? item : this.hideIn(item, isMade || (key === "details" && !isOurs)),
    );
    if (!isMade || Array.isArray(value) || Object.keys(value).every((key) => this.hide(key) === key)) return hidden;
    return Object.fromEntries(Object.entries(hidden).map(([key, item]) => [this.hide(key), item])) as T;
  }
}

export function hideQuotedOf(root: JsonSchema, value: unknown): <TIssue extends SchemaIssue>(issue: TIssue) => TIssue {
  const collect = () => {
    const [hidden, short] = [new HiddenTexts(), new HiddenTexts(1)];
    addSecrets(short, root, value);
    return { hidden, short, masked: addSecrets(hidden, root, value) };
  };
  let collected: ReturnType<typeof collect> | undefined;
  return (issue) => {
    collected ??= collect();
    const { hidden, short, masked } = collected;
    let part = masked;
    for (const key of issue.path) if (part !== hiddenText) part = Object(part)[key];
    const message = (part === hiddenText ? short : hidden).hide(issue.message);
    return { ...issue, message, path: issue.path.map((key) => (typeof key === "string" ? hidden.hide(key) : key)) };
  };
}

export function addSecrets(hidden: HiddenTexts, root: JsonSchema, value: unknown): unknown {
  const paths = sensitivePaths(root);
  const masked = paths.length === 0 ? value : maskPaths(value, paths);
  const add = (part: unknown, mask: unknown, path: JsonPath) => {
    if (part === mask) return;
    if (!isHolder(part)) {
      hidden.add(part);
      return;
    }
    const isList = Array.isArray(part);
    const names = mask === hiddenText && !isList ? knownKeys(schemasAt(root, path) ?? []) : undefined;
    for (const [key, item] of Object.entries(part)) {
      if (names?.includes(key) === false) hidden.add(key);
      add(item, mask === hiddenText ? mask : Object(mask)[key], [...path, isList ? Number(key) : key]);
    }
  };
  add(value, masked, []);
  return masked;
}
