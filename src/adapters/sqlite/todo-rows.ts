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
import {
  asBytes,
  readOptionalText,
  readText,
  type SqlDatabase,
  type SqlRow,
  type SqlStatement,
  type SqlValue,
} from "./sql-database.ts";

const columns = "list_key, title_key, completed, rank, due_day, due_ms, is_whole_day, tags, json";

const statements = {
  findTodo: `SELECT ${asBytes("json")} FROM todos WHERE scope = ? AND id = ?`,
  insertTodo: `INSERT OR IGNORE INTO todos (scope, id, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING 1`,
  updateTodo: `UPDATE todos SET (${columns}) = (?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE scope = ? AND id = ?`,
  removeTodo: "DELETE FROM todos WHERE scope = ? AND id = ?",
  findRecord: `SELECT ${asBytes("operation", "json", "before_json")} FROM todo_records WHERE scope = ? AND key = ?`,
  insertRecord:
    "INSERT INTO todo_records (scope, key, operation, json, before_json) VALUES (?, ?, ?, ?, ?) RETURNING number",
  forgetRecords: "DELETE FROM todo_records WHERE number <= ?",
} as const;

/** More kinds of queries than a program is likely to have. */
const maxQueries = 200;

/** The tables of todos, with statements that are prepared once. Throws a `SyntaxError` for a damaged row. */
export class TodoRows {
  private readonly prepared: Readonly<Record<keyof typeof statements, SqlStatement>>;
  private readonly queries = new Map<string, SqlStatement>();

  constructor(private readonly db: SqlDatabase) {
    const entries = Object.entries(statements).map(([name, sql]) => [name, db.prepare(sql)]);
    this.prepared = Object.fromEntries(entries) as Record<keyof typeof statements, SqlStatement>;
  }

  find(scope: string, query: TodoQuery): FoundTodos {
    const { sql, values } = conditionsOf(scope, query);
    const { count, completed } = this.count(sql, values);
    const { offset = 0, limit } = query;
    if (limit <= 0 || offset >= count) return { todos: [], count, completed };
    const page = this.prepare(
      `SELECT ${asBytes("json")} FROM todos WHERE ${sql} ORDER BY ${orderOf(query)} LIMIT ? OFFSET ?`,
    );
    const rows = page.all(...values, Math.min(limit, count), offset);
    return { todos: rows.map(readTodo), count, completed };
  }

  /** The outcome; undefined, with nothing changed, if the change does not fit. */
  change(scope: string, change: TodoChange): TodoOutcome | undefined {
    switch (change.type) {
      case "insert":
        return this.insert(scope, change.todo);
      case "patch":
        return this.patch(scope, change);
      case "remove":
        return this.remove(scope, change);
      case "clear":
        return this.clear(scope, change);
      default:
        return change satisfies never;
    }
  }

  findRecord(scope: string, key: string): TodoRecord | undefined {
    const row = this.prepared.findRecord.get(toOrderText(scope), toOrderText(key));
    return row && readRecord(row);
  }

  /** Records an outcome, and deletes the oldest records beyond `maxRecords`. Returns the recorded outcome. */
  addRecord({ scope, key, ...record }: { scope: string; key: string } & TodoRecord, maxRecords: number): TodoRecord {
    const { operation, result, before } = record;
    const texts = [JSON.stringify(result), before === undefined ? null : JSON.stringify(before)];
    const row = this.prepared.insertRecord.get(toOrderText(scope), toOrderText(key), operation, ...texts);
    this.prepared.forgetRecords.run(Number(row?.number) - maxRecords);
    return JSON.parse(JSON.stringify(record)) as TodoRecord;
  }

  private insert(scope: string, todo: Todo): TodoOutcome | undefined {
    const row = toRow(todo);
    const inserted = this.prepared.insertTodo.get(toOrderText(scope), toOrderText(todo.id), ...valuesOf(row));
    return inserted && { result: row.todo };
  }

  private patch(scope: string, change: Extract<TodoChange, { type: "patch" }>): TodoOutcome | undefined {
    const before = this.findExpected(scope, change);
    if (before === undefined) return undefined;
    const row = toRow(patchTodo(before, change.fields));
    this.prepared.updateTodo.run(...valuesOf(row), toOrderText(scope), toOrderText(change.id));
    return { result: row.todo, before };
  }

  private remove(scope: string, change: Extract<TodoChange, { type: "remove" }>): TodoOutcome | undefined {
    const result = this.findExpected(scope, change);
    if (result === undefined) return undefined;
    this.prepared.removeTodo.run(toOrderText(scope), toOrderText(change.id));
    return { result };
  }

  private clear(scope: string, { list, onlyCompleted }: Extract<TodoChange, { type: "clear" }>): TodoOutcome {
    const which = { ...(list !== undefined && { list }), ...(onlyCompleted && { completed: true }), limit: 0 };
    const { sql, values } = conditionsOf(scope, which);
    const { count } = this.count(sql, values);
    this.prepare(`DELETE FROM todos WHERE ${sql}`).run(...values);
    return { result: { cleared: count } };
  }

  /** The todo to change, if it is as expected. */
  private findExpected(scope: string, { id, expected }: Extract<TodoChange, { type: "patch" | "remove" }>) {
    const row = this.prepared.findTodo.get(toOrderText(scope), toOrderText(id));
    const todo = row && readTodo(row);
    return todo !== undefined && (expected === undefined || isSameTodo(todo, expected)) ? todo : undefined;
  }

  private count(sql: string, values: readonly SqlValue[]): { readonly count: number; readonly completed: number } {
    const counted = this.prepare(`SELECT count(*) AS count, total(completed) AS completed FROM todos WHERE ${sql}`);
    const { count, completed } = counted.get(...values) ?? {};
    // SQLite computes these numbers, whatever the columns contain.
    if (!(Number(completed) <= Number(count))) throw new SyntaxError("more todos are completed than there are");
    return { count: Number(count), completed: Number(completed) };
  }

  private prepare(sql: string): SqlStatement {
    const known = this.queries.get(sql);
    if (known !== undefined) return known;
    if (this.queries.size >= maxQueries) this.queries.clear();
    const statement = this.db.prepare(sql);
    this.queries.set(sql, statement);
    return statement;
  }
}

function valuesOf({ listKey, titleKey, rank, due, todo }: TodoRow) {
  const keys = [toOrderText(listKey), toOrderText(titleKey)];
  const moment = due ? [due.dueDay, due.dueMs, Number(due.isWholeDay)] : [null, null, null];
  const tags = todo.tags.map(tagTextOf).join("");
  return [...keys, Number(todo.completed), rank ?? null, ...moment, tags, JSON.stringify(todo)];
}

function readTodo(row: SqlRow): Todo {
  return todoOf(readText(row, "json"));
}

function readRecord(row: SqlRow): TodoRecord {
  return todoRecordOf(readText(row, "operation"), readText(row, "json"), readOptionalText(row, "before_json"));
}
