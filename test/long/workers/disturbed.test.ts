import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { newRuns, useWorkers, type WorkerProcess } from "../../adapters/dbos/worker-processes.ts";
import { openStore, usePostgres } from "../../adapters/postgres/postgres-server.ts";
import { seededRandom } from "../../kills/seeded-random.ts";
import { checkJournal, type Disturbed, noneWrong, readLines } from "./check-journal.ts";
import { finishRun } from "./finish-run.ts";
import { mixedRuns } from "./mixed-runs.ts";

const server = usePostgres();
const startWorker = useWorkers();

const leaseMs = 2_000;
const runsPerRound = 200;
const kinds = ["SIGKILL", "SIGSTOP", "restart"] as const;

const rounds = Array.from({ length: 25 }, (_, index) => ({ round: index + 1, kind: kinds[index % kinds.length] }));

async function disturb(kind: (typeof kinds)[number], victim: WorkerProcess): Promise<Disturbed> {
  const fromMs = Date.now();
  if (kind === "restart") {
    await server.crash();
    await server.start();
    return { fromMs, untilMs: Date.now() };
  }
  victim.signal(kind);
  if (kind === "SIGKILL") await victim.ended;
  if (kind === "SIGSTOP") {
    // Until others have taken its runs: after the lease, or once the server has ended a transaction that it was stopped in.
    await sleep(3 * leaseMs);
    victim.signal("SIGCONT");
    await victim.awake();
  }
  // One that wakes up executes what nobody has taken from it yet, and others may take it meanwhile.
  return { pid: victim.pid, fromMs, untilMs: Date.now() };
}

it.each(rounds)(`round $round: ${runsPerRound} runs end as they should, in spite of $kind`, async ({ round, kind }) => {
  const random = seededRandom(round);
  const folder = mkdtempSync(join(tmpdir(), "planwright-workers-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const journalPath = join(folder, "journal");
  const { databaseUrl, client } = await newRuns(server);
  const runs = mixedRuns(runsPerRound);
  const start = () => startWorker({ databaseUrl, journalPath, leaseMs, stepMs: 100 });
  const workers = [start(), start()] as const;
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
  const disturbed = await disturb(kind ?? "SIGKILL", workers[round % 2] ?? workers[0]);
  if (kind === "SIGKILL") await start().ready;
  settle();
  await finishing;

  const store = openStore(databaseUrl);
  const ids = runs.map(({ options }) => options.runId);
  const recorded = new Map(await Promise.all(ids.map(async (runId) => [runId, await store.read(runId)] as const)));
  const report = checkJournal(readLines(journalPath), recorded, disturbed);
  console.log(`round ${round}, ${kind} after ${lines} lines: ${JSON.stringify(report)}`);
  expect(report).toMatchObject(noneWrong);
  expect(report.doubled).toBeLessThanOrEqual(report.inFlight);
});
