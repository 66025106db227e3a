import type { Clause, ClauseReader, ClauseReading } from "../../../core/clause-reader.ts";
import type { PhraseContext } from "../../../core/tool.ts";
import { courtesyWords } from "../../../english/courtesies.ts";
import { readSpokenArithmetic, type SpokenArithmetic } from "../spoken/spoken-arithmetic.ts";
import { variableNames as names } from "../variable-names.ts";

/** Words that may stand around arithmetic: courtesies, and those of a question. */
const frameWords: ReadonlySet<string> = new Set([
  ...courtesyWords,
  ...(
    "what is are was would be do does did how much many one come comes to make makes made get gets got give gives equal equals " +
    "the answer result value total number numbers sum solution of for in on if when i you we us me my calculate compute calculating " +
    "evaluate solve work out find figure determine tell show say know need want have has problem question math maths arithmetic equation " +
    "calculation calculator using use again exactly altogether together all up both two three so there left " +
    "? . ! , : ="
  ).split(" "),
]);

/** They say that there is another wish, or mean a result. */
const meaningful = new Set("and then it that this these those them also too".split(" "));

/** They are for arithmetic alone: with one of them and two numbers, a few other words do no harm ("my kid asks what 8 times 7 is"). */
const plainOperators = new Set(
  "plus times multiply multiplied divide divided minus subtract subtracted + * × ÷ squared cubed root sum product quotient".split(
    " ",
  ),
);
/** What follows one of them is the other side of an equation, or nothing that we know: "1 + 1 equals window". */
const equalsWords = new Set("equal equals = is makes gives gets".split(" "));
/** How many other words, and how much less sure each makes it. */
const maxOthers = 3;
const otherCost = 0.05;

/** Reads arithmetic in words: every number of a clause is part of it, and hardly a word is more than its frame. */
export function createCalculatorReader(): ClauseReader {
  return { read: readClause };
}

function readClause({ tokens }: Clause): readonly ClauseReading[] {
  const words = tokens.map(({ norm, kind }) => (kind === "quote" ? '"' : norm));
  const found =
    readSpokenArithmetic(words, { hasPrevious: false }) ?? readSpokenArithmetic(words, { hasPrevious: true });
  if (found === undefined) return [];
  const others = words.flatMap((word, index) => (found.used[index] === true || isFrame(word) ? [] : [index]));
  if (others.length > 0 && !areHarmless(others, words, found)) return [];
  const probability = 0.9 - otherCost * others.length;
  return [{ meaning: "calculate", probability, toInputs: (context) => toInputs(found, words.join(" "), context) }];
}

function isFrame(word: string): boolean {
  return frameWords.has(word) && !meaningful.has(word);
}

function areHarmless(
  others: readonly number[],
  words: readonly string[],
  { used, expression }: SpokenArithmetic,
): boolean {
  return (
    others.length <= maxOthers &&
    others.every((index) => isHarmless(words[index] ?? "", words[index - 1])) &&
    words.some((word, index) => used[index] === true && plainOperators.has(word) && words[index + 1] !== "for") &&
    (expression.match(/\d+/g)?.length ?? 0) > 1
  );
}

function isHarmless(word: string, before: string | undefined): boolean {
  return /^\p{L}{2,}$/u.test(word) && !meaningful.has(word) && !equalsWords.has(before ?? "");
}

function toInputs(found: SpokenArithmetic, said: string, { previous, before }: PhraseContext) {
  const { uses, expression } = found;
  if (uses === "none") return [{ expression }];
  if (previous === undefined) return { unbound: said };
  if (uses === "last") return [{ expression, variables: { x: previous } }];
  const results = before?.results ?? [];
  const isFit = uses === "both" ? results.length === 2 : results.length >= 2 && results.length <= names.length;
  if (!isFit) return { unbound: said };
  const used = names.slice(0, results.length).split("");
  return [
    {
      expression: found.combine(used),
      variables: Object.fromEntries(used.map((name, index) => [name, results[index]])),
    },
  ];
}
