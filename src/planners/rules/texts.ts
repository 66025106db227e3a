import { auxiliaries, startsWithVerb } from "../../english/word-classes.ts";
import { wordSet } from "../../english/word-set.ts";
import { isCapital, type RequestText } from "./request.ts";

export interface TextEdges {
  mayBegin(position: number): boolean;
  mayHold(position: number): boolean;
  mayEnd(position: number): boolean;
  hasDate(position: number): boolean;
}

export const denials = wordSet("not never no nothing none nobody without nor");

export const closers: ReadonlyMap<string, string> = new Map(Object.entries({ "(": ")", "[": "]" }));
const loose = wordSet(
  ", ; : and or but & - – — … to of the a an my our from with by for at than as is are be has have had was were into onto until till til since per during between",
);
const starters = wordSet(", ; : and or but & – — … . of than as is are was were");

export function readTextEdges({ tokens, words, marks, dates }: RequestText): TextEdges {
  const firm = new Uint8Array(words.length);
  const starts = new Set<number>();
  for (const [at, { kind }] of tokens.entries()) if (kind === "thing") firm[at] = 1;
  for (const { kind, start, end: last, leadStart, isFirm } of marks) {
    if (kind !== "date" || !isFirm) continue;
    const isEnclosed = words[last] !== undefined && closers.get(words[leadStart - 1] ?? "") === words[last];
    const from = isEnclosed ? leadStart - 1 : leadStart;
    firm.fill(1, from, isEnclosed ? last + 1 : last);
    if (dates.some((date) => date.start === start)) starts.add(from);
  }
  const isDenial = (at: number) => {
    if (tokens[at]?.kind !== "word" || words[at] === "no") return false;
    return denials.has(words[at] ?? "") || (words[at] === "do" && words[at + 1] === "not");
  };
  return {
    mayBegin: (at) => {
      const word = words[at];
      return word !== undefined && firm[at] === 0 && !starters.has(word) && !isDenial(at);
    },
    mayHold: (at) => at < words.length && firm[at] === 0,
    mayEnd: (at) => {
      const last = tokens[at - 1];
      if (last?.kind === "quote" || last?.kind === "address") return true;
      const isLoose = loose.has(last?.norm ?? "") && last?.glued !== true;
      return last !== undefined && firm[at - 1] === 0 && !isLoose && !denials.has(last.norm);
    },
    hasDate: (at) => starts.has(at),
  };
}

const dangling = new Set([
  ...auxiliaries,
  ...wordSet(
    "with w/ w about abt of from for by at on in into onto to than if whether because cos cuz bc since so as when while after before until till down up off out " +
      "over back also then well just only please kindly pls plz thats it's or and but",
  ),
]);

const spoken = wordSet(
  "uh um erm hmm please pls plz kindly lol omg haha hehe thx ty cheers btw instead anymore asap ugh yo hey gonna wanna gotta sorry hopefully actually anyway though lmao tbh idk tysm",
);

const first = wordSet("everything anything something whatever whoever everyone anyone another ones me us him also");
const determiners = wordSet(
  "one more most both all every each any no next previous same other rest first second third last half",
);
const afterDeterminer =
  /^(?:of|one|ones|more|in|on|thing|things|item|items|task|tasks|todo|todos|the|my|day|week|month|time|two|three|few)$/;
const last = wordSet(
  "back altogether completely entirely finally already too though either soon mistake accident accidentally now moment me again last",
);

/** A particle may end a task ("turn the oven off"), but not a name: "milk on" is not a name. */
const particles = wordSet("on off away out up down open over");
const subjects = wordSet("i we he she they you u im ive id ill youre theyre weve dont cant wont didnt isnt thats");

const pronouns = wordSet("it them these those its or but yours mine");
const afterThanks = wordSet("thank bless see miss love");

/** True if the words may be a name, not a sentence, pronoun or message. Words in title case are usually accepted. */
export function isPlainText(request: RequestText, start: number, end: number): boolean {
  const { words, tokens, text, marks } = request;
  // "Tomorrow 9 …" may be an hour.
  if (tokens[start]?.kind === "number" && marks.some(({ kind, end: last }) => kind === "date" && last === start))
    return false;
  if (/^(?::|called|named|titled|entitled)$/.test(words[start - 1] ?? "")) return true;
  if (isTitleCase(request, start, end)) return !dangling.has(words[start] ?? "") || isCapital(request, start);
  const said = words.slice(start, end);
  const endsInParticle = said.length > 1 && particles.has(said.at(-1) ?? "") && !startsWithVerb(said);
  if (dangling.has(words[start] ?? "") || endsInParticle) return false;
  const isName = (at: number) =>
    (isCapital(request, at) && text !== text.toUpperCase()) || quotes.test(words[at - 1] ?? "");
  if (pointsElsewhere(words, start, end) || (saysHowOften(words, start, end) && !isName(end - 1))) return false;
  return !tokens.slice(start, end).some(({ kind, norm }, index) => {
    const isTaken = index > 0 && spoken.has(norm) && isName(start + index);
    return kind === "word" && !isTaken && isOfSentence(words, start + index, end);
  });
}

function pointsElsewhere(words: readonly string[], start: number, end: number): boolean {
  const word = words[start] ?? "";
  const isCounted = determiners.has(word) && (end - start < 3 || afterDeterminer.test(words[start + 1] ?? ""));
  return first.has(word) || isCounted;
}

function saysHowOften(words: readonly string[], start: number, end: number): boolean {
  if (end - start < 2) return false;
  return last.has(words[end - 1] ?? "") || howOften.test(words.slice(Math.max(start, end - 2), end).join(" "));
}

const quotes = /^(?:say|tell|hear|saying|says|said)$/;
const howOften = /(?:^| )(?:once|twice|thrice|(?:\d+|two|three|four|five|six|ten|many|several) times)$/;

function isOfSentence(words: readonly string[], at: number, end: number): boolean {
  const word = words[at] ?? "";
  if (spoken.has(word) || pronouns.has(word)) return true;
  if ((word === "id" || word === "ill") && !startsWithVerb(words.slice(at + 1, end))) return false;
  if (subjects.has(word)) return !afterThanks.has(words[at - 1] ?? "");
  return (word === "this" || word === "that") && (at + 1 === end || words[at + 1] === "one");
}

function isTitleCase({ tokens, text }: RequestText, start: number, end: number): boolean {
  const said = tokens.slice(start, end).filter(({ kind }) => kind === "word");
  const long = said.filter(({ norm }) => norm.length > 3);
  const shown = tokens[end - 1]?.kind === "word" ? [...long, ...said.slice(-1)] : long;
  const isUpper = shown.every((token) => /\p{Lu}/u.test(text.charAt(token.start)));
  return long.length > 0 && isUpper && text !== text.toUpperCase() && end - start > 1;
}
