import { shorten } from "./printable.ts";
import type { Printer } from "./printer.ts";

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
