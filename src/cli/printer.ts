import type { CliOutput } from "./cli-io.ts";
import { type Colors, colorCode, createColors } from "./colors.ts";
import { printable } from "./printable.ts";

const clearLine = "\r\u001b[2K";
const defaultColumns = 80;

/**
 * The only way to a stream. Whatever stands in a line, a terminal obeys nothing of it but the colours that this printer
 * gives out: all else that it would obey is shown.
 */
export class Printer {
  /** For parts of the lines that are printed here. */
  readonly colors: Colors;
  /** How wide a line may be without being wrapped. */
  readonly width: number;
  /** Whether a person sees lines being rewritten. */
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

  /** Writes lines, each with its end. */
  print(lines: readonly string[]): void {
    this.output.write(lines.map((line) => `${this.harmless(line)}\n`).join(""));
  }

  /** Puts a text, or nothing, in the place of the line that the cursor stands in. Only for a terminal. */
  rewrite(text = ""): void {
    this.output.write(clearLine + this.harmless(text));
  }

  private harmless(text: string): string {
    if (!this.isColored) return printable(text);
    // The odd parts are the codes of colours.
    const parts = text.split(colorCode);
    return parts.map((part, index) => (index % 2 === 0 ? printable(part) : part)).join("");
  }
}
