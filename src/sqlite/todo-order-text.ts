/** Among others what SQLite would cut short or order otherwise: the null character, and all from the first surrogate on. */
const unusual = /[^ -\ud7ff]/g;

/**
 * A text for SQLite to compare, sort and search by its bytes, with the outcome that JavaScript has by code units. Most texts
 * stay as they are.
 *
 * Code units from the first surrogate on become characters of their own, beyond the surrogates: a half of a pair is none that
 * UTF-8 could have. The null character, at which some drivers end a text, becomes two characters; so that these are never
 * found where others meet, the five characters that are used for it become two as well.
 */
export function toOrderText(text: string): string {
  return text.replace(unusual, (unit) => {
    const code = unit.charCodeAt(0);
    if (code >= 0xd800) return String.fromCodePoint(code + 0x800);
    if (code > 5) return unit;
    return String.fromCharCode(1 + Math.floor(code / 3), 3 + (code % 3));
  });
}
