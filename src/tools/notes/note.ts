import * as z from "zod/v4";

/** A note about an item. It never changes. @group Built-in tools */
export interface Note {
  /** Unique within its scope. */
  readonly id: string;
  /** Its subject, such as `PROP-2025-001`, as it was written. Items are compared case-insensitively. */
  readonly item: string;
  readonly text: string;
  /** Its author; only set by the `author` option. */
  readonly author?: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}

/** The output of `list`. @inline */
export interface NotePage {
  /** The first matching notes, up to `limit`. */
  readonly notes: readonly Note[];
  /** Number of matches in total. */
  readonly count: number;
}

/** The output of Notes: a page for `list`, else the note itself. @group Built-in tools */
export type NotesOutput = Note | NotePage;

/** Creates the schema of {@link Note}: when it is needed, so that an import does not pay for it. @internal */
export const createNoteSchema = () =>
  z
    .object({
      id: z.string().min(1),
      item: z.string(),
      text: z.string(),
      author: z.string().optional(),
      createdAt: z.string().describe("ISO 8601, UTC"),
    })
    .describe("add, get, delete: the note");

/** Creates the schema of {@link NotesOutput}: with the tool. @internal */
export function createNotesOutputSchema() {
  const page = z
    .object({ notes: z.array(createNoteSchema()), count: z.number().int().min(0).describe("How many match in all") })
    .describe("list: a page of notes");
  return z.union([createNoteSchema(), page]);
}

/** The name of an item or an author for comparison: in lower case, without spaces at the ends and repeated spaces. */
export function nameKey(name: string): string {
  return name.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}
