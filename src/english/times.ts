/** From the day that `Date` counts as 0. */
export const weekdays: readonly string[] = "sunday monday tuesday wednesday thursday friday saturday".split(" ");

/** From the month that `Date` counts as 0. */
export const months: readonly string[] =
  "january february march april may june july august september october november december".split(" ");

/** Words from which a model makes a date or a time; "may" and "march" have other meanings. */
export const timeWords: ReadonlySet<string> = new Set([
  ..."today tonight tomorrow yesterday noon midnight morning afternoon evening".split(" "),
  ..."day days week weeks weekend month months year years".split(" "),
  ...weekdays,
  ...months.filter((name) => name !== "may" && name !== "march"),
]);
