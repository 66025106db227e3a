/** A text of at most `max` UTF-16 code units, with `end` where it was cut; never half a surrogate pair. */
export function cutText(text: string, max: number, end = "…"): string {
  if (text.length <= max) return text;
  return text.slice(0, max - end.length).replace(/[\uD800-\uDBFF]$/, "") + end;
}
