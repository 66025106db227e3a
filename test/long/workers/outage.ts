import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { DbosClient } from "planwright/dbos";
import { expect, onTestFinished } from "vitest";
import { newRuns, type useWorkers } from "../../adapters/dbos/worker-processes.ts";
import { openStore, type PostgresServer } from "../../adapters/postgres/postgres-server.ts";
import { checkJournal, noneWrong, readLines } from "./check-journal.ts";
import { finishRun, patiently } from "./finish-run.ts";
import { mixedRuns } from "./mixed-runs.ts";

/** What an outage needs. */
interface Outage {
  readonly server: PostgresServer;
  readonly startWorker: ReturnType<typeof useWorkers>;
  readonly goneMs: number;
  readonly runCount: number;
}

/** Stops the server while workers execute runs, starts it after a while, and expects that all end as they should. */
export async function playOutage({ server, startWorker, goneMs, runCount }: Outage): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "planwright-outage-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const journalPath = join(folder, "journal");
  const { databaseUrl, client } = await newRuns(server);
  const workers = [1, 2].map(() => startWorker({ databaseUrl, journalPath, stepMs: 50, leaseMs: 2_000 }));
  await Promise.all(workers.map(({ ready }) => ready));
  const runs = mixedRuns(runCount);
  await client.submitAll(runs);
  const ids = runs.map(({ options }) => options.runId);
  const isCalled = async (key: string) => readLines(journalPath).some((line) => "key" in line && line.key === key);
  const finishing = Promise.all(ids.map((runId) => finishRun(client, runId, isCalled)));
  finishing.catch(() => {});
  const following = followToEnd(client, ids.at(-1) ?? "");
  following.catch(() => {});
  await expect.poll(() => readLines(journalPath).length, { interval: 20 }).toBeGreaterThan(runCount);
  const fromMs = Date.now();
  await server.stop();
  await sleep(goneMs);
  await server.start();
  const untilMs = Date.now();
  await finishing;

  const store = openStore(databaseUrl);
  const recorded = new Map(await Promise.all(ids.map(async (runId) => [runId, await store.read(runId)] as const)));
  const report = checkJournal(readLines(journalPath), recorded, { fromMs, untilMs });
  const endedMs = Date.now() - untilMs;
  console.log(`without a server for ${goneMs} ms, all ended ${endedMs} ms later: ${JSON.stringify(report)}`);
  expect(report).toMatchObject(noneWrong);
  expect(report.doubled).toBeLessThanOrEqual(report.inFlight);
  const followed = await following;
  const recordedNumbers = recorded.get(ids.at(-1) ?? "")?.map(({ sequence }) => sequence);
  expect(followed).toEqual(recordedNumbers);
}

/** Goes on after the last event whenever the server cannot be reached. */
async function followToEnd(client: DbosClient, runId: string): Promise<readonly number[]> {
  const numbers: number[] = [];
  const hasEnded = async () => {
    for await (const { sequence, type } of client.follow(runId, { after: numbers.at(-1) ?? 0 })) {
      numbers.push(sequence);
      if (type === "run-end") return true;
    }
    return false;
  };
  while ((await patiently(hasEnded)) !== true);
  return numbers;
}
