import * as z from "zod/v4";
import {
  createNoteSchema,
  type FoundNotes,
  type Note,
  type NoteChange,
  type NoteQuery,
  type NoteRecord,
  type NoteWrite,
  nameKey,
} from "../../tools/notes/note.ts";
import {
  createKeyedTables,
  type Dialect,
  type KeyedStorage,
  keyedStorage,
  pageSql,
  readValues,
  storedAs,
} from "./keyed-storage.ts";
import { all, raw, readInteger, readText, type Steps, sql, toOrderText } from "./statement.ts";

const checkNote = storedAs<Note>("note", createNoteSchema);
const parseNote = (json: string) => checkNote(JSON.parse(json));
const checkRecord = storedAs<NoteRecord>("noteRecord", () =>
  z.object({ operation: z.enum(["add", "delete", "undo"]), note: createNoteSchema() }),
);

/** Returns the statements that create the tables of notes. */
export function createNoteTables(dialect: Dialect): string {
  const { textType: text, indexed } = dialect;
  return createKeyedTables(dialect, {
    ...{ table: "notes", records: "note_records" },
    columns: `item_key ${text} NOT NULL, author_key ${text}`,
    indexes: { scope: "sequence", item: `${indexed("item_key")}, sequence` },
  });
}

/** The tables of notes: the columns that queries compare are encoded by `toOrderText`, and the note itself is JSON. */
export function createNoteStorage(
  dialect: Dialect,
  rememberedWrites: number,
): KeyedStorage<NoteQuery, FoundNotes, NoteWrite, NoteRecord> {
  const { prefix, column, equals } = dialect;
  const table = `${prefix}notes`;

  function* find(scope: string, { id, item, author, reverse = false, offset, limit }: NoteQuery): Steps<FoundNotes> {
    const keys = { scope, id, item_key: item && nameKey(item), author_key: author && nameKey(author) };
    const given = Object.entries(keys).flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const]));
    const where = all(given.map(([name, text]) => equals(name, toOrderText(text))));
    const order = `sequence ${reverse ? "DESC" : "ASC"}`;
    const rows = yield pageSql(dialect, { table, counts: "count(*) AS count", where, order, offset, limit });
    return { notes: readValues(rows, parseNote), count: readInteger(rows[0] ?? {}, "count") };
  }

  function* change(scope: string, wanted: NoteChange): Steps<Pick<NoteRecord, "note"> | undefined> {
    const place = toOrderText(scope);
    if (wanted.type === "remove") {
      const [row] = yield sql`DELETE FROM ${raw(table)} WHERE ${equals("scope", place)}
        AND ${equals("id", toOrderText(wanted.id))} RETURNING ${raw(column("json"))}`;
      return row && { note: parseNote(readText(row, "json")) };
    }
    const { note } = wanted;
    const author = note.author === undefined ? null : toOrderText(nameKey(note.author));
    const [inserted] = yield sql`INSERT INTO ${raw(table)} (scope, id, item_key, author_key, json)
      VALUES (${place}, ${toOrderText(note.id)}, ${toOrderText(nameKey(note.item))}, ${author}, ${JSON.stringify(note)})
      ON CONFLICT DO NOTHING RETURNING 1 AS inserted`;
    return inserted && { note };
  }

  const kind = {
    ...{ records: "note_records", find, change },
    toValues: ({ note }: Pick<NoteRecord, "note">) => [note] as const,
    toRecord: (operation: string, note: unknown) => checkRecord({ operation, note }),
  };
  return keyedStorage(dialect, kind, rememberedWrites);
}
