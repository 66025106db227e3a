import * as util from "node:util";
import { printable } from "../core/text.ts";

/** A stream that receives text. */
export interface CliOutput {
  write(text: string): unknown;
  /** True if it is a terminal. */
  readonly isTTY?: boolean;
  /** The size of a terminal, which may change at any time. */
  readonly columns?: number;
  readonly rows?: number;
  /** True if what was written is still in memory, as its reader is slow, until the stream emits `drain`. */
  readonly writableNeedDrain?: boolean;
  on?(event: "drain" | "error" | "close", listener: () => void): unknown;
  off?(event: "drain" | "error" | "close", listener: () => void): unknown;
}

const defaultSize = { columns: 80, rows: 24 };
const eraseLineEnd = "\u001b[K";
const eraseBelow = "\u001b[J";

/** Options of a {@link Printer}. */
interface PrinterOptions {
  readonly isColored?: boolean;
  /** True if lines can be drawn again, if the stream is a terminal. @default true */
  readonly canDraw?: boolean;
  /** A printer whose drawn lines are removed before a line is printed, as both may write to the same terminal. */
  readonly beside?: Printer;
}

/**
 * The only way to write to a stream. A terminal obeys nothing in a line except the colours of this printer: other
 * control characters are shown as escapes.
 */
export class Printer {
  /** For parts of the printed lines. */
  readonly colors: Colors;
  /** True if lines can be drawn again. */
  readonly isTerminal: boolean;
  private readonly isColored: boolean;
  private readonly beside: Printer | undefined;
  private readonly output: CliOutput;
  /** The lines that were drawn last. The cursor is at the end of the last one. */
  private drawn: readonly string[] = [];

  constructor(output: CliOutput, { isColored = false, canDraw = true, beside }: PrinterOptions = {}) {
    this.output = output;
    this.isColored = isColored;
    this.beside = beside;
    this.colors = createColors(isColored);
    this.isTerminal = canDraw && output.isTTY === true;
  }

  /** True if lines are drawn below those that were printed. */
  get hasDrawn(): boolean {
    return this.drawn.length > 0;
  }

  /** Writes lines, each with a line break, and draws others below them in place of those drawn before. */
  print(lines: readonly string[], below: readonly string[] = []): void {
    this.beside?.draw([]);
    const erased = this.drawn.length === 0 ? "" : this.goToFirst() + eraseBelow;
    this.drawn = this.fit(below);
    this.output.write(erased + lines.map((line) => `${this.harmless(line)}\n`).join("") + this.drawn.join("\n"));
  }

  /**
   * Draws lines, without colours, in place of those drawn before. Each is cut to the width of the terminal, and those
   * that are too many for it are only counted. Only for a terminal.
   */
  draw(lines: readonly string[]): void {
    if (lines.length === 0 && this.drawn.length === 0) return;
    const start = this.goToFirst();
    this.drawn = this.fit(lines);
    // A line is not erased before it is written, which would make it flicker.
    const text = this.drawn.map((line) => line + eraseLineEnd).join("\n");
    this.output.write(start + text + eraseBelow);
  }

  /** Waits until a stream that is slower than what is written to it has caught up, or is broken. */
  async flush(): Promise<void> {
    const { output } = this;
    if (output.writableNeedDrain !== true) return;
    const ends = ["drain", "error", "close"] as const;
    await new Promise<void>((resolve) => {
      const stop = () => {
        for (const end of ends) output.off?.(end, stop);
        resolve();
      };
      for (const end of ends) output.on?.(end, stop);
    });
  }

  /** Moves the cursor to the first of the drawn lines. */
  private goToFirst(): string {
    const columns = this.output.columns || defaultSize.columns;
    // If the terminal has become narrower, it has wrapped them.
    const height = this.drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(getColumns(line) / columns)), 0);
    return height > 1 ? `\r\u001b[${height - 1}A` : "\r";
  }

  /** Lines that fit the terminal as it is now: a line that is wrapped, or scrolled away, cannot be drawn again. */
  private fit(lines: readonly string[]): readonly string[] {
    const width = (this.output.columns || defaultSize.columns) - 1;
    const height = Math.max(1, (this.output.rows || defaultSize.rows) - 1);
    const shown = lines.length > height ? lines.slice(0, height - 1) : lines;
    const rest = lines.length - shown.length;
    const all = rest === 0 ? shown : [...shown, `  … and ${rest} more`];
    return all.map((line) => cutToColumns(printable(line), width));
  }

  private harmless(text: string): string {
    if (!this.isColored) return printable(text);
    // The odd parts are colour codes.
    const parts = text.split(colorCode);
    return parts.map((part, index) => (index % 2 === 0 ? printable(part) : part)).join("");
  }
}

const names = ["bold", "dim", "red", "green", "yellow"] as const;

/** Functions that colour text, or leave it unchanged. */
export type Colors = Readonly<Record<(typeof names)[number], (text: string) => string>>;

/** The codes of these colours, as the only group of a pattern to split by. */
const colorCode = new RegExp(`(${"\u001b"}\\[(?:1|2|22|31|32|33|39)m)`);

/** Colours that are on or off. Whether they should be is known here, so Node is not asked again. */
export function createColors(isOn: boolean): Colors {
  const entries = names.map((name) => {
    const paint = (text: string) => (isOn ? util.styleText(name, text, { validateStream: false }) : text);
    return [name, paint] as const;
  });
  return Object.fromEntries(entries) as Colors;
}

/** Letters of most alphabets, punctuation, arrows, and what bars and spinners are made of. */
const narrow = /^[\0-\u10ff\u2010-\u2027\u2190-\u21ff\u2500-\u259f\u2800-\u28ff]$/;

/** Counts the columns of a terminal that a character needs at most: what may be wide counts as wide. */
function getCharacterColumns(character: string): number {
  return narrow.test(character) ? 1 : 2;
}

/** Counts the columns of a terminal that a text needs at most, so that a line of no more columns is never wrapped. */
export function getColumns(text: string): number {
  let columns = 0;
  for (const character of text) columns += getCharacterColumns(character);
  return columns;
}

/** The text in at most `columns` columns, with `…` for the rest. */
export function cutToColumns(text: string, columns: number): string {
  let [used, length, kept] = [0, 0, 0];
  for (const character of text) {
    used += getCharacterColumns(character);
    if (used > columns) return columns < 1 ? "" : `${text.slice(0, kept)}…`;
    length += character.length;
    if (used < columns) kept = length;
  }
  return text;
}

/** The text with spaces up to a number of columns. */
export function padToColumns(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - getColumns(text)));
}
