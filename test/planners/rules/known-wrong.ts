/** What the rules plan wrongly today. */
export interface KnownWrong {
  readonly request: string;
  /** True if the tools for notes and the web are there, too. */
  readonly everyTool?: boolean;
  /** The inputs of the steps that are planned. */
  readonly today: readonly object[];
  /** The inputs that were asked for. */
  readonly wanted: "refused" | readonly object[];
}

/** A row that is planned otherwise is either right, and goes, or wrong in another way. */
export const knownWrong: readonly KnownWrong[] = [
  {
    request: "remind me to buy milk and add buy that many apples to my list",
    today: [{ operation: "add", title: "buy milk and add buy that many apples" }],
    wanted: "refused",
  },
  {
    request: "remind me to buy milk and add print this figure to my list",
    today: [{ operation: "add", title: "buy milk and add print this figure" }],
    wanted: "refused",
  },
  {
    request: "remind me to buy milk and put send Ann the sum on my list",
    today: [
      { operation: "add", title: "buy milk" },
      { operation: "add", title: "put send Ann the sum" },
    ],
    wanted: "refused",
  },
  {
    request: "remind me to buy milk and remind me to check the output",
    today: [
      { operation: "add", title: "buy milk" },
      { operation: "add", title: "remind me to check the output" },
    ],
    wanted: "refused",
  },
  {
    request: "remind me to buy milk and remind me to use the number",
    today: [
      { operation: "add", title: "buy milk" },
      { operation: "add", title: "remind me to use the number" },
    ],
    wanted: "refused",
  },
  {
    request: "calculate 100 / 4 and create a task called answer",
    today: [{ expression: "100 / 4" }, { operation: "add", title: "answer" }],
    wanted: "refused",
  },
  { request: "add two numbers", today: [{ operation: "add", title: "two numbers" }], wanted: "refused" },
  { request: "get the milk thing away", today: [{ operation: "delete", title: "milk thing" }], wanted: "refused" },
  {
    request: "remove turnips from my shopping list and add juice",
    today: [
      { operation: "delete", title: "turnips", list: "shopping" },
      { operation: "add", title: "juice" },
    ],
    wanted: [
      { operation: "delete", title: "turnips", list: "shopping" },
      { operation: "add", title: "juice", list: "shopping" },
    ],
  },
  {
    request: "when is the dentist due on my list",
    today: [{ operation: "get", title: "dentist" }],
    wanted: [{ operation: "search", query: "dentist" }],
  },
];
