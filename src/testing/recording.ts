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

/**
 * Replaces the file of a recording, at once, so that it is always whole. Synchronous, so that a recorded run cannot end
 * before it. Throws an error that names the file.
 */
export function writeRecording(path: string, recording: object): void {
  const { mkdirSync, renameSync, rmSync, writeFileSync } = nodeFs();
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    mkdirSync(process.getBuiltinModule("node:path").dirname(path), { recursive: true });
    writeFileSync(temporary, `${JSON.stringify(recording, undefined, 2)}\n`);
    renameSync(temporary, path);
  } catch (thrown) {
    try {
      rmSync(temporary, { force: true });
    } catch {
      // Then it was never there, as its folder is none.
    }
    throw new Error(`The recording "${path}" cannot be written (${describeThrown(thrown)}).`, { cause: thrown });
  }
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

export function quote(text: string): string {
  return JSON.stringify(cutText(text, maxQuote));
}
