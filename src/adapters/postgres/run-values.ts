import type { AgentEvent } from "../../core/events.ts";
import type { RunStore } from "../../core/run-store.ts";
import { changesDigest, digestAfter, type RunDigest, type RunStatus, runStatusAfter } from "../../core/run-summary.ts";
import { metadataHashes } from "../sql/metadata-hash.ts";
import type { SqlValue } from "../sql/statement.ts";

/** Events to append. */
export interface NewEvents {
  readonly runId: string;
  readonly events: readonly AgentEvent[];
  /** The same events as JSON. */
  readonly texts: readonly string[];
  readonly options: Parameters<RunStore["append"]>[2];
  /** What lists showed of the run before; undefined for a new one, or if these events do not change it. */
  readonly before: RunDigest | undefined;
}

/** Whether a digest has to be read first, as these events change what was there before. */
export function needsDigest(events: readonly AgentEvent[]): boolean {
  const changing = events.find(changesDigest);
  return changing !== undefined && changing.type !== "run-start";
}

/** The values of the statement `append`. */
export function appendValues({ runId, events, texts, options, before }: NewEvents): readonly SqlValue[] {
  const { sequence, fence, acknowledged = [] } = options;
  let status: RunStatus | undefined;
  let digest = before;
  for (const event of events) {
    status = runStatusAfter(event) ?? status;
    digest = digestAfter(digest, event);
  }
  const startedAt = events.find(({ type }) => type === "step-start")?.timestamp;
  const isChanged = events.some(changesDigest);
  return [
    runId,
    sequence,
    texts,
    events.at(-1)?.timestamp ?? "",
    status ?? null,
    startedAt ?? null,
    isChanged ? JSON.stringify(digest) : null,
    digest?.pending?.kinds ?? null,
    digest?.resumeAt === undefined ? null : Date.parse(digest.resumeAt),
    fence ?? null,
    acknowledged,
  ];
}

/** The values of the statement `insert`. */
export function insertValues(added: NewEvents): readonly SqlValue[] {
  const [first] = added.events;
  const { timestamp = "" } = first ?? {};
  const { request, metadata } = first?.type === "run-start" ? first : { metadata: {} };
  const values = [...appendValues(added)];
  // A run whose first event is not that of a run is being planned, as in other stores.
  values[4] ??= "planning";
  // As JSON: the database has no text with a null character.
  const requestText = request === undefined ? null : JSON.stringify(request);
  return [...values, requestText, Date.parse(timestamp), timestamp, metadataHashes(metadata)];
}
