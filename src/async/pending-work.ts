let going = 0;

/** How much work is pending that no clock counts: loading code, hashing in a thread. A manual clock waits for it. */
export function pendingWork(): number {
  return going;
}

/** Counts a promise as {@link pendingWork} until it settles, and settles as it does. */
export async function countPending<T>(work: Promise<T>): Promise<T> {
  going++;
  try {
    return await work;
  } finally {
    going--;
  }
}
