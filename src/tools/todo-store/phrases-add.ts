import { z } from "zod/v4";
import { isOtherThing, isSeveralItems } from "./phrases-titles.ts";
import {
  day,
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
} from "./phrases-words.ts";
import type { TodoStoreInput } from "./todo-input.ts";

const severalItems = z.array(z.string()).refine(isSeveralItems);
const common = { list: listName, dueDate: day };

/** A phrase for each of several items, and one for a single title; the items are tried first, as they cost less. */
function adding(phrase: string): readonly Phrase[] {
  const toInput = (slots: Slots) => inputOf("add", slots);
  return [
    { phrase, slots: common, toInput },
    { phrase, slots: { ...common, title: severalItems }, toInput },
  ];
}

/** A phrase that only adds where nothing says which list: the title must not end with the name of something else. */
function addingBare(phrase: string): readonly Phrase[] {
  return adding(phrase).map((rule) => ({ ...rule, toInput: (slots) => bareAdd(slots) }));
}

function bareAdd(slots: Slots): TodoStoreInput | undefined {
  const { title } = slots;
  const isElsewhere =
    typeof title === "string" &&
    /\b(?:to|in|into|on|onto) (?:my|the|our|this|that|your) [\p{L}\s-]+$/iu.test(title) &&
    !/^(?:go|walk|take|bring|give|call|talk|get|drive|send|return|move|write|reply|listen|run|carry)\b/iu.test(title);
  return isElsewhere || isOtherThing(title) ? undefined : inputOf("add", slots);
}

const add =
  "(add|adding|put|putting|include|including|insert|append|place|write|jot|stick|throw|pop|enter|register|save|store|record|log)";
const create =
  "(add|adding|create|creating|make|making|new|set|set up|start|open|enter|write|record|save|register|schedule)";

/** How people add todos. */
export const addPhrases: readonly Phrase[] = [
  ...adding(`${add} {title} [down] (${onList}) ${extras}`),
  ...adding(
    `${add} [down] (to|on|in|into|onto) (${namedList}|${plainList}) [that] [(i|we) (need|have) to] {title} ${extras}`,
  ),
  ...adding(`${add} {title} ${due} (${onList})`),
  ...adding(
    `${create} [(a|an|the|another|one more|this|following)] [(new|following|{priority} priority)] ${todo} [(called|named|titled|to|for|about|of|that says|saying|with the title|which says|that i (need|have) to|reminding me to)] {title} [(${onList})] ${extras}`,
  ),
  ...adding(
    `${create} [(a|an|another)] [new] ${todo} (${onList}) [(called|named|titled|to|for|about|that says|saying|with the title)] {title} ${extras}`,
  ),
  ...adding(
    `(save|store|record|log|keep|track|add|put|write|note|enter|use|register|turn|make) {title} [down] (as|into) [(a|an|another|one more)] [new] ${todo} [(${onList})] ${extras}`,
  ),
  ...adding(`remind me [(that i (need|have) to|to|about|of|i (need|have) to)] {title} ${extras}`),
  ...adding(`remind me ${due} (to|about|of|that i (need|have) to) {title}`),
  ...adding(`${create} [(a|an)] reminder [for me] (to|for|about|of|that) {title} ${extras}`),
  ...adding(
    `(do not let me forget|do not forget|never forget|help me remember|i (need|have|must) to remember|i must remember|remember|i (must|should) not forget) [(to|about|the)] {title} ${extras}`,
  ),
  ...adding(
    `(todo|to do|task|new todo|new to do|new task|new item|note to self|reminder|new reminder) {title} ${extras}`,
  ),
  ...adding(
    `{title} (needs|need|has|have|should|must|ought) [to] (be|go|be added|be put|be included|get added) (${onList})`,
  ),
  ...adding(`(i|we) (need|want|would like) {title} [(added|put|included)] (${onList})`),
  ...adding(`(can|could|may) (i|we|you) (get|have) {title} [(added|put)] (${onList})`),
  ...adding(`(get|have) {title} (added|put|written|included) [down] (${onList})`),
  ...addingBare(`(add|adding|put down|jot down|write down|note down) {title} ${extras}`),
];
