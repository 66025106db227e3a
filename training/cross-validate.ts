import { hashText } from "../src/language/hash.ts";
import { wordForms } from "../src/language/word-forms.ts";
import { createTodoReader } from "../src/tools/todo-store/reading/todo-reader.ts";
import type { Example } from "./assemble.ts";
import { isCalculation, isWordProblem } from "./development-kinds.ts";
import type { DevelopmentRow } from "./read-shared.ts";
import { toTodoModel, trainTodos } from "./train-todos.ts";

/** How the development part is cut into folds: all requests phrased alike in one, or at random. */
export type Grouping = "phrasing" | "random";

/** What came out for one kind of requests. */
export interface Outcome {
  readonly count: number;
  /** Planned as it should be, or refused where it should be. */
  readonly right: number;
  /** Planned in another way. */
  readonly wrong: number;
}

const folds = 5;
const plainWords = new Set("a an the my some of to in on at for s is and".split(" "));

function foldOf({ id, family, category }: DevelopmentRow, grouping: Grouping): number {
  return hashText(grouping === "random" ? `${id}/random` : (family ?? `${category}/${id}`)) % folds;
}

const spelling = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/**
 * Plans each request about todos, and each that must be refused, with what was learned from the other folds. Written
 * sentences that happen to be equal to one of the fold are left out, too.
 */
export function crossValidate(
  { written, development, labelled, rows }: CrossValidationData,
  grouping: Grouping,
): Readonly<Record<string, Outcome>> {
  const outcomes: Record<string, { count: number; right: number; wrong: number }> = {};
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  for (let fold = 0; fold < folds; fold++) {
    const isHeldOut = ({ id = "" }: Example) => {
      const row = rowOf.get(id);
      return row !== undefined && foldOf(row, grouping) === fold;
    };
    const heldOut = development.filter(isHeldOut);
    const known = new Set(heldOut.map(({ text }) => spelling(text)));
    const others = written.filter(({ text }) => !known.has(spelling(text)));
    const learned = trainTodos([...others, ...development.filter((each) => !isHeldOut(each))], labelled);
    const reader = createTodoReader(toTodoModel(learned));
    for (const { id = "", tokens } of heldOut) {
      const row = rowOf.get(id);
      if (row === undefined || isCalculation(row) || isWordProblem(row) || (row.expect.steps?.length ?? 0) > 1)
        continue;
      const readings = reader.read({ text: row.prompt, tokens, forms: wordForms(tokens), dates: [] });
      const [best] = readings;
      const inputs = best?.toInputs({ previous: undefined, nowMs: 0, timeZone: "UTC" });
      const planned =
        best !== undefined && best.probability >= 0.5 && Array.isArray(inputs) ? (inputs as readonly Input[]) : [];
      const kind = row.expect.kind === "reject" ? "to refuse" : row.hard === true ? "hard" : "ordinary";
      const outcome = outcomes[kind] ?? { count: 0, right: 0, wrong: 0 };
      outcomes[kind] = outcome;
      outcome.count++;
      const isRight = row.expect.kind === "reject" ? planned.length === 0 : fits(planned, row);
      if (isRight) outcome.right++;
      else if (planned.length > 0) outcome.wrong++;
    }
  }
  return outcomes;
}

/** What is learned from, and what is judged. */
export interface CrossValidationData {
  readonly written: readonly Example[];
  readonly development: readonly Example[];
  readonly labelled: readonly Example[];
  readonly rows: readonly DevelopmentRow[];
}

type Input = Readonly<Record<string, unknown>>;

const singular = (word: string) => word.replace(/s$/, "");
const wordsOf = (text: string) =>
  spelling(text)
    .split(" ")
    .filter((word) => word !== "" && !plainWords.has(word))
    .map(singular);

/** Like the scorer of the data: the operation, and all words of the title but no others. */
function fits([input, ...more]: readonly Input[], { expect: { steps = [] } }: DevelopmentRow): boolean {
  const [step] = steps;
  if (input === undefined || more.length > 0 || step?.op?.includes(String(input.operation)) !== true) return false;
  if (step.index !== undefined) return input.index === step.index;
  const said = wordsOf(String(input.title ?? input.query ?? ""));
  const wanted = wordsOf((step.title?.tokens ?? []).join(" "));
  const optional = new Set(wordsOf((step.title?.optional ?? []).join(" ")));
  return (
    wanted.every((word) => said.includes(word)) && said.every((word) => wanted.includes(word) || optional.has(word))
  );
}
