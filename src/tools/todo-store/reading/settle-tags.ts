/** What a todo and its list are called. */
export const todoNouns: ReadonlySet<string> = new Set(
  "list lists todo todos task tasks reminder reminders chore chores item items entries errand errands".split(" "),
);

/** The tags of a clause, where words that frame no wish belong to a title next to them. Elsewhere they are left over. */
export function settleTags(
  words: readonly string[],
  tags: readonly string[],
  vocabulary: ReadonlySet<string>,
): readonly string[] {
  const isUnknown = (index: number) =>
    tags[index] === "other" && /^\p{L}/u.test(words[index] ?? "") && !vocabulary.has(words[index] ?? "");
  const settled = [...tags];
  for (let index = 1; index < words.length; index++)
    if (isUnknown(index) && settled[index - 1] === "title") settled[index] = "title";
  for (let index = words.length - 2; index >= 0; index--)
    if (isUnknown(index) && settled[index + 1] === "title") settled[index] = "title";
  return settled;
}
