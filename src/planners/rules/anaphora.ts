const pronouns = new Set(["it", "that", "this", "them", "these", "those"]);
const pointers = new Set(["the", "that", "this", "its", "his", "these", "those"]);
const order = new Set(["previous", "last", "final", "above", "resulting", "calculated", "first"]);
const results = new Set(
  "result results answer total outcome output value sum product difference quotient number figure amount".split(" "),
);

/**
 * The index after words that refer to an earlier result, such as `it`, `that`, `the result` or `the final answer`;
 * undefined if none start here. Words must be in lower case.
 */
export function readAnaphor(words: readonly string[], start: number): number | undefined {
  const first = words[start] ?? "";
  if (pointers.has(first)) {
    const noun = order.has(words[start + 1] ?? "") ? start + 2 : start + 1;
    if (results.has(words[noun] ?? "")) return noun + 1;
  }
  if (pronouns.has(first)) return start + 1;
  const whatYouGet =
    first === "what" && words[start + 1] === "you" && (words[start + 2] === "get" || words[start + 2] === "got");
  return whatYouGet ? start + 3 : undefined;
}

/** Whether some of the words may refer to an earlier result: "the output", "pay that amount", "with result". */
export function mentionsResult(words: readonly string[], start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    if (results.has(words[at] ?? "") || readAnaphor(words, at) !== undefined) return true;
  }
  return false;
}
