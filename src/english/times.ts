/** From the day that `Date` counts as 0. */
export const weekdays: readonly string[] = "sunday monday tuesday wednesday thursday friday saturday".split(" ");

/** From the month that `Date` counts as 0. */
export const months: readonly string[] =
  "january february march april may june july august september october november december".split(" ");
