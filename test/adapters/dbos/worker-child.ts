import { DBOS } from "@dbos-inc/dbos-sdk";
import pg from "pg";
import { z } from "zod";
import { startDbosWorker } from "../../../src/adapters/dbos/dbos-worker.ts";
import { registerDbosRuns } from "../../../src/adapters/dbos/register-runs.ts";
import { createPostgresRunStore } from "../../../src/adapters/postgres/postgres-run-store.ts";
import { createAgent } from "../../../src/agent.ts";
import { defineTool } from "../../../src/core/define-tool.ts";
import type { ToolContext } from "../../../src/core/tool.ts";

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
  /** How far its clock is ahead of that of the database. */
  readonly clockOffMs?: number;
  /** Of its store. */
  readonly maxConnections?: number;
  readonly rateLimit?: { readonly limit: number; readonly intervalMs: number };
  /** Whether its application has launched DBOS itself. */
  readonly joins?: boolean;
}

const given = JSON.parse(process.argv[2] ?? "{}") as WorkerChildOptions;
const { databaseUrl, tools: names, stepMs = 20, leaseMs = 1_000, concurrency = 10, postponeMs = 500 } = given;
const { version, maxAdoptions, clockOffMs = 0, joins = false, rateLimit, maxConnections } = given;

const machineNow = Date.now;
Date.now = () => machineNow() + clockOffMs;

const effects = new pg.Pool({ connectionString: databaseUrl, max: 4 });
effects.on("error", () => {});

/** Each call leaves a row, so that the test can count them. */
async function record(key: string, attempt: number): Promise<void> {
  await effects.query("insert into effects (key, attempt, pid) values ($1, $2, $3)", [key, attempt, process.pid]);
}

const inputSchema = z.object({ n: z.number().optional(), list: z.array(z.number()).optional() });

function toolOf(name: string, more: object = {}) {
  return defineTool({
    name,
    description: name,
    inputSchema,
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

const agent = createAgent({
  tools: all.filter(({ name }) => names === undefined || names.includes(name)),
  store: createPostgresRunStore({ connectionString: databaseUrl, maxConnections }),
  leaseMs,
  retry: { minDelayMs: 5 },
  onWarning: ({ message }) => process.stdout.write(`warning ${message}\n`),
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
  resources: ({ runId, metadata }) => Promise.resolve({ user: String(metadata.user ?? runId) }),
  onWarning: ({ code, message }) => process.stdout.write(`warning ${code} ${message}\n`),
});
process.stdout.write("ready\n");
process.on("SIGTERM", () => {
  void worker.stop({ timeoutMs: 5_000 }).then(() => {
    if (joins) process.stdout.write(DBOS.isInitialized() ? "still launched\n" : "shut down\n");
    process.exit(0);
  });
});
