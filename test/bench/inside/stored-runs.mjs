// Prints what a store in a file of SQLite costs: commits beside the driver alone, pages of many runs, going on with a long run.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, createMemoryRunStore, defineTool } from "planwright";
import { createSqliteRunStore } from "planwright/sqlite";
import { z } from "zod/v4";
import { interleave } from "../statistics.mjs";

const [rounds, commits, runs, steps, events] = process.argv.slice(2).map(Number);
const folders = [];
const newFile = (folder = tmpdir()) => {
  folders.push(mkdtempSync(join(folder, "planwright-bench-")));
  return join(folders.at(-1), "runs.db");
};

/** An event of 280 bytes. */
const stepStart = (runId, sequence) => ({
  type: "step-start",
  stepId: `step-${sequence}`,
  tool: "Weather",
  input: { city: "Rio de Janeiro", note: "x".repeat(90) },
  effect: "idempotent",
  runId,
  sequence,
  timestamp: "2026-01-01T00:00:00.000Z",
});

function runEvents(runId, second, status) {
  const timestamp = new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString();
  const common = { runId, timestamp };
  const request = `Add ${second} apples to my list`;
  const options = { maxSteps: 10, concurrency: 1, timeZone: "UTC" };
  const metadata = { tenant: `t${second % 100}`, all: true };
  const start = { type: "run-start", version: 8, request, metadata, options, tools: [], ...common, sequence: 1 };
  const error = { name: "AgentError", code: "cancelled", message: "It ended", retryable: false, details: {} };
  const outcome = status === "completed" ? { status, output: null } : { status, error };
  const end = { type: "run-end", outcome, ...common, sequence: 2 };
  return status === undefined ? [start] : [start, end];
}

/** The driver that the store takes, without the store. */
function openBare(path) {
  const load = createRequire(import.meta.url);
  const builtin = process.getBuiltinModule("node:sqlite");
  const db = new (builtin?.DatabaseSync ?? load("libsql"))(path);
  const get = (sql) => Object.values(db.prepare(sql).all()[0] ?? {})[0];
  const [, minor = 0, patch = 0] = String(get("SELECT sqlite_version()")).split(".").map(Number);
  const mode = minor > 51 || (minor === 51 && patch >= 3) ? "WAL" : "TRUNCATE";
  get(`PRAGMA journal_mode = ${mode}`);
  db.exec("PRAGMA synchronous = FULL");
  db.exec("CREATE TABLE events (run INTEGER, sequence INTEGER, json TEXT, UNIQUE (run, sequence))");
  return { db, driver: `${builtin === undefined ? "libsql" : "node:sqlite"}, ${mode}` };
}

async function measureCommits() {
  const store = createSqliteRunStore({ path: newFile() });
  const { db, driver } = openBare(newFile());
  const insert = db.prepare("INSERT INTO events VALUES (1, ?, ?)");
  let written = 0;
  let recorded = 0;
  const timed = (commit) => () => {
    const started = performance.now();
    for (let count = 0; count < commits; count++) commit();
    return commits / ((performance.now() - started) / 1_000);
  };
  const samples = await interleave(
    {
      store: timed(() => store.append("r", [stepStart("r", ++recorded)], { sequence: recorded })),
      bare: timed(() => insert.run(++written, JSON.stringify(stepStart("r", written)))),
    },
    { rounds, warmUps: 1 },
  );
  store.close();
  db.close();
  return { driver, ...samples };
}

function measurePages() {
  // Where nothing has to wait for a disk: a hundred thousand commits would take minutes.
  const store = createSqliteRunStore({ path: newFile(existsSync("/dev/shm") ? "/dev/shm" : undefined) });
  const ends = ["completed", "completed", "failed", "cancelled", undefined];
  for (let index = 0; index < runs; index++) {
    store.append(`run_${index}`, runEvents(`run_${index}`, index, ends[index % ends.length]), { sequence: 1 });
  }
  const since = new Date(Date.UTC(2026, 0, 1) + (runs / 2) * 1_000).toISOString();
  const filters = {
    all: {},
    failed: { status: "failed" },
    "failed or cancelled": { status: ["failed", "cancelled"] },
    "the later half": { since },
    resumable: { resumable: true },
    "of one tenant": { metadata: { tenant: "t7" } },
    "failed, of all metadata": { metadata: { all: true }, status: "failed" },
  };
  const pages = Object.entries(filters).map(([name, filter]) => ({ name, times: timePages(store, filter) }));
  store.close();
  return pages;
}

function timePages(store, filter) {
  const times = [];
  let cursor;
  do {
    const started = performance.now();
    const page = store.list({ ...filter, cursor });
    times.push(performance.now() - started);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return times;
}

/** From the call to the event that opens the next execution, of a run that was cut off in its middle. */
async function measureResume() {
  const tool = defineTool({
    name: "A",
    description: "A",
    inputSchema: z.looseObject({}),
    effect: "idempotent",
    execute: () => ({ value: 1 }),
  });
  const memory = createMemoryRunStore();
  const plan = {
    steps: Array.from({ length: steps }, (_, index) => ({ id: `s${index}`, tool: "A", input: { index } })),
  };
  await createAgent({ tools: [tool], store: memory, maxSteps: steps }).execute(plan, { runId: "r" });
  const half = memory.read("r", { limit: steps });
  const samples = { readMs: [], openedMs: [], endedMs: [] };
  for (let round = 0; round < rounds; round++) {
    const store = createSqliteRunStore({ path: newFile(existsSync("/dev/shm") ? "/dev/shm" : undefined) });
    store.append("r", half, { sequence: 1 });
    const agent = createAgent({ tools: [tool], store, maxSteps: steps });
    const started = performance.now();
    if (store.read("r").length !== steps) throw new Error("Events are missing.");
    samples.readMs.push(performance.now() - started);
    const called = performance.now();
    agent.on("run-resume", () => samples.openedMs.push(performance.now() - called));
    const { status } = await agent.resume("r");
    if (status !== "completed") throw new Error(`It is ${status}.`);
    samples.endedMs.push(performance.now() - called);
    store.close();
  }
  return samples;
}

/** How long others wait at most while a long run is deleted, beside an append of one event. */
async function measureDeletion() {
  const store = createSqliteRunStore({ path: newFile() });
  store.append("other", runEvents("other", 0), { sequence: 1 });
  const batch = 10_000;
  for (let sequence = 1; sequence <= events; sequence += batch) {
    const count = Math.min(batch, events - sequence + 1);
    const texts = Array.from({ length: count }, (_, index) => stepStart("long", sequence + index));
    store.append("long", texts, { sequence });
  }
  const appendMs = [];
  for (let sequence = 2; sequence <= commits + 1; sequence++) {
    const started = performance.now();
    store.append("other", [stepStart("other", sequence)], { sequence });
    appendMs.push(performance.now() - started);
  }
  // The store writes at once: between two turns of the event loop there is one batch.
  const locksMs = [];
  let isOver = false;
  let last = performance.now();
  const look = () => {
    const now = performance.now();
    locksMs.push(now - last);
    last = now;
    if (!isOver) setImmediate(look);
  };
  const started = performance.now();
  look();
  await store.delete("long");
  isOver = true;
  const totalMs = performance.now() - started;
  store.close();
  return { appendMs, locksMs, totalMs };
}

try {
  console.log(
    JSON.stringify({
      commits: await measureCommits(),
      pages: measurePages(),
      resume: await measureResume(),
      deletion: await measureDeletion(),
    }),
  );
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true });
}
