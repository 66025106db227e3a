import { canonicalJson, type JsonPath, type JsonValue } from "../core/json.ts";
import { cutText } from "../core/text.ts";
import { mapSensitive, type Path, type SensitiveViews } from "../runs/secrets/sensitive-values.ts";
import { anotherSecret, anySecret, isPlaceholder, SecretTexts, withoutSecrets } from "./recorded-secrets.ts";
import { commonLength, describeTexts, describeTooOften, findNearest, type Likeness, maxQuote } from "./recording.ts";
import { type AskedToolCall, isAnswer, type RecordedToolCall, type ToolRecording } from "./tool-recording.ts";

interface Entry {
  readonly index: number;
  readonly call: RecordedToolCall;
  readonly key: string;
}

/** A call, compared with a recorded one. */
interface Comparison {
  /** With the placeholders of the recorded one for secrets that may be the same. */
  readonly asked: AskedToolCall;
  readonly isSame: boolean;
  /** Secrets that were given for placeholders for the first time. */
  readonly found: ReadonlyMap<string, JsonValue>;
}

const noFound: Comparison["found"] = new Map();

/**
 * The calls of a recording, each of which answers one call with the same tool and input.
 *
 * Where a secret was recorded, any value matches, but the same one wherever its placeholder stands. Of several calls that
 * match, one where different secrets also differ comes first, then the one that was recorded first.
 */
export class CallMatcher {
  /** Those that have not been used up, in the order of the recording. */
  private readonly open = new Map<string, Set<Entry>>();
  private readonly entries: readonly Entry[];
  /** The canonical JSON of the secret given for each placeholder, and a placeholder for each. */
  private readonly givenFor = new Map<string, string>();
  private readonly placeholders = new Map<string, string>();
  private readonly texts = new SecretTexts();

  /** The number of recorded calls, with those of functions that are answered by input. */
  readonly count: number;

  constructor(calls: ToolRecording["calls"]) {
    this.count = calls.length;
    this.entries = calls.flatMap((call, index) => (isAnswer(call) ? [] : [{ index, call, key: keyOf(call) }]));
    for (const entry of this.entries) {
      const group = groupOf(entry.call);
      const alike = this.open.get(group);
      if (alike === undefined) this.open.set(group, new Set([entry]));
      else alike.add(entry);
    }
  }

  /** Uses up the recorded call that answers this one; undefined if there is none. */
  take(asked: AskedToolCall, views: SensitiveViews): RecordedToolCall | undefined {
    let second: { entry: Entry; comparison: Comparison } | undefined;
    const compare = this.comparing(asked, views);
    for (const entry of this.open.get(groupOf(asked)) ?? []) {
      const comparison = compare(entry);
      if (!comparison.isSame) continue;
      if (this.isOneToOne(comparison)) return this.use(entry, comparison);
      second ??= { entry, comparison };
    }
    return second && this.use(second.entry, second.comparison);
  }

  private use(entry: Entry, { found }: Comparison): RecordedToolCall {
    this.open.get(groupOf(entry.call))?.delete(entry);
    for (const [placeholder, secret] of found) {
      const key = canonicalJson(secret);
      this.givenFor.set(placeholder, key);
      if (!this.placeholders.has(key)) this.placeholders.set(key, placeholder);
      this.texts.add(secret, placeholder);
    }
    return entry.call;
  }

  /** True if each secret that a comparison has found is given for no other placeholder. */
  private isOneToOne({ found }: Comparison): boolean {
    const keys = [...found.values()].map((secret) => canonicalJson(secret));
    return new Set(keys).size === keys.length && !keys.some((key) => this.placeholders.has(key));
  }

  /** Compares a call with recorded ones. Without secrets, its key is that of one that is the same. */
  private comparing(asked: AskedToolCall, views: SensitiveViews): (entry: Entry) => Comparison {
    if (!this.texts.isEmpty || views.input !== undefined || views.output !== undefined)
      return (entry) => this.compare(asked, entry, views);
    const key = keyOf(asked);
    return (entry) => ({ asked, isSame: key === entry.key, found: noFound });
  }

  private compare(asked: AskedToolCall, { call, key }: Entry, views: SensitiveViews): Comparison {
    const found = new Map<string, JsonValue>();
    let texts = this.texts;
    const mask = (part: "input" | "undone", view: SensitiveViews["input"]) => {
      const replace = (secret: unknown, path: Path) => {
        const shown = this.nameSecret(secret as JsonValue, at(call[part], path), found);
        // Only for this comparison.
        if (texts === this.texts) texts = new SecretTexts(texts);
        texts.add(secret as JsonValue, shown);
        return shown;
      };
      return mapSensitive({ value: asked[part], view, path: [] }, { replace });
    };
    const input = mask("input", views.input);
    const undone = mask("undone", views.output);
    const shown: AskedToolCall = {
      tool: asked.tool,
      input: hideTexts(input, call.input, texts) as JsonValue,
      undone: hideTexts(undone, call.undone, texts) as JsonValue | undefined,
    };
    return { asked: shown, isSame: keyOf(shown) === key, found };
  }

  /** The placeholder of a secret that was given where `recorded` was recorded. */
  private nameSecret(secret: JsonValue, recorded: unknown, found: Map<string, JsonValue>): string {
    // An output of the recording, inserted by a reference.
    if (isPlaceholder(secret)) return secret;
    if (!isPlaceholder(recorded)) return anySecret;
    const key = canonicalJson(secret);
    const earlier = found.get(recorded);
    const given = earlier === undefined ? this.givenFor.get(recorded) : canonicalJson(earlier);
    if (given !== undefined && given !== key) return anotherSecret;
    if (given === undefined) found.set(recorded, secret);
    return recorded;
  }

  /** An input without secrets, also those that were given, as {@link withoutSecrets} returns it. */
  hide(input: JsonValue, view: SensitiveViews["input"]): JsonValue {
    return withoutSecrets(input, view, this.texts);
  }

  /** Says why {@link CallMatcher.take} found none. Contains no secret. */
  describeMiss(asked: AskedToolCall, views: SensitiveViews): string {
    const { tool, undone } = asked;
    const shown: AskedToolCall = {
      tool,
      input: this.hide(asked.input, views.input),
      undone: undone === undefined ? undefined : this.hide(undone, views.output),
    };
    const compare = this.comparing(asked, views);
    const group = groupOf(asked);
    const compared = this.entries.flatMap((entry): ComparedCall[] => {
      const { index, call } = entry;
      if (groupOf(call) !== group) return [];
      return [{ index, recorded: call, ...compare(entry), isUsed: !this.isOpen(entry) }];
    });
    return describeCallMiss(shown, compared);
  }

  /** The indexes of the calls that were not made. */
  get unused(): readonly number[] {
    return this.entries.filter((entry) => this.isOpen(entry)).map(({ index }) => index);
  }

  private isOpen(entry: Entry): boolean {
    return this.open.get(groupOf(entry.call))?.has(entry) === true;
  }
}

function groupOf({ tool, undone }: AskedToolCall): string {
  return `${undone === undefined ? "execute" : "undo"} ${tool}`;
}

function keyOf({ input, undone }: AskedToolCall): string {
  return canonicalJson({ input, undone });
}

/**
 * A value with placeholders for the secrets in its texts. A text that is as recorded stays: it was no secret there, even
 * if it contains one that was given, such as "test".
 */
function hideTexts(value: unknown, recorded: unknown, texts: SecretTexts): unknown {
  if (value === recorded) return value;
  if (!isHolder(value) || !isHolder(recorded)) return texts.hideIn(value);
  if (Array.isArray(value)) return value.map((item, index) => hideTexts(item, at(recorded, [index]), texts));
  const entries = Object.entries(value).map(([key, item]) => {
    const shown = Object.hasOwn(recorded, key) ? key : texts.hide(key);
    return [shown, hideTexts(item, at(recorded, [shown]), texts)] as const;
  });
  return Object.fromEntries(entries);
}

function isHolder(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** The part of a value at a path; undefined if it has none. */
function at(value: unknown, path: Path): unknown {
  let part = value;
  for (const key of path) {
    if (!isHolder(part) || !Object.hasOwn(part, key)) return undefined;
    part = (part as Readonly<Record<string | number, unknown>>)[key];
  }
  return part;
}

/** A recorded call, and the call that was made as it compares with it. */
export interface ComparedCall {
  /** In the list of recorded calls. */
  readonly index: number;
  readonly recorded: RecordedToolCall;
  readonly asked: AskedToolCall;
  readonly isSame: boolean;
  readonly isUsed: boolean;
}

const maxDifferences = 3;

/**
 * Describes a call of a tool that is not recorded: its input, and where it first differs from the most similar of the
 * tool's recorded calls. `shown` is the call without secrets.
 */
export function describeCallMiss(shown: AskedToolCall, compared: readonly ComparedCall[]): string {
  const { tool, input, undone } = shown;
  const of = undone === undefined ? `of ${tool}` : `of ${tool}.undo`;
  const asked = `its input is ${cutJson(input)}`;
  const times = compared.filter(({ isSame }) => isSame).length;
  if (times > 0) return describeTooOften(times, asked);
  const nearest = findNearest(compared, compare);
  if (nearest === undefined) return `${asked}. No call ${of} is recorded`;
  const recorded = compared.length === 1 ? `1 call ${of} is` : `${compared.length} calls ${of} are`;
  const { call, differences } = nearest;
  const more = differences.length > maxDifferences ? `; and ${differences.length - maxDifferences} more` : "";
  const where = differences.slice(0, maxDifferences).join("; ");
  const used = call.isUsed ? " which has been made," : "";
  return `${asked}. ${recorded} recorded; the nearest, calls[${call.index}],${used} differs in ${where}${more}`;
}

function compare({ asked, recorded }: ComparedCall): Likeness {
  return {
    differences: [
      ...findDifferences(asked.input, recorded.input, ["input"]),
      ...findDifferences(asked.undone, recorded.undone, ["output"]),
    ],
    common: commonLength(canonicalJson(asked.input), canonicalJson(recorded.input)),
  };
}

function findDifferences(asked: unknown, recorded: unknown, path: JsonPath): readonly string[] {
  if (asked === undefined && recorded === undefined) return [];
  if (asked === undefined || recorded === undefined)
    return [`${nameOf(path)}, which only ${asked === undefined ? "the recorded call" : "this call"} has`];
  if (isHolder(asked) && isHolder(recorded) && Array.isArray(asked) === Array.isArray(recorded)) {
    const keys = [...new Set([...Object.keys(asked), ...Object.keys(recorded)])];
    return keys.flatMap((key) =>
      findDifferences(own(asked, key), own(recorded, key), [...path, Array.isArray(asked) ? Number(key) : key]),
    );
  }
  if (asked === recorded) return [];
  const isLong = typeof asked === "string" && typeof recorded === "string" && commonLength(asked, recorded) > 20;
  const difference = isLong
    ? ` ${describeTexts(asked, recorded)}`
    : `: ${cutJson(asked)}, recorded ${cutJson(recorded)}`;
  return [`${nameOf(path)}${difference}`];
}

function cutJson(value: unknown): string {
  return cutText(canonicalJson(value), maxQuote);
}

function own(holder: object, key: string): unknown {
  return Object.hasOwn(holder, key) ? (holder as Readonly<Record<string, unknown>>)[key] : undefined;
}

/** A path as it is written in code. */
function nameOf(path: JsonPath): string {
  return path
    .map((key, index) => {
      if (typeof key === "number") return `[${key}]`;
      if (!/^[A-Za-z_]\w*$/.test(key)) return `[${JSON.stringify(key)}]`;
      return index === 0 ? key : `.${key}`;
    })
    .join("");
}
