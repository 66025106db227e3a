/** Words that name no todo by themselves: "add item" and "add to my list" lack what to add. */
const empty = new Set(
  (
    "a an the my our your this that these those them it something anything everything nothing all some any one ones another new more stuff thing things " +
    "todo todos to do dos task tasks item items reminder reminders entry entries list lists to-do to-dos on in into from of for and me i"
  ).split(" "),
);
const namesList = /\b(?:to|on|onto|from|off) (?:\S+ ){0,4}list\b/i;
const startsAsPlace = /^(?:to|on|onto|into|in|from|off) (?:my|the|our|a|this|that) /i;

/** Whether a text says what a todo is about. */
export function isTitle(text: string): boolean {
  const words = text.toLowerCase().match(/[\p{L}\p{N}'’]+/gu) ?? [];
  if (words.length === 0) return /\p{S}/u.test(text);
  return (
    !words.every((word) => empty.has(word)) &&
    /[^\d\s.,%+*/^()=-]/.test(text) &&
    !startsAsPlace.test(text) &&
    !namesList.test(text)
  );
}

const otherThings =
  /^(?:(?:a|an|the|my|our|this|that|all|new) )*(?:alarm|timer|event|meeting|calendar|playlist|song|music|album|subscription|account|password|email|contact|photo|picture|file|folder|document|app|flight|hotel|reservation|booking|card|payment|transfer|message|recipe)s?\b/i;

/** Whether a text begins with something that other tools look after: "remove the alarm" is about no todo unless it says so. */
export function isOtherThing(title: unknown): boolean {
  return typeof title === "string" && otherThings.test(title);
}

const taskVerbs = new Set(
  (
    "answer arrange ask bake book bring build buy call cancel change check clean collect complete contact cook create cut design do draft drop email empty " +
    "feed fill find finish fix fold follow get give go grab hang hire install iron learn look mail make meet mop move mow order organize pack paint pay phone " +
    "pick plan play practice prepare print put read renew rent repair reply research return review run schedule sell send set ship shop sign sort start " +
    "study submit sweep take talk tell text throw tidy update vacuum visit walk wash watch water wrap write"
  ).split(" "),
);
const maxItemWords = 4;

/**
 * Whether parts of a list are todos of their own. "milk and eggs" are two; "call mum and dad" is one, and so is "wash and dry
 * the dishes": where one part begins with a verb, all must, and there must be three or more of them.
 */
export function isSeveralItems(items: readonly string[]): boolean {
  if (items.length < 2 || !items.every(isTitle)) return false;
  // "lunch with Tom and Jerry" goes on behind the "and".
  if (items.length === 2 && /\b(?:with|between|for|to|from|about|at|of|both)\b/i.test(items[0] ?? "")) return false;
  const verbs = items.filter((item) => taskVerbs.has(item.toLowerCase().split(/\s/)[0] ?? "")).length;
  if (verbs > 0) return verbs === items.length && items.length > 2;
  return items.every((item) => item.split(/\s+/).length <= maxItemWords);
}
