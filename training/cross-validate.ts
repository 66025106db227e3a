import { readWith } from "../src/core/clause-reader.ts";
import type { ReadDates } from "../src/dates/read-dates.ts";
import { createCalculator, createRulePlanner, createTodoStore, type DefinedTool, isAgentError } from "../src/index.ts";
import { hashText } from "../src/language/hash.ts";
import { createTodoReader } from "../src/tools/todo-store/reading/todo-reader.ts";
import type { Example } from "./assemble.ts";
import { isCalculation, isWordProblem } from "./development-kinds.ts";
import { markDates } from "./mark-dates.ts";
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

/** What is learned from, and what is judged. */
export interface CrossValidationData {
  readonly written: readonly Example[];
  readonly development: readonly Example[];
  readonly labelled: readonly Example[];
  readonly rows: readonly DevelopmentRow[];
  readonly readDates: ReadDates;
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
 * Plans each request about todos, and each that must be refused, with what was learned from the other folds and without
 * the phrases of the tool. Written sentences that happen to be equal to one of the fold are left out, too.
 */
export async function crossValidate(
  { written, development, labelled, rows, readDates }: CrossValidationData,
  grouping: Grouping,
): Promise<Readonly<Record<string, Outcome>>> {
  const outcomes: Record<string, { count: number; right: number; wrong: number }> = {};
  for (let fold = 0; fold < folds; fold++) {
    const heldOut = rows.filter((row) => foldOf(row, grouping) === fold);
    const ids = new Set(heldOut.map(({ id }) => id));
    const known = new Set(heldOut.map(({ prompt }) => spelling(prompt)));
    const sayings = [
      ...written.filter(({ text }) => !known.has(spelling(text))),
      ...development.filter(({ id = "" }) => !ids.has(id)),
    ];
    const learned = trainTodos([...sayings, ...markDates(sayings, readDates)], labelled);
    const reader = createTodoReader(toTodoModel(learned));
    // A phrase that nobody says, as dates are only read for tools that take one.
    const phrases = [{ phrase: "‹due› {dueDate}", input: { operation: "add", title: "‹due›" } }];
    const todos = readWith({ ...createTodoStore(), phrases }, async () => reader);
    for (const row of heldOut) {
      if (isCalculation(row) || isWordProblem(row) || (row.expect.steps?.length ?? 0) > 1) continue;
      const planned = await inputsFor(row.prompt, [createCalculator(), todos]);
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

type Input = Readonly<Record<string, unknown>>;

const planner = createRulePlanner();
const clock = { nowMs: Date.UTC(2026, 10, 22, 12), timeZone: "UTC" };

/** The inputs of the plan's steps; none if there is no plan. */
async function inputsFor(request: string, tools: readonly DefinedTool[]): Promise<readonly Input[]> {
  const { signal } = new AbortController();
  const generate = () => Promise.reject(new Error("Rules ask no model."));
  try {
    const { steps } = await planner.plan({ request, tools, maxSteps: 100, signal, generate, ...clock });
    return steps.map(({ input }) => input as Input);
  } catch (thrown) {
    if (isAgentError(thrown, "cannot-plan")) return [];
    throw thrown;
  }
}

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
