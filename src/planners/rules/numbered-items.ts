import { cardinals } from "../../english/numbers.ts";
import type { Token } from "./tokens.ts";

const numberWords = cardinals.slice(1, 11);
const none: ReadonlyMap<number, number> = new Map();

/**
 * Where the items of a numbered request start, each with where its number ends: "1. … 2. …", "1) … 2) …", "step 1: …,
 * step two: …". Only numbers that count from one, the first at the start, are item numbers; every other number is part
 * of a wish.
 */
export function itemMarks(tokens: readonly Token[]): ReadonlyMap<number, number> {
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
