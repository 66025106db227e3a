import { createHash } from "node:crypto";
import { canonicalJson } from "../../core/canonical-json.ts";
import type { AgentEvent } from "../../core/events.ts";
import type { JsonObject } from "../../core/json.ts";
import type { RunStore } from "../../core/run-store.ts";
import { digestAfter, type RunDigest, type RunStatus, runStatusAfter } from "../../core/run-summary.ts";
import type { SqlValue } from "./sql-pool.ts";

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
  const changing = events.find(mayChange);
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
  const isChanged = events.some(mayChange);
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
  return [...values, requestText, Date.parse(timestamp), timestamp, hashesOf(metadata)];
}

/** A key of metadata and its value, as canonical JSON, hashed to a short text. */
export function metadataHash(key: string, value: string): string {
  return createHash("sha256")
    .update(`${JSON.stringify(key)}:${value}`)
    .digest("base64url")
    .slice(0, 22);
}

function hashesOf(metadata: JsonObject): readonly string[] {
  return Object.entries(metadata).map(([key, value]) => metadataHash(key, canonicalJson(value)));
}

function mayChange({ type }: AgentEvent): boolean {
  return type.startsWith("run-") || type === "plan-end" || type === "plan-revise";
}
