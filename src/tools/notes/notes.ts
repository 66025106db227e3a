import { countPending } from "../../async/pending-work.ts";
import { toolName } from "../../core/check-tool.ts";
import { defineTool } from "../../core/define-tool.ts";
import { type OptionTable, readOptions } from "../../core/options.ts";
import type { StandardSchema } from "../../core/schema.ts";
import type { DefinedTool, ToolContext } from "../../core/tool.ts";
import { createMemoryNotes } from "./memory-notes.ts";
import { createNotesOutputSchema, type NotesOutput } from "./note.ts";
import { createNotesInputSchema, isNoteRead, type NotesInput, type ParsedNotesInput } from "./note-input.ts";
import type { NoteStorage } from "./note-storage.ts";
import type { NotesWorld } from "./notes-runtime.ts";

/** Options of {@link createNotes}. @group Built-in tools */
export interface NotesOptions<TResources = unknown, TName extends string = string> {
  /** The name of the tool. @default "Notes" */
  readonly name?: TName | undefined;
  /** Where the notes are kept. @default `createMemoryNotes()` */
  readonly storage?: NoteStorage | undefined;
  /** Whose notes a call sees, as non-empty text. Scopes are separate. @default one scope for all */
  scope?(context: ToolContext<TResources>): string;
  /** The author, 1 to 200 UTF-16 code units. Never taken from a request: a user could type any name. @default none */
  author?(context: ToolContext<TResources>): string;
  /** Milliseconds since 1970 UTC. @default `Date.now` */
  now?(): number;
  /** An id that no other note of the scope has. @default a random UUID */
  createId?(): string;
}

const noteOptions = {
  name: { ...toolName, default: "Notes" },
  storage: { methods: ["find", "recall", "apply"], expected: "a storage" },
  scope: { type: "function", default: () => "default" },
  author: { type: "function" },
  now: { type: "function", default: () => Date.now() },
  createId: { type: "function", default: () => globalThis.crypto.randomUUID() as string },
} satisfies OptionTable<NotesOptions>;

/**
 * A tool that keeps notes about items such as `PROP-2025-001`: add, list, get, delete.
 *
 * Reads are `pure`. `add` and `delete` are `idempotent`: they are recorded under the `idempotencyKey` of the call in
 * the same write as the change, and a call with a recorded key changes nothing and returns the same output. `undo`
 * reverts both.
 *
 * Throws `invalid-options`. The tool itself fails with `note-not-found`, `note-key-reused` or `note-undo-refused`, or
 * with `invalid-options` if `scope`, `author` or `createId` return no text; it then has changed nothing.
 *
 * {@includeCode ../../../examples/17-notes-and-web-search.ts}
 * @group Built-in tools
 */
export function createNotes<TResources = unknown, const TName extends string = "Notes">(
  options: NotesOptions<TResources, TName> = {},
): DefinedTool<TName, NotesInput, NotesOutput, TResources> {
  const {
    name,
    storage = createMemoryNotes(),
    scope,
    author,
    now,
    createId,
  } = readOptions(noteOptions, options, "notes");
  const worldOf = (context: ToolContext<TResources>): NotesWorld => ({
    storage,
    scope: scope(context),
    author: author && (() => author(context)),
    now,
    createId,
    key: context.idempotencyKey,
  });
  // Typed with the public interfaces, so that users need no types of zod.
  const inputSchema: StandardSchema<NotesInput, ParsedNotesInput> = createNotesInputSchema();
  return defineTool({
    name,
    description:
      "Keeps notes about items, such as PROP-2025-001, with author and time: add, list, get and delete them. " +
      "A note is named by its id, or by its item and position.",
    inputSchema,
    outputSchema: createNotesOutputSchema(),
    phrases: async () => (await import("./phrases.ts")).notePhrases,
    effect: (input) => (isNoteRead(input) ? "pure" : "idempotent"),
    async execute(input, context: ToolContext<TResources>) {
      context.signal.throwIfAborted();
      const output = await (await loadWork()).runNotes(worldOf(context), input);
      return "notes" in output ? { ...output, notes: [...output.notes] } : output;
    },
    async undo(done, context) {
      context.signal.throwIfAborted();
      await (await loadWork()).undoNotes(worldOf(context), done);
    },
  });
}

/** Loaded by the first call, as many users import the package for something else. */
const loadWork = () => countPending(import("./notes-runtime.ts"));
