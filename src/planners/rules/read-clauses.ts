import type { ClauseReader } from "../../core/clause-reader.ts";
import { wordForms } from "../../language/word-forms.ts";
import type { ExampleModel } from "./examples/example-model.ts";
import { readByExamples } from "./examples/read-by-examples.ts";
import type { MatchInput } from "./match-input.ts";
import type { PhraseMatch } from "./match-phrases.ts";
import type { ToolRules } from "./tool-rules.ts";

/** What reads requests that no phrase fits. */
export interface ClauseReaders {
  /** Those of tools that are trained. */
  readonly trained: ReadonlyMap<ToolRules, ClauseReader>;
  /** What the examples of the other tools say. */
  readonly examples: ExampleModel | undefined;
}

/** What is less sure than this is not planned. */
const minProbability = 0.7;
/** More than any phrase costs, as phrases are the precise way. */
const readingCost = 2_000;
/** How many clauses one wish may have, and how many words: a reader is not given more. */
const maxJoined = 4;
const maxWords = 64;
/** Steps of work for each word that a reader reads: some 10 µs. */
const wordCost = 200;

/** How trained readers understand the request from a clause on, up to the end of each of the next ones. */
export function readFrom(
  firstClause: number,
  input: MatchInput,
  { readers, laterMatch }: { readers: ClauseReaders; laterMatch: (clause: number) => PhraseMatch | undefined },
): readonly PhraseMatch[] {
  const matches: PhraseMatch[] = [];
  const start = input.clauses[firstClause]?.start ?? 0;
  for (let lastClause = firstClause; lastClause < firstClause + maxJoined; lastClause++) {
    const last = input.clauses[lastClause];
    if (last === undefined || last.end - start > maxWords) break;
    const tokens = input.tokens.slice(start, last.end);
    // A word alone says too little: "list", "tasks".
    if (tokens.length < 2) continue;
    const clause = { text: input.text, tokens, forms: wordForms(tokens) };
    const example = readExample({ firstClause, lastClause, start, end: last.end }, input, readers.examples);
    // An example is one wish: what is understood from a later clause on is another, unless it says the same again.
    const later = lastClause === firstClause ? undefined : laterMatch(lastClause);
    const isOne = later === undefined || (later.rules === example?.rules && later.captures === undefined);
    if (example !== undefined && isOne) matches.push(example);
    for (const [rules, reader] of readers.trained) {
      input.work.spend(tokens.length * wordCost);
      const [reading] = reader.read(clause);
      if (reading === undefined || reading.probability < minProbability) continue;
      const cost = costOf(reading.probability);
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

/** How the examples of tools understand some clauses. */
function readExample(
  span: { readonly firstClause: number; readonly lastClause: number; readonly start: number; readonly end: number },
  input: MatchInput,
  model: ExampleModel | undefined,
): PhraseMatch | undefined {
  if (model === undefined) return undefined;
  input.work.spend((span.end - span.start) * wordCost);
  const found = readByExamples(model, input, span);
  if (found === undefined || found.probability < minProbability || found.left !== undefined) return undefined;
  const { rules, phraseIndex, captures, probability } = found;
  return { ...span, rules, phraseIndex, captures, cost: costOf(probability), likeness: probability };
}

function costOf(probability: number): number {
  return readingCost - Math.round(500 * Math.log(probability));
}
