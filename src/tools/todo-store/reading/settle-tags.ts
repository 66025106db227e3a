/** What a todo and its list are called. */
export const todoNouns: ReadonlySet<string> = new Set(
  "list lists todo todos task tasks reminder reminders chore chores item items entries errand errands".split(" "),
);

/**
 * The tags of a clause, with the words that frame no wish: they belong to a title next to them, or are the title where
 * there is none. Elsewhere they stay what they are, and are left over.
 */
export function settleTags(
  words: readonly string[],
  tags: readonly string[],
  vocabulary: ReadonlySet<string>,
): readonly string[] {
  const isUnknown = (index: number) =>
    tags[index] === "other" && /^\p{L}/u.test(words[index] ?? "") && !vocabulary.has(words[index] ?? "");
  const settled = [...tags];
  if (!tags.includes("title")) {
    // Without a list or a task it is somebody else's business: "things to do in paris".
    if (!words.some((word) => todoNouns.has(word))) return tags;
    const first = words.findIndex((_, index) => isUnknown(index));
    if (first === -1) return tags;
    for (let index = first; isUnknown(index); index++) settled[index] = "title";
    return settled;
  }
  for (let index = 1; index < words.length; index++)
    if (isUnknown(index) && settled[index - 1] === "title") settled[index] = "title";
  for (let index = words.length - 2; index >= 0; index--)
    if (isUnknown(index) && settled[index + 1] === "title") settled[index] = "title";
  return settled;
}
