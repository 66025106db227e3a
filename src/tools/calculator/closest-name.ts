const maxDistance = 2;

/** The name most similar to the given one, ignoring case; undefined if none is within two edits and half its length. */
export function closestName(name: string, known: Iterable<string>): string | undefined {
  let closest: string | undefined;
  let least = Math.min(maxDistance, Math.floor(name.length / 2)) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < least) [closest, least] = [candidate, distance];
  }
  return closest;
}

/** Levenshtein's distance, by the row-by-row method of Wagner and Fischer (1974). */
function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
