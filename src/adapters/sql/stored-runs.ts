import type { AgentEvent } from "../../core/events.ts";
import { deepFreeze, type JsonValue } from "../../core/json.ts";
import type { PostedMessage } from "../../core/run-store.ts";
import {
  changesDigest,
  digestAfter,
  isRunStatus,
  type RunDigest,
  type RunStatus,
  runStatusAfter,
} from "../../core/run-summary.ts";
import { describeThrown } from "../../core/text.ts";
import { readInteger, readText, type SqlRow } from "./statement.ts";

// What cannot be read is a `SyntaxError`: the database is damaged.

/** The events of rows, the first with number `after + 1`. Throws if an event is missing or not JSON. */
export function eventsOf(rows: readonly SqlRow[], after: number): readonly AgentEvent[] {
  return rows.map((row, index) => {
    const sequence = after + index + 1;
    // Resuming without it could run a step twice.
    if (row.sequence !== sequence) throw new SyntaxError(`event ${sequence} is missing`);
    try {
      // The code that reads a run validates its events.
      return deepFreeze(JSON.parse(readText(row, "json")) as AgentEvent);
    } catch (thrown) {
      throw new SyntaxError(`event ${sequence}: ${describeThrown(thrown)}`);
    }
  });
}

/** What new events change in the rows of a run; what is absent stays as it is. */
interface RunChanges {
  readonly updatedAt: string;
  readonly status?: RunStatus;
  /** When the first of their steps started. */
  readonly startedAt?: string;
  readonly digest?: RunDigest;
}

/** True if {@link changesOf} needs the digest that the run has. */
export function needsDigest(events: readonly AgentEvent[]): boolean {
  const changing = events.find(changesDigest);
  return changing !== undefined && changing.type !== "run-start";
}

/** The changes of a run by new events; `before` is its digest. */
export function changesOf(events: readonly AgentEvent[], before: RunDigest | undefined): RunChanges {
  let status: RunStatus | undefined;
  let digest = before;
  for (const event of events) {
    status = runStatusAfter(event) ?? status;
    if (changesDigest(event)) digest = digestAfter(digest, event);
  }
  const startedAt = events.find(({ type }) => type === "step-start")?.timestamp;
  return {
    updatedAt: events.at(-1)?.timestamp ?? "",
    ...(status !== undefined && { status }),
    ...(startedAt !== undefined && { startedAt }),
    ...(digest !== undefined && digest !== before && { digest }),
  };
}

/** The messages of rows; one without a number has none. */
export function messagesOf(rows: readonly SqlRow[]): readonly PostedMessage[] {
  return rows
    .filter(({ number }) => number !== null)
    .map((row) => ({
      number: readInteger(row, "number"),
      // The code that acts on it validates it.
      message: JSON.parse(readText(row, "json")) as JsonValue,
    }));
}

/** What is kept of a run for lists. The code that lists runs validates the rest. */
export function digestOf(json: string): RunDigest {
  const digest: unknown = JSON.parse(json);
  if (typeof digest !== "object" || digest === null) throw new SyntaxError("a digest is not an object");
  return digest as RunDigest;
}

/** The status that a text is. */
export function statusOf(text: string): RunStatus {
  if (!isRunStatus(text)) throw new SyntaxError(`${JSON.stringify(text)} is not the status of a run`);
  return text;
}
