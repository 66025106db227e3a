import type { Stats } from "node:fs";
import type * as z from "zod/v4";
import { cutText, describeThrown } from "../core/text.ts";

/**
 * Node's own modules, loaded when they are needed: importing them, even dynamically, would be a problem for bundlers
 * when the rest of this entry is used outside Node.
 */
function nodeFs(): typeof import("node:fs") {
  return process.getBuiltinModule("node:fs");
}

/** A kind of recording: its text, and the advice for errors. */
export interface RecordingKind<T> {
  /** Throws an error that states what is wrong with the text, without naming a file. */
  parse(text: string): T;
  /** Says how to make a recording, or make it again. */
  howToRecord(path: string): string;
}

/** Reads a recording. Throws an error that names the file and explains how to record it again. */
export function readRecording<T>(path: string, { parse, howToRecord }: RecordingKind<T>): T {
  let text: string;
  try {
    text = nodeFs().readFileSync(path, "utf8");
  } catch (thrown) {
    const isMissing = thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT";
    const what = isMissing
      ? `There is no recording "${path}"`
      : `The recording "${path}" cannot be read (${describeThrown(thrown)})`;
    throw new Error(`${what}. ${howToRecord(path)}`, { cause: thrown });
  }
  try {
    return parse(text);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : "";
    throw new Error(`The recording "${path}" cannot be read: ${reason}. ${howToRecord(path)}`, { cause: thrown });
  }
}

/** Parses a text as JSON. Throws an error that states what is wrong with it, without naming a file. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new Error(`it is not JSON: ${thrown instanceof Error ? thrown.message : ""}`);
  }
}

/** Parses the JSON of a recording of this version. Throws as {@link parseJson} does. */
export function parseRecordingJson<TSchema extends z.ZodType>(
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

interface PrintedCall {
  readonly text: string;
  readonly bytes: number;
}

/**
 * Writes a recording: some members, and the calls, in the order in which they were made, whichever ends first, so that
 * the file is the same each time.
 *
 * A call is printed once, and a write starts at the first call that has changed: many calls take as long each as a few.
 * Writing is synchronous, so that a recorded run cannot end before it. If the process is killed within a write, the file
 * may be cut off: then it is not JSON, and must be recorded again.
 */
export class RecordingWriter {
  private readonly calls: (PrintedCall | undefined)[] = [];
  /** The end in the file of the calls up to each one, in bytes. */
  private readonly ends: number[] = [];
  /** The first call that the file does not have as it is here. */
  private changed = 0;
  private head: PrintedCall | undefined;
  /** The file as it was left. */
  private left: Stats | undefined;
  private replacements = 0;

  /** `printHead` returns the members that come before the calls; it is called at the first write. */
  constructor(
    private readonly path: string,
    private readonly printHead: () => object,
  ) {}

  /** Returns the place of a call that is being made. */
  reserve(): number {
    return this.calls.push(undefined) - 1;
  }

  /** Sets, replaces or (undefined) deletes the entry of a call. */
  set(place: number, call: object | undefined): void {
    this.calls[place] = call && toPrinted(`    ${JSON.stringify(call, undefined, 2).replaceAll("\n", "\n    ")}`);
    this.changed = Math.min(this.changed, place);
  }

  /** Writes what has been set. Throws an error that names the file; the next write may succeed. */
  write(): void {
    this.head ??= toPrinted(`${JSON.stringify(this.printHead(), undefined, 2).slice(0, -2)},\n  "calls": [`);
    const position = this.ends[this.changed - 1] ?? 0;
    if (position <= this.head.bytes || !this.overwrite(position, this.textFrom(this.changed))) {
      this.replace(this.head.text + this.textFrom(0));
    }
    this.changed = this.calls.length;
  }

  /** Returns the text of the file after the calls before this one. Notes where calls end. */
  private textFrom(first: number): string {
    const start = this.head?.bytes ?? 0;
    let end = this.ends[first - 1] ?? start;
    const texts: string[] = [];
    for (let place = first; place < this.calls.length; place++) {
      const call = this.calls[place];
      if (call !== undefined) {
        const separator = end === start ? "\n" : ",\n";
        texts.push(separator, call.text);
        end += separator.length + call.bytes;
      }
      this.ends[place] = end;
    }
    return `${texts.join("")}${end === start ? "" : "\n  "}]\n}\n`;
  }

  /** Writes the end of the file in place. Returns false if that cannot be done, or another program has changed the file. */
  private overwrite(position: number, text: string): boolean {
    const { path, left } = this;
    const bytes = Buffer.from(text);
    if (left === undefined || position + bytes.length < left.size) return false;
    this.left = undefined;
    const { closeSync, fstatSync, openSync, writeSync } = nodeFs();
    try {
      const file = openSync(path, "r+");
      try {
        if (!isSame(fstatSync(file), left)) return false;
        for (let done = 0; done < bytes.length; )
          done += writeSync(file, bytes, done, bytes.length - done, position + done);
        this.left = fstatSync(file);
        return true;
      } finally {
        closeSync(file);
      }
    } catch {
      return false;
    }
  }

  /** Replaces the file with a temporary one. */
  private replace(text: string): void {
    const { path } = this;
    const { mkdirSync, renameSync, rmSync, statSync, writeFileSync } = nodeFs();
    const temporary = `${path}.${process.pid}-${++this.replacements}.tmp`;
    this.left = undefined;
    try {
      mkdirSync(process.getBuiltinModule("node:path").dirname(path), { recursive: true });
      writeFileSync(temporary, text);
      renameSync(temporary, path);
      this.left = statSync(path);
    } catch (thrown) {
      try {
        rmSync(temporary, { force: true });
      } catch {
        // Then it was never there, as its folder is none.
      }
      throw new Error(`The recording "${path}" cannot be written (${describeThrown(thrown)}).`, { cause: thrown });
    }
  }
}

function toPrinted(text: string): PrintedCall {
  return { text, bytes: Buffer.byteLength(text) };
}

/** True if a file is the one that was left, unchanged. */
function isSame(file: Stats, { ino, size, mtimeMs }: Stats): boolean {
  return file.ino === ino && file.size === size && file.mtimeMs === mtimeMs;
}

/** The misses of a replay: calls that its recording had no answer to. */
export class Misses {
  private readonly reasons: string[] = [];

  constructor(
    private readonly path: string,
    private readonly howToRecord: RecordingKind<unknown>["howToRecord"],
  ) {}

  /** Adds a miss. Returns the error to throw: `what` was asked of the recording, and `why` it has no answer. */
  add(what: string, why: string): Error {
    this.reasons.push(why);
    const { path, howToRecord } = this;
    return new Error(`The recording "${path}" has no answer ${what}: ${why}. ${howToRecord(path)}`);
  }

  /** Throws if there was a miss, or if a recorded call was not made, which the message calls `unmade`. */
  assertNone({ unused, count, unmade }: { unused: readonly number[]; count: number; unmade: string }): void {
    const { path, reasons, howToRecord } = this;
    if (reasons.length > 0) {
      const calls = reasons.length === 1 ? "1 call" : `${reasons.length} calls`;
      throw new Error(`The recording "${path}" had no answer to ${calls}; to the first, ${reasons[0]}.`);
    }
    if (unused.length === 0) return;
    const which = unused.map((index) => `calls[${index}]`).join(", ");
    throw new Error(`The recording "${path}" has ${count} calls; ${unmade}: ${which}. ${howToRecord(path)}`);
  }
}

/** The longest quote of a text. */
export const maxQuote = 81;

/** A recorded call, compared with one that was made. */
export interface Likeness {
  /** Their differences, in words. */
  readonly differences: readonly string[];
  /** The length of what they have in common at their start. */
  readonly common: number;
}

/** The call with the fewest differences; among equals, the one with the longest common start. */
export function findNearest<T>(
  calls: readonly T[],
  compare: (call: T) => Likeness,
): (Likeness & { readonly call: T; readonly index: number }) | undefined {
  let nearest: (Likeness & { readonly call: T; readonly index: number }) | undefined;
  for (const [index, call] of calls.entries()) {
    const { differences, common } = compare(call);
    const fewer = (nearest?.differences.length ?? Number.POSITIVE_INFINITY) - differences.length;
    if (fewer > 0 || (fewer === 0 && common > (nearest?.common ?? 0))) nearest = { call, index, differences, common };
  }
  return nearest;
}

/** Describes a call that was made more often than it is recorded. */
export function describeTooOften(times: number, call: string): string {
  return `it is recorded ${times === 1 ? "once" : `${times} times`}, but was made more often (${call})`;
}

/** The position where two texts start to differ, with a little of each around it. */
export function describeTexts(asked: string, recorded: string): string {
  const at = commonLength(asked, recorded);
  const from = Math.max(0, at - 20);
  return `from character ${at}: ${quote(asked.slice(from))}, recorded ${quote(recorded.slice(from))}`;
}

/** The number of UTF-16 code units that two texts have in common at their start. */
export function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

/** Quotes a text as JSON, cut to {@link maxQuote} characters. */
export function quote(text: string): string {
  return JSON.stringify(cutText(text, maxQuote));
}
