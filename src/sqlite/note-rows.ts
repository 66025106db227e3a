import { type Note, nameKey } from "../tools/notes/note.ts";
import {
  type FoundNotes,
  type NoteChange,
  type NoteQuery,
  type NoteRecord,
  parseNote,
  parseNoteRecord,
} from "../tools/notes/note-storage.ts";
import type { SqlDatabase, SqlRow, SqlStatement } from "./sql-database.ts";
import { asBytes, readText } from "./sql-row.ts";
import { toOrderText } from "./todo-order-text.ts";

const statements = {
  insertNote: "INSERT OR IGNORE INTO notes (scope, id, item_key, author_key, json) VALUES (?, ?, ?, ?, ?) RETURNING 1",
  removeNote: `DELETE FROM notes WHERE scope = ? AND id = ? RETURNING ${asBytes("json")}`,
  findRecord: `SELECT ${asBytes("operation", "json")} FROM note_records WHERE scope = ? AND key = ?`,
  insertRecord: "INSERT INTO note_records (scope, key, operation, json) VALUES (?, ?, ?, ?) RETURNING number",
  forgetRecords: "DELETE FROM note_records WHERE number <= ?",
} as const;

/** The tables of notes, with statements that are prepared once. Throws a `SyntaxError` for a damaged row. */
export class NoteRows {
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
    const record = parseNoteRecord(readText(row, "operation"), JSON.parse(readText(row, "json")));
    if (record === undefined) throw new SyntaxError("the outcome of a change is malformed");
    return record;
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
  const note = parseNote(JSON.parse(readText(row, "json")));
  if (note === undefined) throw new SyntaxError("a note is malformed");
  return note;
}
