import type { CliOutput } from "../../src/cli/printer.ts";

/** A code that it obeys: to the start of the line, a line break, up, erase the rest of the line or of the screen, a colour. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a terminal obeys
const codes = /(\r|\n|\u001b\[\d*A|\u001b\[K|\u001b\[J|\u001b\[\d+m)/;

/**
 * A terminal that does what the command may ask of one, wraps long lines, and wraps them again when it is resized.
 * Throws for any other control character.
 */
export class FakeTerminal implements CliOutput {
  readonly isTTY = true;
  columns: number;
  rows: number;
  /** What was written, call by call. */
  readonly writes: string[] = [];
  /** Wrapped, without the columns to the right of the last character; those at the top have scrolled out of sight. */
  private lines: { text: string; isWrapped: boolean }[] = [{ text: "", isWrapped: false }];
  private row = 0;
  private column = 0;

  constructor({ columns = 60, rows = 20 }: { columns?: number; rows?: number } = {}) {
    this.columns = columns;
    this.rows = rows;
  }

  write(text: string): boolean {
    this.writes.push(text);
    for (const part of text.split(codes)) this.obey(part);
    return true;
  }

  /** All lines from the first to the cursor, as a person sees them who scrolls up. */
  get screen(): readonly string[] {
    return this.lines.map(({ text }) => text.trimEnd());
  }

  /** Makes it wider or narrower, as most terminals are: what was wrapped is wrapped again. */
  resize(columns: number): void {
    const logical: string[] = [];
    for (const { text, isWrapped } of this.lines) {
      if (isWrapped) logical.push((logical.pop() ?? "") + text);
      else logical.push(text);
    }
    this.columns = columns;
    this.lines = logical.flatMap((text) => this.wrap(text));
    this.row = this.lines.length - 1;
    this.column = this.lines.at(-1)?.text.length ?? 0;
  }

  private wrap(text: string) {
    const pieces = [];
    for (let start = 0; start === 0 || start < text.length; start += this.columns) {
      pieces.push({ text: text.slice(start, start + this.columns), isWrapped: start > 0 });
    }
    return pieces;
  }

  private obey(part: string): void {
    if (part === "\r") this.column = 0;
    else if (part === "\n") this.breakLine(false);
    else if (part.endsWith("A") && part.startsWith("\u001b")) this.goUp(Number(part.slice(2, -1)));
    else if (part === "\u001b[K") this.eraseLineEnd();
    else if (part === "\u001b[J") {
      this.eraseLineEnd();
      this.lines.length = this.row + 1;
    } else if (!part.startsWith("\u001b[")) this.put(part);
  }

  /** What has scrolled out of sight cannot be reached. */
  private goUp(count: number): void {
    this.row = Math.max(this.row - count, this.lines.length - this.rows, 0);
  }

  private eraseLineEnd(): void {
    const line = this.lines[this.row];
    if (line !== undefined) line.text = line.text.slice(0, Math.min(this.column, this.columns - 1));
    // What is below does not continue it any more.
    const next = this.lines[this.row + 1];
    if (next !== undefined) next.isWrapped = false;
  }

  private breakLine(isWrapped: boolean): void {
    this.row++;
    this.column = 0;
    this.lines[this.row] ??= { text: "", isWrapped };
  }

  private put(text: string): void {
    if (/\p{Control}/u.test(text)) throw new Error(`A terminal would obey ${JSON.stringify(text)}.`);
    for (const character of text) {
      if (this.column >= this.columns) this.breakLine(true);
      const line = this.lines[this.row];
      if (line === undefined) continue;
      line.text = line.text.padEnd(this.column).slice(0, this.column) + character + line.text.slice(this.column + 1);
      this.column++;
    }
  }
}
