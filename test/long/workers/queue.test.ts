import { expect, it } from "vitest";
import { newRuns, useWorkers } from "../../adapters/dbos/worker-processes.ts";
import { usePostgres } from "../../adapters/postgres/postgres-server.ts";

const server = usePostgres();
const startWorker = useWorkers();

const runCount = Number(process.env.RUNS ?? 100_000);
const batch = 1_000;
const maxGrowthBytes = 20_000_000;

it(`${runCount} queued runs are drained with flat memory`, { timeout: 7_200_000 }, async () => {
  const { databaseUrl, client } = await newRuns(server);
  const run = { steps: [{ id: "a", tool: "Quick", input: {} }] };
  const startMs = performance.now();
  const seconds = () => Math.round((performance.now() - startMs) / 1_000);
  for (let from = 0; from < runCount; from += batch) {
    await client.submitAll(
      Array.from({ length: batch }, (_, index) => ({ run, options: { runId: `r${from + index}` } })),
    );
  }
  console.log(`${runCount} submitted in ${seconds()} s`);
  const workers = [1, 2].map(() => startWorker({ databaseUrl, concurrency: 20, leaseMs: 10_000 }));
  await Promise.all(workers.map(({ ready }) => ready));
  const heaps: number[] = [];
  for (const share of [0.1, 0.2, 0.5, 1]) {
    await expect
      .poll(() => countCompleted(databaseUrl), { timeout: 7_200_000, interval: 1_000 })
      .toBeGreaterThanOrEqual(share * runCount);
    const heap = Math.max(...(await Promise.all(workers.map(({ awake }) => awake()))));
    heaps.push(heap);
    console.log(`${share * runCount} done after ${seconds()} s: heap ${(heap / 1e6).toFixed(1)} MB`);
  }
  expect(await countCompleted(databaseUrl)).toBe(runCount);
  expect((heaps.at(-1) ?? 0) - (heaps[1] ?? 0)).toBeLessThan(maxGrowthBytes);
});

async function countCompleted(databaseUrl: string): Promise<number> {
  const text = "select count(*)::int as count from planwright_runs where status = 'completed'";
  const [row] = await server.query(databaseUrl, text);
  return Number(row?.count);
}
