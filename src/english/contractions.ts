/** Words after which `'s` is "is" and not a genitive. */
export const contractedWords: ReadonlySet<string> = new Set(
  "what that it where who how there here when which".split(" "),
);

/** The word that each end of a contraction stands for. */
export const contractionEndings: ReadonlyMap<string, string> = new Map([
  ["s", "is"],
  ["re", "are"],
  ["ve", "have"],
  ["ll", "will"],
  ["d", "would"],
  ["m", "am"],
]);

/** Other contractions, with or without an apostrophe, and their words. */
export const contractions: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["whats", ["what", "is"]],
  ["let's", ["let", "us"]],
  ["lets", ["let", "us"]],
  ["dont", ["do", "not"]],
  ["havent", ["have", "not"]],
  ...["do", "does", "did", "have", "is", "are"].map((verb) => [`${verb}n't`, [verb, "not"]] as const),
]);
