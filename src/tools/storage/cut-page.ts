/** A page ends early rather than exceed this many bytes of JSON: half of a run's default limit for an output. */
const maxPageBytes = 512 * 1_024;

/** The first items of a page, as many as fit; at least one. */
export function cutPage<TItem>(items: readonly TItem[]): readonly TItem[] {
  const encoder = new TextEncoder();
  let bytes = 0;
  const tooMuch = items.findIndex((item, index) => {
    bytes += encoder.encode(JSON.stringify(item)).length + 1;
    return index > 0 && bytes > maxPageBytes;
  });
  return tooMuch === -1 ? items : items.slice(0, tooMuch);
}
