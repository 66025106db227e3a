import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** What is measured: makes an input of a size, and what is to be done with it. Only the second is timed. */
export interface GrowthSubject {
  readonly make: (size: number) => unknown;
  readonly work: (input: unknown) => unknown;
  /** Where to begin. @default 64 */
  readonly minSize?: number | undefined;
  /** How far to go. @default 4 000 000 */
  readonly maxSize?: number | undefined;
}

/** How the time of a subject grows with the size of its input. */
export interface Growth {
  /** Of the time as a power of the size; undefined where the largest size takes less than what is worth a question. */
  readonly exponent: number | undefined;
  readonly size: number;
  readonly ms: number;
}

/** A smaller size that takes less than this is not compared. */
const comparableMs = 5;
/** What takes less than this at its largest size, or at the cap that refuses more, may grow as it likes. */
const harmlessMs = 50;
const tries = 3;
/** What is not measured again. */
const surelyFlat = 1.15;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Doubles the size until the time tells something, and compares it with that of the smallest size that takes long enough. */
export async function measureGrowth(subject: GrowthSubject): Promise<Growth> {
  let growth = await measureOnce(subject, 1);
  // Another process, or a cache that has become too small, can make one measurement steep. What is steep by itself is so
  // again, and at larger sizes, too.
  for (const factor of [1, 3, 9]) {
    if (growth.exponent === undefined || growth.exponent <= surelyFlat) break;
    const next = await measureOnce(subject, factor);
    if (next.exponent !== undefined && next.exponent < growth.exponent) growth = next;
  }
  return growth;
}

async function measureOnce(
  { make, work, minSize = 64, maxSize = 4_000_000 }: GrowthSubject,
  factor: number,
): Promise<Growth> {
  let ms = 0;
  const time = async (size: number, times: number) => {
    let least = Number.POSITIVE_INFINITY;
    for (let done = 0; done < times; done++) {
      // Or what was left by others would be swept on the time of this one.
      if (ms >= 1) collectGarbage();
      least = Math.min(least, await timeOf(make, work, size));
    }
    return least;
  };
  // What it takes for next to nothing says nothing of growth.
  await time(minSize, 1);
  const idleMs = await time(minSize, tries);
  let small: { size: number; ms: number } | undefined;
  let size = minSize;
  for (; ; size *= 2) {
    ms = (await time(size, 1)) - idleMs;
    if (ms >= factor * comparableMs) ms = Math.min(ms, (await time(size, 1)) - idleMs);
    if (small === undefined && ms >= factor * comparableMs) small = { size, ms };
    const isTold = small !== undefined && ms >= factor * harmlessMs && size >= 4 * small.size;
    if (isTold || ms >= 40 * harmlessMs || 2 * size > maxSize) break;
  }
  if (small === undefined || small.size === size || ms < harmlessMs) return { exponent: undefined, size, ms };
  // Again, as all is compiled now as it was for the larger one.
  small.ms = Math.min(small.ms, (await time(small.size, tries)) - idleMs);
  ms = Math.min(ms, (await time(size, 1)) - idleMs);
  return { exponent: Math.log(ms / Math.max(small.ms, 0.5)) / Math.log(size / small.size), size, ms };
}

/** The processor's time of this process, which others on the machine do not lengthen. */
async function timeOf(make: GrowthSubject["make"], work: GrowthSubject["work"], size: number): Promise<number> {
  const input = make(size);
  const before = process.cpuUsage();
  try {
    await work(input);
  } catch {
    // What is refused has been read, too.
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
