import type { PlanStep } from "../../core/plan.ts";
import type { PlanRequest } from "../../core/planner.ts";
import {
  clauseAbbreviations,
  connectors,
  linkWords,
  wishOpeners,
  wishOpeningPairs,
  wishVerbs,
} from "../../english/clauses.ts";
import { auxiliaries, isVerb, readAnaphor, startsWithVerb } from "../../english/word-classes.ts";
import { saysAt } from "../../english/word-set.ts";
import { type Token, tokenize } from "../../language/tokens.ts";
import { contentStarts, isCourtesy } from "./courtesy.ts";
import type { Part } from "./items.ts";
import { findBullets, itemMarks, quotedWord, type RequestText } from "./request.ts";

export interface Wish {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** False if this wish may continue the one before ("remind me to buy milk and call mom"), or one of them is a value. */
  readonly isSure: boolean;
}

export function cutClauses(request: Pick<RequestText, "tokens" | "words" | "marks">): readonly Clause[] {
  const kept: Clause[] = [];
  for (const clause of splitClauses(request.tokens, request.words)) {
    const last = kept.at(-1);
    if (last !== undefined && request.marks.some(({ start, end }) => start < last.end && end > clause.start))
      kept[kept.length - 1] = { ...clause, start: last.start };
    else kept.push(clause);
  }
  return kept;
}

/** A sentence, a line or "then" begins a wish. A verb after a comma or "and" may begin one. */
export function cutWishes(text: string): readonly Wish[] {
  const tokens = tokenize(text);
  const words = tokens.map(({ kind, norm }) => (kind === "quote" ? quotedWord : norm));
  const bullets = findBullets(tokens);
  const wishes: { start: number; end: number; isSure: boolean; asks: boolean }[] = [];
  let isHard = true;
  let isAside = false;
  for (const { start, end, endsHard } of cutClauses({ tokens, words, marks: [] })) {
    const last = wishes.at(-1);
    const isReason = statesReason(words, start, end);
    const isOwn = isHard ? !isReason : !isAside && opensWish(words, start, end);
    const isMark = end - start === 1 && /^(?:number|sign)$/.test(tokens[start]?.kind ?? "");
    if (isMark || isCourtesy(words, start, end)) {
      isHard ||= endsHard;
      continue;
    }
    if (last !== undefined && (!isOwn || saysOf(words, last, { start, end }))) last.end = end;
    else {
      const asks = opensWish(words, start, end) || asksQuestion(words, start) || !statesValue(words, start, end);
      wishes.push({ start, end, isSure: last === undefined || (isHard && !isAside && asks && last.asks), asks });
    }
    isAside = last === undefined && (isReason || opensAside.test(words[start] ?? ""));
    isHard = endsHard;
  }
  return wishes.map(({ start, end, isSure }) => {
    const first = bullets.has(start) && end > start + 1 ? start + 1 : start;
    const [from, to] = [tokens[first]?.start ?? 0, tokens[end - 1]?.end ?? 0];
    return { text: text.slice(from, to), start: from, end: to, isSure };
  });
}

const opensAside = /^(?:if|when|once|while|before|after|unless|until|as|since|because)$/;

export function opensWish(words: readonly string[], start: number, end: number): boolean {
  return contentStarts(words, start, end).some((at) => {
    if (end - at < 2 || (at > start && /^(?:the|a|an|my)$/.test(words[at - 1] ?? ""))) return false;
    return wishVerbs.has(words[at] ?? "") || startsWithVerb(words.slice(at, at + 2));
  });
}

function asksQuestion(words: readonly string[], start: number): boolean {
  return auxiliaries.has(words[start] ?? "") || beginsWish(words, start);
}

function beginsWish(words: readonly string[], at: number): boolean {
  const first = words[at] ?? "";
  return wishOpeners.has(first) || wishOpeningPairs.has(`${first} ${words[at + 1]}`);
}

function saysOf(words: readonly string[], { start, end }: Part, own: Part): boolean {
  const isLater = words.slice(end, own.start).includes("then");
  if (isLater || readAnaphor(words, own.end - 1) !== own.end || opensWish(words, start, end)) return false;
  const said = words.slice(start, end);
  const isSaid = (word: string) => auxiliaries.has(word) || isVerb(word) || /(?:ed|done|gone|over|off)$/.test(word);
  return !said.some(isSaid) && !asksQuestion(words, start);
}

function statesValue(words: readonly string[], start: number, end: number): boolean {
  const said = words.slice(start, end);
  const at = said.findIndex((word) => /^(?:is|are|was|were|has|had|if|when|that|which|who)$/.test(word));
  return /^\d/.test(said[0] ?? "") || (at > 0 && /^(?:is|are|was|were|has|had)$/.test(said[at] ?? ""));
}

const statesFact =
  /^(?:am|is|are|was|were|have|has|had|keep|keeps|always|already|can|cannot|will|would|do|does|did|got|just|never|still|only|bought|finished|changed|know|think|hate|love|like|look|looks|said|says|feel|hope|guess|trust|suppose)$/;
/** A statement of need may be a wish: "we are out of milk", "my wife wants tea". */
const wanted =
  / (?:wants?|wanted|wish(?:es)?|needs?|needed|lacks?|miss(?:es|ing)?|forgot|forget|run(?:ning)? (?:out|low)|ran out|out of|no more|low on|short (?:of|on)|please|let us) /;

export function statesReason(words: readonly string[], start: number, end: number): boolean {
  if (words[start - 1] === "but" || words[start] === "but") return false;
  if (wanted.test(` ${words.slice(start, end).join(" ")} `)) return false;
  const said = words.slice(start, Math.min(end, start + 8));
  if (/^i (?:guess|hope|think|suppose)$/.test(said.join(" "))) return false;
  const [first = "", second = ""] = said[0] === "and" || said[0] === "so" ? said.slice(1) : said;
  if (said[0] === "so" && isPurpose.test(first)) return true;
  const [, , third = ""] = said;
  if (/^(?:like|love|would)$/.test(second) || (second === "have" && third === "to")) return false;
  if (/^(?:because|since|as)$/.test(first) || (first === "now" && second === "that")) return true;
  if (/^(?:my|our|his|her|their)$/.test(first)) return said.slice(2, 6).some((word) => statesFact.test(word));
  return /^(?:i|we|he|she|they|it|there|that|this)$/.test(first) && statesFact.test(second);
}

const isPurpose = /^(?:that|nobody|everybody|everyone|people|i|we|he|she|they|it)$/;

function startsReason(words: readonly string[], at: number): boolean {
  const word = words[at] ?? "";
  const isPlea = words[at - 1] === "please" && /^(?:i|we|my|our|it|its)$/.test(word);
  const isSo = word === "so" && isPurpose.test(words[at + 1] ?? "");
  return at > 1 && (word === "because" || isSo || isPlea);
}

export interface RequestPart {
  readonly text: string;
  readonly steps?: readonly PlanStep[] | undefined;
  readonly maxCalls?: number | undefined;
}

export function splitRequest(request: string, known: PlanRequest["wishes"] = []): readonly RequestPart[] {
  const wishes = cutWishes(request);
  const isSame = known.length === wishes.length && wishes.every(({ text }, at) => known[at]?.text === text);
  // If every wish could be planned alone but the request was refused, they mean something else together.
  const isPartly = isSame && known.some(({ steps }) => steps === undefined);
  const parts: { start: number; end: number; count: number; steps: readonly PlanStep[] | undefined }[] = [];
  for (const [at, { start, end, isSure }] of wishes.entries()) {
    const steps = isPartly ? known[at]?.steps : undefined;
    const last = parts.at(-1);
    const isJoined = last !== undefined && !isSure && last.steps === undefined;
    if (isJoined) Object.assign(last, { end, count: last.count + 1, steps: undefined });
    else parts.push({ start, end, count: 1, steps });
  }
  if (parts.length < 2) return [{ text: request, maxCalls: parts[0]?.count }];
  return parts.map(({ start, end, count, steps }) => ({ text: request.slice(start, end), steps, maxCalls: count }));
}

export interface Clause extends Part {
  readonly endsHard: boolean;
  readonly endsSentence: boolean;
}

const softEnd = { endsHard: false, endsSentence: false };
const hardEnd = { endsHard: true, endsSentence: true };

function splitClauses(tokens: readonly Token[], words: readonly string[]): readonly Clause[] {
  const clauses: Clause[] = [];
  const items = itemMarks(tokens);
  let start = 0;
  let first = 0;
  for (let at = 0; at < words.length; ) {
    const mark = items.get(at);
    const separator =
      mark === undefined ? readSeparator(tokens, words, at, at === first, items) : { end: mark, ...hardEnd };
    if (separator === undefined) {
      if (at > start && startsReason(words, at)) {
        clauses.push({ start, end: withoutLink(words, start, at), ...softEnd });
        start = first = at;
      }
      at++;
      continue;
    }
    const { end, endsHard, endsSentence } = separator;
    const last = at > start ? { start, end: at, ...softEnd } : clauses.pop();
    if (last !== undefined)
      clauses.push({ ...last, endsHard: last.endsHard || endsHard, endsSentence: last.endsSentence || endsSentence });
    first = at = end;
    start = mark === undefined ? at : at - 1;
  }
  if (start < words.length) clauses.push({ start, end: words.length, ...hardEnd });
  return clauses;
}

function withoutLink(words: readonly string[], start: number, end: number): number {
  const link = linkWords.find((said) => saysAt(words, end - said.length, said)) ?? [];
  return end - link.length <= start ? end : end - link.length;
}

function readSeparator(
  tokens: readonly Token[],
  words: readonly string[],
  start: number,
  isAtStart: boolean,
  items: ReadonlyMap<number, number>,
): Omit<Clause, "start"> | undefined {
  let at = start;
  let isHard = tokens[start]?.newLine === true && !isAtStart;
  let isFound = isHard;
  while (at < words.length && (at === start || !items.has(at))) {
    const sign = signSeparator(tokens, words, at);
    const part = sign === undefined ? connectorAt(words, at) : { words: [","], isHard: sign };
    if (part === undefined) break;
    isHard ||= part.isHard;
    isFound = true;
    at += part.words.length;
  }
  if (!isFound || (at === start && isAtStart)) return undefined;
  return { end: at, endsHard: isHard || beginsWish(words, at), endsSentence: isHard };
}

/** Returns true if the sign ends a wish, false if it may be part of free text, undefined if it does not separate. */
function signSeparator(tokens: readonly Token[], words: readonly string[], at: number): boolean | undefined {
  const sign = words[at] ?? "";
  const before = tokens[at - 1];
  const after = tokens[at + 1];
  if (sign === ",") return false;
  if (/^[;?。！？]$/.test(sign)) return true;
  if (sign === "!") {
    const last = before?.norm === "!" && before.glued ? tokens[at - 2] : before;
    const isFactorial = tokens[at]?.glued === true && (last?.kind === "number" || last?.norm === ")");
    return isFactorial ? undefined : true;
  }
  if (sign !== ".") return undefined;
  const isInside = after?.glued === true && after.kind !== "quote" && !/^[.!?"”)]$/.test(after.norm);
  const said = before?.norm ?? "";
  const isAbbreviated = after !== undefined && (clauseAbbreviations.has(said) || /^\p{L}$/u.test(said));
  return isInside || isAbbreviated ? undefined : true;
}

function connectorAt(words: readonly string[], at: number): (typeof connectors)[number] | undefined {
  if (saysAt(words, at - 2, ["go", "ahead", "and"])) return undefined;
  return connectors.find((each) => at + each.words.length < words.length && saysAt(words, at, each.words));
}
