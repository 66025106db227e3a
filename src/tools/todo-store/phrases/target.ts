import * as z from "zod/v4";
import type { PhraseContext } from "../../../core/tool.ts";
import type { TodoStoreInput } from "../todo-input.ts";
import { isElsewhere, isOtherThing, isSeveralItems, namesOtherTask } from "./titles.ts";
import { inputOf, listName, type Operation, type Phrase, type Slots, todo } from "./words.ts";

/** How one todo is named: by its title, or by its place. */
export const ordinal =
  "[number] {index}|{index} (one|item|task|todo|to do|entry|thing|reminder)|(item|task|todo|to do|entry|reminder|number|item number|task number|todo number|#) {index}";
/** Apart, as "one" alone is any of them. */
const firstOne =
  "first (one|item|task|todo|to do|entry|thing|reminder)|first|1|1st|(item|task|todo|to do|entry|reminder|number|item number|task number|todo number|#) (1|one)";
const lastOne = "last (one|item|task|todo|to do|entry|thing|reminder)|last";
/** A position in a list, from 1. */
export const position = z.number().int();

/** A frame in which `@` is a todo: its place, the last one, or its title. */
export function targeting(operation: "complete" | "reopen" | "delete" | "get", frame: string): readonly Phrase[] {
  const rules: Phrase[] = [];
  const slots = { list: listName, index: position };
  const onItem = (named: string) => frame.replaceAll("@", named);
  rules.push({
    phrase: onItem(`[(the|my|this|that)] (${ordinal})`),
    slots,
    toInput: (found) => (typeof found.index === "number" && found.index !== 1 ? inputOf(operation, found) : undefined),
  });
  rules.push({
    phrase: onItem(`[(the|my|this|that)] (${firstOne})`),
    slots,
    toInput: (found) => ({ operation, index: 1, ...found }) as unknown as TodoStoreInput,
  });
  rules.push({
    phrase: onItem(`[(the|my)] (${lastOne})`),
    slots,
    toInput: (found) => ({ operation, index: -1, ...found }) as unknown as TodoStoreInput,
  });
  const title = `[(the|my|this)] [${todo}] [(called|named|titled|that says)] {title} [(${todo})]`;
  rules.push({
    phrase: onItem(title),
    slots: { list: listName },
    toInput: (found, context) => targetOf(operation, found, context),
  });
  return rules;
}

/** "Tick it off", "remove PROP-2025-001", "my list of movies": no todo is plainly called so. */
function isUnknown(title: unknown): boolean {
  return typeof title === "string" && /^(?:it|them|that) \w+$|\b\p{L}+-\d|^(?:my |the )?list of /iu.test(title);
}

/** "PROP-2025-001" is a record somewhere else, and "the milk or the eggs" is one of two. */
function isUncertain(title: string): boolean {
  return namesOtherTask(title) || /^\p{L}+(?:-\d+)+$|\bor (?:the|my|an?) /iu.test(title);
}

/**
 * The same for a frame that does not say that it is about todos: things that other tools handle are left to them, and
 * "the alarm from my calendar" is nothing of ours.
 */
export function targetingBare(operation: "complete" | "reopen" | "delete" | "get", frame: string): readonly Phrase[] {
  return targeting(operation, frame).map((rule) => ({
    ...rule,
    toInput: (slots, context) =>
      isElsewhere(slots.title) || isOtherThing(slots.title) || isUnknown(slots.title)
        ? undefined
        : rule.toInput?.(slots, context),
  }));
}

/** The same with "it" for the list that was mentioned before. */
export function targetingInIt(operation: "complete" | "delete", frame: string): readonly Phrase[] {
  return targeting(operation, frame).map((rule) => ({
    ...rule,
    toInput(slots, context) {
      const list = context.before?.input.list;
      if (context.before === undefined) return undefined;
      return rule.toInput?.(typeof list === "string" ? { list, ...slots } : slots, context);
    },
  }));
}

const severalTitles = z.array(z.string()).refine(isSeveralItems);

/** A frame in which `@` may be several todos by their titles, besides one. */
export function targetingSeveral(operation: "complete" | "reopen" | "delete", frame: string): readonly Phrase[] {
  const several: Phrase = {
    phrase: frame.replaceAll("@", "[(the|my)] {title}"),
    slots: { list: listName, title: severalTitles },
    toInput: (found) => inputOf(operation, found),
  };
  return [...targeting(operation, frame), several];
}

/** A todo from an earlier step is named by its id. */
export function targetOf(
  operation: Operation,
  slots: Slots,
  { previous, before }: PhraseContext,
): TodoStoreInput | undefined {
  const { title, ...others } = slots;
  if (typeof title === "string" && isUncertain(title)) return undefined;
  if (typeof title !== "object") return inputOf(operation, slots);
  const { operation: last, query } = before?.input ?? {};
  // A searched todo is named as in the search: it may find several todos, so a position would be ambiguous.
  if (last === "search") return typeof query === "string" ? inputOf(operation, { ...slots, title: query }) : undefined;
  if (last === "list" || last === "clear" || previous === undefined) return undefined;
  return { ...inputOf(operation, others), id: { $ref: `${previous.$ref}.id` } } as unknown as TodoStoreInput;
}
