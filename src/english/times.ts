/** From the day that `Date` counts as 0. */
export const weekdays: readonly string[] = "sunday monday tuesday wednesday thursday friday saturday".split(" ");

/** From the month that `Date` counts as 0. */
export const months: readonly string[] =
  "january february march april may june july august september october november december".split(" ");

/** Days as they are named from today; longer names come first. */
export const relativeDays: readonly (readonly [words: readonly string[], days: number])[] = [
  [["the", "day", "after", "tomorrow"], 2],
  [["day", "after", "tomorrow"], 2],
  [["today"], 0],
  [["tonight"], 0],
  [["this", "evening"], 0],
  [["this", "afternoon"], 0],
  [["this", "morning"], 0],
  [["tomorrow", "morning"], 1],
  [["tomorrow", "afternoon"], 1],
  [["tomorrow", "evening"], 1],
  [["tomorrow", "night"], 1],
  [["tomorrow"], 1],
  [["tmrw"], 1],
  [["yesterday"], -1],
  [["next", "week"], 7],
];

/** Words from which a model makes a date or a time; "may" and "march" have other meanings. */
export const timeWords: ReadonlySet<string> = new Set([
  ..."today tonight tomorrow yesterday noon midnight morning afternoon evening".split(" "),
  ..."day days week weeks weekend month months year years".split(" "),
  ...weekdays,
  ...months.filter((name) => name !== "may" && name !== "march"),
]);
