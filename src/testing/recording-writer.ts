import type { Stats } from "node:fs";
import { describeThrown } from "../core/text.ts";
import { nodeFs, nodePath } from "./recording-file.ts";

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
  /** Where in the file the calls up to each one end, in bytes. */
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

  /** Sets what is recorded of a call, or changes it; undefined for nothing. */
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

  /** The text of the file after the calls before this one, whose ends it notes. */
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

  /** Writes the end of the file in place. Returns false if that cannot be done, or someone else has changed the file. */
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

  /** Replaces the file with a temporary one, whatever stands there. */
  private replace(text: string): void {
    const { path } = this;
    const { mkdirSync, renameSync, rmSync, statSync, writeFileSync } = nodeFs();
    const temporary = `${path}.${process.pid}-${++this.replacements}.tmp`;
    this.left = undefined;
    try {
      mkdirSync(nodePath().dirname(path), { recursive: true });
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

/** Whether a file is the one that was left, unchanged. */
function isSame(file: Stats, { ino, size, mtimeMs }: Stats): boolean {
  return file.ino === ino && file.size === size && file.mtimeMs === mtimeMs;
}
