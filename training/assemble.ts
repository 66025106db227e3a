import { type Token, tokenize } from "../src/language/tokens.ts";
import type { MarkedSentence, Tag } from "./read-sentences.ts";
import { type DevelopmentRow, type LabelledSentence, tagTitle } from "./read-shared.ts";

/** One wish, or a sentence that is none, to learn from. */
export interface Example {
  readonly text: string;
  readonly tokens: readonly Token[];
  /** The operations that are right: several where the data leaves it open. */
  readonly operations: readonly string[];
  /** Undefined where nobody has marked them. */
  readonly tags: readonly Tag[] | undefined;
  readonly source: "written" | "development" | "labelled";
  /** The request of the development part it was made from. */
  readonly id?: string;
}

/** Every wish of the written sentences, alone and, where there are several, together as `several`. */
export function fromWritten(sentences: readonly MarkedSentence[]): readonly Example[] {
  return sentences.flatMap(({ text, tokens, tags, wishes }) => {
    const parts = wishes.map(({ operation, start, end }): Example => {
      return {
        text,
        tokens: tokens.slice(start, end),
        tags: tags.slice(start, end),
        operations: [operation],
        source: "written",
      };
    });
    if (wishes.length < 2) return parts;
    return [...parts, { text, tokens, tags, operations: ["several"], source: "written" }];
  });
}

/** The requests of one step and those that must be refused. */
export function fromDevelopment(rows: readonly DevelopmentRow[]): readonly Example[] {
  return rows.flatMap((row): Example[] => {
    const tokens = tokenize(row.prompt);
    const common = { text: row.prompt, tokens, source: "development" as const, id: row.id };
    const { kind, steps = [] } = row.expect;
    const [step] = steps;
    if (kind === "reject") {
      const operation = row.category === "missing-argument" ? "missing" : "none";
      return [{ ...common, operations: [operation], tags: tokens.map(() => "other") }];
    }
    if (steps.length > 1) return [{ ...common, operations: ["several"], tags: undefined }];
    if (step === undefined) return [];
    if (step.tool === "calculator") {
      if (row.reason?.startsWith("word-problem") === true)
        return [{ ...common, operations: ["none"], tags: undefined }];
      return [{ ...common, operations: ["calc"], tags: undefined }];
    }
    return [{ ...common, operations: step.op ?? [], tags: tagTitle(tokens, step.title?.tokens) }];
  });
}

/** What a label leaves open, and whether the words of a to-do are unknown. */
const openLabels: Readonly<Record<string, readonly string[]>> = {
  shopping_list_update: ["add", "delete", "complete", "clear", "several", "missing"],
  shopping_list: ["list", "search", "get"],
  todo_list: ["list", "search", "get"],
  todo_list_update: ["add", "delete", "complete", "clear", "several", "missing"],
  lists_createoradd: ["add", "none", "missing"],
  lists_query: ["list", "search", "get", "none", "missing"],
  lists_remove: ["delete", "complete", "clear", "none", "missing", "several"],
  calculator: ["calc", "none", "missing"],
  qa_maths: ["calc", "none", "missing"],
};
/** Labels whose sentences may mean our tools as well as none. */
const unclear = new Set(["reminder_update", "reminder", "cancel", "measurement_conversion"]);
/** Reminders in a calendar are called that in some sets, and are todos to us. */
const maybeOurs = /^calendar|reminder|lists?_|todo/;
const ourWords = /\bremind|\bto ?-?do\b|\btasks?\b|\bmy list\b/;
const smallTalk = new Set([
  "greeting",
  "goodbye",
  "thank_you",
  "what_can_i_ask_you",
  "general_greet",
  "general_praise",
  "what_is_your_name",
  "who_made_you",
  "are_you_a_bot",
  "where_are_you_from",
  "how_old_are_you",
  "what_are_your_hobbies",
  "do_you_have_pets",
  "who_do_you_work_for",
]);

/** The sentences of the data sets: mostly what none of our tools means. */
export function fromLabelled(rows: readonly LabelledSentence[]): readonly Example[] {
  return rows.flatMap(({ text, intent }): Example[] => {
    if (intent === null || unclear.has(intent) || (maybeOurs.test(intent) && ourWords.test(text))) return [];
    const operations = openLabels[intent] ?? (smallTalk.has(intent) ? ["small-talk"] : ["none"]);
    return [{ text, tokens: tokenize(text), operations, tags: undefined, source: "labelled" }];
  });
}
