import pTimeout from "p-timeout";
import type { Clock } from "./clock.ts";

export const notInTime = Symbol("notInTime");

export function settleWithin<T>(promise: Promise<T>, delayMs: number, clock: Clock): Promise<T | typeof notInTime> {
  return pTimeout<T, typeof notInTime>(promise, {
    milliseconds: Math.max(delayMs, Number.MIN_VALUE),
    fallback: () => notInTime,
    customTimers: {
      setTimeout: ((callback: () => void, ms: number) => clock.setTimeout(callback, ms)) as typeof setTimeout,
      clearTimeout: (timer) => clock.clearTimeout(timer),
    },
  });
}
