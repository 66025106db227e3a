import { AgentError } from "../../core/errors.ts";
import { failOption } from "../../core/options.ts";
import type { UndoneCall } from "../../core/tool.ts";
import { cutPage } from "../storage/cut-page.ts";
import type { Note, NotePage, NotesOutput } from "./note.ts";
import { isNoteRead, type NoteTarget, type ParsedNotesInput, type ParsedNotesInputOf } from "./note-input.ts";
import type { NoteChange, NoteRecord, NoteStorage, NoteWrite } from "./note-storage.ts";

/** The context of a call of Notes. The functions are the user's: their results are checked here. */
export interface NotesWorld {
  readonly storage: NoteStorage;
  readonly scope: string;
  /** The idempotency key of the call. */
  readonly key: string;
  readonly author: (() => string) | undefined;
  now(): number;
  createId(): string;
}

/** Performs the operation of an input. */
export async function runNotes(world: NotesWorld, input: ParsedNotesInput): Promise<NotesOutput> {
  checkScope(world);
  if (!isNoteRead(input)) return (await changeNotes(world, input)).note;
  return input.operation === "get" ? findNote(world, input) : listNotes(world, input);
}

/** Undoes a call. */
export async function undoNotes(
  world: NotesWorld,
  { input, output }: UndoneCall<ParsedNotesInput, NotesOutput>,
): Promise<void> {
  checkScope(world);
  if (isNoteRead(input) || "notes" in output) return;
  const { operation } = input;
  const change: NoteChange = operation === "add" ? { type: "remove", id: output.id } : { type: "insert", note: output };
  const record = await apply(world, "undo", change);
  // If an added note is gone, there is nothing left to undo.
  if (record !== undefined || change.type === "remove") return;
  const message = `The note ${JSON.stringify(output.id)} cannot be restored: its id is in use again.`;
  throw new AgentError("note-undo-refused", message, { details: { id: output.id, operation } });
}

async function listNotes({ storage, scope }: NotesWorld, input: ParsedNotesInputOf<"list">): Promise<NotePage> {
  const { operation, ...query } = input;
  const { notes, count } = await storage.find(scope, query);
  return { notes: cutPage(notes), count };
}

async function findNote({ storage, scope }: NotesWorld, { id, item, index = 1 }: NoteTarget): Promise<Note> {
  const place = id === undefined ? { reverse: index < 0, offset: Math.abs(index) - 1 } : {};
  const { notes, count } = await storage.find(scope, { id, item, ...place, limit: 1 });
  const [note] = notes;
  if (note !== undefined) return note;
  const ofItem = item === undefined ? "" : ` of ${JSON.stringify(item)}`;
  const wanted = id === undefined ? `position ${index}${ofItem}` : `id ${JSON.stringify(id)}${ofItem}`;
  const known = id === undefined ? `: there are ${count}` : "";
  throw new AgentError("note-not-found", `There is no note at ${wanted}${known}.`, { details: { wanted, count } });
}

async function changeNotes(world: NotesWorld, input: ParsedNotesInputOf<"add" | "delete">): Promise<NoteRecord> {
  const { operation } = input;
  // The key is looked up first: once a note is gone, a second attempt to delete it would find another at its position.
  const known = await recall(world, operation);
  if (known !== undefined) return known;
  if (input.operation === "add") {
    const note = newNote(world, input);
    const record = await apply(world, operation, { type: "insert", note });
    return record ?? failOption("notes.createId", note.id, "a function that returns an id that no other note has");
  }
  try {
    const { id } = await findNote(world, input);
    const record = await apply(world, operation, { type: "remove", id });
    if (record !== undefined) return record;
    const message = `The note ${JSON.stringify(id)} was deleted in the meantime.`;
    throw new AgentError("note-not-found", message, { details: { wanted: `id ${JSON.stringify(id)}`, count: 0 } });
  } catch (error) {
    // Another attempt may have ended while this one was looking for its note.
    const record = await recall(world, operation);
    if (record === undefined) throw error;
    return record;
  }
}

function newNote({ author, now, createId }: NotesWorld, { item, text }: ParsedNotesInputOf<"add">): Note {
  const id = checkText("notes.createId", createId(), "a function that returns text");
  const name = author?.();
  if (author !== undefined) checkText("notes.author", name, "a function that returns text of 1 to 200 characters", 200);
  const createdAt = new Date(now()).toISOString();
  return { id, item, text, ...(name !== undefined && { author: name }), createdAt };
}

async function recall({ storage, scope, key }: NotesWorld, operation: NoteWrite["operation"]) {
  checkText("context.idempotencyKey", key, "text that is the same for each attempt of a step");
  const record = await storage.recall(scope, key);
  return record && checkOperation(record, { key, operation });
}

async function apply(world: NotesWorld, operation: NoteWrite["operation"], change: NoteChange) {
  const { storage, scope, key } = world;
  checkText("context.idempotencyKey", key, "text that is the same for each attempt of a step");
  const record = await storage.apply(scope, { key, operation, change });
  return record && checkOperation(record, { key, operation });
}

function checkOperation(record: NoteRecord, { key, operation }: Pick<NoteWrite, "key" | "operation">): NoteRecord {
  const { operation: earlier } = record;
  if (earlier === operation) return record;
  const message = `The idempotency key ${JSON.stringify(key)} was already used for "${earlier}"; "${operation}" needs one of its own.`;
  throw new AgentError("note-key-reused", message, { details: { idempotencyKey: key, operation, earlier } });
}

function checkScope({ scope }: NotesWorld): void {
  checkText("notes.scope", scope, "a function that returns text that says whose notes these are");
}

function checkText(option: string, value: unknown, expected: string, max = Number.POSITIVE_INFINITY): string {
  if (typeof value === "string" && value !== "" && value.length <= max) return value;
  return failOption(option, value, expected);
}
