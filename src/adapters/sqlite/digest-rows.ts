import { createHash } from "node:crypto";
import { canonicalJson } from "../../core/canonical-json.ts";
import type { AgentEvent } from "../../core/events.ts";
import type { JsonObject } from "../../core/json.ts";
import { digestAfter, pendingKinds, type RunDigest } from "../../core/run-summary.ts";
import {
  asBytes,
  readInteger,
  readOptionalText,
  readText,
  type SqlDatabase,
  type SqlRow,
  type SqlStatement,
} from "./sql-database.ts";

const statements = {
  findDigest: `SELECT ${asBytes("json")} FROM run_digests WHERE run = ?`,
  saveDigest: "INSERT OR REPLACE INTO run_digests (run, json) VALUES (?, ?)",
  deleteDigest: "DELETE FROM run_digests WHERE run = ?",
  insertMetadata: "INSERT OR IGNORE INTO run_metadata (hash, created_ms, run) VALUES (?, ?, ?)",
  insertWait: "INSERT OR IGNORE INTO run_waits (kind, created_ms, run) VALUES (?, ?, ?)",
  deleteWait: "DELETE FROM run_waits WHERE kind = ? AND created_ms = ? AND run = ?",
  saveResume: "INSERT OR REPLACE INTO run_resumes (run, resume_ms) VALUES (?, ?)",
  deleteResume: "DELETE FROM run_resumes WHERE run = ?",
  deleteMetadata: "DELETE FROM run_metadata WHERE hash = ? AND created_ms = ? AND run = ?",
} as const;

/** The number of a run, and when it was created. */
export interface DigestedRun {
  readonly number: number;
  readonly createdMs: number;
}

/** The part of runs that lists show, and the index of their metadata. */
export class DigestRows {
  private readonly prepared: Readonly<Record<keyof typeof statements, SqlStatement>>;

  constructor(db: SqlDatabase) {
    const entries = Object.entries(statements).map(([name, sql]) => [name, db.prepare(sql)]);
    this.prepared = Object.fromEntries(entries) as Record<keyof typeof statements, SqlStatement>;
  }

  /** Updates the digest of a run with new events. */
  update(run: DigestedRun, events: readonly AgentEvent[]): void {
    const { number } = run;
    const changing = events.filter(mayChange);
    if (changing.length === 0) return;
    const before = changing[0]?.type === "run-start" ? undefined : this.find(number);
    let digest = before;
    for (const event of changing) digest = digestAfter(digest, event);
    if (digest === before) return;
    this.prepared.saveDigest.run(number, JSON.stringify(digest));
    if (before?.pending === undefined && digest?.pending === undefined) return;
    this.deleteWaits(run);
    this.insertWaits(run, digest);
  }

  /** Adds what a suspended run waits for to the index. */
  insertWaits({ number, createdMs }: DigestedRun, { pending, resumeAt }: RunDigest = { metadata: {} }): void {
    for (const kind of pending?.kinds ?? []) this.prepared.insertWait.run(kind, createdMs, number);
    if (resumeAt !== undefined) this.prepared.saveResume.run(number, Date.parse(resumeAt));
  }

  private deleteWaits({ number, createdMs }: DigestedRun): void {
    for (const kind of pendingKinds) this.prepared.deleteWait.run(kind, createdMs, number);
    this.prepared.deleteResume.run(number);
  }

  /** Adds the metadata of a new run to the index. */
  insertMetadata({ number, createdMs }: DigestedRun, metadata: JsonObject): void {
    for (const hash of hashesOf(metadata)) this.prepared.insertMetadata.run(hash, createdMs, number);
  }

  delete(run: DigestedRun): void {
    const { number, createdMs } = run;
    this.deleteWaits(run);
    const { metadata = {} } = this.find(number) ?? {};
    for (const hash of hashesOf(metadata)) this.prepared.deleteMetadata.run(hash, createdMs, number);
    this.prepared.deleteDigest.run(number);
  }

  private find(number: number): RunDigest | undefined {
    const row = this.prepared.findDigest.get(number);
    return row && readDigest(readText(row, "json"));
  }
}

/** The digest in a row of a list; a run that an older version started may have none. */
export function digestOf(row: SqlRow): RunDigest {
  const text = readOptionalText(row, "digest");
  return text === undefined ? { metadata: {} } : readDigest(text);
}

/** A key of metadata and its value, as canonical JSON, hashed to a short text. */
export function metadataHash(key: string, value: string): string {
  return createHash("sha256")
    .update(`${JSON.stringify(key)}:${value}`)
    .digest("base64url")
    .slice(0, 22);
}

/** Creates the digests of all runs in a file of an older format. A damaged run gets none. */
export function digestAll(db: SqlDatabase): void {
  const rows = new DigestRows(db);
  const page = db.prepare(
    `SELECT number, ${asBytes("created_ms")} FROM runs WHERE number > ? ORDER BY number LIMIT 1000`,
  );
  // By the start of the text: parsing all events would take minutes if there are millions.
  const events = db.prepare(`SELECT ${asBytes("json")} FROM run_events WHERE run = ?
    AND (json LIKE '{"type":"run-%' OR json LIKE '{"type":"plan-%') ORDER BY run_events.sequence`);
  const firstStep = db.prepare(`SELECT ${asBytes("json")} FROM run_events
    WHERE run = ? AND json LIKE '{"type":"step-start"%' ORDER BY run_events.sequence LIMIT 1`);
  const saveStart = db.prepare("UPDATE runs SET started_at = ? WHERE number = ?");
  for (let after = 0, found = page.all(after); found.length > 0; found = page.all(after)) {
    for (const row of found) {
      after = Number(row.number);
      try {
        const list = events.all(after).map((event) => JSON.parse(readText(event, "json")) as AgentEvent);
        const [first] = list;
        const run = { number: after, createdMs: readInteger(row, "created_ms") };
        rows.update(run, list);
        if (first?.type === "run-start") rows.insertMetadata(run, first.metadata);
        const step = firstStep.get(after);
        if (step !== undefined) saveStart.run((JSON.parse(readText(step, "json")) as AgentEvent).timestamp, after);
      } catch (thrown) {
        if (!(thrown instanceof SyntaxError || thrown instanceof TypeError)) throw thrown;
      }
    }
  }
}

/** Indexes what the suspended runs of format 3 wait for, by the last suspension of each. A damaged run gets nothing. */
export function fillWaits(db: SqlDatabase): void {
  const rows = new DigestRows(db);
  const page = db.prepare(`SELECT number, ${asBytes("created_ms")} FROM runs
    WHERE status = 'suspended' AND number > ? ORDER BY number LIMIT 1000`);
  const last = db.prepare(`SELECT ${asBytes("json")} FROM run_events
    WHERE run = ? AND json LIKE '{"type":"run-suspend"%' ORDER BY run_events.sequence DESC LIMIT 1`);
  for (let after = 0, found = page.all(after); found.length > 0; found = page.all(after)) {
    for (const row of found) {
      after = Number(row.number);
      try {
        const event = last.get(after);
        if (event === undefined) continue;
        const run = { number: after, createdMs: readInteger(row, "created_ms") };
        rows.insertWaits(run, digestAfter(undefined, JSON.parse(readText(event, "json")) as AgentEvent));
      } catch (thrown) {
        if (!(thrown instanceof SyntaxError || thrown instanceof TypeError)) throw thrown;
      }
    }
  }
}

function mayChange({ type }: AgentEvent): boolean {
  return type.startsWith("run-") || type === "plan-end" || type === "plan-revise";
}

function hashesOf(metadata: JsonObject): readonly string[] {
  return Object.entries(metadata).map(([key, value]) => metadataHash(key, canonicalJson(value)));
}

/** The caller that lists runs validates the digest. */
function readDigest(text: string): RunDigest {
  const digest: unknown = JSON.parse(text);
  if (typeof digest !== "object" || digest === null) throw new SyntaxError("a digest is not an object");
  return digest as RunDigest;
}
