import { startsNumber } from "../../english/numbers.ts";
import { denominators, infixTerms, listTerms, postfixTerms, prefixTerms, rankOf } from "./arithmetic-language-terms.ts";
import { findConstant, findFunction } from "./functions.ts";

const others =
  "a add altogether an and another answer away base between by calculate cent combine compute cube cut decimal decimals decrease deduct determine digits divide " +
  "divided dividing double down equal equals evaluate figure final find from get halve how if in increase integer into is it its knock last log logarithm lower " +
  "amount many minus modulus multiply nearest negate negative number numbers of off on one onto or outcome output over parts per place places point power previous product " +
  "quotient raise raised reduce remainder remove result results root round rounded solve split square subtract sum difference take that the this times to together " +
  "total triple two three four unit up value was what when whole will with you are can do does adding summing subtracting taking multiplying dividing splitting share equally evenly between among amongst ways people friends persons groups pieces kids children percent percentage out";

const known = new Set([
  ...others.split(" "),
  ...[...infixTerms.values()].flat().flatMap(({ words }) => words),
  ...prefixTerms.flatMap(({ words }) => words),
  ...listTerms.keys(),
  ...postfixTerms.keys(),
  ...denominators.keys(),
]);

/** Whether arithmetic uses this word: a text with any other word is rejected before it is parsed. */
export function isArithmeticWord(word: string): boolean {
  if (known.has(word) || startsNumber(word)) return true;
  return findFunction(word) !== undefined || findConstant(word) !== undefined || rankOf(word) !== undefined;
}
