import { countPending } from "../async/pending-work.ts";
import { describeThrown } from "../core/text.ts";
import { parseRecording, printRecording, type Recording } from "./recording.ts";

/**
 * Node's own modules, loaded when they are needed: importing them, even dynamically, would be a problem for bundlers
 * when the rest of this entry is used outside Node.
 */
function nodeFs(): typeof import("node:fs") {
  return process.getBuiltinModule("node:fs");
}

function nodePath(): typeof import("node:path") {
  return process.getBuiltinModule("node:path");
}

/** Reads a recording. Throws an error that names the file and explains how to record it again. */
export function readRecording(path: string): Recording {
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
    return parseRecording(text);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : "";
    throw new Error(`The recording "${path}" cannot be read: ${reason}. ${howToRecord(path)}`, { cause: thrown });
  }
}

/** How to make a recording, or make it again, for error messages. */
export function howToRecord(path: string): string {
  return `To record it again, run once with createRecordedModel({ mode: "record", model, path: ${JSON.stringify(path)} }).`;
}

/** Writes a recording repeatedly, each time as a whole, one write after the other. */
export class RecordingWriter {
  private last: Promise<void> = Promise.resolve();
  private writes = 0;

  constructor(private readonly path: string) {}

  /** Writes the current recording when its turn comes. Rejects with an error that names the file. */
  write(current: () => Recording): Promise<void> {
    // A failed write rejects for its caller; the next one may succeed.
    const written = countPending(this.last.catch(() => {}).then(() => this.replace(printRecording(current()))));
    this.last = written;
    return written;
  }

  /** Replaces the file with a temporary one: a reader, even after a crash, gets the old file or the new one. */
  private async replace(text: string): Promise<void> {
    const { path } = this;
    const { mkdir, rename, rm, writeFile } = nodeFs().promises;
    const temporary = `${path}.${process.pid}-${++this.writes}.tmp`;
    try {
      await mkdir(nodePath().dirname(path), { recursive: true });
      await writeFile(temporary, text);
      await rename(temporary, path);
    } catch (thrown) {
      await rm(temporary, { force: true }).catch(() => {});
      throw new Error(`The recording "${path}" cannot be written (${describeThrown(thrown)}).`, { cause: thrown });
    }
  }
}
