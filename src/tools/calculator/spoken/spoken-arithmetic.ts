import { ClauseReader } from "./clause-reader.ts";
import { mixesUnits, readConversion } from "./conversions.ts";
import { type Tokens, tokensOf } from "./tokens.ts";

/** Spoken arithmetic in the Calculator's notation. */
export interface SpokenArithmetic {
  /** In the grammar of the Calculator: `(3 + 4) * x`. Several earlier results are called a and b. */
  readonly expression: string;
  /**
   * The earlier results that are its variables: none; the last one, as `x`; the last two, or all of them, named by
   * the caller, see `combine`.
   */
  readonly uses: "none" | "last" | "both" | "all";
  /** The expression with these names for the earlier results, the oldest first: `combine(["a", "b", "c"])` is `a + b + c`. */
  combine(names: readonly string[]): string;
  /** For each word whether it has a part in the arithmetic. */
  readonly used: readonly boolean[];
  /** Whether it is one operation: "add 3 and 4" is, "add 3 and 4, then halve it" is not. */
  readonly isSingle: boolean;
}

/** Options of {@link readSpokenArithmetic}. */
interface SpokenOptions {
  /** Whether there is an earlier result to continue from. */
  readonly hasPrevious: boolean;
  /** Whether "what is" stands before the words, so that "8 and 9" is a sum. */
  readonly isAsked?: boolean;
}

const questions = new Set(
  "what how calculate compute work solve evaluate equals = answer result subtract minus difference do".split(" "),
);
const asks = new Set(["what", "much", "many"]);
const sums = new Set(["is", "are", "do", "does"]);
const together = new Set(["together", "altogether", "combined", "make", "makes"]);
/** Dates and telephone numbers, however they are asked for. */
const notArithmetic = /^(?:\d{1,2}\/\d{1,2}\/(?:\d\d){1,2}|\d{4}-\d\d?-\d\d?|(?:\d-)?\d{3}-\d{3}-\d{4})$/;
const localNumber = /^(?:\d-)?\d{3}-\d{4}$/;

/**
 * Finds the arithmetic in the words of a clause, in signs, in words, or both; with `hasPrevious` also what continues
 * an earlier result: "double it", "divided by 2", "add both answers". Undefined if there is none, or if a number or an
 * operator would have no part in it. Linear in the number of words.
 */
export function readSpokenArithmetic(
  words: readonly string[],
  { hasPrevious, isAsked = false }: SpokenOptions,
): SpokenArithmetic | undefined {
  const conversion = readConversion(words, hasPrevious ? "x" : undefined);
  if (conversion !== undefined) {
    const {
      term: { text: expression },
      used,
    } = conversion;
    return {
      expression,
      uses: usesLast(expression) ? "last" : "none",
      combine: () => expression,
      used,
      isSingle: true,
    };
  }
  if (mixesUnits(words)) return undefined;
  for (const joinAnd of words.includes("and") ? [true, false] : [true]) {
    const found = tokensOf(words, joinAnd);
    if (isOnlyAlike(words, found)) return undefined;
    const read = (names: readonly string[]) => {
      const reader = new ClauseReader(found.tokens, { names, isSum: joinAnd && (isAsked || isSum(words, found)) });
      return { term: reader.read(), reader };
    };
    const { term, reader } = read(hasPrevious ? ["a", "b"] : []);
    if (term === undefined) continue;
    const isLast = usesLast(term.text);
    if (isLast && reader.uses !== undefined) continue;
    const used = usedWords(words, found, reader);
    const uses = reader.uses ?? (isLast ? "last" : "none");
    const combine = (names: readonly string[]) =>
      reader.uses === undefined ? term.text : (read(names).term?.text ?? term.text);
    return { expression: term.text, uses, combine, used, isSingle: reader.statements <= 1 };
  }
  return undefined;
}

function usesLast(expression: string): boolean {
  return /(?<![a-z])x(?![a-z])/.test(expression);
}

/** Whether these are the signs of a date or of a telephone number. */
function isOnlyAlike(words: readonly string[], { tokens }: Tokens): boolean {
  const text = tokens
    .slice(0, 9)
    .flatMap(({ word, term }) => (term !== undefined || /^[-/]$/.test(word) ? word : []))
    .join("");
  return notArithmetic.test(text) || (localNumber.test(text) && !words.some((word) => questions.has(word)));
}

/** Whether the words ask for the sum of numbers with "and" between them: "what is 8 and 9", "5 and 6 together". */
function isSum(words: readonly string[], { tokens }: Tokens): boolean {
  if (!words.includes("and") || words.includes("by")) return false;
  const first = tokens.find(({ term }) => term !== undefined)?.start ?? 0;
  const [asking = "", verb = ""] = words
    .slice(0, first)
    .filter((word) => word !== "-" && word !== "minus")
    .slice(-2);
  const isAsked = (asks.has(asking) && sums.has(verb)) || verb === "makes";
  return (
    isAsked ||
    words.some(
      (word, at) =>
        together.has(word) || (at > first && sums.has(words[at - 1] ?? "") && (asks.has(word) || word === "how")),
    )
  );
}

function usedWords(words: readonly string[], found: Tokens, reader: ClauseReader): readonly boolean[] {
  const used = [...found.isCorrected];
  for (const { start, end } of reader.used) used.fill(true, start, Math.max(end, start));
  for (let at = words.length - 2; at >= 0; at--) if (found.isGlue[at] && used[at + 1]) used[at] = true;
  for (let at = 1; at < words.length; at++) if (found.isGlue[at] && used[at - 1]) used[at] = true;
  return used;
}
