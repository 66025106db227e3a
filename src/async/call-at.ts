import { type Clock, letExit, maxTimerMs } from "./clock.ts";

/**
 * Calls back once the wall clock has reached a time, in pieces that a timer can have; a process with nothing else to do
 * may exit before. Returns what stops it.
 */
export function callAt(clock: Clock, atMs: number, callback: () => void): () => void {
  let timer: unknown;
  const wait = () => {
    const leftMs = Math.max(0, atMs - clock.now());
    timer = clock.setTimeout(() => (clock.now() >= atMs ? callback() : wait()), Math.min(leftMs, maxTimerMs));
    letExit(timer);
  };
  wait();
  return () => clock.clearTimeout(timer);
}
