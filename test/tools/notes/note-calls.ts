import type { ToolContext } from "../../../src/core/tool.ts";
import type { Note, NotePage } from "../../../src/tools/notes/note.ts";
import type { NotesInput } from "../../../src/tools/notes/note-input.ts";
import { createNotes, type NotesOptions } from "../../../src/tools/notes/notes.ts";

interface Resources {
  readonly user?: string;
}

/** Which call it is, and whose. */
export interface CallOptions {
  readonly key?: string;
  readonly user?: string;
  readonly signal?: AbortSignal;
}

/** Calls a tool as a run does: the input parsed before, the output after. Ids are n1, n2 …; a key is new unless given. */
export function callsOf(options: NotesOptions<Resources> = {}) {
  let ids = 0;
  let keys = 0;
  const now = () => Date.UTC(2026, 10, 22, 10);
  const tool = createNotes({ now, createId: () => `n${++ids}`, ...options });
  async function call<const TInput extends NotesInput>(
    input: TInput,
    { key = `run/${++keys}`, ...rest }: CallOptions = {},
  ): Promise<TInput["operation"] extends "list" ? NotePage : Note> {
    const output = await tool.execute(await parse(input), contextOf(key, rest));
    const checked = await tool.outputSchema?.["~standard"].validate(output);
    if (checked === undefined || checked.issues) throw new Error(`bad output: ${JSON.stringify(checked?.issues)}`);
    return JSON.parse(JSON.stringify(checked.value));
  }
  async function undo(input: NotesInput, output: unknown, { key = "run/1", ...rest }: CallOptions = {}) {
    await tool.undo?.({ input: await parse(input), output }, contextOf(`${key}/undo`, rest));
  }
  async function parse(input: NotesInput): Promise<unknown> {
    const parsed = await tool.inputSchema["~standard"].validate(JSON.parse(JSON.stringify(input)));
    if (parsed.issues) throw new Error(`bad input: ${parsed.issues.map((issue) => issue.message).join("; ")}`);
    return parsed.value;
  }
  return { tool, call, undo };
}

function contextOf(idempotencyKey: string, { user, signal }: CallOptions): ToolContext<Resources> {
  return {
    signal: signal ?? new AbortController().signal,
    attempt: 1,
    idempotencyKey,
    runId: "run",
    stepId: "s1",
    resources: user === undefined ? {} : { user },
    metadata: {},
    progress: () => {},
  };
}
