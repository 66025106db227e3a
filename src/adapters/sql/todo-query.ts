import { parseDueDate } from "../../tools/todo-store/due-date.ts";
import { ranks } from "../../tools/todo-store/todo-row.ts";
import type { TodoQuery } from "../../tools/todo-store/todo-storage.ts";
import { foldText } from "../../tools/todo-store/todo-text.ts";
import { toOrderText } from "./order-text.ts";

/** The part of the `tags` column for a tag. As JSON no tag contains a line break, so none is found inside another. */
export function tagTextOf(tag: string): string {
  return `\n${JSON.stringify(tag)}\n`;
}

type SqlValue = string | number | null;

/** The part of a statement that selects todos, and its values. */
export interface TodoConditions {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** A condition with its values. */
type Condition = readonly [sql: string, ...values: SqlValue[]];

/** The conditions for the todos of a scope that fit a query. */
export function conditionsOf(scope: string, query: TodoQuery): TodoConditions {
  const conditions: Condition[] = [
    ["scope = ?", toOrderText(scope)],
    ...fieldConditions(query),
    ...titleConditions(query),
    ...dueConditions(query),
  ];
  return { sql: joinAll(conditions.map(([sql]) => sql)), values: conditions.flatMap(([, ...values]) => values) };
}

const sortColumns = { due: ["due_day", "is_whole_day", "due_ms"], priority: ["rank"], title: ["title_key"] };

/** The order of a query; todos without a value are last in both directions. */
export function orderOf({ sort = "created", reverse = false }: TodoQuery): string {
  const direction = reverse ? "DESC" : "ASC";
  if (sort === "created") return `sequence ${direction}`;
  const columns = sortColumns[sort].map((column) => `${column} ${direction} NULLS LAST`);
  return [...columns, `sequence ${direction}`].join(", ");
}

function fieldConditions({ id, list, completed, priority, tag }: TodoQuery): readonly Condition[] {
  return [
    ...given(id, (text): Condition => ["id = ?", toOrderText(text)]),
    ...given(list, (name): Condition => ["list_key = ?", toOrderText(foldText(name))]),
    ...given(completed, (is): Condition => ["completed = ?", Number(is)]),
    ...given(priority, (name): Condition => ["rank = ?", ranks[name]]),
    ...given(tag, (text): Condition => ["instr(tags, ?) > 0", tagTextOf(text)]),
  ];
}

function titleConditions({ titleKey, words = [] }: TodoQuery): readonly Condition[] {
  return [
    ...given(titleKey, (key): Condition => ["title_key = ?", toOrderText(key)]),
    ...words.filter((word) => word !== "").map((word): Condition => ["instr(title_key, ?) > 0", toOrderText(word)]),
  ];
}

/** As in `compareDue`. Without a due date all columns are null, which fits nothing. */
function dueConditions({ dueBefore, dueAfter, dueOn }: TodoQuery): readonly Condition[] {
  return [
    ...given(dueBefore, (text) => dueCondition("<", text)),
    ...given(dueAfter, (text) => dueCondition(">", text)),
    ...given(dueOn, (text) => dueCondition("=", text)),
  ];
}

function dueCondition(order: "<" | ">" | "=", text: string): Condition {
  const { dueDay, dueMs, isWholeDay } = parseDueDate(text);
  if (isWholeDay) return [`due_day ${order} ?`, dueDay];
  if (order === "=") return ["NOT is_whole_day AND due_ms = ?", dueMs];
  const wholeDay = order === "<" ? "due_day < ?" : "due_day >= ?";
  return [`CASE WHEN is_whole_day THEN ${wholeDay} ELSE due_ms ${order} ? END`, dueDay, dueMs];
}

function given<T>(value: T | undefined, toCondition: (value: T) => Condition): readonly Condition[] {
  return value === undefined ? [] : [toCondition(value)];
}

/** Joins all conditions, nested by halves: SQLite accepts no more than a thousand in a row. */
function joinAll(conditions: readonly string[]): string {
  if (conditions.length <= 100) return conditions.join(" AND ");
  const half = Math.ceil(conditions.length / 2);
  return `(${joinAll(conditions.slice(0, half))}) AND (${joinAll(conditions.slice(half))})`;
}
