import type { ClauseReader } from "../../core/clause-reader.ts";
import { wordForms } from "../../language/word-forms.ts";
import type { MatchInput } from "./match-input.ts";
import type { PhraseMatch } from "./match-phrases.ts";
import type { ToolRules } from "./tool-rules.ts";

/** The trained readers of some tools. */
export type ClauseReaders = ReadonlyMap<ToolRules, ClauseReader>;

/** What is less sure than this is not planned. */
const minProbability = 0.7;
/** More than any phrase costs, as phrases are the precise way. */
const readingCost = 2_000;
/** How many clauses one wish may have, and how many words: a reader is not given more. */
const maxJoined = 4;
const maxWords = 64;
/** Steps of work for each word that a reader reads: some 10 µs. */
const wordCost = 200;

/** Two readings are close together if each is at least this sure, and one of them is meant as surely as a plan needs. */
const minRival = 0.3;

/** How trained readers understand the request from a clause on, up to the end of each of the next ones. */
export function readFrom(firstClause: number, input: MatchInput, readers: ClauseReaders): readonly PhraseMatch[] {
  const matches: PhraseMatch[] = [];
  for (let lastClause = firstClause; lastClause < firstClause + maxJoined; lastClause++) {
    const found = readTo(lastClause, { firstClause, input, readers });
    if (found === undefined) break;
    for (const readings of found) {
      const [best] = readings;
      if (best?.reading !== undefined && best.reading.probability >= minProbability) matches.push(best);
    }
    if (input.clauses[lastClause]?.endsHard !== false) break;
  }
  return matches;
}

/** The two readings of a clause, of one tool or of two, that are close together: either may be meant, and nothing else. */
export function rivalsFrom(clause: number, input: MatchInput, readers: ClauseReaders): readonly PhraseMatch[] {
  const found = readTo(clause, { firstClause: clause, input, readers }) ?? [];
  const shareOf = ({ reading }: PhraseMatch) => reading?.probability ?? 0;
  const close = found.flat().filter((match) => shareOf(match) >= minRival);
  const [best, second] = close.sort((left, right) => shareOf(right) - shareOf(left));
  if (best === undefined || second === undefined || shareOf(best) >= minProbability) return [];
  return shareOf(best) + shareOf(second) < minProbability ? [] : [best, second];
}

interface ReadScope {
  readonly firstClause: number;
  readonly input: MatchInput;
  readonly readers: ClauseReaders;
}

/** How each reader understands some clauses as one wish, the best first; undefined if they are too long for that. */
function readTo(
  lastClause: number,
  { firstClause, input, readers }: ReadScope,
): readonly (readonly PhraseMatch[])[] | undefined {
  const start = input.clauses[firstClause]?.start ?? 0;
  const last = input.clauses[lastClause];
  if (last === undefined || last.end - start > maxWords) return undefined;
  const tokens = input.tokens.slice(start, last.end);
  // A word alone says too little: "list", "tasks".
  if (tokens.length < 2) return [];
  const clause = { text: input.text, tokens, forms: wordForms(tokens) };
  return [...readers].map(([rules, reader]) => {
    input.work.spend(tokens.length * wordCost);
    return reader.read(clause).map((reading): PhraseMatch => {
      const cost = readingCost - Math.round(500 * Math.log(reading.probability));
      const { end } = last;
      return { rules, phraseIndex: -1, firstClause, lastClause, cost, captures: undefined, start, end, reading };
    });
  });
}
