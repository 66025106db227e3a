import * as z from "zod/v4";

/** What somebody has noted about an item. It never changes. */
export interface Note {
  /** Unique within its scope. */
  readonly id: string;
  /** What it is about, such as `PROP-2025-001`, as it was written. Items compare without case. */
  readonly item: string;
  readonly text: string;
  /** Who wrote it; only where the `author` option says so. */
  readonly author?: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}

/** What `list` answers. */
export interface NotePage {
  /** The first of the notes that match, up to `limit`. */
  readonly notes: readonly Note[];
  /** How many match in all. */
  readonly count: number;
}

/** What Notes answers: a page for `list`, else the note itself. */
export type NotesOutput = Note | NotePage;

/** Makes the schema of {@link Note}: when it is needed, as an import must not pay for it. @internal */
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

/** Makes the schema of {@link NotesOutput}: when the tool is created. @internal */
export function createNotesOutputSchema() {
  const page = z
    .object({ notes: z.array(createNoteSchema()), count: z.number().int().min(0).describe("How many match in all") })
    .describe("list: a page of notes");
  return z.union([createNoteSchema(), page]);
}

/** The name of an item or an author for comparison: without case, spaces at its ends and repeated spaces. */
export function nameKey(name: string): string {
  return name.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}
