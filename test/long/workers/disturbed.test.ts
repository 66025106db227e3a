import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import type { WorkerChildOptions } from "../../adapters/dbos/worker-child.ts";
import { newRuns, useWorkers, type WorkerProcess } from "../../adapters/dbos/worker-processes.ts";
import { isPgBouncerInstalled, startPgBouncer } from "../../adapters/postgres/pgbouncer.ts";
import { openStore, usePostgres } from "../../adapters/postgres/postgres-server.ts";
import { seededRandom } from "../../kills/seeded-random.ts";
import { checkJournal, type Disturbed, noneWrong, readLines } from "./check-journal.ts";
import { finishRun } from "./finish-run.ts";
import { mixedRuns } from "./mixed-runs.ts";

const server = usePostgres();
const startWorker = useWorkers();

const leaseMs = 2_000;
const runsPerRound = 200;
const kinds = ["SIGKILL", "SIGSTOP", "restart", "busy", "skewed", "pooled", "deploy"] as const;
type Kind = (typeof kinds)[number];

const rounds = Array.from({ length: 25 }, (_, index) => ({
  round: index + 1,
  kind: kinds[index % kinds.length] as Kind,
}));

/** How the workers of a round differ from others. */
async function workerOptions(kind: Kind, databaseUrl: string): Promise<readonly Partial<WorkerChildOptions>[]> {
  if (kind === "skewed") return [{ clockOffMs: 3_600_000 }, { clockOffMs: -3_600_000 }];
  if (kind !== "pooled" || !isPgBouncerInstalled) return [{}, {}];
  const pooledUrl = databaseUrl.replace(/:\d+\//, `:${await startPgBouncer(server.port, 10)}/`);
  return [{ pooledUrl }, { pooledUrl }];
}

/** Disturbs the workers; `start` starts another one, and is given what is different about it. */
async function disturb(
  kind: Kind,
  workers: readonly WorkerProcess[],
  start: (different?: Partial<WorkerChildOptions>) => WorkerProcess,
): Promise<Disturbed> {
  const fromMs = Date.now();
  const [victim, other] = workers as readonly [WorkerProcess, WorkerProcess];
  switch (kind) {
    case "restart":
      await server.crash();
      await server.start();
      return { fromMs, untilMs: Date.now() };
    case "SIGSTOP":
      // Until others have taken its runs: after the lease, or once the server has ended a transaction that it was stopped in.
      victim.signal("SIGSTOP");
      await sleep(3 * leaseMs);
      victim.signal("SIGCONT");
      await victim.awake();
      // One that wakes up executes what nobody has taken from it yet, and others may take it meanwhile.
      return { pid: victim.pid, fromMs, untilMs: Date.now() };
    case "busy":
      // More often than a run may be adopted.
      for (let count = 0; count < 3 * maxAdoptions; count++) {
        for (const worker of workers) worker.signal("SIGHUP");
        await sleep(700);
      }
      // Nothing may run twice: none of them has lost its lease.
      return { pid: 0, fromMs, untilMs: Date.now() };
    case "deploy": {
      const changed = start({ isChanged: true });
      await changed.ready;
      for (const worker of workers) worker.signal("SIGTERM");
      await Promise.all([victim.ended, other.ended]);
      await sleep(2 * leaseMs);
      changed.signal("SIGTERM");
      await changed.ended;
      await start().ready;
      return { fromMs, untilMs: Date.now(), isByOtherTools: true };
    }
    default:
      victim.signal("SIGKILL");
      await victim.ended;
      await start().ready;
      // By clocks that are wrong nobody can tell when a step was in flight.
      if (kind === "skewed") return { pid: victim.pid, fromMs: 0, untilMs: Number.POSITIVE_INFINITY };
      return { pid: victim.pid, fromMs, untilMs: Date.now() };
  }
}

const maxAdoptions = 3;

it.each(rounds)(`round $round: ${runsPerRound} runs end as they should, in spite of $kind`, async ({ round, kind }) => {
  const random = seededRandom(round);
  const folder = mkdtempSync(join(tmpdir(), "planwright-workers-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const journalPath = join(folder, "journal");
  const { databaseUrl, client } = await newRuns(server);
  const runs = mixedRuns(runsPerRound);
  const start = (different: Partial<WorkerChildOptions> = {}) =>
    startWorker({ databaseUrl, journalPath, leaseMs, maxAdoptions, stepMs: 100, ...different });
  const workers = (await workerOptions(kind, databaseUrl)).map(start);
  await Promise.all(workers.map(({ ready }) => ready));
  await client.submitAll(runs);

  let settle = () => {};
  // Whether a step that must run once took effect is known when no process can call it any more.
  const isKnown = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const finishing = Promise.all(
    runs.map(({ options: { runId } }) =>
      finishRun(client, runId, async (key) => {
        await isKnown;
        return readLines(journalPath).some((line) => "key" in line && line.key === key);
      }),
    ),
  );
  finishing.catch(() => {});
  const lines = 100 + Math.floor(random() * 700);
  await expect.poll(() => readLines(journalPath).length, { timeout: 120_000, interval: 20 }).toBeGreaterThan(lines);
  const disturbed = await disturb(kind, round % 2 === 0 ? workers : workers.toReversed(), start);
  settle();
  await finishing;

  const store = openStore(databaseUrl);
  const ids = runs.map(({ options }) => options.runId);
  const recorded = new Map(await Promise.all(ids.map(async (runId) => [runId, await store.read(runId)] as const)));
  const report = checkJournal(readLines(journalPath), recorded, disturbed);
  console.log(`round ${round}, ${kind} after ${lines} lines: ${JSON.stringify(report)}`);
  expect(report).toMatchObject(noneWrong);
  expect(report.doubled).toBeLessThanOrEqual(report.inFlight);
  expect(workers.flatMap(({ said }) => said).join("")).not.toContain("given up");
});
