import type { Printer } from "./printer.ts";

const spinners = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;
const frameMs = 80;

/**
 * Permanent lines and, only on a terminal, further lines below them that are drawn again while something is running.
 */
export class LiveTable {
  private frame = 0;
  private timer: ReturnType<typeof setInterval> | undefined;

  /** `lines` are those to draw now, without colours. */
  constructor(
    private readonly printer: Printer,
    private readonly lines: (spinner: string) => readonly string[],
  ) {}

  /** Whether there are lines that are drawn again. */
  get isLive(): boolean {
    return this.printer.isTerminal;
  }

  /** Draws the lines with each frame, and the first ones now, until {@link LiveTable.hide}. */
  show(): void {
    if (!this.isLive) return;
    // However much happens, each frame is drawn once.
    if (!this.printer.hasDrawn) this.printer.draw(this.now());
    this.timer ??= setInterval(() => {
      this.frame = (this.frame + 1) % spinners.length;
      this.printer.draw(this.now());
    }, frameMs);
    // The table alone must not keep the process alive.
    this.timer.unref?.();
  }

  /** Removes the lines. */
  hide(): void {
    if (this.timer === undefined) return;
    clearInterval(this.timer);
    this.timer = undefined;
    this.printer.draw([]);
  }

  /** Writes a permanent line. */
  print(line = ""): void {
    this.printer.print([line], this.timer === undefined ? [] : this.now());
  }

  private now(): readonly string[] {
    return this.lines(spinners[this.frame] ?? "");
  }
}
