/** Words that say nothing about what is wanted. */
export const smallWords: ReadonlySet<string> = new Set(
  (
    "a an and any all are as at be been but by can do does for from has have i if in into is it its me my no not of off on one " +
    "or our out please so some than that the their them then there these they this to up us was we what when which who will " +
    "with would you your"
  ).split(" "),
);

/** Words for true and false. */
export const truthWords: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  enabled: true,
  enable: true,
  false: false,
  no: false,
  off: false,
  disabled: false,
  disable: false,
};
