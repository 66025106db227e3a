import { defineTool } from "../../core/define-tool.ts";
import { checkFunction, checkKeys, failOption } from "../../core/options.ts";
import { countOutside } from "../../core/outside-work.ts";
import type { StandardSchema } from "../../core/schema.ts";
import type { DefinedTool, ToolContext } from "../../core/tool.ts";
import { createMemoryNotes } from "./memory-notes.ts";
import { createNotesOutputSchema, type NotesOutput } from "./note.ts";
import { createNotesInputSchema, isNoteRead, type NotesInput, type ParsedNotesInput } from "./note-input.ts";
import type { NoteStorage } from "./note-storage.ts";
import type { NotesWorld } from "./run-notes.ts";

/** Options of {@link createNotes}. @group Built-in tools */
export interface NotesOptions<TResources = unknown> {
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
export function createNotes<TResources = unknown>(
  options: NotesOptions<TResources> = {},
): DefinedTool<"Notes", NotesInput, NotesOutput, TResources> {
  checkOptions(options);
  const {
    storage = createMemoryNotes(),
    scope = () => "default",
    author,
    now = Date.now,
    createId = () => globalThis.crypto.randomUUID(),
  } = options;
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
    name: "Notes",
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
const loadWork = () => countOutside(import("./run-notes.ts"));

function checkOptions(options: object): void {
  checkKeys("notes", options, ["storage", "scope", "author", "now", "createId"]);
  const { storage, ...functions } = options as Record<string, unknown>;
  for (const [name, value] of Object.entries(functions)) checkFunction(`notes.${name}`, value);
  if (storage === undefined) return;
  const methods = typeof storage === "object" && storage !== null ? (storage as Record<string, unknown>) : {};
  const isStorage = ["find", "recall", "apply"].every((name) => typeof methods[name] === "function");
  if (!isStorage) failOption("notes.storage", storage, "a storage with find, recall and apply");
}
