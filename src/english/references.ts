/** Words that stand for an earlier result by themselves. */
export const pronouns: ReadonlySet<string> = new Set(["it", "that", "this", "them", "these", "those"]);

const pointers = ["the", "that", "this", "its"];

/** Words before the name of an earlier number. */
export const numberPointers: ReadonlySet<string> = new Set(pointers);

/** Words before the name of an earlier result: "that total". */
export const resultPointers: ReadonlySet<string> = new Set([...pointers, "his", "these", "those"]);

/** Which of the earlier results: "the last total". */
export const resultOrder: ReadonlySet<string> = new Set(
  "previous last final above resulting calculated first".split(" "),
);

/** Names of an earlier result. */
export const resultNouns: ReadonlySet<string> = new Set(
  "result results answer total outcome output value sum product difference quotient number figure amount".split(" "),
);
