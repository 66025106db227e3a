import { describeThrown } from "../core/describe-thrown.ts";
import { countOutside } from "../core/outside-work.ts";
import { parseRecording, printRecording, type Recording } from "./recording.ts";

/**
 * Node's own modules, asked for when they are needed: an import of them, even a late one, would be in the way of bundlers
 * for all who use the rest of this entry elsewhere.
 */
function nodeFs(): typeof import("node:fs") {
  return process.getBuiltinModule("node:fs");
}

function nodePath(): typeof import("node:path") {
  return process.getBuiltinModule("node:path");
}

/** Reads a recording. Throws an error that names the file and says how to get one that can be read. */
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

/** How to make a recording, or make it again, for messages of errors. */
export function howToRecord(path: string): string {
  return `To record it again, run once with createRecordedModel({ mode: "record", model, path: ${JSON.stringify(path)} }).`;
}

/** Writes a recording as often as it is told, each time whole and one after the other. */
export class RecordingWriter {
  private last: Promise<void> = Promise.resolve();
  private writes = 0;

  constructor(private readonly path: string) {}

  /** Writes what there is when its turn comes. Rejects with an error that names the file. */
  write(current: () => Recording): Promise<void> {
    // A write that failed is told to whoever asked for it; the next may work.
    const written = countOutside(this.last.catch(() => {}).then(() => this.replace(printRecording(current()))));
    this.last = written;
    return written;
  }

  /** A file beside it takes its place: whoever reads it meanwhile, or after a crash, has the old one or the new one. */
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
