import type { Clause, ClauseDate, ClauseReader, ClauseReading } from "../../../core/clause-reader.ts";
import { readAnaphor } from "../../../english/references.ts";
import { smallWords } from "../../../english/small-words.ts";
import { type Classifier, classify } from "../../../language/classifier.ts";
import { maskWords, plainLists } from "../../../language/mask.ts";
import { type Tagger, tagWords } from "../../../language/tagger.ts";
import type { Token } from "../../../language/tokens.ts";
import { contradicts, isNoWish, otherPeople } from "./objections.ts";
import { settleTags, todoNouns } from "./settle-tags.ts";
import { type TodoMeaning, todoInputs } from "./todo-inputs.ts";
import { readTodoSlots, type TodoSlots } from "./todo-slots.ts";

/** What was learned about todos. */
export interface TodoModel {
  /** Which operation the frame of a clause means. */
  readonly classifier: Classifier;
  /** Which words of a clause are a title or a list's name. */
  readonly tagger: Tagger;
}

/** What the training writes. */
export interface TodoWeights {
  readonly classifier: { readonly scale: number; readonly text: string };
  readonly tagger: {
    readonly scale: number;
    readonly text: string;
    readonly transitions: readonly number[];
    /** The words that frame a wish, with spaces between them. */
    readonly vocabulary: string;
  };
}

/** Reads clauses with a trained model. */
export function createTodoReader(model: TodoModel): ClauseReader {
  return {
    read(clause) {
      const readings = readDated(model, clause) ?? readClause(model, clause, tagClause(model, clause));
      const referring = readReferring(model, clause);
      return (referring[0]?.probability ?? 0) > (readings[0]?.probability ?? 0) ? referring : readings;
    },
  };
}

const changes = new Set<string>(["add", "complete", "reopen", "update", "delete"]);
/** What stands before a title: "put that on my list", "is that on my list". */
const notBefore = new Set("is are was be of with for me us what who how".split(" "));

/** Reads a clause that names nothing but an earlier result: "put that on my list" is "put milk on my list" to what was learned. */
function readReferring(model: TodoModel, clause: Clause): readonly ClauseReading[] {
  const { forms } = clause;
  for (const at of forms.keys()) {
    const end = notBefore.has(forms[at - 1] ?? "") ? undefined : readAnaphor(forms, at);
    if (end === undefined || (end < forms.length && !smallWords.has(forms[end] ?? ""))) continue;
    const tags = [...tagClause(model, clause)];
    if (tags.includes("title")) return [];
    tags.fill("title", at, end);
    return readClause(model, clause, tags).filter(({ meaning }) => changes.has(meaning));
  }
  return [];
}

/** Prepositions of a date that says nothing of when something is due. */
const notDue = new Set(["after", "since", "from"]);
const dated = new Set(["add", "update", "list"]);
/** Stands for a date with the preposition before it, whatever it is. */
export const dateWord = "‹date›";

/** Reads a clause that says when something is due. Undefined where the date is a part of a title, or what is meant has none. */
function readDated(model: TodoModel, clause: Clause): readonly ClauseReading[] | undefined {
  const [date, second] = clause.dates;
  if (date === undefined || second !== undefined || notDue.has(date.preposition ?? "")) return undefined;
  const { leadStart: start, end } = date;
  const [first, last] = [clause.tokens[start], clause.tokens[end - 1]];
  if (first === undefined || last === undefined || clause.tokens.length < end - start + 2) return undefined;
  const token: Token = { ...first, kind: "sign", norm: dateWord, end: last.end };
  const tokens = [...clause.tokens.slice(0, start), token, ...clause.tokens.slice(end)];
  const forms = [...clause.forms.slice(0, start), dateWord, ...clause.forms.slice(end)];
  const rest = { ...clause, tokens, forms };
  const tags = tagClause(model, rest);
  const isInside = tags[start - 1] === "title" && tags[start + 1] === "title";
  if (tags[start] !== "other" || isInside) return undefined;
  const readings = readClause(model, rest, tags, date);
  return dated.has(readings[0]?.meaning ?? "") ? readings : undefined;
}

function tagClause({ tagger }: TodoModel, { forms }: Clause): readonly string[] {
  return settleTags(forms, tagWords(tagger, forms), tagger.vocabulary);
}

function readClause(
  { classifier, tagger }: TodoModel,
  { tokens, forms, text }: Clause,
  tags: readonly string[],
  date?: ClauseDate,
): readonly ClauseReading[] {
  const slots = readTodoSlots({ text, tokens, tags, frameWords: tagger.vocabulary });
  const found = classify(classifier, plainLists(maskWords(forms, tags)));
  const share = (name: string) => found[classifier.classes.indexOf(name)] ?? 0;
  const isNamedOurs =
    slots.list !== undefined || slots.index !== undefined || forms.some((word) => todoNouns.has(word));
  const meanings = isNoWish(forms, tags, slots) ? [] : meaningsOf(share, slots, forms);
  const readings = meanings.map(({ meaning, probability: found }): ClauseReading => {
    const probability = isNamedOurs ? found : found * unnamedShare(meaning, forms, tags);
    return {
      meaning,
      probability,
      toInputs(context) {
        // Nothing is deleted unless a list or a task is spoken of, here or before.
        if (meaning === "delete" && !isNamedOurs && context.before === undefined)
          return forms.some((word) => removing.has(word)) ? { missing: "list" } : { left: forms.join(" ") };
        return todoInputs(meaning, slots, { forms, context, date });
      },
    };
  });
  return readings.sort((left, right) => right.probability - left.probability);
}

const speakers = new Set("i we my our me us".split(" "));
const todoVerbs = new Set("rename retitle reword relabel postpone reschedule priority ‹date›".split(" "));

/** How much plainer a wish must be where neither a list nor a task is spoken of: "put the kettle on", "look for cheap hotels". */
function unnamedShare(meaning: TodoMeaning, forms: readonly string[], tags: readonly string[]): number {
  const says = (words: ReadonlySet<string>) => forms.some((word, index) => tags[index] === "other" && words.has(word));
  if (meaning === "search" || meaning === "get") return says(speakers) ? 0.85 : 0;
  if (meaning !== "update") return 0.85;
  // "Buy milk tomorrow" changes nothing that there is.
  const saysNothing = forms.every(
    (word, index) => tags[index] !== "other" || word === dateWord || !/^\p{L}/u.test(word),
  );
  return saysNothing ? 0 : says(todoVerbs) ? 0.85 : 0.75;
}

const removing = new Set(
  "clear cleared delete deleted deleting remove removed removing erase erased empty emptied wipe wiped scrap discard trash bin drop dump purge reset blank cancel scratch eliminate nuke fresh flush clean off out rid away anything everything all none over strike kill ditch chuck destroy zero start gone".split(
    " ",
  ),
);
/** Words by which somebody speaks of what there is to do, without naming a list. */
const owning = new Set("have need got left plate due agenda pending outstanding".split(" "));

function isAnyList(forms: readonly string[]): boolean {
  return forms.some((word, index) => word === "a" && forms[index + 1] === "list" && forms[index + 2] === "of");
}

/** Whether one todo is to be shown, those that fit some words, or all. */
function shownMeaning(share: (name: string) => number, { titles, index }: TodoSlots): TodoMeaning {
  const others = share("list") + share("search");
  if (index !== undefined && share("get") > 0.25 * others) return "get";
  if (titles.length === 0) return "list";
  return share("get") > others ? "get" : "search";
}

/**
 * What may be meant: whether something is to be shown or to be removed is told by the frame, and which of the ways to do it by
 * whether a todo is named.
 */
function meaningsOf(share: (name: string) => number, slots: TodoSlots, forms: readonly string[]) {
  const isNamed = slots.titles.length > 0 || slots.index !== undefined;
  const show = share("list") + share("search") + share("get");
  const remove = share("delete") + share("clear");
  const shown = shownMeaning(share, slots);
  // A number alone names something of another app: "complete order 1182".
  const isNumbered = !forms.some((word) => todoNouns.has(word)) && slots.titles.some((title) => /\d/.test(title));
  const meanings: { meaning: TodoMeaning; probability: number }[] = [
    { meaning: "add", probability: share("add") },
    { meaning: shown, probability: show },
    { meaning: "complete", probability: isNumbered ? 0 : share("complete") },
    { meaning: "reopen", probability: share("reopen") },
    { meaning: "update", probability: share("update") },
  ];
  // "what is on tv" and "a list of movies" are about nothing of ours.
  const isOurs =
    forms.some((word) => todoNouns.has(word) || owning.has(word)) &&
    !isAnyList(forms) &&
    !forms.some((word) => otherPeople.has(word));
  if (shown === "list" && !isOurs) meanings[1] = { meaning: "list", probability: 0 };
  const namesList = slots.list !== undefined || forms.some((word) => todoNouns.has(word));
  const isCleared = !isNamed && namesList && forms.some((word) => removing.has(word));
  meanings.push({ meaning: isCleared ? "clear" : "delete", probability: remove });
  return meanings.map((each) => (contradicts(each.meaning, forms) ? { meaning: each.meaning, probability: 0 } : each));
}
