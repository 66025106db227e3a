import { refersToResult } from "../../../english/references.ts";
import { isDeed, isOtherThing } from "../phrases/titles.ts";
import { isOtherList } from "../phrases/words.ts";
import type { TodoMeaning } from "./todo-inputs.ts";
import type { TodoSlots } from "./todo-slots.ts";

/*
 * What speaks against a reading, however probable it is: what is denied, belongs to somebody else, or would lose a word.
 */

/** Whether a clause asks nothing of todos, whatever its words look like. */
export function isNoWish(
  forms: readonly string[],
  tags: readonly string[],
  { titles, list, sort }: TodoSlots,
): boolean {
  return (
    (list !== undefined && isOtherList(list)) ||
    isDenied(forms, tags) ||
    isCompound(forms, tags, titles) ||
    namesResult(forms, tags, titles) ||
    (sort === undefined && isSorted(forms, tags)) ||
    isApart(forms, tags)
  );
}

/** "She finished her tasks" is about nothing of ours. */
export const otherPeople = new Set("she he they her his their".split(" "));

/** "Do not need", "do not forget": what is denied here is not the wish. */
const harmless = new Set("forget need want have let miss yet done finished know remember think see".split(" "));

const advising = new Set("should shall must would ought".split(" "));

/** "Add eggs, no wait, butter": part of it is not wanted. */
const takesBack =
  /\b(?:no wait|wait no|actually no|no sorry|sorry no|scratch that|i mean|i meant|or rather|on second thoughts?|just kidding)\b|, no$/;

function untagged(forms: readonly string[], tags: readonly string[]): string {
  return forms.map((word, index) => (tags[index] === "other" ? word : "‹›")).join(" ");
}

/** Whether the frame denies or leaves open what it would ask for: "don't add milk to my list". */
function isDenied(forms: readonly string[], tags: readonly string[]): boolean {
  const first = forms.findIndex((word) => !/^(?:no|please|just|,)$/.test(word));
  // "Leave my list alone", "no, keep the milk on the list"
  if (/^(?:leave|keep)$/.test(forms[first] ?? "") || takesBack.test(untagged(forms, tags))) return true;
  return forms.some((word, index) => {
    if (tags[index] !== "other") return false;
    const next = forms[index + 1] ?? "";
    // The "list of movies" belongs to another app.
    if (word === "list" && next === "of" && tags[index + 2] === "title") return true;
    if (word === "but" && next !== "" && tags[index + 1] === "title") return true;
    if (word === "not" || word === "never" || word === "no") return isDenial(word, forms[index - 1] ?? "", next);
    return isOpen(word, next);
  });
}

function isDenial(word: string, before: string, next: string): boolean {
  if (word === "no") return next === "need";
  if (next === "mind") return word === "never";
  if (next === "have" && advising.has(before)) return true;
  return !harmless.has(next) && next !== "longer";
}

const opening = new Set(
  "or without nevermind except excluding besides half almost nearly partly mostly halfway".split(" "),
);

/** "Show or clear my list" has two readings, "clear all except milk" leaves something, and "should I add milk" asks for advice. */
function isOpen(word: string, next: string): boolean {
  if (opening.has(word)) return true;
  return advising.has(word) && (next === "i" || next === "we");
}

const oneTodo = new Set("todo do task reminder item".split(" "));

const naming = new Set(["called", "named", "titled"]);

/** "A task called answer": nobody knows whether a result is meant, or its name. */
function namesResult(forms: readonly string[], tags: readonly string[], titles: readonly string[]): boolean {
  return titles.some(refersToResult) && forms.some((word, index) => naming.has(word) && tags[index + 1] === "title");
}

/** "A task force", "my to-do list app": a noun with a title right behind it makes another thing of it, unless it is something to do. */
function isCompound(forms: readonly string[], tags: readonly string[], titles: readonly string[]): boolean {
  return forms.some((word, index) => {
    if (tags[index] !== "other" || tags[index + 1] !== "title" || tags.includes("list")) return false;
    return oneTodo.has(word) ? !titles.some(isDeed) : word === "list" && titles.some(isOtherThing);
  });
}

const sorting = /^(?:sort|sorted|order|ordered|arrange|arranged|group|grouped|rank|ranked)$/;

/** "Show my list sorted by colour": an order that todos do not have. */
function isSorted(forms: readonly string[], tags: readonly string[]): boolean {
  return forms.some((word, index) => tags[index] === "other" && word === "by" && sorting.test(forms[index - 1] ?? ""));
}

const joining = new Set("and or also plus too as well the a an my our on to in onto list".split(" "));

/** "Ask bob to add milk": of several titles each follows the other, or the wish is somebody else's. */
function isApart(forms: readonly string[], tags: readonly string[]): boolean {
  const first = tags.indexOf("title");
  const last = tags.lastIndexOf("title");
  if (tags.includes("newTitle")) return false;
  return forms.some(
    (word, index) =>
      index > first && index < last && tags[index] === "other" && /^\p{L}/u.test(word) && !joining.has(word),
  );
}

const polite = new Set(
  "please pls can could would will you now and then also just first next finally so ok hey".split(" "),
);

/** The verb of a command, or whatever comes first. */
function leadOf(forms: readonly string[]): string {
  return forms.find((word) => /^\p{L}/u.test(word) && !polite.has(word)) ?? "";
}

const completing = /^(?:complete|finish|mark|tick)$/;
const changing = /^(?:move|set|change|push|postpone|reschedule|delay|double|copy|assign)$/;

/** "Remove one item", "the top one": not the list. */
function isSingle(word: string, next: string | undefined): boolean {
  return word === "one" || (/^(?:item|task|todo|reminder|thing|entry)$/.test(word) && !/^lists?$/.test(next ?? ""));
}

/** "Complete all my tasks" deletes nothing, and "move my tasks to friday" does not show them. */
export function contradicts(meaning: TodoMeaning, forms: readonly string[]): boolean {
  const command = leadOf(forms);
  const isCompleting = completing.test(command) || (/^(?:check|cross)$/.test(command) && forms.includes("off"));
  if (meaning === "clear" && forms.some((word, index) => isSingle(word, forms[index + 1]))) return true;
  if (meaning === "clear")
    return isCompleting || forms.some((word) => /^(?:most|some|many|few|several|part)$/.test(word));
  if (meaning === "search" || meaning === "get")
    return isCompleting || changing.test(command) || forms.some((word) => otherPeople.has(word));
  return meaning === "list" && (isCompleting || changing.test(command));
}
