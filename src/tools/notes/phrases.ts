import * as z from "zod/v4";
import type { SlotValue, ToolPhraseOptions } from "../../core/tool.ts";
import type { NotesInput } from "./note.ts";

type Phrase = ToolPhraseOptions<NotesInput>;
type ToInput = NonNullable<Phrase["toInput"]>;
type Slots = Readonly<Record<string, SlotValue>>;

const kinds =
  "application|asset|bug|case|change|claim|contract|customer|decision|document|incident|invoice|issue|item|motion|order|policy|pr|project|proposal|pull request|record|release|request|rfc|risk|task|ticket|vendor";
/** Together with `hasMark`, a word with a digit or two capitals: `PROP-2025-001`, `#42` or `HR`. */
const key = new RegExp(`^(?:(?:the )?(?:${kinds}) )?[^\\s:;,]*(?:\\d|\\p{Lu}{2})[^\\s:;,]*$`, "iu");
const hasMark = /\d|\p{Lu}{2}/u;
const name = /^\p{Lu}[^\s:;,]*(?: [^\s:;,]+){0,5}$/u;
const isTodo = /\b(?:lists?|to-?dos?|tasks?|reminders?|self|myself|agenda)\b/i;
const isBeginning = /\b(?:that|saying|says|stating|reading|which)\b|[–—]/i;
const maxItem = 200;

function isItem(text: string): boolean {
  if (text.length > maxItem) return false;
  return (key.test(text) && hasMark.test(text)) || (name.test(text) && !isTodo.test(text) && !isBeginning.test(text));
}

const item = z.string().refine(isItem);
const rest = z.string().meta({ slot: "message" });
const position = z.number().int();
const uuid = z.string().regex(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i);

const add =
  "(add|adding|attach|append|leave|write|make|record|log|put|post|enter|create|save|file|include|insert|drop)";
const one = "[(a|an|another|the|this|following|one more)] [(new|following|quick|short|governance|review|audit)]";
const note = "(note|comment|remark|annotation)";
const notes = "(notes|comments|remarks|annotations)";
const about = "(to|on|onto|for|about|of|against|under|in|regarding|at|with)";
const says = "(:|saying [that]|which says [that]|that says [that]|stating [that]|reading|with the text [:])";
const show = "(show|list|get|read|display|see|view|give|find|fetch|print|open|pull up|look at|check)";
const drop = "(delete|remove|erase|drop|discard|withdraw|retract|strike)";
const nth = `({index} ${note}|${note} [number] [#] {index})`;
const newest = `(last|latest|newest|most recent) ${note}`;

function phrasesOf(
  operation: NotesInput["operation"],
  options: Pick<Phrase, "slots" | "toInput">,
  phrases: readonly string[],
): readonly Phrase[] {
  const { toInput = (slots: Slots) => inputOf(operation, slots) } = options;
  // If phrases shared `toInput`, they would count as forms of one call, with an optional item, as one form has none.
  return phrases.map((phrase) => ({
    phrase,
    input: { operation },
    ...options,
    toInput: (...given) => toInput(...given),
  }));
}

const ending = new RegExp(
  `\\s(?:to|on|for|about|of|against|under|regarding)\\s+((?:(?:the )?(?:${kinds}) )?\\S+)$`,
  "i",
);

/** Adds a note without an item. Does not match if the last word is an item: "… to PROP-2025-001". */
const toGeneral: ToInput = ({ text }) => {
  const [, last = ""] = (typeof text === "string" && ending.exec(text)) || [];
  return key.test(last) && hasMark.test(last) ? undefined : inputOf("add", { text: text ?? "" });
};

const leading =
  /^(?:[:–—-]|(?:to|on|onto|for|about|of|against|under|in|into|from|regarding|at|with|saying|says|stating|reading|which|that|and|or)\b)/i;

/** Takes all words behind "make a note", unless they lead to an item, a text or a purpose: "a note to call Bob". */
const toPlain: ToInput = (slots, context) =>
  typeof slots.text === "string" && !leading.test(slots.text) ? toGeneral(slots, context) : undefined;

const beginning =
  /^(.{1,200}?)(?:\s*(?::|–|—)\s+|\s+(?:saying|stating|reading|(?:that|which) says|that)(?: that)?\s+)(\S.*)$/s;

/** Uses one slot for item and note, because an item slot would extend to a colon within the note. */
const toItemAndText: ToInput = ({ text }) => {
  const [, found = "", rest = ""] = (typeof text === "string" && beginning.exec(text)) || [];
  return isItem(found) ? { operation: "add", item: found, text: rest } : undefined;
};

function targeting(operation: "get" | "delete", frame: string): readonly Phrase[] {
  const toNth: ToInput = (slots) => (typeof slots.index === "number" ? inputOf(operation, slots) : undefined);
  const toNewest: ToInput = (slots) => inputOf(operation, { ...slots, index: -1 });
  return [
    ...phrasesOf(operation, { slots: { item, index: position }, toInput: toNth }, [frame.replace("@", nth)]),
    ...phrasesOf(operation, { slots: { item }, toInput: toNewest }, [frame.replace("@", newest)]),
  ];
}

function inputOf(operation: NotesInput["operation"], slots: Slots): NotesInput {
  return { operation, ...slots } as unknown as NotesInput;
}

export const notePhrases: readonly Phrase[] = [
  ...phrasesOf("add", { slots: { item } }, [
    `${add} [down] ${one} ${note} ${about} {item} (${says}|that) {text}`,
    `${add} [down] ${one} ${note} {item} : {text}`,
    `${add} [down] ${one} ${note} ${says} {text} ${about} {item}`,
    `${add} {text} [down] as [(a|an)] ${note} ${about} {item}`,
    `${add} {text} to [the] ${notes} ${about} {item}`,
    `(for|on|about) {item} ${add} [down] ${one} ${note} ${says} {text}`,
    `${note} [down] ${about} {item} (${says}|that) {text}`,
    "(annotate|comment) {item} (:|with [:]) {text}",
  ]),
  ...phrasesOf("add", { toInput: toGeneral }, [
    `(${add}|take|jot) [down] ${one} ${note} (${says}|that|:) {text}`,
    `(${note} :|(write|jot) down [somewhere] (:|that)) {text}`,
  ]),
  ...phrasesOf("add", { slots: { text: rest }, toInput: toPlain }, [
    `(${add}|take|jot) [down] (a|another|one more) [(new|quick|short)] ${note} {text}`,
    `(another|one more) ${note} [:] {text}`,
  ]),
  ...phrasesOf("add", { toInput: toGeneral }, [`(a|another|one more) [new] ${note} [for me] : {text}`]),
  ...phrasesOf("add", { toInput: toItemAndText }, [
    `${add} [down] ${one} ${note} ${about} {text}`,
    `${note} [down] ${about} {text}`,
  ]),
  ...phrasesOf("list", { slots: { item } }, [
    `${show} [me] [(all|every)] [(all|of)] [(the|my|our|its)] [(governance|review|audit)] ${notes} ${about} {item}`,
    `${show} [me] [all] [(the|my|our)] [(governance|review|audit)] ${notes}`,
    `(what|which) ${notes} (are|are there|exist|do (i|we|you) have|have been (added|left|written|made)|were (added|left|written|made)) ${about} {item}`,
    `(are|is) there [(any|some|a)] (${note}|${notes}) ${about} {item}`,
    `(do|did|have) (i|we|you) (have|leave|left|write|written) [(any|some)] ${notes} ${about} {item}`,
    `how many ${notes} (are there|do (i|we|you) have|exist) ${about} {item}`,
    `(what is|what has been|what was) noted ${about} {item}`,
    `[(all|the|my|our)] ${notes} ${about} {item}`,
  ]),
  ...targeting("get", `(${show} [me]|what (is|does)) [(the|my|our)] @ ${about} {item} [say]`),
  ...targeting("delete", `${drop} [(the|my|our)] @ (${about}|from) {item}`),
  { phrase: `${drop} [the] ${note} [with] [the] [id] {id}`, slots: { id: uuid }, input: { operation: "delete" } },
  { phrase: `${show} [me] [the] ${note} [with] [the] [id] {id}`, slots: { id: uuid }, input: { operation: "get" } },
];
