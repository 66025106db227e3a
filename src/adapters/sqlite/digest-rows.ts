import type { AgentEvent } from "../../core/events.ts";
import type { JsonObject } from "../../core/json.ts";
import { changesDigest, digestAfter, pendingKinds, type RunDigest } from "../../core/run-summary.ts";
import { metadataHashes } from "../sql/metadata-hash.ts";
import { readText } from "../sql/statement.ts";
import { digestOf } from "../sql/stored-runs.ts";
import { asBytes, type SqlDatabase, type SqlStatement } from "./sql-database.ts";

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
    const changing = events.filter(changesDigest);
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
  private insertWaits({ number, createdMs }: DigestedRun, { pending, resumeAt }: RunDigest = { metadata: {} }): void {
    for (const kind of pending?.kinds ?? []) this.prepared.insertWait.run(kind, createdMs, number);
    if (resumeAt !== undefined) this.prepared.saveResume.run(number, Date.parse(resumeAt));
  }

  private deleteWaits({ number, createdMs }: DigestedRun): void {
    for (const kind of pendingKinds) this.prepared.deleteWait.run(kind, createdMs, number);
    this.prepared.deleteResume.run(number);
  }

  /** Adds the metadata of a new run to the index. */
  insertMetadata({ number, createdMs }: DigestedRun, metadata: JsonObject): void {
    for (const hash of metadataHashes(metadata)) this.prepared.insertMetadata.run(hash, createdMs, number);
  }

  delete(run: DigestedRun): void {
    const { number, createdMs } = run;
    this.deleteWaits(run);
    const { metadata = {} } = this.find(number) ?? {};
    for (const hash of metadataHashes(metadata)) this.prepared.deleteMetadata.run(hash, createdMs, number);
    this.prepared.deleteDigest.run(number);
  }

  private find(number: number): RunDigest | undefined {
    const row = this.prepared.findDigest.get(number);
    return row && digestOf(readText(row, "json"));
  }
}
