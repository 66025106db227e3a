import { shorten } from "./printable.ts";
import type { Printer } from "./printer.ts";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameMs = 80;

/**
 * Lines that stay, and on a terminal one more below them that is rewritten while something goes on. Anywhere else there
 * is no such line.
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

  /** Shows text, without colours, behind a sign that moves, until the next call or {@link LiveLine.hide}. */
  show(text: string): void {
    if (!this.isLive) return;
    this.text = text;
    this.draw();
    this.timer ??= setInterval(() => {
      this.frame = (this.frame + 1) % frames.length;
      this.draw();
    }, frameMs);
    // The line alone is no reason to go on.
    this.timer.unref?.();
  }

  /** Takes the moving line away. */
  hide(): void {
    if (this.text === undefined) return;
    clearInterval(this.timer);
    this.timer = undefined;
    this.text = undefined;
    this.printer.rewrite();
  }

  /** Writes a line that stays. */
  print(line = ""): void {
    if (this.text !== undefined) this.printer.rewrite();
    this.printer.print([line]);
    if (this.text !== undefined) this.draw();
  }

  private draw(): void {
    // A line that is wrapped could not be rewritten.
    this.printer.rewrite(shorten(`  ${frames[this.frame]} ${this.text}`, this.printer.width));
  }
}
