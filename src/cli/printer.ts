import { styleText } from "node:util";
import type { CliOutput } from "./cli-io.ts";
import { printable, shorten } from "./printable.ts";

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

const names = ["bold", "dim", "red", "green", "yellow"] as const;

/** Functions that colour text, or leave it unchanged. */
export type Colors = Readonly<Record<(typeof names)[number], (text: string) => string>>;

/** The codes of these colours, as the only group of a pattern to split by. */
const colorCode = new RegExp(`(${"\u001b"}\\[(?:1|2|22|31|32|33|39)m)`);

/** Colours that are on or off. Whether they should be is known here, so Node is not asked again. */
export function createColors(isOn: boolean): Colors {
  const entries = names.map((name) => {
    const paint = (text: string) => (isOn ? styleText(name, text, { validateStream: false }) : text);
    return [name, paint] as const;
  });
  return Object.fromEntries(entries) as Colors;
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameMs = 80;

/**
 * Permanent lines and, only on a terminal, one more line below them that is rewritten while something is running.
 */
export class LiveLine {
  private text: string | undefined;
  private frame = 0;
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly printer: Printer) {}

  /** Whether there is a line that is rewritten. */
  get isLive(): boolean {
    return this.printer.isTerminal;
  }

  /** Shows text, without colours, after a spinner, until the next call or {@link LiveLine.hide}. */
  show(text: string): void {
    if (!this.isLive) return;
    this.text = text;
    this.draw();
    this.timer ??= setInterval(() => {
      this.frame = (this.frame + 1) % frames.length;
      this.draw();
    }, frameMs);
    // The line alone must not keep the process alive.
    this.timer.unref?.();
  }

  /** Removes the rewritten line. */
  hide(): void {
    if (this.text === undefined) return;
    clearInterval(this.timer);
    this.timer = undefined;
    this.text = undefined;
    this.printer.rewrite();
  }

  /** Writes a permanent line. */
  print(line = ""): void {
    if (this.text !== undefined) this.printer.rewrite();
    this.printer.print([line]);
    if (this.text !== undefined) this.draw();
  }

  private draw(): void {
    // A wrapped line cannot be rewritten.
    this.printer.rewrite(shorten(`  ${frames[this.frame]} ${this.text}`, this.printer.width));
  }
}
