import type * as z from "zod/v4";
import { describeThrown } from "../core/text.ts";

/**
 * Node's own modules, loaded when they are needed: importing them, even dynamically, would be a problem for bundlers
 * when the rest of this entry is used outside Node.
 */
export function nodeFs(): typeof import("node:fs") {
  return process.getBuiltinModule("node:fs");
}

export function nodePath(): typeof import("node:path") {
  return process.getBuiltinModule("node:path");
}

/** How a kind of recording is read, and how it is made. */
export interface RecordingKind<T> {
  /** Throws an error that states what is wrong with the text, without naming a file. */
  parse(text: string): T;
  /** How to make a recording, or make it again, for error messages. */
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

/**
 * Parses the JSON of a recording of this version. Throws an error that states what is wrong with it, without naming a
 * file.
 */
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
  if (!parsed.success) throw new Error(describeIssues(parsed.error.issues));
  return parsed.data;
}

/** A text as JSON. Throws an error that states what is wrong with it, without naming a file. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new Error(`it is not JSON: ${thrown instanceof Error ? thrown.message : ""}`);
  }
}

function describeIssues([first, ...more]: readonly z.core.$ZodIssue[]): string {
  const place = first?.path.length ? `${first.path.join(".")}: ` : "";
  return `${place}${first?.message}${more.length > 0 ? `, and ${more.length} more` : ""}`;
}
