import type { PlanIssue } from "../../../core/plan.ts";

/** The longest word of an answer that is repeated. */
export const maxWordLength = 50;

const maxProblems = 10;
const maxProblem = 500;

/** The first problems, each cut to what anybody reads: they may quote a hostile answer. */
export function describeProblems(problems: readonly string[]): readonly string[] {
  const shown = problems.slice(0, maxProblems).map((problem) => cut(problem, maxProblem));
  return problems.length > maxProblems ? [...shown, `and ${problems.length - maxProblems} more`] : shown;
}

/** The beginning of a text. A plan that quotes it may have no half of a character. */
export function cut(text: string, length: number): string {
  return text.slice(0, length).toWellFormed();
}

/** An issue of a plan as a line for the model. */
export function describeIssue({ path, message }: Pick<PlanIssue, "path" | "message">): string {
  return `${path.join(".") || "the plan"}: ${message}`;
}
