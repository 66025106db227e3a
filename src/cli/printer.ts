import * as util from "node:util";
import { printable } from "../core/text.ts";

export interface CliOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** Writes control characters as escapes, because a terminal would interpret them. */
export class Printer {
  readonly colors: Colors;

  constructor(
    private readonly output: CliOutput,
    private readonly isColored = false,
  ) {
    this.colors = createColors(isColored);
  }

  print(lines: readonly string[]): void {
    if (lines.length > 0) this.output.write(lines.map((line) => `${this.#harmless(line)}\n`).join(""));
  }

  #harmless(text: string): string {
    if (!this.isColored) return printable(text);
    // The odd parts are colour codes.
    const parts = text.split(colorCode);
    return parts.map((part, index) => (index % 2 === 0 ? printable(part) : part)).join("");
  }
}

export const flush = (output: NodeJS.WritableStream) => new Promise((resolve) => output.write("", resolve));

const names = ["bold", "dim", "red", "green", "yellow"] as const;
export type Colors = Readonly<Record<(typeof names)[number], (text: string) => string>>;
const colorCode = new RegExp(`(${"\u001b"}\\[(?:1|2|22|31|32|33|39)m)`);

export function createColors(isOn: boolean): Colors {
  const entries = names.map((name) => {
    const paint = (text: string) => (isOn ? util.styleText(name, text, { validateStream: false }) : text);
    return [name, paint] as const;
  });
  return Object.fromEntries(entries) as Colors;
}
