import { appendFileSync } from "node:fs";
import { DBOS } from "@dbos-inc/dbos-sdk";
import pg from "pg";
import { type AgentEvent, createAgent, defineTool, type ToolContext } from "planwright";
import { registerDbosRuns, startDbosWorker } from "planwright/dbos";
import { createPostgresRunStore } from "planwright/postgres";
import { z } from "zod";

import { isTransient } from "../../../src/core/events.ts";

/** What a worker process is started with. */
export interface WorkerChildOptions {
  readonly databaseUrl: string;
  /** Which of its tools it has. @default all */
  readonly tools?: readonly string[];
  readonly stepMs?: number;
  readonly leaseMs?: number;
  readonly concurrency?: number;
  readonly postponeMs?: number;
  readonly version?: string;
  readonly maxAdoptions?: number;
  readonly resourcesFail?: boolean;
  /** How far its clock is ahead of that of the database. */
  readonly clockOffMs?: number;
  /** Of its store. */
  readonly maxConnections?: number;
  /** The address of its store, if that is behind a pooler. */
  readonly pooledUrl?: string;
  /** Whether its tools want an input that no plan has. */
  readonly isChanged?: boolean;
  readonly rateLimit?: { readonly limit: number; readonly intervalMs: number };
  /** A file for its calls and the events that it tells, rather than the table: it works without a server. */
  readonly journalPath?: string;
  /** Whether its application has launched DBOS itself. */
  readonly joins?: boolean;
}

/** A line of a journal: a call of a tool, or an event that was told as recorded. */
export type JournalLine =
  | { readonly key: string; readonly attempt: number; readonly pid: number }
  | { readonly told: AgentEvent };

const given = JSON.parse(process.argv[2] ?? "{}") as WorkerChildOptions;
const { databaseUrl, tools: names, stepMs = 20, leaseMs = 1_000, concurrency = 10, postponeMs = 500 } = given;
const { version, maxAdoptions, clockOffMs = 0, joins = false, rateLimit, maxConnections, journalPath } = given;
const { pooledUrl, isChanged = false, resourcesFail = false } = given;

const machineNow = Date.now;
Date.now = () => machineNow() + clockOffMs;

const effects = new pg.Pool({ connectionString: databaseUrl, max: 4 });
effects.on("error", () => {});

/** Written at once, so that it outlives the process. */
function note(row: JournalLine): void {
  if (journalPath !== undefined) appendFileSync(journalPath, `${JSON.stringify(row)}\n`);
}

/** Each call leaves a row, so that the test can count them. */
async function record(key: string, attempt: number): Promise<void> {
  if (journalPath !== undefined) return note({ key, attempt, pid: process.pid });
  await effects.query("insert into effects (key, attempt, pid) values ($1, $2, $3)", [key, attempt, process.pid]);
}

const inputSchema = z.object({
  n: isChanged ? z.number().min(1) : z.number().optional(),
  list: z.array(z.number()).optional(),
});

function toolOf(name: string, more: object = {}) {
  return defineTool({
    name,
    description: name,
    inputSchema,
    effect: "idempotent",
    ...more,
    async execute({ n = 0 }, { idempotencyKey, attempt, resources }: ToolContext<{ readonly user: string }>) {
      await record(idempotencyKey, attempt);
      await new Promise((resolve) => setTimeout(resolve, stepMs));
      if (name === "Deadly") process.kill(process.pid, "SIGKILL");
      if (name === "Flaky" && attempt === 1) throw new Error("try again");
      return { n, list: [1, 2, 3], user: resources.user };
    },
  });
}

const all = [
  toolOf("Work"),
  toolOf("Flaky"),
  toolOf("Once", { effect: "once" }),
  toolOf("Ask", { needsApproval: true }),
  toolOf("Rare"),
  toolOf("Deadly"),
];

/** Does nothing, in no time. */
const quick = defineTool({
  name: "Quick",
  description: "Quick",
  inputSchema,
  effect: "idempotent",
  execute: () => ({ n: 0 }),
});

const agent = createAgent({
  tools: [...all, quick].filter(({ name }) => names === undefined || names.includes(name)),
  store: createPostgresRunStore({
    connectionString: pooledUrl ?? databaseUrl,
    maxConnections,
    listen: pooledUrl === undefined,
  }),
  leaseMs,
  retry: { minDelayMs: 5 },
  onWarning: ({ message }) => process.stdout.write(`warning ${message}\n`),
});
// Those of a run that it has lost say that they are not recorded.
agent.subscribe((event) => {
  if (!isTransient(event) && !("recorded" in event)) note({ told: event });
});
if (joins) {
  await registerDbosRuns();
  DBOS.setConfig({ name: "app", systemDatabaseUrl: databaseUrl, logLevel: "error" });
  await DBOS.launch();
}
const worker = await startDbosWorker(agent, {
  databaseUrl,
  version,
  maxAdoptions,
  concurrency,
  postponeMs,
  rateLimit,
  async resources({ runId, metadata }) {
    if (resourcesFail) throw new Error("no connection");
    if (metadata.user === "deadly") process.kill(process.pid, "SIGKILL");
    return { user: String(metadata.user ?? runId) };
  },
  onWarning: ({ code, message }) => process.stdout.write(`warning ${code} ${message}\n`),
});
process.stdout.write("ready\n");
// Says that it is awake, having done what was waiting to be done, and how much it holds.
process.on("SIGUSR2", () => {
  setTimeout(() => {
    globalThis.gc?.();
    process.stdout.write(`awake ${process.memoryUsage().heapUsed}\n`);
  }, 200);
});
// Does nothing else for half a second.
process.on("SIGHUP", () => {
  const until = performance.now() + 500;
  while (performance.now() < until);
});
process.on("SIGTERM", () => {
  void worker.stop({ timeoutMs: 60_000 }).then(() => {
    if (joins) process.stdout.write(DBOS.isInitialized() ? "still launched\n" : "shut down\n");
    process.exit(0);
  });
});
