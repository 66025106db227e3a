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
import { Database, type Queries } from "./database.ts";
import { databaseOptions, type PostgresOptions } from "./database-options.ts";
import { readInteger, readText } from "./run-rows.ts";
import type { SqlRow } from "./sql-pool.ts";

/** Options of {@link createPostgresNotes}. @inline */
interface PostgresNotesOptions extends PostgresOptions {
  /**
   * How many of the latest changes, over all scopes, are remembered by their key, so that a step that runs again when
   * its run is resumed changes nothing twice. At least 1. @default 100_000
   */
  readonly rememberedWrites?: number | undefined;
}

const noteStorageOptions = {
  ...databaseOptions,
  rememberedWrites: { type: "number", min: 1, default: 100_000 },
} satisfies OptionTable<PostgresNotesOptions>;

/** A {@link NoteStorage} in a PostgreSQL database. @group Storage */
export interface PostgresNotes extends NoteStorage {
  find(scope: string, query: NoteQuery): Promise<FoundNotes>;
  recall(scope: string, key: string): Promise<NoteRecord | undefined>;
  apply(scope: string, write: NoteWrite): Promise<NoteRecord | undefined>;
  /** Ends its connections, but not a given pool; after that every other method rejects with `store-failed`. */
  close(): Promise<void>;
}

/**
 * Keeps notes in a PostgreSQL database, for Notes. Runs and todos may be in the same one. When `apply` resolves, the
 * change is committed.
 *
 * Throws `invalid-options`. Its methods reject with `store-failed` (`details.problem` states what is wrong with the
 * database) and, if `pg` is not installed, `missing-dependency`.
 *
 * ```ts
 * const notes = createNotes({ storage: createPostgresNotes({ connectionString: "postgres://localhost/app" }) });
 * ```
 * @group Storage
 */
export function createPostgresNotes(options: PostgresNotesOptions): PostgresNotes {
  const { rememberedWrites, ...settings } = readOptions(noteStorageOptions, options);
  const database = new Database(settings);
  const rows = new NoteRows(database.prefix);
  return {
    find: (scope, query) => database.run("list", "", (queries) => rows.find(queries, scope, query)),
    recall: (scope, key) => database.run("read", "", (queries) => rows.findRecord(queries, scope, key)),
    apply: (scope, { key, operation, change }) =>
      database.transact({ operation: "append", lock: `notes ${database.prefix}` }, async (queries) => {
        // Also of an earlier attempt whose answer was lost.
        const known = await rows.findRecord(queries, scope, key);
        if (known !== undefined) return known;
        const note = await rows.change(queries, scope, change);
        return note && rows.addRecord(queries, { scope, key, operation, note }, rememberedWrites);
      }),
    close: () => database.close(),
  };
}

/** The tables of notes. Rejects with a `SyntaxError` for a damaged row. */
class NoteRows {
  private readonly notes: string;
  private readonly records: string;

  constructor(prefix: string) {
    this.notes = `${prefix}planwright_notes`;
    this.records = `${prefix}planwright_note_records`;
  }

  async find(
    { query }: Queries,
    scope: string,
    { id, item, author, reverse = false, offset = 0, limit }: NoteQuery,
  ): Promise<FoundNotes> {
    const conditions = Object.entries({
      scope,
      id,
      item_key: item === undefined ? undefined : nameKey(item),
      author_key: author === undefined ? undefined : nameKey(author),
    }).flatMap(([column, text]) => (text === undefined ? [] : [{ column, text: toOrderText(text) }]));
    const where = conditions.map(({ column }, index) => {
      const value = `$${index + 1}`;
      return `md5(${column}) = md5(${value}) AND ${column} = ${value}`;
    });
    const place = conditions.length;
    const rows = await query(
      `WITH fitting AS (SELECT sequence, json FROM ${this.notes} WHERE ${where.join(" AND ")}),
        page AS (SELECT sequence, json FROM fitting ORDER BY sequence ${reverse ? "DESC" : "ASC"}
          LIMIT $${place + 1}::bigint OFFSET $${place + 2}::bigint)
      SELECT counted.count, page.json FROM (SELECT count(*) AS count FROM fitting) AS counted
      LEFT JOIN page ON true ORDER BY page.sequence ${reverse ? "DESC" : "ASC"}`,
      [...conditions.map(({ text }) => text), Number.isFinite(limit) ? limit : null, offset],
    );
    const notes = rows.filter(({ json }) => json !== null).map(readNote);
    return { notes, count: readInteger(rows[0] ?? {}, "count") };
  }

  /** The inserted or removed note; undefined, with nothing changed, if the change does not fit. */
  async change({ query }: Queries, scope: string, change: NoteChange): Promise<Note | undefined> {
    const place = toOrderText(scope);
    if (change.type === "remove") {
      const [row] = await query(
        `DELETE FROM ${this.notes} WHERE md5(scope) = md5($1) AND md5(id) = md5($2) AND scope = $1 AND id = $2
          RETURNING json`,
        [place, toOrderText(change.id)],
      );
      return row && readNote(row);
    }
    const { note } = change;
    const keys = [nameKey(note.item), note.author === undefined ? undefined : nameKey(note.author)];
    const texts = keys.map((key) => (key === undefined ? null : toOrderText(key)));
    const [inserted] = await query(
      `INSERT INTO ${this.notes} (scope, id, item_key, author_key, json) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT DO NOTHING RETURNING 1 AS inserted`,
      [place, toOrderText(note.id), ...texts, JSON.stringify(note)],
    );
    return inserted && { ...note };
  }

  async findRecord({ query }: Queries, scope: string, key: string): Promise<NoteRecord | undefined> {
    const [row] = await query(
      `SELECT operation, json FROM ${this.records}
        WHERE md5(scope) = md5($1) AND md5(key) = md5($2) AND scope = $1 AND key = $2`,
      [toOrderText(scope), toOrderText(key)],
    );
    if (row === undefined) return undefined;
    return noteRecordOf(readText(row, "operation"), readText(row, "json"));
  }

  /** Records an outcome, and deletes the oldest records beyond `maxRecords`. */
  async addRecord(
    { query }: Queries,
    { scope, key, operation, note }: { scope: string; key: string } & NoteRecord,
    maxRecords: number,
  ): Promise<NoteRecord> {
    const [row = {}] = await query(
      `INSERT INTO ${this.records} (scope, key, operation, json) VALUES ($1, $2, $3, $4) RETURNING number`,
      [toOrderText(scope), toOrderText(key), operation, JSON.stringify(note)],
    );
    const last = readInteger(row, "number") - maxRecords;
    if (last > 0) await query(`DELETE FROM ${this.records} WHERE number <= $1`, [Math.floor(last)]);
    return { operation, note };
  }
}

function readNote(row: SqlRow): Note {
  return noteOf(readText(row, "json"));
}
