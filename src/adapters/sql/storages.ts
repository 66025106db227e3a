import * as z from "zod/v4";
import type { OptionTable } from "../../core/option-tables.ts";
import {
  createNoteSchema,
  type FoundNotes,
  type Note,
  type NoteChange,
  type NoteQuery,
  type NoteRecord,
} from "../../tools/notes/note.ts";
import { foldText, type KeyedStorage } from "../../tools/storage/keyed-records.ts";
import { createTodoSchema, isSameTodo, type Todo } from "../../tools/todo-store/todo.ts";
import { isDueDate, parseDueDate, ranks, toRow } from "../../tools/todo-store/todo-keys.ts";
import {
  type FoundTodos,
  patchTodo,
  type TodoChange,
  type TodoOutcome,
  type TodoQuery,
  type TodoRecord,
} from "../../tools/todo-store/todo-storage.ts";
import {
  all,
  list,
  raw,
  readInteger,
  readText,
  type Sql,
  type SqlRow,
  type Steps,
  sql,
  toOrderText,
} from "./statement.ts";

/** The database must compare text by its bytes. */
export interface Dialect {
  readonly prefix: string;
  readonly indexPrefix: string;
  readonly serialType: string;
  readonly textType: string;
  readonly search: "instr" | "strpos";
  readonly json: Sql;
  indexed(column: string): string;
  equals(column: string, text: Sql): Sql;
}

/** Options of a storage in a database. @inline */
export interface SqlStorageOptions {
  /** Number of latest changes in all scopes to remember, so that none is made twice; at least 1. @default 100_000 */
  readonly rememberedWrites?: number | undefined;
}

export const sqlStorageOptions = {
  rememberedWrites: { type: "number", min: 1, default: 100_000 },
} satisfies OptionTable<SqlStorageOptions>;

export function createStorageTables({ prefix, indexPrefix, serialType, textType: text, indexed }: Dialect): string {
  const index = (table: string, by: string, columns: string, kind = "") => `CREATE ${kind} INDEX
    ${indexPrefix}${table}_by_${by} ON ${prefix}${table} (${indexed("scope")}, ${columns});`;
  const records = (table: string) => `
    CREATE TABLE ${prefix}${table} (number ${serialType}, scope ${text} NOT NULL, key ${text} NOT NULL, json text NOT NULL);
    ${index(table, "key", indexed("key"), "UNIQUE")}`;
  return `
    CREATE TABLE ${prefix}todos (sequence ${serialType}, scope ${text} NOT NULL, id ${text} NOT NULL,
      list_key ${text} NOT NULL, title_key ${text} NOT NULL, completed integer NOT NULL, rank integer, due_day bigint,
      due_ms bigint, is_whole_day boolean, tags ${text} NOT NULL, json text NOT NULL);
    ${index("todos", "id", indexed("id"), "UNIQUE")}
    ${index("todos", "scope", "sequence, completed")}
    ${index("todos", "list", `${indexed("list_key")}, sequence, completed`)}
    ${index("todos", "title", `${indexed("title_key")}, sequence`)}
    ${records("todo_records")}
    CREATE TABLE ${prefix}notes (sequence ${serialType}, scope ${text} NOT NULL, id ${text} NOT NULL,
      item_key ${text} NOT NULL, author_key ${text}, json text NOT NULL);
    ${index("notes", "id", indexed("id"), "UNIQUE")}
    ${index("notes", "scope", "sequence")}
    ${index("notes", "item", `${indexed("item_key")}, sequence`)}
    ${records("note_records")}
  `;
}

/** A storage whose methods return promises. @inline */
export interface AsyncStorage<TQuery, TFound, TWrite, TRecord> extends KeyedStorage<TQuery, TFound, TWrite, TRecord> {
  find(scope: string, query: TQuery): Promise<TFound>;
  recall(scope: string, key: string): Promise<TRecord | undefined>;
  apply(scope: string, write: TWrite): Promise<TRecord | undefined>;
  /** Closes the connections, but not a given pool. Afterwards, all other methods reject with `store-failed`. */
  close(): Promise<void>;
}

export type CreateStorage<TQuery, TFound, TWrite, TRecord> = (
  dialect: Dialect,
  rememberedWrites: number,
) => {
  find(scope: string, query: TQuery): Steps<TFound>;
  recall(scope: string, key: string): Steps<TRecord | undefined>;
  apply(scope: string, write: TWrite): Steps<TRecord | undefined>;
};

function recordWrites<TChange, TRecord extends { readonly operation: string }>(
  { dialect, rememberedWrites, name }: { dialect: Dialect; rememberedWrites: number; name: "todo" | "note" },
  parseRecord: (json: string) => TRecord,
  change: (scope: string, change: TChange) => Steps<Omit<TRecord, "operation"> | undefined>,
) {
  const records = raw(`${dialect.prefix}${name}_records`);

  function* recall(scope: string, key: string): Steps<TRecord | undefined> {
    const [row] = yield sql`SELECT ${dialect.json} FROM ${records}
      WHERE ${isEqual(dialect, "scope", scope)} AND ${isEqual(dialect, "key", key)}`;
    return row && parseRecord(readText(row, "json"));
  }

  function* apply(
    scope: string,
    write: { readonly key: string; readonly operation: TRecord["operation"]; readonly change: TChange },
  ): Steps<TRecord | undefined> {
    // An earlier attempt may have succeeded without an answer.
    const known = yield* recall(scope, write.key);
    if (known !== undefined) return known;
    const outcome = yield* change(scope, write.change);
    if (outcome === undefined) return undefined;
    const json = JSON.stringify({ operation: write.operation, ...outcome });
    const [row = {}] = yield sql`INSERT INTO ${records} (scope, key, json)
      VALUES (${list([toOrderText(scope), toOrderText(write.key), json])}) RETURNING number`;
    const last = Math.floor(readInteger(row, "number") - rememberedWrites);
    if (last > 0) yield sql`DELETE FROM ${records} WHERE number <= ${last} RETURNING 1 AS deleted`;
    return JSON.parse(json) as TRecord;
  }

  return { recall, apply };
}

function isEqual({ equals }: Dialect, column: string, text: string): Sql {
  return equals(column, sql`${toOrderText(text)}`);
}

function given<T>(value: T | undefined, toCondition: (value: T) => Sql): readonly Sql[] {
  return value === undefined ? [] : [toCondition(value)];
}

/** Reads a page and the counts at the same moment. The first row has the counts, even if the page is empty. */
function* findPage<T>(
  { json, prefix }: Dialect,
  page: { table: string; counts: string; where: Sql; order: string; offset?: number | undefined; limit: number },
  parse: (json: string) => T,
): Steps<{ readonly values: readonly T[]; readonly first: SqlRow }> {
  const { where, order, offset = 0 } = page;
  const table = raw(`${prefix}${page.table}`);
  const limit = Math.min(Math.max(0, page.limit), Number.MAX_SAFE_INTEGER);
  const columns = order.replace(/ (ASC|DESC|NULLS LAST)/g, "");
  const rows = yield sql`SELECT counted.*, page.json
    FROM (SELECT ${raw(page.counts)} FROM ${table} WHERE ${where}) AS counted
    LEFT JOIN (SELECT ${json}, ${raw(columns)} FROM ${table} WHERE ${where}
      ORDER BY ${raw(order)} LIMIT ${limit} OFFSET ${offset}) AS page ON true
    ORDER BY ${raw(order)}`;
  const values = rows.filter(({ json }) => json !== null).map((row) => parse(readText(row, "json")));
  return { values, first: rows[0] ?? {} };
}

function parserOf<T>(name: string, createSchema: () => z.ZodType): (json: string) => T {
  // Created at first use, as creating the schema would slow down the import.
  let schema: z.ZodType | undefined;
  return (json) => {
    schema ??= createSchema();
    const value: unknown = JSON.parse(json);
    if (!schema.safeParse(value).success) throw new SyntaxError(`a ${name} is malformed`);
    return value as T;
  };
}

const createStoredTodo = () =>
  createTodoSchema().refine(({ dueDate, dueAt }) => [dueDate ?? [], dueAt ?? []].flat().every(isDueDate));
const parseTodo = parserOf<Todo>("todo", createStoredTodo);
const parseTodoRecord = parserOf<TodoRecord>("todo record", () => {
  const todo = createStoredTodo();
  return z.object({
    operation: z.enum(["add", "complete", "reopen", "update", "delete", "clear", "undo"]),
    result: z.union([z.object({ cleared: z.number() }), todo]),
    before: todo.optional(),
  });
});

const todoColumns = raw("list_key, title_key, completed, rank, due_day, due_ms, is_whole_day, tags, json");

export function createTodoStorage(dialect: Dialect, rememberedWrites: number) {
  const todos = raw(`${dialect.prefix}todos`);
  const isTodo = (scope: string, id: string) => getConditions(dialect, scope, { id, limit: 1 });

  function* find(scope: string, query: TodoQuery): Steps<FoundTodos> {
    const counts = "count(*) AS count, coalesce(sum(completed), 0) AS completed";
    const where = getConditions(dialect, scope, query);
    const page = { ...query, table: "todos", counts, where, order: getOrder(query) };
    const { values, first } = yield* findPage(dialect, page, parseTodo);
    const [count, completed] = [readInteger(first, "count"), readInteger(first, "completed")];
    if (completed > count) throw new SyntaxError("there are more completed todos than todos");
    return { todos: values, count, completed };
  }

  function* findExpected(scope: string, { id, expected }: { id: string; expected?: Todo }): Steps<Todo | undefined> {
    const [row] = yield sql`SELECT ${dialect.json} FROM ${todos} WHERE ${isTodo(scope, id)}`;
    const todo = row && parseTodo(readText(row, "json"));
    return todo !== undefined && (expected === undefined || isSameTodo(todo, expected)) ? todo : undefined;
  }

  function* change(scope: string, wanted: TodoChange): Steps<TodoOutcome | undefined> {
    switch (wanted.type) {
      case "insert": {
        const { todo } = wanted;
        const [row] = yield sql`INSERT INTO ${todos} (scope, id, ${todoColumns})
          VALUES (${toOrderText(scope)}, ${toOrderText(todo.id)}, ${toColumns(todo)})
          ON CONFLICT DO NOTHING RETURNING 1 AS inserted`;
        return row && { result: todo };
      }
      case "patch": {
        const before = yield* findExpected(scope, wanted);
        if (before === undefined) return undefined;
        const result = patchTodo(before, wanted.fields);
        yield sql`UPDATE ${todos} SET (${todoColumns}) = (${toColumns(result)}) WHERE ${isTodo(scope, wanted.id)}
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
        const where = getConditions(dialect, scope, which);
        const gone = yield sql`DELETE FROM ${todos} WHERE ${where} RETURNING 1 AS deleted`;
        return { result: { cleared: gone.length } };
      }
      default:
        return wanted satisfies never;
    }
  }

  return { find, ...recordWrites({ dialect, rememberedWrites, name: "todo" }, parseTodoRecord, change) };
}

function toColumns(written: Todo): Sql {
  const { listKey, titleKey, rank = null, due, todo } = toRow(written);
  const moment = due ? [due.dueDay, due.dueMs, Number(due.isWholeDay)] : [null, null, null];
  const tags = todo.tags.map(toTagText).join("");
  const keys = [toOrderText(listKey), toOrderText(titleKey)];
  return list([...keys, Number(todo.completed), rank, ...moment, tags, JSON.stringify(todo)]);
}

/** JSON contains no line breaks, so a search for a tag does not find it inside another tag. */
function toTagText(tag: string): string {
  return `\n${JSON.stringify(tag)}\n`;
}

function getConditions(dialect: Dialect, scope: string, query: TodoQuery): Sql {
  const { id, list, completed, priority, tag, titleKey, words = [], dueBefore, dueAfter, dueOn } = query;
  const contains = (column: string, text: string) => sql`${raw(`${dialect.search}(${column}`)}, ${text}) > 0`;
  return all([
    isEqual(dialect, "scope", scope),
    ...given(id, (text) => isEqual(dialect, "id", text)),
    ...given(list, (name) => isEqual(dialect, "list_key", foldText(name))),
    ...given(completed, (is) => sql`completed = ${Number(is)}`),
    ...given(priority, (name) => sql`rank = ${ranks[name]}`),
    ...given(tag, (text) => contains("tags", toTagText(text))),
    ...given(titleKey, (key) => isEqual(dialect, "title_key", key)),
    ...words.filter((word) => word !== "").map((word) => contains("title_key", toOrderText(word))),
    ...given(dueBefore, (text) => dueCondition("<", text)),
    ...given(dueAfter, (text) => dueCondition(">", text)),
    ...given(dueOn, (text) => dueCondition("=", text)),
  ]);
}

function dueCondition(order: "<" | ">" | "=", text: string): Sql {
  const { dueDay, dueMs, isWholeDay } = parseDueDate(text);
  if (isWholeDay) return sql`due_day ${raw(order)} ${dueDay}`;
  if (order === "=") return sql`NOT is_whole_day AND due_ms = ${dueMs}`;
  const wholeDay = raw(order === "<" ? "<" : ">=");
  return sql`CASE WHEN is_whole_day THEN due_day ${wholeDay} ${dueDay} ELSE due_ms ${raw(order)} ${dueMs} END`;
}

const sortColumns = { due: ["due_day", "is_whole_day", "due_ms"], priority: ["rank"], title: ["title_key"] };

function getOrder({ sort = "created", reverse = false }: TodoQuery): string {
  const direction = reverse ? "DESC" : "ASC";
  if (sort === "created") return `sequence ${direction}`;
  const columns = sortColumns[sort].map((column) => `${column} ${direction} NULLS LAST`);
  return [...columns, `sequence ${direction}`].join(", ");
}

const parseNote = parserOf<Note>("note", createNoteSchema);
const parseNoteRecord = parserOf<NoteRecord>("note record", () =>
  z.object({ operation: z.enum(["add", "delete", "undo"]), note: createNoteSchema() }),
);

export function createNoteStorage(dialect: Dialect, rememberedWrites: number) {
  const notes = raw(`${dialect.prefix}notes`);

  function* find(scope: string, { id, item, author, reverse = false, offset, limit }: NoteQuery): Steps<FoundNotes> {
    const where = all([
      isEqual(dialect, "scope", scope),
      ...given(id, (text) => isEqual(dialect, "id", text)),
      ...given(item, (name) => isEqual(dialect, "item_key", foldText(name))),
      ...given(author, (name) => isEqual(dialect, "author_key", foldText(name))),
    ]);
    const order = `sequence ${reverse ? "DESC" : "ASC"}`;
    const page = { table: "notes", counts: "count(*) AS count", where, order, offset, limit };
    const { values, first } = yield* findPage(dialect, page, parseNote);
    return { notes: values, count: readInteger(first, "count") };
  }

  function* change(scope: string, wanted: NoteChange): Steps<Pick<NoteRecord, "note"> | undefined> {
    if (wanted.type === "remove") {
      const [row] = yield sql`DELETE FROM ${notes} WHERE ${isEqual(dialect, "scope", scope)}
        AND ${isEqual(dialect, "id", wanted.id)} RETURNING ${dialect.json}`;
      return row && { note: parseNote(readText(row, "json")) };
    }
    const { note } = wanted;
    const author = note.author === undefined ? null : toOrderText(foldText(note.author));
    const keys = [toOrderText(scope), toOrderText(note.id), toOrderText(foldText(note.item)), author];
    const [inserted] = yield sql`INSERT INTO ${notes} (scope, id, item_key, author_key, json)
      VALUES (${list([...keys, JSON.stringify(note)])}) ON CONFLICT DO NOTHING RETURNING 1 AS inserted`;
    return inserted && { note };
  }

  return { find, ...recordWrites({ dialect, rememberedWrites, name: "note" }, parseNoteRecord, change) };
}
