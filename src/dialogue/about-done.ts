import { only } from "../core/lists.ts";
import type { Turn } from "../core/turn.ts";
import { emptyWords } from "../english/word-classes.ts";
import { wordSet } from "../english/word-set.ts";
import { stem, toSingular } from "../language/word-forms.ts";
import { sayName } from "../plan/say-call.ts";
import { lastChange } from "./focus.ts";
import { hasTime } from "./half-said.ts";
import { sayThing } from "./say-thing.ts";
import type { ThreadLine } from "./thread-line.ts";
import { isMark } from "./wish.ts";

export function readAbout(line: ThreadLine): Extract<Turn, { status: "words" }> | undefined {
  const text = whyAsked(line) ?? didYou(line) ?? fieldOf(line);
  return text === undefined ? undefined : { status: "words", text };
}

function wordsOf({ request: { words } }: ThreadLine): readonly string[] {
  return words.filter((word) => !isMark(word));
}

function whyAsked(line: ThreadLine): string | undefined {
  const { turn } = line;
  if (!/^(?:but )?why (?:did|do) you ask/.test(wordsOf(line).join(" "))) return undefined;
  const steps = turn.runs.flatMap(({ plan }) => plan?.steps ?? []);
  const [question] = steps.flatMap(({ wait }) => (wait !== undefined && "ask" in wait ? [wait.ask] : []));
  if (question === undefined) return "I have not asked anything.";
  const { options = [] } = question;
  const said = options.map(({ label, description }) => (description ? `${label} (${description})` : label));
  return said.length > 1 ? `Because more than one fits: ${said.join("; ")}.` : "Because the request did not say.";
}

/** Answers "Did you change the first one as well?" */
function didYou(line: ThreadLine): string | undefined {
  const { focus, references } = line;
  if (!/^(?:and |so |but )?(?:did|have) you /.test(wordsOf(line).join(" "))) return undefined;
  const thing = only(only(references)?.things ?? []);
  if (thing === undefined) return undefined;
  return `${lastChange(focus, thing) === undefined ? "No" : "Yes"}: ${sayThing(thing, line.turn)}.`;
}

const besides = wordSet("many still there right again anything");
/** Words of a question about a time. */
export const timeWords = wordSet("time day date hour expected due come comes coming arrive arrives arriving");
const leading = wordSet("and so but ok okay oh well then");
const questions = /^(?:what|which|when|how|who|where|is|are|does|has|was)$/;

/** Answers "Which number has Ricci?". */
function fieldOf(line: ThreadLine): string | undefined {
  const { named, turn } = line;
  if (named === undefined || asksAbout(line) === undefined) return undefined;
  return `${sayThing(named.thing, turn).replace(/^./, (first) => first.toUpperCase())}.`;
}

/** Returns the words that name a field of the named thing if all others ask or mean nothing alone. */
export function asksAbout({ named, request, wish }: ThreadLine): readonly string[] | undefined {
  const first = request.words.findIndex((word) => !isMark(word) && !leading.has(word));
  const isIndirect = !questions.test(request.words[first] ?? "");
  const from = isIndirect ? (wish?.start ?? first) : first;
  const words = request.words.slice(from);
  if (!questions.test(words[0] ?? "") || named === undefined || named.thing.isContainer === true) return undefined;
  // "Which pears do we have?" asks for a list.
  if (words[0] === "which" && toSingular(words[1] ?? "") !== words[1]) return undefined;
  const { reference, thing } = named;
  // "Booked" says as much as "booking".
  const names = [...Object.keys(thing.fields), thing.kind, "number"].flatMap((name) => sayName(name).split(" "));
  const stems = new Set(names.map(stem));
  const others = words.filter((_, at) => at + from < reference.start || at + from >= reference.end);
  const isField = (word: string) => stems.has(stem(word)) || (timeWords.has(word) && hasTime(thing.fields));
  const isFree = (word: string) =>
    isMark(word) || leading.has(word) || questions.test(word) || emptyWords.has(word) || besides.has(word);
  return others.every((word) => isFree(word) || isField(word)) ? others.filter(isField) : undefined;
}
