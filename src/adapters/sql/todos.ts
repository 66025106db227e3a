import * as z from "zod/v4";
import { createTodoSchema, isSameTodo, type Todo } from "../../tools/todo-store/todo.ts";
import { foldText, isDueDate, parseDueDate, ranks, toRow } from "../../tools/todo-store/todo-keys.ts";
import {
  type FoundTodos,
  patchTodo,
  type TodoChange,
  type TodoOutcome,
  type TodoQuery,
  type TodoRecord,
  type TodoWrite,
} from "../../tools/todo-store/todo-storage.ts";
import {
  createKeyedTables,
  type Dialect,
  type KeyedStorage,
  keyedStorage,
  pageSql,
  readValues,
  storedAs,
} from "./keyed-storage.ts";
import { all, list, raw, readInteger, readText, type Sql, type Steps, sql, toOrderText } from "./statement.ts";

const createStoredSchema = () => {
  const isDue = (due: string | undefined) => due === undefined || isDueDate(due);
  return createTodoSchema().refine(({ dueDate, dueAt }) => isDue(dueDate) && isDue(dueAt));
};
const checkTodo = storedAs<Todo>("todo", createStoredSchema);
const parseTodo = (json: string) => checkTodo(JSON.parse(json));
const checkRecord = storedAs<TodoRecord>("todoRecord", () => {
  const todo = createStoredSchema();
  return z.object({
    operation: z.enum(["add", "complete", "reopen", "update", "delete", "clear", "undo"]),
    result: z.union([z.object({ cleared: z.number() }), todo]),
    before: todo.optional(),
  });
});

type ChangeOf<TType extends TodoChange["type"]> = Extract<TodoChange, { readonly type: TType }>;

const columns = raw("list_key, title_key, completed, rank, due_day, due_ms, is_whole_day, tags, json");
const counts = "count(*) AS count, coalesce(sum(completed), 0) AS completed";

/** Returns the statements that create the tables of todos. */
export function createTodoTables(dialect: Dialect): string {
  const { textType: text, indexed } = dialect;
  return createKeyedTables(dialect, {
    ...{ table: "todos", records: "todo_records" },
    columns: `list_key ${text} NOT NULL, title_key ${text} NOT NULL, completed integer NOT NULL, rank integer,
      due_day bigint, due_ms bigint, is_whole_day boolean, tags ${text} NOT NULL`,
    indexes: {
      scope: "sequence, completed",
      list: `${indexed("list_key")}, sequence, completed`,
      title: `${indexed("title_key")}, sequence`,
    },
  });
}

/** The tables of todos: the columns that queries compare are encoded by `toOrderText`, and the todo itself is JSON. */
export function createTodoStorage(
  dialect: Dialect,
  rememberedWrites: number,
): KeyedStorage<TodoQuery, FoundTodos, TodoWrite, TodoRecord> {
  const { prefix, column, equals } = dialect;
  const table = `${prefix}todos`;
  const todos = raw(table);
  const isTodo = (scope: string, id: string) =>
    sql`${equals("scope", toOrderText(scope))} AND ${equals("id", toOrderText(id))}`;

  function* find(scope: string, query: TodoQuery): Steps<FoundTodos> {
    const where = getConditions(dialect, scope, query);
    const rows = yield pageSql(dialect, { ...query, table, counts, where, order: getOrder(query) });
    const [first = {}] = rows;
    const [count, completed] = [readInteger(first, "count"), readInteger(first, "completed")];
    if (completed > count) throw new SyntaxError("more todos are completed than there are");
    return { todos: readValues(rows, parseTodo), count, completed };
  }

  function* change(scope: string, wanted: TodoChange): Steps<TodoOutcome | undefined> {
    switch (wanted.type) {
      case "insert": {
        const { todo } = wanted;
        const [row] = yield sql`INSERT INTO ${todos} (scope, id, ${columns})
          VALUES (${toOrderText(scope)}, ${toOrderText(todo.id)}, ${toColumns(todo)})
          ON CONFLICT DO NOTHING RETURNING 1 AS inserted`;
        return row && { result: todo };
      }
      case "patch": {
        const before = yield* findExpected(scope, wanted);
        if (before === undefined) return undefined;
        const result = patchTodo(before, wanted.fields);
        yield sql`UPDATE ${todos} SET (${columns}) = (${toColumns(result)}) WHERE ${isTodo(scope, wanted.id)}
          RETURNING 1 AS changed`;
        return { result, before };
      }
      case "remove": {
        const result = yield* findExpected(scope, wanted);
        if (result === undefined) return undefined;
        yield sql`DELETE FROM ${todos} WHERE ${isTodo(scope, wanted.id)} RETURNING 1 AS deleted`;
        return { result };
      }
      case "clear": {
        const { list, onlyCompleted } = wanted;
        const which = { ...(list !== undefined && { list }), ...(onlyCompleted && { completed: true }), limit: 0 };
        const gone =
          yield sql`DELETE FROM ${todos} WHERE ${getConditions(dialect, scope, which)} RETURNING 1 AS deleted`;
        return { result: { cleared: gone.length } };
      }
      default:
        return wanted satisfies never;
    }
  }

  /** The todo to change, if it is as expected. */
  function* findExpected(scope: string, { id, expected }: ChangeOf<"patch" | "remove">): Steps<Todo | undefined> {
    const [row] = yield sql`SELECT ${raw(column("json"))} FROM ${todos} WHERE ${isTodo(scope, id)}`;
    const todo = row && parseTodo(readText(row, "json"));
    return todo !== undefined && (expected === undefined || isSameTodo(todo, expected)) ? todo : undefined;
  }

  const kind = {
    ...{ records: "todo_records", find, change },
    toValues: ({ result, before }: TodoOutcome) => [result, before] as const,
    toRecord: (operation: string, result: unknown, before: unknown) =>
      checkRecord({ operation, result, ...(before !== undefined && { before }) }),
  };
  return keyedStorage(dialect, kind, rememberedWrites);
}

/** The values of the columns of a todo. */
function toColumns(written: Todo): Sql {
  const { listKey, titleKey, rank = null, due, todo } = toRow(written);
  const moment = due ? [due.dueDay, due.dueMs, Number(due.isWholeDay)] : [null, null, null];
  const tags = todo.tags.map(toTagText).join("");
  const keys = [toOrderText(listKey), toOrderText(titleKey)];
  return list([...keys, Number(todo.completed), rank, ...moment, tags, JSON.stringify(todo)]);
}

/** The part of the `tags` column for a tag. As JSON no tag contains a line break, so none is found inside another. */
function toTagText(tag: string): string {
  return `\n${JSON.stringify(tag)}\n`;
}

/** The conditions for the todos of a scope that fit a query. */
function getConditions({ equals, search }: Dialect, scope: string, query: TodoQuery): Sql {
  const { id, list, completed, priority, tag, titleKey, words = [], dueBefore, dueAfter, dueOn } = query;
  const contains = (column: string, text: string) => sql`${raw(`${search}(${column}`)}, ${text}) > 0`;
  return all([
    equals("scope", toOrderText(scope)),
    ...given(id, (text) => equals("id", toOrderText(text))),
    ...given(list, (name) => equals("list_key", toOrderText(foldText(name)))),
    ...given(completed, (is) => sql`completed = ${Number(is)}`),
    ...given(priority, (name) => sql`rank = ${ranks[name]}`),
    ...given(tag, (text) => contains("tags", toTagText(text))),
    ...given(titleKey, (key) => equals("title_key", toOrderText(key))),
    ...words.filter((word) => word !== "").map((word) => contains("title_key", toOrderText(word))),
    ...given(dueBefore, (text) => dueCondition("<", text)),
    ...given(dueAfter, (text) => dueCondition(">", text)),
    ...given(dueOn, (text) => dueCondition("=", text)),
  ]);
}

function given<T>(value: T | undefined, toCondition: (value: T) => Sql): readonly Sql[] {
  return value === undefined ? [] : [toCondition(value)];
}

/** As in `compareDue`. Without a due date all columns are null, which fits nothing. */
function dueCondition(order: "<" | ">" | "=", text: string): Sql {
  const { dueDay, dueMs, isWholeDay } = parseDueDate(text);
  if (isWholeDay) return sql`due_day ${raw(order)} ${dueDay}`;
  if (order === "=") return sql`NOT is_whole_day AND due_ms = ${dueMs}`;
  const wholeDay = raw(order === "<" ? "<" : ">=");
  return sql`CASE WHEN is_whole_day THEN due_day ${wholeDay} ${dueDay} ELSE due_ms ${raw(order)} ${dueMs} END`;
}

const sortColumns = { due: ["due_day", "is_whole_day", "due_ms"], priority: ["rank"], title: ["title_key"] };

/** The order of a query; todos without a value are last in both directions. */
function getOrder({ sort = "created", reverse = false }: TodoQuery): string {
  const direction = reverse ? "DESC" : "ASC";
  if (sort === "created") return `sequence ${direction}`;
  const columns = sortColumns[sort].map((column) => `${column} ${direction} NULLS LAST`);
  return [...columns, `sequence ${direction}`].join(", ");
}
