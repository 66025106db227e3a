/** Words that stand for an earlier result by themselves. */
const pronouns: ReadonlySet<string> = new Set(["it", "that", "this", "them", "these", "those"]);

const pointers = ["the", "that", "this", "its"];

/** Words after which "one" is not a number. */
export const onePointers: ReadonlySet<string> = new Set(["the", "that", "this", "which", "each", "every", "any"]);

/** Words before the name of an earlier result: "that total". */
const resultPointers: ReadonlySet<string> = new Set([...pointers, "his", "these", "those"]);

/** Words that say which of the earlier results is meant: "the last total". */
const resultOrder: ReadonlySet<string> = new Set("previous last final above resulting calculated first".split(" "));

/** Names of an earlier result. */
export const resultNouns: ReadonlySet<string> = new Set(
  "result results answer total outcome output value sum product difference quotient number figure amount".split(" "),
);

/**
 * The index after words that refer to an earlier result, such as `it`, `that`, `the result` or `the final answer`;
 * undefined if none start here. Words must be in lower case.
 */
export function readAnaphor(words: readonly string[], start: number): number | undefined {
  const first = words[start] ?? "";
  if (resultPointers.has(first)) {
    const noun = resultOrder.has(words[start + 1] ?? "") ? start + 2 : start + 1;
    if (resultNouns.has(words[noun] ?? "")) return noun + 1;
  }
  // "that one", "that many apples"
  const isTwo = /^th(?:at|is)$/.test(first) && /^(?:one|many|much)$/.test(words[start + 1] ?? "");
  if (pronouns.has(first)) return isTwo ? start + 2 : start + 1;
  const whatYouGet =
    first === "what" && words[start + 1] === "you" && (words[start + 2] === "get" || words[start + 2] === "got");
  return whatYouGet ? start + 3 : undefined;
}

/** True if some of the words may refer to an earlier result: "the output", "pay that amount", "with result". */
export function mentionsResult(words: readonly string[], start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    if (resultNouns.has(words[at] ?? "") || readAnaphor(words, at) !== undefined) return true;
  }
  return false;
}
