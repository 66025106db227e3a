import { clauseAbbreviations, connectors, linkWords, wishOpeners, wishOpeningPairs } from "../../english/clauses.ts";
import { cardinals } from "../../english/numbers.ts";
import type { Token } from "../../language/tokens.ts";

/** A part of a request between two separators, in tokens. */
export interface Clause {
  readonly start: number;
  readonly end: number;
  /** True if the separator after it cannot be part of a text: a sentence's end, `;`, "then". */
  readonly endsHard: boolean;
}

const noStarts: ReadonlySet<number> = new Set();

/**
 * Cuts a request at every place where one wish may end and another start, and at the words that `starts` says. Linear.
 */
export function splitClauses(tokens: readonly Token[], starts: ReadonlySet<number> = noStarts): readonly Clause[] {
  const clauses: Clause[] = [];
  let start = 0;
  let first = 0;
  const items = itemMarks(tokens);
  for (let at = 0; at < tokens.length; ) {
    const mark = items.get(at);
    const separator =
      mark === undefined ? readSeparator(tokens, at, { isAtStart: at === first, items }) : { end: mark, isHard: true };
    if (separator === undefined) {
      // A wish that nothing separates from the one before.
      if (at > start && starts.has(at)) {
        clauses.push({ start, end: withoutLink(tokens, start, at), endsHard: false });
        start = first = at;
      }
      at++;
      continue;
    }
    if (at > start) clauses.push({ start, end: at, endsHard: separator.isHard });
    else markHard(clauses, separator.isHard);
    first = at = separator.end;
    // The sign behind the number stays: it is read as a bullet.
    start = mark === undefined ? at : at - 1;
  }
  if (start < tokens.length) clauses.push({ start, end: tokens.length, endsHard: true });
  return clauses;
}

/** Finds the end of a clause, before the words that link it to the next. */
function withoutLink(tokens: readonly Token[], start: number, end: number): number {
  const link = linkWords.find((words) =>
    words.every((word, index) => tokens[end - words.length + index]?.norm === word),
  );
  return link === undefined || end - link.length <= start ? end : end - link.length;
}

function markHard(clauses: Clause[], isHard: boolean): void {
  const last = clauses.pop();
  if (last !== undefined) clauses.push({ ...last, endsHard: last.endsHard || isHard });
}

interface Separator {
  readonly end: number;
  readonly isHard: boolean;
}

/** Consecutive separators from a token on. A line break before a token is one that takes no token. */
function readSeparator(
  tokens: readonly Token[],
  start: number,
  { isAtStart, items }: { isAtStart: boolean; items: ReadonlyMap<number, number> },
): Separator | undefined {
  let at = start;
  let isHard = tokens[start]?.newLine === true && !isAtStart;
  let isFound = isHard;
  // A numbered item may start here: its number is removed with the next separator.
  for (; at < tokens.length && !(at > start && items.has(at)); ) {
    const part = readSeparatorPart(tokens, at);
    if (part === undefined) break;
    isHard ||= part.isHard;
    isFound = true;
    at = part.end;
  }
  if (!isFound || (at === start && isAtStart)) return undefined;
  return { end: at, isHard: isHard || beginsWish(tokens, at) };
}

/** One separating sign or connector. */
function readSeparatorPart(tokens: readonly Token[], at: number): Separator | undefined {
  const token = tokens[at];
  if (token === undefined || token.kind === "quote") return undefined;
  const sign = token.kind === "sign" ? signSeparator(tokens, at) : undefined;
  if (sign !== undefined) return { end: at + 1, isHard: sign };
  if (token.norm === "&" && (token.glued || tokens[at + 1]?.glued === true)) return undefined;
  const connector = connectorAt(tokens, at);
  return connector && { end: at + connector.words.length, isHard: connector.isHard };
}

function beginsWish(tokens: readonly Token[], at: number): boolean {
  const first = tokens[at];
  if (first?.kind !== "word") return false;
  return wishOpeners.has(first.norm) || wishOpeningPairs.has(`${first.norm} ${tokens[at + 1]?.norm}`);
}

/** True if a sign separates hard, false if it may be part of a text; undefined if it does not separate. */
function signSeparator(tokens: readonly Token[], at: number): boolean | undefined {
  const sign = tokens[at]?.norm;
  const before = tokens[at - 1];
  const after = tokens[at + 1];
  if (sign === ",") return false;
  if (/^[;?。！？]$/.test(sign ?? "")) return true;
  if (sign === "!") return isFactorial(tokens, at) ? undefined : true;
  if (sign !== ".") return undefined;
  const isInside = after?.glued === true && after.kind !== "quote" && !/^[.!?"”)]$/.test(after.norm);
  if (isInside) return undefined;
  if (after === undefined) return true;
  const isAbbreviated =
    before?.glued !== undefined && (clauseAbbreviations.has(before.norm) || /^\p{L}$/u.test(before.norm));
  return isAbbreviated ? undefined : true;
}

/** "5!" and "(2 + 3)!" are arithmetic, not exclamations. */
function isFactorial(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  if (tokens[at]?.glued !== true) return false;
  // "5!!" is arithmetic as well; nothing further back is checked.
  const last = before?.norm === "!" && before.glued ? tokens[at - 2] : before;
  return last?.kind === "number" || last?.norm === ")";
}

function connectorAt(tokens: readonly Token[], at: number): (typeof connectors)[number] | undefined {
  // "go ahead and delete it" is one wish.
  if (tokens[at]?.norm === "and" && tokens[at - 1]?.norm === "ahead" && tokens[at - 2]?.norm === "go") return undefined;
  return connectors.find(
    ({ words }) =>
      at + words.length < tokens.length &&
      words.every((word, index) => tokens[at + index]?.norm === word && tokens[at + index]?.kind !== "quote"),
  );
}

/** The signs before the items of a list, one a line, or numbered; each is read as a bullet. */
export function findBullets(tokens: readonly Token[]): ReadonlySet<number> {
  const signs = tokens.flatMap(({ norm, newLine }, at) => {
    const isSign = (at === 0 || newLine === true) && /^[-*•·–—]$/.test(norm) && tokens[at + 1]?.glued !== true;
    return isSign ? [at] : [];
  });
  return new Set([...(signs.length > 1 ? signs : []), ...[...itemMarks(tokens).values()].map((end) => end - 1)]);
}

const numberWords = cardinals.slice(1, 11);
const none: ReadonlyMap<number, number> = new Map();

/**
 * Finds where the items of a numbered request start, each with the end of its number: "1. … 2. …", "1) … 2) …", "step 1: …,
 * step two: …". Only numbers that count from one, the first at the start, are item numbers; every other number is part
 * of a wish.
 */
function itemMarks(tokens: readonly Token[]): ReadonlyMap<number, number> {
  const first = readMark(tokens, 0, 1);
  if (first === undefined) return none;
  const marks = new Map([[0, first]]);
  for (let at = first; at < tokens.length; at++) {
    const end = readMark(tokens, at, marks.size + 1);
    if (end !== undefined) marks.set(at, end);
  }
  // A single number counts only after "step" or "task": "1. 5" may be arithmetic, and "1) " alone means nothing.
  return marks.size > 1 || isStep(tokens[0]) ? marks : none;
}

function isStep(token: Token | undefined): boolean {
  return token?.norm === "step" || token?.norm === "task";
}

function readMark(tokens: readonly Token[], start: number, count: number): number | undefined {
  const hasName = isStep(tokens[start]);
  const at = hasName ? start + 1 : start;
  const { norm } = tokens[at] ?? {};
  const isCount = norm === String(count) || (hasName && norm === numberWords[count - 1]);
  if (!isCount) return undefined;
  const sign = tokens[at + 1];
  const signs = hasName ? ":.,)-–" : ".):";
  // The dot of "1.5" is glued to what follows; that of "1." is not.
  const isMark = sign?.kind === "sign" && signs.includes(sign.norm) && tokens[at + 2]?.glued !== true;
  return isMark ? at + 2 : hasName ? at + 1 : undefined;
}
