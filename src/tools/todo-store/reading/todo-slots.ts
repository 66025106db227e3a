import { cardinals, ordinals } from "../../../english/numbers.ts";
import { weekdays } from "../../../english/times.ts";
import type { Token } from "../../../language/tokens.ts";
import type { TodoPriority } from "../todo.ts";

/** What the words of a clause say about a todo. */
export interface TodoSlots {
  readonly titles: readonly string[];
  readonly newTitle: string | undefined;
  readonly list: string | undefined;
  readonly newList: string | undefined;
  /** The place of a todo; -1 is the last. */
  readonly index: number | undefined;
  readonly priority: TodoPriority | undefined;
  readonly status: "pending" | "completed" | undefined;
  readonly sort: "due" | "priority" | "title" | undefined;
  /** The words that are part of none of these, and of no frame. */
  readonly left: readonly string[];
}

interface SlotInput {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly tags: readonly string[];
  /** The words that may stand around the others. */
  readonly frameWords: ReadonlySet<string>;
}

/** A day or a condition is never left out; of "today" there is nothing to lose. */
const conditions: ReadonlySet<string> = new Set([
  ...weekdays,
  ...(
    "tomorrow tonight yesterday weekend week month year morning afternoon evening night noon midnight due overdue deadline " +
    "before after until if unless"
  ).split(" "),
]);

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Reads what the tags of a clause mark, and the few things that are said in fixed words. */
export function readTodoSlots(input: SlotInput): TodoSlots {
  const { tokens, tags, frameWords } = input;
  const used = new Set<number>();
  const words = tokens.map(({ norm, kind }) => (kind === "quote" ? '"' : norm));
  const spans = (tag: string) => spansOf(tags, tag);
  const lists = spans("list");
  const titles = spans("title");
  const index = readPlace(words, tags, used);
  const priority = readPriority(words, tags, used);
  const status = readStatus(words, tags, used);
  const sort = readSort(words, tags);
  const left = tokens.flatMap(({ norm, kind }, at) => {
    if (tags[at] !== "other" || used.has(at) || kind === "sign") return [];
    // "Complete the first and the third": of two places one would be lost.
    if (index !== undefined && at > 0 && placeOf(norm) !== undefined) return [norm];
    const isPlain = kind === "word" && !/\d/.test(norm) && frameWords.has(norm) && !conditions.has(norm);
    return isPlain ? [] : [norm];
  });
  const [newTitle] = spans("newTitle");
  const [newList] = spans("newList");
  return {
    titles: splitLast(titles.map((span) => textOf(input, widen(words, tags, span)))),
    newTitle: newTitle && textOf(input, newTitle),
    list: lists[0] && textOf(input, lists[0]),
    newList: (newList ?? lists[1]) && textOf(input, newList ?? (lists[1] as Span)),
    index,
    priority,
    status,
    sort,
    left,
  };
}

function spansOf(tags: readonly string[], tag: string): readonly Span[] {
  const spans: Span[] = [];
  for (let start = 0; start < tags.length; start++) {
    if (tags[start] !== tag) continue;
    let end = start;
    while (tags[end] === tag) end++;
    spans.push({ start, end });
    start = end;
  }
  return spans;
}

/** "milk, eggs and bread": after a comma the last "and" ends the list, too. */
function splitLast(titles: readonly string[]): readonly string[] {
  const last = titles.at(-1)?.split(/ and /i) ?? [];
  return titles.length > 1 && last.length === 2 ? [...titles.slice(0, -1), ...last] : titles;
}

const articles = new Set(["a", "an", "some"]);

/** "a tent" is a better title than "tent". */
function widen(words: readonly string[], tags: readonly string[], { start, end }: Span): Span {
  return articles.has(words[start - 1] ?? "") && tags[start - 1] === "other"
    ? { start: start - 1, end }
    : { start, end };
}

/** The user's own words; a fully quoted text without its quotes. */
function textOf({ text, tokens }: SlotInput, { start, end }: Span): string {
  const first = tokens[start];
  let stop = end;
  while (stop > start + 1 && /^[.,;:!?]$/.test(tokens[stop - 1]?.norm ?? "")) stop--;
  const last = tokens[stop - 1];
  if (first === undefined || last === undefined) return "";
  return stop - start === 1 && first.kind === "quote" ? first.norm : text.slice(first.start, last.end);
}

const things = new Set("one item task todo entry reminder thing chore".split(" "));
const counters = new Set("number no item task todo entry point # reminder".split(" "));
const numbers = new Map([...cardinals.slice(0, 20).entries()].map(([value, word]) => [word, value]));
const places = new Map([...ordinals.entries()].map(([index, word]) => [word, index + 1]));

function placeOf(word: string): number | undefined {
  if (word === "last") return -1;
  const digits = /^([1-9]\d{0,3})(?:st|nd|rd|th)$/.exec(word)?.[1];
  return digits === undefined ? places.get(word) : Number(digits);
}

/** "number four", "item 4", "#4", "the second one", "the last task". */
function readPlace(words: readonly string[], tags: readonly string[], used: Set<number>): number | undefined {
  for (const [at, word] of words.entries()) {
    if (tags[at] !== "other") continue;
    const before = words[at - 1] ?? "";
    const count = /^[1-9]\d{0,3}$/.test(word) ? Number(word) : numbers.get(word);
    if (count !== undefined && count > 0 && counters.has(before)) return use(count, used, at - 1, at);
    const place = placeOf(word);
    if (place === undefined) continue;
    if (things.has(words[at + 1] ?? "")) return use(place, used, at, at + 1);
    if (
      before === "the" &&
      (at + 1 === words.length || /^(?:off|from|on|as|in|please|[.,;!?])$/.test(words[at + 1] ?? ""))
    )
      return use(place, used, at);
  }
  return undefined;
}

function use(value: number, used: Set<number>, ...places: readonly number[]): number {
  for (const place of places) used.add(place);
  return value;
}

const priorities: ReadonlyMap<string, TodoPriority> = new Map([
  ["high", "high"],
  ["highest", "high"],
  ["top", "high"],
  ["urgent", "high"],
  ["medium", "medium"],
  ["normal", "medium"],
  ["low", "low"],
  ["lowest", "low"],
]);

/** "high priority", "priority low", "the priority of the rent to high". */
function readPriority(words: readonly string[], tags: readonly string[], used: Set<number>): TodoPriority | undefined {
  const at = words.findIndex((word, index) => word === "priority" && tags[index] === "other");
  if (at === -1) return undefined;
  const isLevel = (word: string, place: number) => priorities.has(word) && tags[place] === "other";
  const near = isLevel(words[at - 1] ?? "", at - 1) ? at - 1 : words.findLastIndex(isLevel);
  if (near === -1) return undefined;
  used.add(near).add(at);
  return priorities.get(words[near] ?? "");
}

const open = new Set(
  "open pending unfinished incomplete remaining outstanding uncompleted undone unchecked left".split(" "),
);
const done = new Set("done completed finished ticked".split(" "));

function readStatus(
  words: readonly string[],
  tags: readonly string[],
  used: Set<number>,
): "pending" | "completed" | undefined {
  for (const [at, word] of words.entries()) {
    if (tags[at] !== "other") continue;
    const before = words[at - 1] ?? "";
    if (open.has(word) || (done.has(word) && /^(?:not|yet)$/.test(before))) return markStatus("pending", used, at);
    const isDeed =
      /^(?:be|get|getting|been|to|being|it|them|that)$/.test(before) || /^(?:by|today)$/.test(words[at + 1] ?? "");
    if (done.has(word) && !isDeed) return markStatus("completed", used, at);
  }
  return undefined;
}

function markStatus<T>(status: T, used: Set<number>, at: number): T {
  used.add(at);
  return status;
}

function readSort(words: readonly string[], tags: readonly string[]): TodoSlots["sort"] {
  for (const [at, word] of words.entries()) {
    if (tags[at] !== "other") continue;
    if (word === "alphabetically" || word === "alphabetical") return "title";
    if (word !== "by") continue;
    const next = words.slice(at + 1, at + 4).find((each) => each !== "due" || words[at + 2] !== "date") ?? "";
    if (/^(?:date|deadline|due)$/.test(next)) return "due";
    if (next === "priority" || next === "importance" || next === "urgency") return "priority";
    if (next === "name" || next === "title") return "title";
  }
  return undefined;
}
