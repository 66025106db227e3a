import type * as z from "zod/v4";
import { canonicalJson, hiddenText } from "../core/json.ts";
import { cutText, describeThrown } from "../core/text.ts";

/**
 * Node's own modules, loaded when they are needed: importing them, even dynamically, would be a problem for bundlers
 * when the rest of this entry is used outside Node.
 */
function nodeFs(): typeof import("node:fs") {
  return process.getBuiltinModule("node:fs");
}

/**
 * Writes a recording: its head, then the calls in the order in which they were made. The order in which they end does not
 * matter, so the file is the same each time.
 *
 * Writing is synchronous: a recorded run cannot end before it. If the process is killed during a write, the file may be
 * cut off. It is then not valid JSON, and must be recorded again.
 */
export class RecordingWriter {
  /** The text of each call; undefined while it is being made, and if it was deleted. */
  private readonly texts: (string | undefined)[] = [];
  private isWritten = true;
  private head: string | undefined;

  /** `printHead` returns the members that come before the calls; it is called at the first write. */
  constructor(
    private readonly path: string,
    private readonly printHead: () => object,
  ) {}

  /** Reserves and returns the place of a call that is being made. */
  reserve(): number {
    return this.texts.push(undefined) - 1;
  }

  /** Sets, replaces or (undefined) deletes the entry of a call. */
  set(place: number, call: object | undefined): void {
    const text = call && `    ${JSON.stringify(call, undefined, 2).replaceAll("\n", "\n    ")}`;
    this.isWritten &&= text === this.texts[place];
    this.texts[place] = text;
  }

  /** Writes what has been set. Throws an error that names the file; the next write may succeed. */
  write(): void {
    if (this.isWritten) return;
    this.head ??= JSON.stringify(this.printHead(), undefined, 2).slice(0, -2);
    const calls = this.texts.filter((text) => text !== undefined);
    const list = calls.length === 0 ? "[]" : `[\n${calls.join(",\n")}\n  ]`;
    const { path } = this;
    const { mkdirSync, writeFileSync } = nodeFs();
    try {
      mkdirSync(process.getBuiltinModule("node:path").dirname(path), { recursive: true });
      writeFileSync(path, `${this.head},\n  "calls": ${list}\n}\n`);
    } catch (thrown) {
      throw new Error(`The recording "${path}" cannot be written (${describeThrown(thrown)}).`, { cause: thrown });
    }
    this.isWritten = true;
  }
}

/** A kind of recording. */
export interface RecordingKind<T> {
  /** Returns the recording. Throws an error that states what is wrong with its JSON, without naming the file. */
  parse(json: unknown): T;
  /** Says how to make a recording, or make it again. */
  howToRecord(path: string): string;
}

/** Reads a recording. Throws an error that names the file and explains how to record it again. */
export function readRecording<T>(path: string, { parse, howToRecord }: RecordingKind<T>): T {
  try {
    return parse(parseJson(nodeFs().readFileSync(path, "utf8")));
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    const reason = code === undefined ? `: ${message}` : ` (${describeThrown(thrown)})`;
    const what =
      code === "ENOENT" ? `There is no recording "${path}"` : `The recording "${path}" cannot be read${reason}`;
    throw new Error(`${what}. ${howToRecord(path)}`, { cause: thrown });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new Error(`it is not JSON: ${(thrown as Error).message}`);
  }
}

/** Parses the JSON of a recording of this version. Throws as {@link RecordingKind.parse} does. */
export function parseVersion<TSchema extends z.ZodType>(
  json: unknown,
  { version, schema }: { version: number; schema: TSchema },
): z.output<TSchema> {
  const written = (json as { readonly version?: unknown } | null)?.version;
  if (typeof written === "number" && written !== version) {
    const age = written > version ? "a newer" : "an older";
    throw new Error(`it has version ${written}, but this package reads ${version}: ${age} one wrote it`);
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [first, ...more] = parsed.error.issues;
  const place = first?.path.length ? `${first.path.join(".")}: ` : "";
  throw new Error(`${place}${first?.message}${more.length > 0 ? `, and ${more.length} more` : ""}`);
}

/** The parts of two calls that are compared: the calls are the same if these do not differ. */
export interface Comparison {
  readonly asked: object;
  readonly recorded: object;
}

/** A call that no recorded one answers, in words. */
interface Miss {
  /** The subject of the call, such as `Weather.undo`. */
  readonly from: string;
  /** The call, such as `its input is {}`. */
  readonly asked: string;
  /** Follows the number of compared calls in the message, such as ` of Weather.undo`. */
  readonly of?: string;
}

const maxDifferences = 3;

/**
 * True if two calls may be the same: they do not differ where nothing was recorded that stands for another value. Takes
 * much less time than comparing them.
 */
export function mayBeSame(asked: unknown, recorded: unknown): boolean {
  if (asked === recorded || hasPlaceholder(recorded)) return true;
  if (!isHolder(asked) || !isHolder(recorded) || Array.isArray(asked) !== Array.isArray(recorded)) return false;
  const keys = [...Object.keys(recorded), ...Object.keys(asked)] as (keyof object)[];
  return keys.every((key) => mayBeSame(asked[key], recorded[key]));
}

/** True for a text that may stand for another value, and for an object with a key that may. */
function hasPlaceholder(value: unknown): boolean {
  if (typeof value === "string") return value.includes("[secret") || value.includes(hiddenText);
  return isHolder(value) && !Array.isArray(value) && Object.keys(value).some(hasPlaceholder);
}

/** The calls of a recording, each of which answers one call. */
export class Replay<TCall extends object> {
  /** The places of those that have answered none yet. */
  private readonly open = new Set<number>();
  private readonly misses: string[] = [];

  /**
   * `identityOf` returns the part of a call that is compared. `unmade` describes calls that were not made. Calls for which
   * `isAnswer` is true need not be made.
   */
  constructor(
    private readonly path: string,
    private readonly calls: readonly TCall[],
    private readonly kind: {
      readonly howToRecord: RecordingKind<unknown>["howToRecord"];
      readonly identityOf: (call: TCall) => object;
      readonly unmade: string;
      readonly isAnswer?: (call: TCall) => boolean;
    },
  ) {
    for (const [place, call] of calls.entries()) if (!kind.isAnswer?.(call)) this.open.add(place);
  }

  /** Uses up the first recorded call that is the same. */
  take(identity: object, compare: (call: TCall) => Comparison): TCall | undefined {
    for (const place of this.open) {
      const call = this.calls[place] as TCall;
      if (!mayBeSame(identity, this.kind.identityOf(call)) || !isSame(compare(call))) continue;
      this.open.delete(place);
      return call;
    }
    return undefined;
  }

  /** Returns the error for a call that no recorded one answers, with its differences from the most similar one. */
  miss({ from, asked, of = "" }: Miss, compare: (call: TCall) => Comparison | undefined): Error {
    const compared = [...this.calls.entries()].flatMap(([index, call]) => {
      const comparison = compare(call);
      return comparison === undefined ? [] : [{ index, ...comparison, ...likenessOf(comparison) }];
    });
    const times = compared.filter(({ differences }) => differences.length === 0).length;
    const [nearest] = compared.toSorted(
      (one, other) => one.differences.length - other.differences.length || other.common - one.common,
    );
    const fail = (why: string) => this.fail(`from ${from} for this call`, why);
    if (nearest === undefined) return fail(`${asked}. ${of === "" ? "Nothing" : `No call${of}`} is recorded`);
    if (times > 0)
      return fail(`it is recorded ${times === 1 ? "once" : `${times} times`}, but was made more often (${asked})`);
    const { index, differences } = nearest;
    const count = compared.length === 1 ? `1 call${of} is` : `${compared.length} calls${of} are`;
    const used = this.open.has(index) ? "" : " which has been made,";
    const more = differences.length > maxDifferences ? `; and ${differences.length - maxDifferences} more` : "";
    const where = differences.slice(0, maxDifferences).join("; ");
    return fail(`${asked}. ${count} recorded; the nearest, calls[${index}],${used} differs in ${where}${more}`);
  }

  /** Returns the error that names what has no answer, and says why. */
  fail(what: string, why: string): Error {
    this.misses.push(why);
    const { path, kind } = this;
    return new Error(`The recording "${path}" has no answer ${what}: ${why}. ${kind.howToRecord(path)}`);
  }

  /** Throws unless exactly the recorded calls were made. */
  assertComplete(): void {
    const { path, calls, misses, open, kind } = this;
    if (misses.length > 0) {
      const count = misses.length === 1 ? "1 call" : `${misses.length} calls`;
      throw new Error(`The recording "${path}" had no answer to ${count}; to the first, ${misses[0]}.`);
    }
    if (open.size === 0) return;
    const which = [...open].map((index) => `calls[${index}]`).join(", ");
    throw new Error(
      `The recording "${path}" has ${calls.length} calls; ${kind.unmade}: ${which}. ${kind.howToRecord(path)}`,
    );
  }
}

/** True if nothing differs. */
export function isSame({ asked, recorded }: Comparison): boolean {
  return findDifferences(asked, recorded).next().done === true;
}

function likenessOf({ asked, recorded }: Comparison) {
  return {
    differences: [...findDifferences(asked, recorded)],
    common: commonLength(canonicalJson(asked), canonicalJson(recorded)),
  };
}

/** Describes each difference. */
function* findDifferences(asked: unknown, recorded: unknown, path = ""): Generator<string> {
  if (asked === recorded) return;
  if (isHolder(asked) && isHolder(recorded) && Array.isArray(asked) === Array.isArray(recorded)) {
    const [one, other] = [new Map(Object.entries(asked)), new Map(Object.entries(recorded))];
    for (const key of new Set([...one.keys(), ...other.keys()])) {
      const name = path === "" ? key : `${path}.${key}`;
      yield* findDifferences(one.get(key), other.get(key), Array.isArray(asked) ? `${path}[${key}]` : name);
    }
  } else if (path.endsWith("]") && (asked === undefined || recorded === undefined)) {
    yield `${path}, which only ${asked === undefined ? "the recorded call" : "this call"} has`;
  } else if (isLongText(asked) && isLongText(recorded)) {
    const at = commonLength(asked, recorded);
    const from = Math.max(0, at - 20);
    yield `${path} from character ${at}: ${quote(asked.slice(from))}, recorded ${quote(recorded.slice(from))}`;
  } else yield `${path}: ${cutJson(asked)}, recorded ${cutJson(recorded)}`;
}

/** True for lists and objects. */
export function isHolder(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isLongText(value: unknown): value is string {
  return typeof value === "string" && value.length > 12;
}

/** The number of UTF-16 code units that two texts have in common at their start. */
function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

const maxQuote = 81;

/** Quotes a text as JSON, with its first characters. */
export function quote(text: string): string {
  return JSON.stringify(cutText(text, maxQuote));
}

/** A value as JSON, with its first characters. */
export function cutJson(value: unknown): string {
  return value === undefined ? "undefined" : cutText(canonicalJson(value), maxQuote);
}
