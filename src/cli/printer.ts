import type { CliOutput } from "./cli-io.ts";
import { type Colors, colorCode, createColors } from "./colors.ts";
import { printable } from "./printable.ts";

const clearLine = "\r\u001b[2K";
const defaultColumns = 80;

/**
 * The only way to write to a stream. A terminal obeys nothing in a line except the colours of this printer: other
 * control characters are shown as escapes.
 */
export class Printer {
  /** For parts of the printed lines. */
  readonly colors: Colors;
  /** How wide a line may be without being wrapped. */
  readonly width: number;
  /** Whether lines can be rewritten. */
  readonly isTerminal: boolean;
  private readonly isColored: boolean;
  private readonly output: CliOutput;

  constructor(output: CliOutput, { isColored = false }: { readonly isColored?: boolean } = {}) {
    this.output = output;
    this.isColored = isColored;
    this.colors = createColors(isColored);
    this.width = (output.columns || defaultColumns) - 1;
    this.isTerminal = output.isTTY === true;
  }

  /** Writes lines, each with a line break. */
  print(lines: readonly string[]): void {
    this.output.write(lines.map((line) => `${this.harmless(line)}\n`).join(""));
  }

  /** Replaces the line at the cursor with a text, or with nothing. Only for a terminal. */
  rewrite(text = ""): void {
    this.output.write(clearLine + this.harmless(text));
  }

  private harmless(text: string): string {
    if (!this.isColored) return printable(text);
    // The odd parts are colour codes.
    const parts = text.split(colorCode);
    return parts.map((part, index) => (index % 2 === 0 ? printable(part) : part)).join("");
  }
}
