import { type Abortable, AbortSource, onAbort } from "./abort.ts";
import { type Clock, sleep } from "./clock.ts";

export class Backoff {
  #nextMs: number;
  #isWoken = false;
  #waking: AbortSource | undefined;

  constructor(
    private readonly options: {
      readonly clock: Clock;
      readonly firstMs: number;
      readonly maxMs: number;
      readonly mayExit?: boolean;
    },
  ) {
    this.#nextMs = options.firstMs;
  }

  next(): number {
    const delayMs = this.#nextMs;
    this.#nextMs = Math.min(2 * delayMs, this.options.maxMs);
    return delayMs;
  }

  reset(): void {
    this.#nextMs = this.options.firstMs;
  }

  async pause(...signals: readonly (Abortable | undefined)[]): Promise<void> {
    const delayMs = this.next();
    const stopping = new AbortSource();
    const waking = new AbortSource();
    const stop = () => {
      stopping.abort(undefined);
      waking.abort(undefined);
    };
    const listening = signals.map((signal) => signal && onAbort(signal, stop));
    if (signals.some((signal) => signal?.aborted)) stop();
    if (this.#isWoken) waking.abort(undefined);
    this.#waking = waking;
    const isOver = await sleep(delayMs, { ...this.options, signal: waking });
    if (!isOver) await sleep(delayMs / 4, { ...this.options, signal: stopping });
    this.#isWoken = false;
    for (const stopListening of listening) stopListening?.();
  }

  /** Ends the current or next pause a quarter of its length later, not at once, as notifications come in bursts. */
  readonly wake = (): void => {
    this.#isWoken = true;
    this.#waking?.abort(undefined);
  };
}
