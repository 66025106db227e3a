import * as z from "zod/v4";
import type { PhraseContext } from "../../../core/tool.ts";
import type { TodoStoreInput } from "../todo-input.ts";
import {
  announcesTodo,
  isDeed,
  isElsewhere,
  isName,
  isOtherThing,
  isQuestion,
  isSeveralItems,
  isSeveralNames,
  namesOtherTask,
} from "./titles.ts";
import {
  dayOrTime,
  due,
  extras,
  inputOf,
  listName,
  namedList,
  onList,
  type Phrase,
  plainList,
  type Slots,
  todo,
} from "./words.ts";

const severalItems = z.array(z.string()).refine(isSeveralItems);
const severalNames = z.array(z.string()).refine(isSeveralNames);
const common = { list: listName, due: dayOrTime };

type ToInput = (slots: Slots, context: PhraseContext) => TodoStoreInput | undefined;

/** A phrase for each of several items, and one for a single title; the items are tried first, as they cost less. */
function adding(phrase: string, toInput: ToInput = (slots) => inputOf("add", slots)): readonly Phrase[] {
  return [
    { phrase, slots: common, toInput },
    { phrase, slots: { ...common, title: severalItems }, toInput },
  ];
}

/** A phrase that states that there is one todo: only bare names are several of them. */
function addingOne(phrase: string): readonly Phrase[] {
  const toInput: ToInput = (slots) => {
    const { title } = slots;
    const isOther = isQuestion(title) || (typeof title === "string" && namesOtherTask(title));
    return isOther ? undefined : inputOf("add", slots);
  };
  return [
    { phrase, slots: common, toInput },
    { phrase, slots: { ...common, title: severalNames }, toInput },
  ];
}

/**
 * A phrase with nothing between "task" and the title, as in "task force": it is a todo only if the title is something
 * to do, or a day is given.
 */
function addingUnmarked(phrase: string): readonly Phrase[] {
  return adding(phrase, (slots) => {
    const { title, due } = slots;
    const isMeant = due !== undefined || typeof title !== "string" || isDeed(title);
    return isMeant && !isQuestion(title) ? inputOf("add", slots) : undefined;
  });
}

/** A phrase that adds without naming a list: the title must not be something that other tools handle. */
function addingBare(phrase: string): readonly Phrase[] {
  return adding(phrase, (slots, context) => {
    if (!isName(slots.title) || isElsewhere(slots.title) || isOtherThing(slots.title) || announcesTodo(slots.title))
      return undefined;
    return inputOf("add", { ...listBefore(context), ...slots });
  });
}

/** A phrase that is only about an earlier result. */
function addingResult(phrase: string): readonly Phrase[] {
  const toInput: ToInput = (slots) => (typeof slots.title === "object" ? inputOf("add", slots) : undefined);
  return [{ phrase, slots: common, toInput }];
}

/** A phrase that continues "put rice on my shopping list": "and eggs to my work list". */
function addingMore(phrase: string): readonly Phrase[] {
  return adding(phrase, (slots, { before }) => {
    // "lunch with Tom and Jerry to my list" does not continue a phrase with a list.
    const isNamed = before?.input.operation === undefined || typeof before.input.list === "string";
    return before !== undefined && isNamed ? inputOf("add", slots) : undefined;
  });
}

/** A phrase with "it" for the list that was mentioned before. */
function addingToIt(phrase: string): readonly Phrase[] {
  return adding(phrase, (slots, context) =>
    context.before === undefined ? undefined : inputOf("add", { ...listBefore(context), ...slots }),
  );
}

function listBefore({ before }: PhraseContext): Slots {
  const list = before?.input.list;
  return typeof list === "string" ? { list } : {};
}

const add =
  "(add|adding|re add|readd|add back|put|putting|put back|include|including|insert|append|place|write|jot|mark down|note|stick|throw|toss|chuck|bung|pop|slap|drop|enter|register|save|store|record|log|get|list|keep|have)";
const create =
  "(add|adding|create|creating|make|making|new|set|set up|start|open|enter|write|record|save|register|schedule)";
const newOne = "[(a|an|the|another|one more|this|following)] [(new|following|{priority} priority)]";
const bareTodo = "todo|to do|task|new todo|new to do|new task|new item|note to self|reminder|new reminder";
const mustDo = "[that] [(i|we)] [(need|have|want|ought|got)] [to]";
const remind = `[help] remind me ${mustDo}`;
const called =
  "(called|named|titled|to|for|about|of|that says|saying|with the title|which says|that i (need|have) to|reminding me to|reminding me about)";
const addIt = "(add|put|include|write|stick|place|throw|jot|note|get|have) [down] (it|that|this|them|some|one)";

/** Phrases that add todos to a list. */
const toList: readonly Phrase[] = [
  ...adding(`[(${remind}|i (forgot|need|want|have) to)] ${add} [down] {title} [down] [back] (${onList}) ${extras}`),
  ...adding(
    `${add} [down] (to|on|in|into|onto) (${namedList}|${plainList}) [that] [(i|we) (need|have) to] {title} ${extras}`,
  ),
  ...adding(`(to|on|in|onto|into|for) (${namedList}|${plainList}) ${add} [down] {title} ${extras}`),
  ...adding(`${add} {title} ${due} (${onList})`),
  ...adding(
    `${add} [(the|these|this|a few|some|two|three|four|five)] [(following|new)] (things|items|tasks|todos|to dos|item|task) (${onList}) {title}`,
  ),
  ...adding(`${add} (the following|this|these) (${onList}) {title}`),
  ...adding(
    `{title} (needs|need|has|have|should|must|ought|wants|is supposed) [to] [also] (be|go|get|be added|be put|be included|be placed|be written|get added|appear) (${onList})`,
  ),
  ...adding(`{title} (belongs|goes|belong|go) (${onList})`),
  ...adding(
    `(${namedList}|${plainList}) (needs|should (have|include|contain|say)|must (have|include)) {title} [(on it|in it|added)]`,
  ),
  ...adding(
    `(i|we) (need|want|would like|would love|have|have got) {title} [(to be|to go|to get)] [(added|put|included|written|placed|listed|down|on there)] [down] (${onList}) ${extras}`,
  ),
  ...adding(`(can|could|may) (i|we|you) (get|have) {title} [(added|put)] (${onList})`),
  ...adding(`(get|have) {title} (added|put|written|included|placed) [down] (${onList})`),
  ...adding(
    `(make sure|be sure|ensure|see to it) [that] {title} (is|are|gets|get|goes|go|be|ends up|is put|is added|gets added) (${onList})`,
  ),
  ...adding(
    `[(because|since)] (i|we) (need|have|want|are out of|am out of|ran out of|have run out of|am low on|are low on|am running out of|am running low on|are running low on|must|should|forgot) [to] [(buy|get|do|have)] {title} [so] ${addIt} [(${onList})]`,
  ),
  ...adding(
    `(i|we) (need|am|are|ran|have run|have no|am running|are running) (out of|low on|more|to (buy|get|have)) {title} ${addIt} (${onList})`,
  ),
  ...adding(`${remind} {title} ${due} [(so|and)] (put|add) [(it|that|this)] [down] (${onList})`),
  ...adding(`${remind} {title} [(so|and)] (put|add) [(it|that|this)] [down] (${onList})`),
];

/** Phrases that add todos, and call them that. */
const asTodo: readonly Phrase[] = [
  ...addingOne(`${create} ${newOne} ${todo} (${called}|:|-|–) {title} [(${onList})] ${extras}`),
  ...addingOne(`${create} ${newOne} ${todo} {title} (${onList}) ${extras}`),
  ...addingUnmarked(`${create} ${newOne} ${todo} {title} ${extras}`),
  ...addingOne(`${create} [(a|an|another)] [new] ${todo} (${onList}) [${called}] {title} ${extras}`),
  ...addingOne(
    `(save|store|record|log|keep|track|add|put|write|note|enter|use|register|turn|make) {title} [down] (as|into) [(a|an|another|one more)] [new] ${todo} [(${onList})] ${extras}`,
  ),
  ...addingOne(`remind me [(that i (need|have) to|to|about|that|i (need|have) to|i (should|must))] {title} ${extras}`),
  ...addingOne(`remind me of {title} ${due}`),
  ...addingResult(
    "(remind me of|remind me about|make|turn|note) {title} [(into|as)] [(a|an)] [(todo|to do|task|reminder|item)]",
  ),
  ...addingResult(`${create} ${newOne} ${todo} with {title} [(${onList})]`),
  ...addingOne(`remind me ${due} (to|about|of|that i (need|have) to) {title}`),
  ...addingOne(
    `(${create}|i need|i want|give me|i would like) [(a|an)] reminder [for me] ${due} (to|for|about|of|that) {title}`,
  ),
  ...addingOne(
    `(i need|i want|give me|i would like) (a|an) reminder [for me] (to|for|about|of|that) {title} ${extras}`,
  ),
  ...addingOne(`${create} [(a|an)] reminder [for me] (to|for|about|of|that) {title} ${extras}`),
  ...addingOne(
    `(do not let me forget|do not forget|never forget|help me remember|i (need|have|must) to remember|i must remember|remember|i (must|should) not forget) [(to|about|the)] {title} ${extras}`,
  ),
  ...addingOne(`(${bareTodo}) (:|-|–) {title} ${extras}`),
  ...addingUnmarked(`(${bareTodo}) {title} ${extras}`),
];

/** Phrases that add todos without mentioning a list. */
const bare: readonly Phrase[] = [
  ...addingBare(`(add|adding|put down|jot down|write down|note down) {title} ${extras}`),
  ...addingToIt(`${add} {title} [back] (to|on|onto|in|into) (it|that|that one|there) [too] ${extras}`),
  ...adding(
    `(create|make|start|begin) [(me|us)] [(a|an|another)] [new] ({list} list|list (called|named|for) {list}) (and|with|then) [(add|put|include|write)] {title} [(to|on|in) it]`,
  ),
  ...addingMore(`{title} (${onList})`),
  ...addingToIt(`(i|we) [do] need {title} (on|in) it`),
];

/** All phrases that add todos. */
export const addPhrases: readonly Phrase[] = [...toList, ...asTodo, ...bare];
