import { isSameTodo, type Todo } from "../../tools/todo-store/todo.ts";
import { type TodoRow, toRow } from "../../tools/todo-store/todo-row.ts";
import {
  type FoundTodos,
  patchTodo,
  type TodoChange,
  type TodoOutcome,
  type TodoQuery,
  type TodoRecord,
} from "../../tools/todo-store/todo-storage.ts";
import { toOrderText } from "../sql/order-text.ts";
import { todoOf, todoRecordOf } from "../sql/stored-values.ts";
import { conditionsOf, orderOf, tagTextOf } from "../sql/todo-query.ts";
import type { Queries } from "./database.ts";
import { readInteger, readOptionalText, readText } from "./run-rows.ts";
import type { SqlRow, SqlValue } from "./sql-pool.ts";

const columns = "list_key, title_key, completed, rank, due_day, due_ms, is_whole_day, tags, json";
const isIt = "md5(scope) = md5($1) AND md5(id) = md5($2) AND scope = $1 AND id = $2";

/** The tables of todos. Rejects with a `SyntaxError` for a damaged row. */
export class TodoRows {
  private readonly todos: string;
  private readonly records: string;

  constructor(prefix: string) {
    this.todos = `${prefix}planwright_todos`;
    this.records = `${prefix}planwright_todo_records`;
  }

  /** In one statement, so that the page and the counts are of the same moment. */
  async find({ query }: Queries, scope: string, wanted: TodoQuery): Promise<FoundTodos> {
    const { sql, values } = whereOf(scope, wanted);
    const { offset = 0, limit } = wanted;
    const place = values.length;
    const most = Number.isFinite(limit) ? Math.max(0, limit) : null;
    const rows = await query(
      `WITH fitting AS (SELECT * FROM ${this.todos} WHERE ${sql}),
        page AS (SELECT json, row_number() OVER (ORDER BY ${orderOf(wanted)}) AS place FROM fitting
          ORDER BY ${orderOf(wanted)} LIMIT $${place + 1}::bigint OFFSET $${place + 2}::bigint)
      SELECT counted.count, counted.completed, page.json
      FROM (SELECT count(*) AS count, coalesce(sum(completed), 0) AS completed FROM fitting) AS counted
      LEFT JOIN page ON true ORDER BY page.place`,
      [...values, most, offset],
    );
    const [first = {}] = rows;
    const todos = rows.filter(({ json }) => json !== null).map(readTodo);
    return { todos, count: readInteger(first, "count"), completed: readInteger(first, "completed") };
  }

  /** The outcome; undefined, with nothing changed, if the change does not fit. */
  async change(queries: Queries, scope: string, change: TodoChange): Promise<TodoOutcome | undefined> {
    switch (change.type) {
      case "insert":
        return this.insert(queries, scope, change.todo);
      case "patch": {
        const before = await this.findExpected(queries, scope, change);
        if (before === undefined) return undefined;
        const row = toRow(patchTodo(before, change.fields));
        const set = `UPDATE ${this.todos} SET (${columns}) = ($3, $4, $5, $6, $7, $8, $9, $10, $11) WHERE ${isIt}`;
        await queries.query(set, [toOrderText(scope), toOrderText(change.id), ...valuesOf(row)]);
        return { result: row.todo, before };
      }
      case "remove": {
        const result = await this.findExpected(queries, scope, change);
        if (result === undefined) return undefined;
        await queries.query(`DELETE FROM ${this.todos} WHERE ${isIt}`, [toOrderText(scope), toOrderText(change.id)]);
        return { result };
      }
      case "clear":
        return this.clear(queries, scope, change);
      default:
        return change satisfies never;
    }
  }

  async findRecord({ query }: Queries, scope: string, key: string): Promise<TodoRecord | undefined> {
    const [row] = await query(
      `SELECT operation, json, before_json FROM ${this.records}
        WHERE md5(scope) = md5($1) AND md5(key) = md5($2) AND scope = $1 AND key = $2`,
      [toOrderText(scope), toOrderText(key)],
    );
    return row && readRecord(row);
  }

  /** Records an outcome, and deletes the oldest records beyond `maxRecords`. Returns the recorded outcome. */
  async addRecord(
    { query }: Queries,
    { scope, key, ...record }: { scope: string; key: string } & TodoRecord,
    maxRecords: number,
  ): Promise<TodoRecord> {
    const { operation, result, before } = record;
    const texts = [JSON.stringify(result), before === undefined ? null : JSON.stringify(before)];
    const [row = {}] = await query(
      `INSERT INTO ${this.records} (scope, key, operation, json, before_json) VALUES ($1, $2, $3, $4, $5) RETURNING number`,
      [toOrderText(scope), toOrderText(key), operation, ...texts],
    );
    const last = readInteger(row, "number") - maxRecords;
    if (last > 0) await query(`DELETE FROM ${this.records} WHERE number <= $1`, [Math.floor(last)]);
    return JSON.parse(JSON.stringify(record)) as TodoRecord;
  }

  private async insert({ query }: Queries, scope: string, todo: Todo): Promise<TodoOutcome | undefined> {
    const row = toRow(todo);
    const [inserted] = await query(
      `INSERT INTO ${this.todos} (scope, id, ${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        ON CONFLICT DO NOTHING RETURNING 1 AS inserted`,
      [toOrderText(scope), toOrderText(todo.id), ...valuesOf(row)],
    );
    return inserted && { result: row.todo };
  }

  private async clear(
    { query }: Queries,
    scope: string,
    { list, onlyCompleted }: Extract<TodoChange, { type: "clear" }>,
  ): Promise<TodoOutcome> {
    const which = { ...(list !== undefined && { list }), ...(onlyCompleted && { completed: true }), limit: 0 };
    const { sql, values } = whereOf(scope, which);
    const gone = await query(`DELETE FROM ${this.todos} WHERE ${sql} RETURNING 1 AS deleted`, values);
    return { result: { cleared: gone.length } };
  }

  /** The todo to change, if it is as expected. */
  private async findExpected(
    { query }: Queries,
    scope: string,
    { id, expected }: Extract<TodoChange, { type: "patch" | "remove" }>,
  ): Promise<Todo | undefined> {
    const [row] = await query(`SELECT json FROM ${this.todos} WHERE ${isIt}`, [toOrderText(scope), toOrderText(id)]);
    const todo = row && readTodo(row);
    return todo !== undefined && (expected === undefined || isSameTodo(todo, expected)) ? todo : undefined;
  }
}

/** The conditions of SQLite, in the words of PostgreSQL. */
function whereOf(scope: string, query: TodoQuery): { readonly sql: string; readonly values: readonly SqlValue[] } {
  const { sql, values } = conditionsOf(scope, query);
  let place = 0;
  const numbered = sql.replaceAll("instr(", "strpos(").replace(/\?/g, () => `$${++place}`);
  return { sql: `md5(scope) = md5($1) AND ${numbered}`, values };
}

function valuesOf({ listKey, titleKey, rank, due, todo }: TodoRow) {
  const keys = [toOrderText(listKey), toOrderText(titleKey)];
  const moment = due ? [due.dueDay, due.dueMs, String(due.isWholeDay)] : [null, null, null];
  const tags = todo.tags.map(tagTextOf).join("");
  return [...keys, Number(todo.completed), rank ?? null, ...moment, tags, JSON.stringify(todo)];
}

function readTodo(row: SqlRow): Todo {
  return todoOf(readText(row, "json"));
}

function readRecord(row: SqlRow): TodoRecord {
  return todoRecordOf(readText(row, "operation"), readText(row, "json"), readOptionalText(row, "before_json"));
}
