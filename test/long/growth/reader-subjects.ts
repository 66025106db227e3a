import { maxDateText } from "../../../src/dates/date-words.ts";
import { readDates } from "../../../src/dates/read-dates.ts";
import { tokenize } from "../../../src/language/tokens.ts";
import { parseTemplate } from "../../../src/plan/references.ts";
import { estimateComplexity } from "../../../src/planners/request-complexity.ts";
import { readSum } from "../../../src/sums/read-sum.ts";
import { planTools } from "../../fixtures/plan-tools.ts";
import type { GrowthSubject } from "./measure-growth.ts";

/** A reader, given its own pieces again and again: each is what one of its patterns could go back for. */
const ofPieces = (
  pieces: readonly string[],
  { maxSize, work }: { readonly maxSize?: number; readonly work: (text: string) => unknown },
): Readonly<Record<string, GrowthSubject>> =>
  Object.fromEntries(
    pieces.map((piece) => {
      const make = (size: number) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
      return [JSON.stringify(piece), { make, work: (text) => work(String(text)), maxSize }];
    }),
  );

const clock = { nowMs: Date.UTC(2026, 10, 25, 12), timeZone: "UTC" };
const datePieces = [
  ..."1|12 |1,|1:|12:30 |a |half a |in a |in 2 days and |a couple of |5 march |march the |by the 5th |end of the ".split(
    "|",
  ),
  ..."half past |one |at five |a week from |5pm |2027-03-05 |evening |@|no later than |every |9:30-11:00 ".split("|"),
  ..." |\t\n|\u200F|5 \u00A0 pm|march      |1 hour, ".split("|"),
];
const requestPieces = [
  ...[" ", "\n", ", ", ", and ", " and ", '"', "“", "„", "“„", "1. ", "1", " \t", "- ", "the ", "it ", "every "],
  ...["a.m", "e.", "aaa bbb, ", "then", " after that", "𝒳", "\ud800"],
];
const arithmeticPieces = [
  ...["( ", "the sum of ", "2 ^ ", "half ", "- ", "5 thirds ", "add 5 to ", "( 1 plus ", "5 no wait ", "1 + "],
  ...["sorry 5 plus ", "split 5 ways ", "max ( 1 , ", "double ", "5 and ", "5 miles to ", "plus 1 "],
];

/** By the reader, the pieces that only its own patterns know. */
export const readerSubjects: Readonly<Record<string, Readonly<Record<string, GrowthSubject>>>> = {
  parseTemplate: ofPieces(['${a["\\"', '${a["${a["]["', "${", "${a.", '${a["\\', "${$}", "${a[0"], {
    work: parseTemplate,
  }),
  "estimateComplexity, its own pieces": ofPieces(requestPieces, {
    work: (request) => estimateComplexity({ request, tools: planTools }),
    maxSize: 200_000,
  }),
  readDates: ofPieces(datePieces, {
    work: (text) => readDates(`today ${text} tomorrow`, clock),
    maxSize: maxDateText - "today  tomorrow".length,
  }),
  readSum: ofPieces(arithmeticPieces, { work: (text) => readSum(tokenize(`${text} 1`), { results: 1 }) }),
};
