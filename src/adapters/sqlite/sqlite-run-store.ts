import type { AgentEvent } from "../../core/events.ts";
import { type OptionTable, readOptions } from "../../core/option-tables.ts";
import {
  claimLease,
  isHeld,
  type Lease,
  ownedElsewhere,
  type RunPage,
  type RunStore,
  renewLease,
  runNotFound,
  sequenceConflict,
} from "../../core/run-store.ts";
import { endedStatuses, pendingKinds, type RunDigest } from "../../core/run-summary.ts";
import {
  firstValues,
  getChanges,
  getWaits,
  hashesOf,
  type ListQuery,
  needsDigest,
  readDigest,
  readEvents,
  readListOptions,
  readMessages,
  readPage,
  readStatus,
} from "../sql/run-rows.ts";
import { all, join, list, raw, readInteger, readOptionalText, type Sql, sql } from "../sql/statement.ts";
import { DatabaseFile, fileOptions, type SqliteFileOptions } from "./database-file.ts";
import { asBytes, type SqlDatabase } from "./sql-database.ts";

/** Options of {@link createSqliteRunStore}. @inline */
export interface SqliteRunStoreOptions extends SqliteFileOptions {
  /** Clock for leases and waits, in ms since 1970 UTC, common to all users of a file. @default `Date.now` */
  readonly now?: (() => number) | undefined;
}

const storeOptions = {
  ...fileOptions,
  now: { type: "function", default: () => Date.now() },
} satisfies OptionTable<SqliteRunStoreOptions>;

/**
 * {@link RunStore} in a file. Its methods return a promise only while the file is locked, but `delete` always returns
 * one. @group Storage
 */
export interface SqliteRunStore extends RunStore {
  /** Closes the file. Afterwards, all other methods fail with `store-failed`. */
  close(): void;
}

/**
 * Opens a run store in an SQLite file, which processes of one machine may share. When `append` returns or resolves, the
 * events are on the disk, safe from crashes of the process or the machine. A locked file may block the process
 * for `busyTimeoutMs` while it is opened, later for at most 20 ms. Throws `invalid-options`, `store-failed`
 * (`details.problem` names the problem) and, without any of the drivers, `missing-dependency`.
 *
 * {@includeCode ../../../examples/23-runs-in-a-file.ts}
 * @group Storage
 */
export function createSqliteRunStore(options: SqliteRunStoreOptions): SqliteRunStore {
  const { now, ...settings } = readOptions(storeOptions, options);
  const file = new DatabaseFile(settings);

  return {
    append(runId, events, { sequence, fence, acknowledged = [] }) {
      const [first] = events;
      if (first === undefined) return;
      const texts = events.map((event) => JSON.stringify(event));
      return file.write("append", runId, (db) => {
        if (fence !== undefined && fence !== findLease(db, runId)?.fence) throw ownedElsewhere(runId);
        const run = findRun(db, runId);
        const next = (run?.sequence ?? 0) + 1;
        if (sequence !== next) throw sequenceConflict(runId, { sequence, next });
        insertEvents(db, run ?? insertRun(db, runId, first), events, texts);
        if (run !== undefined) deleteMessages(db, run.number, acknowledged);
      });
    },

    read: (runId, { after = 0, limit = Number.POSITIVE_INFINITY } = {}) =>
      file.read("read", runId, (db) => {
        const run = findRun(db, runId);
        if (run === undefined) return [];
        return readEvents(db.all(selectEvents, run.number, after, Number.isFinite(limit) ? limit : -1), after);
      }),

    list(listOptions = {}) {
      const query = readListOptions(listOptions);
      return file.read("list", "", (db) => (query.statuses?.length === 0 ? { runs: [] } : listRuns(db, query, now())));
    },

    claim: (runId, { owner, ttlMs }) =>
      file.write("claim", runId, (db) => {
        const goneFence = readInteger(db.get(`SELECT ${asBytes("fence")} FROM run_marks`) ?? {}, "fence");
        const known = findLease(db, runId) ?? { owner: null, fence: goneFence, fromMs: 0, untilMs: 0 };
        const lease = claimLease(runId, known, { owner, ttlMs, nowMs: now() });
        saveLease(db, runId, lease);
        return { fence: lease.fence, posted: readMessages(db.all(selectMessages, runId)) };
      }),

    renew: (runId, { owner, fence, ttlMs }) =>
      file.write("claim", runId, (db) => {
        saveLease(db, runId, renewLease(runId, findLease(db, runId), { owner, fence, ttlMs, nowMs: now() }));
        return { posted: readMessages(db.all(selectMessages, runId)) };
      }),

    release: (runId, { owner, fence, acknowledged = [] }) =>
      file.write("claim", runId, (db) => {
        const lease = findLease(db, runId);
        if (lease?.owner !== owner || lease.fence !== fence) return;
        saveLease(db, runId, { ...lease, owner: null });
        const run = acknowledged.length > 0 ? findRun(db, runId) : undefined;
        if (run !== undefined) deleteMessages(db, run.number, acknowledged);
      }),

    post(runId, message, { maxKept = Number.POSITIVE_INFINITY } = {}) {
      const text = JSON.stringify(message);
      return file.write("post", runId, (db) => {
        const run = findRun(db, runId);
        if (run === undefined) throw runNotFound(runId);
        if (endedStatuses.has(run.status)) return {};
        if (maxKept < Number.POSITIVE_INFINITY) {
          const kept = Number(db.value("SELECT count(*) FROM run_messages WHERE run = ?", run.number));
          if (kept >= maxKept) return { isFull: true };
        }
        const insert = "INSERT INTO run_messages (run, json) VALUES (?, ?) RETURNING number";
        return { number: Number(db.value(insert, run.number, text)) };
      });
    },

    async delete(runId, { status } = {}) {
      const isDeleted = await file.write("delete", runId, (db) => {
        const run = findRun(db, runId);
        if (run === undefined) throw runNotFound(runId);
        const lease = findLease(db, runId);
        if (lease !== undefined && isHeld(lease, now())) throw ownedElsewhere(runId);
        if (status !== undefined && !status.includes(run.status)) return false;
        deleteRun(db, runId, run, lease?.fence ?? 0);
        return true;
      });
      // Deletes in batches, so that a large deletion does not block the process.
      await turn();
      try {
        while (isDeleted && (await file.write("delete", "", sweep))) await turn();
        if (isDeleted) file.emptyLog();
      } catch {
        // Ignores the failure, as the next deletion frees the space.
      }
      return isDeleted;
    },

    close: () => file.close(),
  };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

const selectRun = `SELECT ${asBytes("number", "status", "sequence", "created_ms")} FROM runs WHERE run_id = ?`;

function findRun(db: SqlDatabase, runId: string) {
  const row = db.get(selectRun, runId);
  if (row === undefined) return undefined;
  return {
    number: readInteger(row, "number"),
    status: readStatus(row),
    sequence: readInteger(row, "sequence"),
    createdMs: readInteger(row, "created_ms"),
  };
}

type RunRow = NonNullable<ReturnType<typeof findRun>>;

function insertRun(db: SqlDatabase, runId: string, first: AgentEvent): RunRow {
  const { createdMs, createdAt, request, hashes } = firstValues(first);
  const insert = `INSERT INTO runs (run_id, status, sequence, created_ms, created_at, updated_at)
    VALUES (?, 'planning', 0, ?, ?, ?) RETURNING number`;
  const number = readInteger(db.get(insert, runId, createdMs, createdAt, createdAt) ?? {}, "number");
  if (request !== null) db.run("INSERT INTO run_requests (run, json) VALUES (?, ?)", number, request);
  const insertMetadata = "INSERT OR IGNORE INTO run_metadata (hash, created_ms, run) VALUES (?, ?, ?)";
  for (const hash of hashes) db.run(insertMetadata, hash, createdMs, number);
  return { number, status: "planning", sequence: 0, createdMs };
}

// Reading the sequence as bytes, too, would take 50% longer. The cast turns any value in the column into a number.
const selectEvents = `SELECT CAST(sequence AS INTEGER) AS sequence, ${asBytes("json")} FROM run_events
  WHERE run = ? AND sequence > ? ORDER BY run_events.sequence LIMIT ?`;

function insertEvents(db: SqlDatabase, run: RunRow, events: readonly AgentEvent[], texts: readonly string[]): void {
  const { number } = run;
  let { sequence } = run;
  const insert = "INSERT INTO run_events (run, sequence, json) VALUES (?, ?, ?)";
  for (const text of texts) db.run(insert, number, ++sequence, text);
  const before = needsDigest(events) ? findDigest(db, number) : undefined;
  const { updatedAt, startedAt = null, status = run.status, digest } = getChanges(events, before);
  const update = "UPDATE runs SET sequence = ?, updated_at = ?, started_at = coalesce(started_at, ?) WHERE number = ?";
  db.run(update, sequence, updatedAt, startedAt, number);
  if (digest !== undefined) saveDigest(db, run, digest, before);
  // The status is updated only if it changes, as the update also writes to an index.
  if (status !== run.status) db.run("UPDATE runs SET status = ? WHERE number = ?", status, number);
  if (endedStatuses.has(status)) db.run(deleteAllMessages, number);
}

function findDigest(db: SqlDatabase, number: number): RunDigest | undefined {
  const row = db.get(`SELECT ${asBytes("json")} FROM run_digests WHERE run = ?`, number);
  return row && readDigest(row, "json");
}

function saveDigest(db: SqlDatabase, run: RunRow, digest: RunDigest, before: RunDigest | undefined): void {
  const { number, createdMs } = run;
  const { kinds, resumeMs } = getWaits(digest);
  db.run("INSERT OR REPLACE INTO run_digests (run, json) VALUES (?, ?)", number, JSON.stringify(digest));
  if (before?.pending !== undefined) deleteWaits(db, run);
  const insertWait = "INSERT OR IGNORE INTO run_waits (kind, created_ms, run) VALUES (?, ?, ?)";
  for (const kind of kinds ?? []) db.run(insertWait, kind, createdMs, number);
  const insertResume = "INSERT OR REPLACE INTO run_resumes (run, resume_ms) VALUES (?, ?)";
  if (resumeMs !== null) db.run(insertResume, number, resumeMs);
}

function deleteWaits(db: SqlDatabase, { number, createdMs }: RunRow): void {
  const deleteWait = "DELETE FROM run_waits WHERE kind = ? AND created_ms = ? AND run = ?";
  for (const kind of pendingKinds) db.run(deleteWait, kind, createdMs, number);
  db.run("DELETE FROM run_resumes WHERE run = ?", number);
}

const selectLease = `SELECT ${asBytes("owner", "fence", "from_ms", "until_ms")} FROM run_claims WHERE run_id = ?`;

function findLease(db: SqlDatabase, runId: string): Lease | undefined {
  const row = db.get(selectLease, runId);
  if (row === undefined) return undefined;
  return {
    owner: readOptionalText(row, "owner") ?? null,
    fence: readInteger(row, "fence"),
    fromMs: readInteger(row, "from_ms"),
    untilMs: readInteger(row, "until_ms"),
  };
}

function saveLease(db: SqlDatabase, runId: string, { owner, fence, fromMs, untilMs }: Lease): void {
  const save = "INSERT OR REPLACE INTO run_claims (run_id, owner, fence, from_ms, until_ms) VALUES (?, ?, ?, ?, ?)";
  db.run(save, runId, owner, fence, fromMs, untilMs);
}

const selectMessages = `SELECT ${asBytes("number", "json")} FROM run_messages
  WHERE run = (SELECT number FROM runs WHERE run_id = ?) ORDER BY run_messages.number`;

const deleteAllMessages = "DELETE FROM run_messages WHERE run = ?";

function deleteMessages(db: SqlDatabase, run: number, numbers: readonly number[]): void {
  for (const number of numbers) db.run(`${deleteAllMessages} AND number = ?`, run, number);
}

function deleteRun(db: SqlDatabase, runId: string, run: RunRow, fence: number): void {
  const { number, createdMs } = run;
  const deleteMetadata = "DELETE FROM run_metadata WHERE hash = ? AND created_ms = ? AND run = ?";
  for (const hash of hashesOf(findDigest(db, number) ?? {})) db.run(deleteMetadata, hash, createdMs, number);
  deleteWaits(db, run);
  for (const table of ["run_messages", "run_digests", "run_requests"])
    db.run(`DELETE FROM ${table} WHERE run = ?`, number);
  db.run("UPDATE run_marks SET fence = max(fence, ?)", fence);
  db.run("DELETE FROM runs WHERE number = ?", number);
  db.run("DELETE FROM run_claims WHERE run_id = ?", runId);
  if (deleteEvents(db, number)) db.run("INSERT INTO deleted_runs (number) VALUES (?)", number);
}

function sweep(db: SqlDatabase): boolean {
  const row = db.get(`SELECT ${asBytes("number")} FROM deleted_runs LIMIT 1`);
  if (row === undefined) return false;
  const number = readInteger(row, "number");
  if (!deleteEvents(db, number)) db.run("DELETE FROM deleted_runs WHERE number = ?", number);
  return true;
}

const batchSize = 500;

function deleteEvents(db: SqlDatabase, number: number): boolean {
  const deleteSome = `DELETE FROM run_events WHERE rowid IN
    (SELECT rowid FROM run_events WHERE run = ? LIMIT ?) RETURNING 1 AS deleted`;
  return db.all(deleteSome, number, batchSize).length === batchSize;
}

/** Counting stops here: a condition that this many runs meet is not rare. */
const countLimit = 2_000;

export function listRuns(db: SqlDatabase, query: ListQuery, nowMs: number): RunPage {
  const { statuses, hashes, limit } = query;
  const hasChoice = hashes.length > 1 || (hashes.length === 1 && statuses !== undefined);
  const count = (condition: "run_metadata WHERE hash" | "runs WHERE status", value: string) =>
    Number(db.value(`SELECT count(*) FROM (SELECT 1 FROM ${condition} = ? LIMIT ${countLimit})`, value));
  const counted = hashes.map((hash) => ({ hash, count: hasChoice ? count("run_metadata WHERE hash", hash) : 0 }));
  counted.sort((one, other) => one.count - other.count);
  const ofStatuses = (hasChoice ? statuses : undefined)?.reduce((sum, one) => sum + count("runs WHERE status", one), 0);
  const byRarest = { ...query, hashes: counted.map(({ hash }) => hash) };
  const isByMetadata = ofStatuses === undefined || (counted[0]?.count ?? 0) <= ofStatuses;
  return readPage(db.select(listSql(byRarest, nowMs, isByMetadata)), limit);
}

const names = ["number", "run_id", "status", "created_ms", "created_at", "updated_at", "started_at"];
const columns = asBytes(...names.map((name) => `runs.${name}`));

/** Unless it searches by metadata, looks up each status or wait separately, so as not to sort all runs for one page. */
export function listSql(query: ListQuery, nowMs: number, isByMetadata = true): Sql {
  const { resumable, pending, hashes, sinceMs, before, limit } = query;
  const first = isByMetadata ? hashes[0] : undefined;
  const others = first === undefined ? hashes : hashes.slice(1);
  const filters = others.map(
    (other) => sql`EXISTS (SELECT 1 FROM run_metadata o
      WHERE o.hash = ${other} AND o.created_ms = runs.created_ms AND o.run = runs.number)`,
  );
  if (resumable)
    filters.push(sql`NOT EXISTS (SELECT 1 FROM run_claims c WHERE c.run_id = runs.run_id AND c.owner IS NOT NULL
      AND c.until_ms > ${nowMs} AND c.from_ms <= ${nowMs})`);
  const found = getLookups(query, nowMs, first).map(({ from, index, where }) => {
    const [time, number] = index.map(raw) as [Sql, Sql];
    const position = sql`(${time}, ${number}) < (${before.createdMs}, ${before.number}) AND ${time} >= ${sinceMs}`;
    return sql`SELECT * FROM (
      SELECT ${number} AS number, ${time} AS created_ms FROM ${from} WHERE ${all([...where, ...filters, position])}
      ORDER BY ${time} DESC, ${number} DESC LIMIT ${limit + 1})`;
  });
  const union = pending === undefined ? " UNION ALL " : " UNION ";
  return sql`SELECT ${raw(columns)}, CAST(run_requests.json AS BLOB) AS request, CAST(run_digests.json AS BLOB) AS digest
    FROM (${join(found, union)} ORDER BY created_ms DESC, number DESC LIMIT ${limit + 1}) AS page
    JOIN runs ON runs.number = page.number
    LEFT JOIN run_requests ON run_requests.run = page.number LEFT JOIN run_digests ON run_digests.run = page.number
    ORDER BY page.created_ms DESC, page.number DESC`;
}

/** Needs a database index on the column that `where` compares first, if any, followed by those of `index`. */
interface Lookup {
  readonly from: Sql;
  readonly index: readonly [createdMs: string, number: string];
  readonly where: readonly Sql[];
}

function getLookups({ statuses, resumable, pending }: ListQuery, nowMs: number, hash?: string): readonly Lookup[] {
  const called = sql`SELECT run FROM run_messages UNION SELECT run FROM run_resumes WHERE resume_ms <= ${nowMs}`;
  const isPending = sql`EXISTS (SELECT 1 FROM run_waits w WHERE w.kind IN (${list(pending ?? [])})
    AND w.created_ms = runs.created_ms AND w.run = runs.number)`;
  if (hash !== undefined) {
    const where = [sql`m.hash = ${hash}`];
    if (statuses !== undefined) where.push(sql`status IN (${list(statuses)})`);
    if (pending !== undefined) where.push(isPending);
    if (resumable) where.push(sql`(status <> 'suspended' OR number IN (${called}))`);
    const from = raw("run_metadata AS m CROSS JOIN runs ON runs.number = m.run");
    return [{ from, index: ["m.created_ms", "m.run"], where }];
  }
  if (pending !== undefined && !resumable) {
    const from = raw("run_waits AS w CROSS JOIN runs ON runs.number = w.run");
    const where = raw("runs.status = 'suspended'");
    return pending.map((kind) => ({ from, index: ["w.created_ms", "w.run"], where: [sql`w.kind = ${kind}`, where] }));
  }
  const calledRuns = sql`(${called}) AS called CROSS JOIN runs ON runs.number = called.run`;
  return (statuses ?? [undefined]).map((status) => ({
    from: resumable && status === "suspended" ? calledRuns : raw("runs"),
    index: ["created_ms", "number"],
    where: [...(status === undefined ? [] : [sql`status = ${status}`]), ...(pending === undefined ? [] : [isPending])],
  }));
}
