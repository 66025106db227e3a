import * as z from "zod/v4";
import { defineTool, toolName } from "../../core/define-tool.ts";
import { AgentError } from "../../core/errors.ts";
import { failOption, type OptionTable, readOptions } from "../../core/option-tables.ts";
import type { StandardSchema } from "../../core/schema.ts";
import { cutText } from "../../core/text.ts";
import type { DefinedTool, ToolContext, UndoneCall } from "../../core/tool.ts";
import { cutPage, storageReader, writeOnce } from "../storage/keyed-records.ts";
import {
  createMemoryNotes,
  createNoteSchema,
  type Note,
  type NoteChange,
  type NoteStorage,
  type NotesInput,
  type NotesOutput,
  type NoteTarget,
} from "./note.ts";

/** Options of {@link createNotes}. @group Built-in tools */
export interface NotesOptions<TResources = unknown, TName extends string = string> {
  /** Name of the tool. @default "Notes" */
  readonly name?: TName | undefined;
  /** Storage of the notes. @default `createMemoryNotes()` */
  readonly storage?: NoteStorage | undefined;
  /** Returns the owner as non-empty text. A call sees only the notes of its owner. @default one scope for all */
  scope?(context: ToolContext<TResources>): string;
  /** Returns the author, 1 to 200 UTF-16 code units. Requests cannot set it, as users could lie. @default none */
  author?(context: ToolContext<TResources>): string;
  /** Returns milliseconds since 1970 UTC. @default `Date.now` */
  now?(): number;
  /** Returns an id that no other note of the scope has. @default a random UUID */
  createId?(): string;
}

const noteOptions = {
  name: { ...toolName, default: "Notes" },
  storage: storageReader(createMemoryNotes),
  scope: { type: "function", default: () => "default" },
  author: { type: "function" },
  now: { type: "function", default: () => Date.now() },
  createId: { type: "function", default: () => globalThis.crypto.randomUUID() as string },
} satisfies OptionTable<NotesOptions>;

/**
 * Creates a tool that keeps notes about items such as `PROP-2025-001`: add, list, get, delete.
 *
 * Reads are `pure`. `add` and `delete` are `idempotent`: they are recorded under the `idempotencyKey` of the call in
 * the same write as the change, and a call with a recorded key changes nothing and returns the same output. `undo`
 * reverts both. Throws `invalid-options`. The tool itself fails with `note-not-found`, `note-key-reused` or
 * `note-undo-refused`, or with `invalid-options` if `scope`, `author` or `createId` returns no text. A call that fails
 * changes nothing. {@includeCode ../../../examples/17-notes-and-web-search.ts} @group Built-in tools
 */
export function createNotes<TResources = unknown, const TName extends string = "Notes">(
  options: NotesOptions<TResources, TName> = {},
): DefinedTool<TName, NotesInput, NotesOutput, TResources> {
  const { name, storage, scope, author, now, createId } = readOptions(noteOptions, options, "notes");
  const worldOf = (context: ToolContext<TResources>): NotesWorld => ({
    storage,
    scope: checkText("notes.scope", scope(context), "a function that returns text that identifies the owner"),
    author: author && (() => author(context)),
    now,
    createId,
    key: context.idempotencyKey,
  });
  // This type keeps zod out of the declarations.
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
      const output = await runNotes(worldOf(context), input);
      return "notes" in output ? { ...output, notes: [...output.notes] } : output;
    },
    async undo(done, context) {
      context.signal.throwIfAborted();
      await undoNotes(worldOf(context), done);
    },
    say: ({ input, output }) => sayNotes(input, output),
  });
}

const generalItem = "general";

const name = () => z.string().trim().min(1).max(200);
const maxPosition = 10_000_000;

const targetSchema = <TOperation extends string>(operation: TOperation) =>
  z
    .strictObject({
      operation: z.literal(operation),
      id: name().optional(),
      item: name().optional(),
      index: z
        .number()
        .int()
        .min(-maxPosition)
        .max(maxPosition)
        .refine((index) => index !== 0, "positions count from 1; -1 is the newest")
        .optional()
        .describe("Position among the notes of the item: 1 is the oldest, -1 the newest"),
    })
    .refine(
      ({ id, item, index }) => (id === undefined ? item !== undefined && index !== undefined : index === undefined),
      "give either id, or item and index",
    );

function createNotesInputSchema() {
  return z.discriminatedUnion("operation", [
    z.strictObject({
      operation: z.literal("add"),
      item: name().default(generalItem).describe("What it is about, such as PROP-2025-001"),
      text: z.string().trim().min(1).max(10_000),
    }),
    z.strictObject({
      operation: z.literal("list"),
      item: name().optional().describe("Only the notes of this item; of all if left out"),
      author: name().optional(),
      reverse: z.boolean().default(false).describe("The newest first"),
      offset: z.number().int().min(0).max(maxPosition).default(0).describe("How many to skip"),
      limit: z.number().int().min(1).max(1_000).default(100).describe("How many to return"),
    }),
    targetSchema("get"),
    targetSchema("delete"),
  ]);
}

type ParsedNotesInput = z.output<ReturnType<typeof createNotesInputSchema>>;

type ParsedNotesInputOf<TOperation extends ParsedNotesInput["operation"]> = Extract<
  ParsedNotesInput,
  { operation: TOperation }
>;

function isNoteRead(input: ParsedNotesInput): input is ParsedNotesInputOf<"list" | "get"> {
  return input.operation === "list" || input.operation === "get";
}

function createNotesOutputSchema() {
  const page = z
    .object({ notes: z.array(createNoteSchema()), count: z.number().int().min(0).describe("How many match in all") })
    .describe("list: a page of notes");
  return z.union([createNoteSchema(), page]);
}

const keyReused = "note-key-reused";
const maxShown = 10;

function sayNotes(input: NotesInput, output: NotesOutput): string {
  if (!("notes" in output)) {
    const { item, text } = output;
    if (input.operation === "get") return sayNote(output, true);
    const about = item === generalItem ? "" : ` for ${item}`;
    return input.operation === "add" ? `Noted${about}: "${text}".` : `Deleted the note${about}: "${text}".`;
  }
  const { notes, count } = output;
  const place = "item" in input && input.item !== undefined ? ` for ${input.item}` : "";
  if (count === 0) return `No notes${place}.`;
  const shown = notes.slice(0, maxShown).map((note) => cutText(sayNote(note, place === ""), 200));
  const more = count > shown.length ? ["…"] : [];
  return `${count} ${count === 1 ? "note" : "notes"}${place}: ${[...shown, ...more].join("; ")}`;
}

function sayNote({ item, text }: Note, isOfAny: boolean): string {
  return isOfAny && item !== generalItem ? `${item}: ${text}` : text;
}

interface NotesWorld extends Required<Pick<NotesOptions, "now" | "createId">> {
  readonly storage: NoteStorage;
  readonly scope: string;
  readonly key: string;
  readonly author: (() => string) | undefined;
}

async function runNotes(world: NotesWorld, input: ParsedNotesInput): Promise<NotesOutput> {
  if (input.operation === "list") {
    const { operation, ...query } = input;
    const { notes, count } = await world.storage.find(world.scope, query);
    return { notes: cutPage(notes), count };
  }
  if (input.operation === "get") return findNote(world, input);
  const { record, change } = await writeOnce({
    ...world,
    keyReused,
    operation: input.operation,
    plan: async (): Promise<NoteChange> =>
      input.operation === "add"
        ? { type: "insert", note: newNote(world, input) }
        : { type: "remove", id: (await findNote(world, input)).id },
  });
  if (record !== undefined) return record.note;
  if (change?.type === "insert") {
    failOption("notes.createId", change.note.id, "a function that returns an id that no other note has", true);
  }
  const id = JSON.stringify(change?.id);
  const message = `The note ${id} was deleted in the meantime.`;
  throw new AgentError("note-not-found", message, { details: { wanted: `id ${id}`, count: 0 } });
}

async function undoNotes(world: NotesWorld, done: UndoneCall<ParsedNotesInput, NotesOutput>): Promise<void> {
  const { input, output } = done;
  if (isNoteRead(input) || "notes" in output) return;
  const { operation } = input;
  const change: NoteChange = operation === "add" ? { type: "remove", id: output.id } : { type: "insert", note: output };
  const { record } = await writeOnce({ ...world, keyReused, operation: "undo", plan: () => change });
  if (record !== undefined || change.type === "remove") return;
  const message = `The note ${JSON.stringify(output.id)} cannot be restored: its id is in use again.`;
  throw new AgentError("note-undo-refused", message, { details: { id: output.id, operation } });
}

async function findNote({ storage, scope }: NotesWorld, { id, item, index = 1 }: NoteTarget): Promise<Note> {
  const place = id === undefined ? { reverse: index < 0, offset: Math.abs(index) - 1 } : {};
  const { notes, count } = await storage.find(scope, { id, item, ...place, limit: 1 });
  const [note] = notes;
  if (note !== undefined) return note;
  const ofItem = item === undefined ? "" : ` of ${JSON.stringify(item)}`;
  const wanted = id === undefined ? `position ${index}${ofItem}` : `id ${JSON.stringify(id)}${ofItem}`;
  const message = id === undefined ? `at ${wanted}: there ${count === 1 ? "is" : "are"} ${count}` : `with ${wanted}`;
  throw new AgentError("note-not-found", `There is no note ${message}.`, { details: { wanted, count } });
}

function newNote({ author, now, createId }: NotesWorld, { item, text }: ParsedNotesInputOf<"add">): Note {
  const id = checkText("notes.createId", createId(), "a function that returns text");
  const name = author?.();
  if (author !== undefined) checkText("notes.author", name, "a function that returns text of 1 to 200 characters", 200);
  return { id, item, text, ...(name !== undefined && { author: name }), createdAt: new Date(now()).toISOString() };
}

function checkText(option: string, value: unknown, expected: string, max = Number.POSITIVE_INFINITY): string {
  if (typeof value === "string" && value !== "" && value.length <= max) return value;
  return failOption(option, value, expected);
}
