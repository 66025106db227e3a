let going = 0;

/** How much goes on that no clock counts: code that is loaded, hashes that another thread makes. A manual clock waits for it. */
export function outsideWork(): number {
  return going;
}

/** Counts a promise as {@link outsideWork} until it settles, and settles as it does. */
export async function countOutside<T>(work: Promise<T>): Promise<T> {
  going++;
  try {
    return await work;
  } finally {
    going--;
  }
}
