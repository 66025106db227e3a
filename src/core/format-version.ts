import { AgentError } from "./errors.ts";
import type { AgentEvent } from "./events.ts";

/**
 * The format in which events, and the tables of stores, are written and read: one number for all of them, which grows
 * when one of them changes. Data in any other format is refused.
 */
export const formatVersion = 5;

/** Throws `store-failed` unless each execution in these events of a run states {@link formatVersion}. */
export function checkEventFormat(runId: string, events: readonly AgentEvent[]): void {
  for (const event of events) {
    const isStart = event.type === "run-start" || event.type === "run-resume";
    if (isStart && event.version !== formatVersion)
      throw wrongFormat(event.version, { what: `The run "${runId}"`, runId, operation: "read" });
  }
}

/** The error of data, such as a run or a file, that was written in another format, or in none. */
export function wrongFormat(
  format: unknown,
  { what, ...place }: { readonly what: string; readonly runId: string; readonly operation: "open" | "read" },
): AgentError<"store-failed"> {
  const found = format === undefined ? "no format" : `format ${JSON.stringify(format)}`;
  const reason = `${found}; expected format ${formatVersion}`;
  const message = `${what} was written by another version of planwright (${reason}). Use that version, or start afresh; nothing was changed.`;
  return new AgentError("store-failed", message, { details: { ...place, reason, problem: "wrong-format" } });
}
