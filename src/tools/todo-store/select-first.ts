/** Collects items and keeps a page of them. */
export interface Selection<TItem> {
  add(item: TItem): void;
  /** The page, in order. */
  items(): readonly TItem[];
}

/** Which part of all items a page is. */
export interface PageOptions {
  /** How many to leave out at the beginning. */
  readonly offset: number;
  /** How many to keep at most. */
  readonly limit: number;
}

/**
 * Keeps a page of any number of items, in the order of `compare`, which must never be 0 for two items.
 *
 * Sorting all of 100 000 items for a page of 100 takes several times as long: most items are dropped here by one
 * comparison with the last one that may still stay.
 */
export function selectFirst<TItem>({
  offset,
  limit,
  compare,
}: PageOptions & { compare(left: TItem, right: TItem): number }): Selection<TItem> {
  const size = limit === 0 ? 0 : offset + limit;
  let kept: TItem[] = [];
  let last: TItem | undefined;
  const shrink = () => {
    kept = kept.sort(compare).slice(0, size);
    last = kept[size - 1];
  };
  return {
    add(item) {
      if (size === 0 || (last !== undefined && compare(item, last) > 0)) return;
      kept.push(item);
      if (kept.length >= size * 2) shrink();
    },
    items() {
      shrink();
      return kept.slice(offset);
    },
  };
}

/** Keeps a page of any number of items, in the order in which they come. */
export function takeFirst<TItem>({ offset, limit }: PageOptions): Selection<TItem> {
  const kept: TItem[] = [];
  let seen = 0;
  return {
    add(item) {
      if (seen++ >= offset && kept.length < limit) kept.push(item);
    },
    items: () => kept,
  };
}
