import { pronouns, resultNouns, resultOrder, resultPointers } from "../../english/references.ts";

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
  if (pronouns.has(first)) return start + 1;
  const whatYouGet =
    first === "what" && words[start + 1] === "you" && (words[start + 2] === "get" || words[start + 2] === "got");
  return whatYouGet ? start + 3 : undefined;
}

/** Whether some of the words may refer to an earlier result: "the output", "pay that amount", "with result". */
export function mentionsResult(words: readonly string[], start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    if (resultNouns.has(words[at] ?? "") || readAnaphor(words, at) !== undefined) return true;
  }
  return false;
}
