/** Includes all that databases truncate or order differently: null characters, and all from the first surrogate on. */
const unusual = /[^ -\ud7ff]/g;

/**
 * A text for a database to compare, sort and search by its bytes, with the same outcome as in JavaScript by code units.
 * Most texts stay unchanged.
 *
 * Each code unit from the first surrogate on becomes a character beyond the surrogates, as UTF-8 cannot encode half of
 * a pair. The null character, which ends a text in some drivers of SQLite and which PostgreSQL refuses, becomes two
 * characters. The five characters used for this also become two, so that a search never matches across two neighbours.
 */
export function toOrderText(text: string): string {
  return text.replace(unusual, (unit) => {
    const code = unit.charCodeAt(0);
    if (code >= 0xd800) return String.fromCodePoint(code + 0x800);
    if (code > 5) return unit;
    return String.fromCharCode(1 + Math.floor(code / 3), 3 + (code % 3));
  });
}
