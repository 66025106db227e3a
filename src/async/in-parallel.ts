/** Does something with each item of a list, in its order, at most `width` at a time. Rejects as soon as one of them does. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  use: (item: T, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < items.length) {
      const index = next++;
      await use(items[index] as T, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, work));
}
