import type { ClauseReader } from "../../core/clause-reader.ts";
import { wordForms } from "../../language/word-forms.ts";
import type { MatchInput } from "./match-input.ts";
import type { PhraseMatch } from "./match-phrases.ts";
import type { ToolRules } from "./tool-rules.ts";

/** The trained readers of some tools. */
export type ClauseReaders = ReadonlyMap<ToolRules, ClauseReader>;

/** What is less sure than this is not planned. */
const minProbability = 0.7;
/** More than most phrases cost, as phrases are the precise way. */
const readingCost = 500;
/** How many clauses one wish may have, and how many words: a reader is not given more. */
const maxJoined = 4;
const maxWords = 64;
/** Steps of work for each word that a reader reads: some 10 µs. */
const wordCost = 200;

/** How trained readers understand the request from a clause on, up to the end of each of the next ones. */
export function readFrom(firstClause: number, input: MatchInput, readers: ClauseReaders): readonly PhraseMatch[] {
  const matches: PhraseMatch[] = [];
  const start = input.clauses[firstClause]?.start ?? 0;
  for (let lastClause = firstClause; lastClause < firstClause + maxJoined; lastClause++) {
    const last = input.clauses[lastClause];
    if (last === undefined || last.end - start > maxWords) break;
    const tokens = input.tokens.slice(start, last.end);
    // A word alone says too little: "list", "tasks".
    if (tokens.length < 2) continue;
    const clause = { text: input.text, tokens, forms: wordForms(tokens) };
    for (const [rules, reader] of readers) {
      input.work.spend(tokens.length * wordCost);
      const [reading] = reader.read(clause);
      if (reading === undefined || reading.probability < minProbability) continue;
      const cost = readingCost - Math.round(500 * Math.log(reading.probability));
      matches.push({
        rules,
        phraseIndex: -1,
        firstClause,
        lastClause,
        cost,
        captures: undefined,
        start,
        end: last.end,
        reading,
      });
    }
    if (last.endsHard) break;
  }
  return matches;
}
