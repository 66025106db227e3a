import { type ChildProcess, spawn } from "node:child_process";
import { DBOS } from "@dbos-inc/dbos-sdk";
import { createDbosClient } from "planwright/dbos";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { openDbosQueue } from "../../../src/adapters/dbos/dbos-queue.ts";
import { buildChild } from "../../kills/start-child.ts";
import type { PostgresServer } from "../postgres/postgres-server.ts";
import type { WorkerChildOptions } from "./worker-child.ts";

/** A worker in a process of its own. */
export interface WorkerProcess {
  readonly ready: Promise<void>;
  readonly said: readonly string[];
  readonly pid: number;
  /** Resolves once it has done what was waiting to be done, to how many bytes of its heap are in use. */
  awake(): Promise<number>;
  signal(signal: NodeJS.Signals): void;
  readonly ended: Promise<number | null>;
}

/** Builds what worker processes run, once for a file of tests. */
export function useWorkers(): (options: WorkerChildOptions) => WorkerProcess {
  let built: ReturnType<typeof buildChild> | undefined;
  beforeAll(() => {
    built = buildChild("test/adapters/dbos/worker-child.ts", ["@dbos-inc/dbos-sdk", "pg"]);
  });
  afterAll(() => built?.remove());
  return (options) => startWorker(built?.script ?? "", options);
}

function startWorker(script: string, options: WorkerChildOptions): WorkerProcess {
  const child = spawn(process.execPath, ["--expose-gc", script, JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said: string[] = [];
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (data: Buffer) => {
      said.push(String(data));
      if (String(data).includes("ready\n")) resolve();
    });
    child.stderr.on("data", (data: Buffer) => said.push(String(data)));
    void ended.then((code) => reject(new Error(`The worker ended with ${code}: ${said.join("")}`)));
  });
  ready.catch(() => {});
  onTestFinished(() => end(child, ended));
  const awake = async () => {
    const before = said.length;
    child.kill("SIGUSR2");
    await expect.poll(() => said.slice(before).join("")).toMatch(/awake \d+\n/);
    return Number(/awake (\d+)\n/.exec(said.slice(before).join(""))?.[1]);
  };
  return { ready, said, pid: child.pid ?? 0, awake, signal: (signal) => void child.kill(signal), ended };
}

async function end(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  // One that was stopped would not notice a request to end.
  child.kill("SIGKILL");
  await ended;
}

/** A database with the tables of DBOS, which take long to create, by server. */
const templates = new WeakMap<PostgresServer, Promise<string>>();

async function createTemplate(server: PostgresServer): Promise<string> {
  const databaseUrl = await server.newDatabase();
  await DBOS.migrate(databaseUrl);
  return databaseUrl;
}

/** A new database with a client, and a table in which each call of a tool leaves a row. */
export async function newRuns(server: PostgresServer, { isEmpty = false } = {}) {
  const template = templates.get(server) ?? createTemplate(server);
  templates.set(server, template);
  const databaseUrl = await server.newDatabase(isEmpty ? undefined : await template);
  await server.query(
    databaseUrl,
    "create table effects (key text, attempt int, pid int, at timestamptz default now())",
  );
  const client = createDbosClient({ databaseUrl });
  onTestFinished(() => client.close());
  const effects = async () => {
    const rows = await server.query(databaseUrl, "select key, count(*)::int as calls from effects group by key");
    return new Map(rows.map(({ key, calls }) => [key as string, calls as number]));
  };
  return { databaseUrl, client, effects };
}

/** The queue that workers and clients have by default. */
export async function openQueue(databaseUrl: string) {
  const queue = await openDbosQueue({ databaseUrl, queue: "runs", version: undefined });
  onTestFinished(() => queue.close());
  return queue;
}

/** The statuses of all workflows. */
export async function statusesIn(server: PostgresServer, databaseUrl: string): Promise<readonly unknown[]> {
  return (await server.query(databaseUrl, "select status from dbos.workflow_status")).map(({ status }) => status);
}
