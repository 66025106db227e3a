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

/** Reads arithmetic in words: every number of a clause is part of it, and no other word is more than its frame. */
export function createCalculatorReader(): ClauseReader {
  return { read: readClause };
}

function readClause({ tokens }: Clause): readonly ClauseReading[] {
  const words = tokens.map(({ norm, kind }) => (kind === "quote" ? '"' : norm));
  const found =
    readSpokenArithmetic(words, { hasPrevious: false }) ?? readSpokenArithmetic(words, { hasPrevious: true });
  const isWhole =
    found !== undefined &&
    words.every((word, index) => found.used[index] === true || (frameWords.has(word) && !meaningful.has(word)));
  if (!isWhole) return [];
  return [{ meaning: "calculate", probability: 0.9, toInputs: (context) => toInputs(found, words.join(" "), context) }];
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
