import { createNotes, type Note, type NotesInput, type NotesOptions } from "planwright";
import type { NotePage } from "../../../src/tools/notes/note.ts";
import { type CallOptions, callerOf } from "../call-tool.ts";

/** Calls notes as a run does. Ids are n1, n2 … */
export function callsOf(options: NotesOptions<{ readonly user?: string }> = {}) {
  let ids = 0;
  const now = () => Date.UTC(2026, 10, 22, 10);
  const tool = createNotes({ now, createId: () => `n${++ids}`, ...options });
  const { call, undo } = callerOf(tool);
  return {
    tool,
    undo,
    call: <const TInput extends NotesInput>(input: TInput, which?: CallOptions) =>
      call(input, which) as Promise<TInput["operation"] extends "list" ? NotePage : Note>,
  };
}
