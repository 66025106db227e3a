import { expect, it } from "vitest";
import { newRuns, useWorkers, type WorkerProcess } from "../../adapters/dbos/worker-processes.ts";
import { usePostgres } from "../../adapters/postgres/postgres-server.ts";

const server = usePostgres();
const startWorker = useWorkers();

const chain = (length: number) => ({
  steps: Array.from({ length }, (_, index) => ({ id: `s${index}`, tool: "Work", input: {} })),
});

const length = 20;

it("four processes do three times the work of one", async () => {
  const rates: number[] = [];
  for (const processes of [1, 2, 4]) {
    const { databaseUrl, client } = await newRuns(server);
    const workers = Array.from({ length: processes }, () => startWorker({ databaseUrl, stepMs: 500, leaseMs: 10_000 }));
    await Promise.all(workers.map(({ ready }) => ready));
    // As many as the workers execute at a time.
    const runs = Array.from({ length: 10 * processes }, (_, index) => ({
      run: chain(length),
      options: { runId: `r${index}` },
    }));
    const startMs = performance.now();
    await client.submitAll(runs);
    await Promise.all(runs.map(({ options }) => client.result(options.runId)));
    const rate = (runs.length * length * 1_000) / (performance.now() - startMs);
    rates.push(rate);
    console.log(`${processes} processes: ${rate.toFixed(1)} steps of 500 ms a second`);
    for (const worker of workers) await kill(worker);
  }
  expect(rates[2]).toBeGreaterThan(3 * (rates[0] ?? 0));
});

it("the runs of a worker that was killed continue within its lease and 1.5 s", async () => {
  const leaseMs = 1_000;
  for (let round = 1; round <= 3; round++) {
    const { databaseUrl, client } = await newRuns(server);
    const start = () => startWorker({ databaseUrl, leaseMs, stepMs: 300 });
    const first = start();
    await first.ready;
    await client.submitAll(
      Array.from({ length: 10 }, (_, index) => ({ run: chain(30), options: { runId: `r${index}` } })),
    );
    const text = "select key, pid, at from effects order by at";
    const calls = () => server.query(databaseUrl, text);
    await expect
      .poll(async () => (await calls()).filter(({ pid }) => pid === first.pid).length, { timeout: 30_000 })
      .toBeGreaterThan(20);
    // It finds no run that it could take.
    const second = start();
    await second.ready;
    await kill(first);
    const killedMs = Date.now();
    const runOf = ({ key }: Record<string, unknown>) => String(key).split("/")[0];
    const left = new Set((await calls()).filter(({ pid }) => pid === first.pid).map(runOf));
    const adopted = async () =>
      (await calls()).filter(({ pid, key }) => pid === second.pid && left.has(runOf({ key })));
    await expect.poll(async () => new Set((await adopted()).map(runOf)).size, { timeout: 30_000 }).toBe(left.size);
    const firstCalls = new Map((await adopted()).reverse().map((row) => [runOf(row), (row.at as Date).getTime()]));
    const ms = [...firstCalls.values()].map((atMs) => atMs - killedMs);
    console.log(`adoption ${round}: ${left.size} runs after ${Math.min(...ms)} to ${Math.max(...ms)} ms`);
    expect(Math.max(...ms)).toBeLessThan(leaseMs + 5_000);
  }
});

async function kill(worker: WorkerProcess): Promise<void> {
  worker.signal("SIGKILL");
  await worker.ended;
}
