/** Letters of most alphabets, punctuation, arrows, and what bars and spinners are made of. */
const narrow = /^[\0-\u10ff\u2010-\u2027\u2190-\u21ff\u2500-\u259f\u2800-\u28ff]$/;

/** How many columns of a terminal a character needs at most: what may be wide counts as wide. */
function columnsOfCharacter(character: string): number {
  return narrow.test(character) ? 1 : 2;
}

/** How many columns of a terminal a text needs at most, so that a line of no more columns is never wrapped. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += columnsOfCharacter(character);
  return columns;
}

/** The text in at most `columns` columns, with `…` for the rest. */
export function cutToColumns(text: string, columns: number): string {
  let [used, length, kept] = [0, 0, 0];
  for (const character of text) {
    used += columnsOfCharacter(character);
    if (used > columns) return columns < 1 ? "" : `${text.slice(0, kept)}…`;
    length += character.length;
    if (used < columns) kept = length;
  }
  return text;
}

/** The text with spaces up to a number of columns. */
export function padToColumns(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - columnsOf(text)));
}
