import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** What is measured: makes an input of a size, and what is to be done with it. Only the second is timed. */
export interface GrowthSubject {
  readonly make: (size: number) => unknown;
  readonly work: (input: unknown) => unknown;
  /** How far to go. @default 1 048 576 */
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
/** No size is tried after one that takes this long; where growth looks steep, after one that takes the second. */
const enoughMs = 400;
const surelyEnoughMs = 2_000;
const smallestSize = 64;
/** Each size is so many times the one before. */
const factor = 4;
/** What is not measured again. */
const surelyFlat = 1.15;
/** How much larger the larger of two sizes is, where growth looked steep. */
const farApart = factor ** 2;
const tries = 5;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

interface Timing {
  readonly size: number;
  readonly ms: number;
}

/**
 * Raises the size until the time tells something, and compares it with that of the smallest size that takes long enough.
 *
 * Another process, a compiler, or a cache or a young generation of the heap that has become too small only ever adds time. So
 * what looks steep is timed again, the smaller size as often as makes the same amount of work, and the least counts; and
 * larger sizes are looked at, where the time no longer steps up for such a reason: what is steep by itself is so again.
 */
export async function measureGrowth({ make, work, maxSize = 1_048_576 }: GrowthSubject): Promise<Growth> {
  // What it takes for next to nothing says nothing of growth.
  let idleMs = 0;
  for (let done = 0; done < 3; done++) idleMs = await timeOf(make, work, smallestSize);
  const time = async (size: number, times = 1): Promise<Timing> => {
    let sum = 0;
    for (let done = 0; done < times; done++) sum += await timeOf(make, work, size);
    return { size, ms: sum / times - idleMs };
  };
  const canRaise = ({ size, ms }: Timing, most = enoughMs) => factor * size <= maxSize && ms < most;

  let large: Timing = { size: smallestSize, ms: 0 };
  while (canRaise(large) && large.ms < comparableMs) {
    large = await time(factor * large.size);
    // The first time, something may have been compiled.
    if (large.ms >= comparableMs) large = lesserOf(large, await time(large.size));
  }
  let small = large;
  while (canRaise(large) && (large.size === small.size || large.ms < harmlessMs))
    large = await time(factor * large.size);
  if (large.ms < harmlessMs || large.size === small.size) return { exponent: undefined, ...large };

  for (let done = 0; done < tries && powerOf(small, large) > surelyFlat; done++) {
    large = canRaise(large, surelyEnoughMs) ? await time(factor * large.size) : lesserOf(large, await time(large.size));
    const size = Math.max(small.size, large.size / farApart);
    const ofSameWork = await time(size, large.size / size);
    small = size === small.size && done > 0 ? lesserOf(small, ofSameWork) : ofSameWork;
  }
  return { exponent: powerOf(small, large), ...large };
}

function lesserOf(one: Timing, other: Timing): Timing {
  return other.ms < one.ms ? other : one;
}

function powerOf(small: Timing, large: Timing): number {
  return Math.log(large.ms / Math.max(small.ms, 0.5)) / Math.log(large.size / small.size);
}

/** The processor's time of this process, which others on the machine do not lengthen. */
async function timeOf(make: GrowthSubject["make"], work: GrowthSubject["work"], size: number): Promise<number> {
  const input = make(size);
  // Or what was left by others would be swept on the time of this one.
  if (size > 10_000) collectGarbage();
  const before = process.cpuUsage();
  try {
    await work(input);
  } catch {
    // What is refused has been read, too.
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
