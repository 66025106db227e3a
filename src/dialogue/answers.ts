import type { JsonValue } from "../core/json.ts";
import type { JsonSchema } from "../core/json-schema.ts";
import { only } from "../core/lists.ts";
import type { PlanStep, QuestionOption } from "../core/plan.ts";
import { type AnswerSchema, answerSchemaOf, isAnswer, type QuestionItem } from "../core/question.ts";
import type { Turn } from "../core/turn.ts";
import type { DateClock } from "../dates/read-dates.ts";
import { ordinals, readNumber } from "../english/numbers.ts";
import { functionWords, smallWords } from "../english/word-classes.ts";
import { findRefusals } from "../language/refusals.ts";
import { toSingular } from "../language/word-forms.ts";
import { isCourtesy, isSmallTalk } from "../planners/rules/courtesy.ts";
import type { Part } from "../planners/rules/items.ts";
import { type RequestText, readRequest, textBetween } from "../planners/rules/request.ts";
import { readSlot } from "../planners/rules/slot-values.ts";
import { isDate, type SlotType, slotTypeOf } from "../planners/rules/slots.ts";
import { sentenceNames } from "./fill-call.ts";
import { readHalfSaid } from "./half-said.ts";
import { dayIn, type OpenQuestion } from "./questions.ts";
import type { ThreadLine } from "./thread-line.ts";
import { isLaughter, isMark, readWish, type Wish } from "./wish.ts";

export function answerTo(asked: OpenQuestion, line: ThreadLine): Turn | undefined {
  const { runId, item } = asked;
  const { stepId } = item;
  const answer = keyMeant(asked, line) ?? readAnswer(item, line.turn.request, line.turn);
  if (answer === undefined) return undefined;
  return answer === null ? { status: "decline", runId, stepId } : { status: "answer", runId, stepId, answer };
}

export function takesAnything({ item }: OpenQuestion): boolean {
  return item.display === "text" && isTextOf(answerSchemaOf(item));
}

function isTextOf({ type, format }: AnswerSchema): boolean {
  return type === "string" && format === undefined;
}

/** Reads "Okafor it was" as the key of a known thing if the question asks for a key. */
function keyMeant({ item, steps }: OpenQuestion, { named, request }: ThreadLine): JsonValue | undefined {
  if (item.options !== undefined || named === undefined) return undefined;
  const { reference, thing } = named;
  const isFilled = ({ tool, input = {} }: PlanStep) => {
    const field = tool === undefined ? undefined : thing.keyInputs.get(tool);
    return field !== undefined && (input[field] as { readonly $ref?: unknown } | undefined)?.$ref === item.stepId;
  };
  const isFree = (word: string, at: number) =>
    (at >= reference.start && at < reference.end) ||
    isMark(word) ||
    besides.test(word) ||
    (functionWords.has(word) && !/^(?:by|with|or)$/.test(word));
  return steps.some(isFilled) && request.words.every(isFree) ? thing.key : undefined;
}

const besides = /^(?:ah|oh|yes|yeah|ok|okay|no|it|was|is|that|one|please|well|right|um|uh)$/;

const declines =
  /^(?:never ?mind|forget (?:it|that|about it)|cancel(?: that| it)?|leave it|stop|skip (?:it|that)|no matter|do not bother|none(?: of (?:them|these|those))?|neither)$/;
const yes =
  /^(?:yes|yeah|yep|yup|sure|ok|okay|do it|go ahead|please do|of course|certainly|absolutely|correct|right|indeed|exactly|yes please|that is right|fine|y)$/;
const no = /^(?:no|nope|nah|no thanks|no thank you|do not|please do not|better not|rather not|n)$/;

const subject = /^(?:the|its|my|your) \w+ (?:is|are|was|should be|would be|will be) /i;

const anyDate: SlotType = { kind: "date-time", takesDay: true, form: "offset" };

/** Reads the answer to a question from text: undefined if there is no answer, null if the text declines. */
export function readAnswer(item: QuestionItem, text: string, clock: DateClock): JsonValue | undefined {
  const request = readRequest(text.slice(0, maxText), clock);
  const { words } = request;
  const withoutMarks = (said: readonly string[]) => said.filter((word) => !isMark(word)).join(" ");
  const all = withoutMarks(words);
  const wish = readWish(request);
  const content = wish ?? { start: 0, end: words.length };
  const plain = withoutMarks(words.slice(content.start, content.end))
    .replace(subject, "")
    .replace(/^(?:(?:well|oh|ah|um|uh|yes|ok|okay|so|make it|i mean|let us say|say) )+/, "");
  if ([plain, all].some((each) => declines.test(each))) return null;
  if (item.display === "confirm") return [all, plain].map(toTruth).find((each) => each !== undefined);
  if (item.options !== undefined && item.options.length > 0) {
    if (/\S (?:but|except|excluding|not|without) /.test(all)) return undefined;
    return optionIn(item, withoutNouns(plain, item)) ?? optionIn(item, all) ?? optionOfDay(item, request);
  }
  const schema = answerSchemaOf(item);
  if (isTextOf(schema)) return isRemark(words, wish) ? undefined : wholeText(item, request, content);
  return readValue(
    item,
    { text, said: textBetween(request, content.start, content.end).trim().replace(subject, "") },
    clock,
  );
}

function readValue(
  item: QuestionItem,
  { text, said }: { readonly text: string; readonly said: string },
  clock: DateClock,
): JsonValue | undefined {
  const schema = answerSchemaOf(item);
  // `readWish` drops the minus of a negative number.
  const isWhole = said === "" || /^\s*[-−]/.test(text);
  const isAnyDate = schema.format === "date-or-date-time";
  const type = isAnyDate ? anyDate : slotTypeOf([schema as JsonSchema]);
  // In "the upper one", "one" is a pronoun; "the 5th" and "at 7" are no counts.
  if (type.kind === "number" && /\S ones?$|\d(?:st|nd|rd|th)\b|^(?:at|around|about) /i.test(said)) return undefined;
  if (schema.format === "date-time") {
    const time = readTime(item, said, clock);
    return time !== undefined && isAnswer(schema, time) ? time : undefined;
  }
  const texts = [
    isWhole ? text.trim() : withoutNouns(said, item),
    ...(isDate(type) ? [`on ${said.replace(dateLead, "")}`] : []),
  ];
  for (const each of texts) {
    const read = readSlot(type, each, clock);
    if (read.ok && isAnswer(schema, read.value as JsonValue)) return read.value as JsonValue;
  }
  return undefined;
}

const dateLead = /^(?:to|for|on|by|until) (?:the )?/;

/** Reads "tomorrow at 8", or "at 8" and "8" on the day that the question names; a day alone is too little. */
function readTime(item: QuestionItem, said: string, clock: DateClock): JsonValue | undefined {
  const day = dayIn(readRequest(item.message, clock));
  const type = slotTypeOf([answerSchemaOf(item) as JsonSchema]);
  for (const text of day === undefined ? [] : [said, `at ${said}`]) {
    const request = readRequest(text, clock);
    const read = readHalfSaid(type, request, 0, { own: undefined, last: day, corrects: true });
    const whole = read.find(({ end }) => end === request.words.length);
    if (whole !== undefined) return whole.value;
  }
  // "In an hour" is not on that day, and "later" counts from what nobody said.
  const isOther =
    dayIn(readRequest(said, clock)) !== undefined ||
    /\blater\b/.test(said) ||
    (day !== undefined && /\b(?:hours?|minutes?)\b/.test(said));
  const read = readSlot(type, said, clock);
  return !isOther && read.ok ? (read.value as JsonValue) : undefined;
}

/** True for "hm", "wait", "and can I have Sami" and "oh wrong one", which answer nothing. */
function isRemark(words: readonly string[], wish: Wish | undefined): boolean {
  const said = words.filter((word) => !isMark(word)).join(" ");
  const isDenied = findRefusals(words, 0, words.length).some(({ reason }) => reason === "denied");
  const isOpening = wish !== undefined && wish.opening !== "none";
  return isOpening || isDenied || remark.test(said) || isSmallTalk(words, 0, words.length);
}

const remark =
  /^(?:(?:h+m+|u+m+|wait|one sec\w*|hold on|you tell me|not now|i do not know)$|(?:(?:oh|no|sorry) )*wrong |let me (?:see|check|think)\b)/;

/** Returns the text as it was typed, but for "please", "the title is" and the like. */
function wholeText(item: QuestionItem, request: RequestText, { start, end }: Part): JsonValue | undefined {
  const isCut = start === 0 || isLaughter(request.words, 0, start) || isCourtesy(request.words, 0, start);
  const said = textBetween(request, isCut ? start : 0, isCut ? end : request.words.length).trim();
  const noun = /^\w+ (\w+)/.exec(said)?.[1]?.toLowerCase() ?? "";
  const isAsked = plainOf(item.message).split(" ").includes(noun);
  const text = withoutNouns(isAsked ? said.replace(subject, "") : said, item);
  // "For Rossi" says a name, and "4 cars" and "not Rossi" do not.
  const isName = !plainOf(item.message)
    .split(" ")
    .some((word) => sentenceNames.has(word));
  const named = isName ? text.replace(/^(?:it(?:['’]s| is) )?(?:for|under) /i, "") : text;
  if (isName && /^(?:not\b|except\b|\d+ )/i.test(named)) return undefined;
  return isAnswer(answerSchemaOf(item), named) ? named : undefined;
}

/** Drops nouns: "shelf B2" answers "Which shelf?" with B2, and "three bowls" or "6 of them" gives a number. */
function withoutNouns(said: string, item: QuestionItem): string {
  const asked = new Set(plainOf(item.message).split(" "));
  const isAsked = (word: string) => asked.has(word.toLowerCase()) && !functionWords.has(word.toLowerCase());
  const isNumber = /^(?:integer|number)$/.test(String(answerSchemaOf(item).type));
  const words = said.split(" ");
  if (!isNumber) return words.length > 1 && isAsked(words[0] ?? "") ? words.slice(1).join(" ") : said;
  const left = words.filter((word) => !isAsked(word));
  const [first = "", ...counted] = left;
  const isCount = readNumber([first.toLowerCase()], 0) !== undefined || /^\d+$/.test(first);
  const isSmall = (word: string) => smallWords.has(word.toLowerCase());
  // "One moment" and "30 euros" do not say how many.
  const isOther = counted.some((word) => /^(?:moment|sec\w*|euros?|dollars?|pounds?|cents?|%|percent)$/i.test(word));
  if (isOther) return said;
  const isNoun = counted.length <= 2 && counted.every((word) => /^\p{L}+$/u.test(word) && !isSmall(word));
  return isCount && (isNoun || /^of (?:them|us|it|those|these)$/i.test(counted.join(" "))) ? first : left.join(" ");
}

const assent =
  /^(?:yes|yeah|yep|sure|ok|okay)(?: (?:yes|yeah|please|do|it|go|ahead|sure|that|is|right|then|thanks|thank|you))*$/;

/** The words after a yes may state why: "yes, I am sure", "ya he called". */
function toTruth(said: string): boolean | undefined {
  const [first = "", ...rest] = said.split(" ");
  const isYes = /^(?:yes|yeah|yep|yup|ya|yea|sure)$/.test(first);
  const isSure = isYes && (rest.length === 0 || /^(?:i|he|she|they|we|it|everything|all)$/.test(rest[0] ?? ""));
  return yes.test(said) || assent.test(said) || (isSure && rest.length < 8) ? true : no.test(said) ? false : undefined;
}

const maxText = 10_000;

const everything =
  /^(?:both|all|both of (?:them|those|these)|all of (?:them|those|these)|everything|them all|all (?:two|three|four|five))$/;

/** Finds options by id, label, rank or words that fit only one. "Both" and "all" work if several may be chosen. */
function optionIn({ options = [], display }: QuestionItem, said: string): JsonValue | undefined {
  const isSeveral = display === "multi-select";
  const ids = options.map(({ id }) => id);
  const give = (chosen: readonly string[]) => choiceOf(chosen, isSeveral);
  if (everything.test(said)) return isSeveral ? ids : undefined;
  const exact = options.filter(({ id, label }) => id.toLowerCase() === said || plainOf(label) === said);
  if (exact.length === 1) return give(exact.map(({ id }) => id));
  const word = only((said.match(/\S+/g) ?? []).filter((each) => !fillers.test(each)));
  const rank = word === undefined ? 0 : rankOf(word, options.length);
  if (rank > 0) return options[rank - 1] && give(ids.slice(rank - 1, rank));
  const parts = said.split(/ (?:and|&) | , /).map((part) => part.split(" ").filter((each) => !fillers.test(each)));
  const chosen = parts.map((part) =>
    options.filter((option) => part.length > 0 && part.every((each) => hasWord(option, each))),
  );
  return chosen.every(({ length }) => length === 1) ? give([...new Set(chosen.flat().map(({ id }) => id))]) : undefined;
}

function rankOf(word: string, last: number): number {
  if (word === "last") return last;
  const digits = /^(\d+)(?:st|nd|rd|th)?$/.exec(word)?.[1] ?? readNumber([word], 0)?.digits;
  return ordinals.indexOf(word) + 1 || Number(digits ?? 0);
}

/** Finds the only option with the day that was said: "the one from today". */
function optionOfDay(
  { options = [], display }: QuestionItem,
  { words, dates, clock }: RequestText,
): JsonValue | undefined {
  const date = only(dates);
  const isFree = (word: string, at: number) =>
    isMark(word) || fillers.test(word) || (date !== undefined && at >= date.start && at < date.end);
  if (date === undefined || !words.every(isFree)) return undefined;
  const isOn = ({ label, description = "" }: QuestionOption) =>
    readRequest(`${label} ${description}`, clock).dates.some((each) => each.date === date.date);
  const option = only(options.filter(isOn));
  return option && choiceOf([option.id], display === "multi-select");
}

function choiceOf(chosen: readonly string[], isSeveral: boolean): JsonValue | undefined {
  if (isSeveral) return chosen.length === 0 ? undefined : [...chosen];
  return chosen.length === 1 ? chosen[0] : undefined;
}

const fillers =
  /^(?:the|one|ones|that|this|number|option|a|an|please|of|it|my|was|is|about|for|on|in|from|mean|i|meant|list)$/;

function plainOf(label: string): string {
  return readRequest(label, { nowMs: 0, timeZone: "UTC" }).words.join(" ");
}

function hasWord({ label, description = "" }: QuestionOption, word: string): boolean {
  const own = plainOf(`${label} ${description}`).split(" ");
  return own.some((each) => each === word || toSingular(each) === toSingular(word));
}
