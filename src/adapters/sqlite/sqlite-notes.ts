import { type OptionTable, readOptions } from "../../core/options.ts";
import { type Note, nameKey } from "../../tools/notes/note.ts";
import type {
  FoundNotes,
  NoteChange,
  NoteQuery,
  NoteRecord,
  NoteStorage,
  NoteWrite,
} from "../../tools/notes/note-storage.ts";
import { toOrderText } from "../sql/order-text.ts";
import { noteOf, noteRecordOf } from "../sql/stored-values.ts";
import { DatabaseFile, fileOptions, type SqliteFileOptions } from "./database-file.ts";
import { asBytes, readText, type SqlDatabase, type SqlRow, type SqlStatement } from "./sql-database.ts";

/** Options of {@link createSqliteNotes}. @inline */
interface SqliteNotesOptions extends SqliteFileOptions {
  /**
   * How many of the latest changes, over all scopes, are remembered by their key, so that a step that runs again when
   * its run is resumed changes nothing twice. At least 1. @default 100_000
   */
  readonly rememberedWrites?: number | undefined;
}

const noteStorageOptions = {
  ...fileOptions,
  rememberedWrites: { type: "number", min: 1, default: 100_000 },
} satisfies OptionTable<SqliteNotesOptions>;

/**
 * A {@link NoteStorage} in a file. All its methods are synchronous.
 * @group Storage
 */
export interface SqliteNotes extends NoteStorage {
  find(scope: string, query: NoteQuery): FoundNotes;
  recall(scope: string, key: string): NoteRecord | undefined;
  apply(scope: string, write: NoteWrite): NoteRecord | undefined;
  /** Closes the file; after that every other method throws `store-failed`. */
  close(): void;
}

/**
 * Keeps notes in an SQLite file, for Notes. Runs and todos may be in the same file, and processes of one machine may
 * share it. When `apply` returns, the change is on the disk, and survives a crash of the process or the machine.
 *
 * Throws `invalid-options`, `store-failed` (`details.problem` states what is wrong with the file) and, if none of
 * `node:sqlite`, `better-sqlite3` and `libsql` is available, `missing-dependency`.
 *
 * {@includeCode ../../../examples/23-runs-in-a-file.ts}
 * @group Storage
 */
export function createSqliteNotes(options: SqliteNotesOptions): SqliteNotes {
  const { rememberedWrites, ...settings } = readOptions(noteStorageOptions, options);
  const file = new DatabaseFile(settings, (db) => new NoteRows(db));
  return {
    find: (scope, query) => file.read("list", "", (rows) => rows.find(scope, query)),
    recall: (scope, key) => file.read("read", "", (rows) => rows.findRecord(scope, key)),
    apply: (scope, { key, operation, change }) =>
      file.write("append", "", (rows) => {
        const known = rows.findRecord(scope, key);
        if (known !== undefined) return known;
        const note = rows.change(scope, change);
        return note && rows.addRecord(scope, key, { operation, note }, rememberedWrites);
      }),
    close: () => file.close(),
  };
}

const statements = {
  insertNote: "INSERT OR IGNORE INTO notes (scope, id, item_key, author_key, json) VALUES (?, ?, ?, ?, ?) RETURNING 1",
  removeNote: `DELETE FROM notes WHERE scope = ? AND id = ? RETURNING ${asBytes("json")}`,
  findRecord: `SELECT ${asBytes("operation", "json")} FROM note_records WHERE scope = ? AND key = ?`,
  insertRecord: "INSERT INTO note_records (scope, key, operation, json) VALUES (?, ?, ?, ?) RETURNING number",
  forgetRecords: "DELETE FROM note_records WHERE number <= ?",
} as const;

/** The tables of notes, with statements that are prepared once. Throws a `SyntaxError` for a damaged row. */
class NoteRows {
  private readonly prepared: Readonly<Record<keyof typeof statements, SqlStatement>>;
  /** One for each combination of conditions, of which there are few. */
  private readonly queries = new Map<string, SqlStatement>();

  constructor(private readonly db: SqlDatabase) {
    const entries = Object.entries(statements).map(([name, sql]) => [name, db.prepare(sql)]);
    this.prepared = Object.fromEntries(entries) as Record<keyof typeof statements, SqlStatement>;
  }

  find(scope: string, { id, item, author, reverse = false, offset = 0, limit }: NoteQuery): FoundNotes {
    const conditions = Object.entries({
      scope,
      id,
      item_key: item === undefined ? undefined : nameKey(item),
      author_key: author === undefined ? undefined : nameKey(author),
    }).flatMap(([column, text]) => (text === undefined ? [] : [{ column, text: toOrderText(text) }]));
    const where = conditions.map(({ column }) => `${column} = ?`).join(" AND ");
    const values = conditions.map(({ text }) => text);
    const count = Number(this.prepare(`SELECT count(*) AS count FROM notes WHERE ${where}`).get(...values)?.count);
    const order = reverse ? "DESC" : "ASC";
    const page = `SELECT ${asBytes("json")} FROM notes WHERE ${where} ORDER BY sequence ${order} LIMIT ? OFFSET ?`;
    return {
      notes: this.prepare(page)
        .all(...values, limit, offset)
        .map(readNote),
      count,
    };
  }

  /** The inserted or removed note; undefined, with nothing changed, if the change does not fit. */
  change(scope: string, change: NoteChange): Note | undefined {
    const place = toOrderText(scope);
    if (change.type === "remove") {
      const row = this.prepared.removeNote.get(place, toOrderText(change.id));
      return row && readNote(row);
    }
    const { note } = change;
    const keys = [nameKey(note.item), note.author === undefined ? undefined : nameKey(note.author)];
    const texts = keys.map((key) => (key === undefined ? null : toOrderText(key)));
    const inserted = this.prepared.insertNote.get(place, toOrderText(note.id), ...texts, JSON.stringify(note));
    return inserted && { ...note };
  }

  findRecord(scope: string, key: string): NoteRecord | undefined {
    const row = this.prepared.findRecord.get(toOrderText(scope), toOrderText(key));
    if (row === undefined) return undefined;
    return noteRecordOf(readText(row, "operation"), readText(row, "json"));
  }

  /** Records an outcome, and deletes the oldest records beyond `maxRecords`. */
  addRecord(scope: string, key: string, { operation, note }: NoteRecord, maxRecords: number): NoteRecord {
    const { insertRecord, forgetRecords } = this.prepared;
    const row = insertRecord.get(toOrderText(scope), toOrderText(key), operation, JSON.stringify(note));
    forgetRecords.run(Number(row?.number) - maxRecords);
    return { operation, note };
  }

  private prepare(sql: string): SqlStatement {
    const statement = this.queries.get(sql) ?? this.db.prepare(sql);
    this.queries.set(sql, statement);
    return statement;
  }
}

function readNote(row: SqlRow): Note {
  return noteOf(readText(row, "json"));
}
