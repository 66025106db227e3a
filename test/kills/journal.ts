import { appendFileSync, closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import type { AgentEvent } from "planwright";

/**
 * What processes report about themselves, one row after another, to outlive them.
 * - `try`: events are about to be recorded; `ack`: the store has reported them as recorded.
 * - `begin`: a tool was called; `effect`: it has taken effect; `end`: it is about to answer.
 * - `timer`: a timer of the agent has fired; `stop`: the process was put to sleep, as reported by whoever did it.
 */
export type JournalRow = { readonly generation: number } & (
  | { readonly type: "try"; readonly runId: string; readonly events: readonly AgentEvent[] }
  | { readonly type: "ack"; readonly runId: string; readonly sequence: number }
  | { readonly type: "begin"; readonly key: string; readonly attempt: number }
  | { readonly type: "effect"; readonly key: string; readonly value: number }
  | { readonly type: "end"; readonly key: string; readonly attempt: number }
  | { readonly type: "timer" }
  | { readonly type: "stop" }
);

type OmitEach<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** A journal that a process writes. */
export interface Journal {
  write(row: OmitEach<JournalRow, "generation">): void;
  /** The lasting effect of a call, in this process or an earlier one; undefined if it has not taken effect. */
  findEffect(key: string): number | undefined;
  close(): void;
}

/** Opens a journal for adding rows; those of tools are on the disk when `write` returns. */
export function openJournal(path: string, generation: number): Journal {
  const effects = new Map<string, number>();
  for (const row of readJournal(path)) if (row.type === "effect") effects.set(row.key, row.value);
  const file = openSync(path, "a");
  return {
    findEffect: (key) => effects.get(key),
    write(row) {
      if (row.type === "effect") effects.set(row.key, row.value);
      // A separate line, even if the process before was killed while writing one.
      writeSync(file, `\n${JSON.stringify({ generation, ...row })}\n`);
      if ("key" in row) fsyncSync(file);
    },
    close: () => closeSync(file),
  };
}

/** Records that a process was put to sleep, which it cannot record itself. */
export function tellStop(path: string, generation: number): void {
  appendFileSync(path, `\n${JSON.stringify({ generation, type: "stop" })}\n`);
}

/** All rows so far. A row that a process was killed while writing does not count. */
export function readJournal(path: string): readonly JournalRow[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        return line === "" ? [] : [JSON.parse(line) as JournalRow];
      } catch {
        return [];
      }
    });
}
