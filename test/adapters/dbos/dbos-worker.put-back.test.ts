import { setTimeout as sleep } from "node:timers/promises";
import { createAgent } from "planwright";
import { startDbosWorker } from "planwright/dbos";
import { createPostgresRunStore } from "planwright/postgres";
import { createFakeTool } from "planwright/testing";
import { expect, it, onTestFinished } from "vitest";
import { usePostgres } from "../postgres/postgres-server.ts";
import { newRuns, openQueue, statusesIn, useWorkers } from "./worker-processes.ts";

const server = usePostgres();
const startWorker = useWorkers();

const work = { steps: [{ id: "s0", tool: "Work", input: {} }] };
const statusesOf = (databaseUrl: string) => statusesIn(server, databaseUrl);

it("a run that a worker has when it is to be woken is woken later again", async () => {
  const { databaseUrl, client } = await newRuns(server);
  await client.submit(work, { runId: "r" });
  await server.query(databaseUrl, "update dbos.workflow_status set status = 'PENDING', executor_id = 'slow'");
  const queue = await openQueue(databaseUrl);
  expect(await queue.wake("r")).toBe(false);
  await queue.wakeLater("r", 10);
  await startWorker({ databaseUrl }).ready;
  const wakes = () =>
    server.query(databaseUrl, "select from dbos.workflow_status where workflow_uuid like 'r/later/%'");
  await expect.poll(async () => (await wakes()).length).toBeGreaterThan(1);
  // Its worker books at last that it was put back.
  await server.query(databaseUrl, "update dbos.workflow_status set status = 'SUCCESS' where workflow_uuid = 'r'");
  expect(await client.result("r")).toMatchObject({ status: "completed" });
});

it("a run is started that a worker had claimed when it died, with nothing recorded", async () => {
  const { databaseUrl, client, effects } = await newRuns(server);
  const store = createPostgresRunStore({ connectionString: databaseUrl });
  onTestFinished(() => store.close());
  await client.submit(work, { runId: "r" });
  await store.claim("r", { owner: "dead", ttlMs: 8_000 });
  // Time enough to give up a run that is adopted again and again.
  await startWorker({ databaseUrl, maxAdoptions: 1 }).ready;
  expect(await client.result("r")).toMatchObject({ status: "completed" });
  expect(await effects()).toEqual(new Map([["r/s0", 1]]));
});

it("a worker in this process works until it is stopped rightly", async () => {
  const { databaseUrl, client } = await newRuns(server);
  const store = createPostgresRunStore({ connectionString: databaseUrl });
  onTestFinished(() => store.close());
  const agent = createAgent({ tools: [createFakeTool({ name: "Work" })], store });
  const worker = await startDbosWorker(agent, { databaseUrl });
  await expect(worker.stop({ timeoutMs: -1 })).rejects.toMatchObject({ code: "invalid-options" });
  await client.submit(work, { runId: "r" });
  expect(await client.result("r")).toMatchObject({ status: "completed" });
  await worker.stop();
  await worker.stop();
  await client.submit(work, { runId: "later" });
  expect(await statusesOf(databaseUrl)).toContain("ENQUEUED");
});

it("a worker that stops leaves what it has taken to others, none of it as if it had died", async () => {
  const { databaseUrl, client, effects } = await newRuns(server);
  const first = startWorker({ databaseUrl, stepMs: 1_500, concurrency: 2 });
  await first.ready;
  const list = Array.from({ length: 10 }, (_, index) => ({ run: work, options: { runId: `r${index}` } }));
  const called = (count: number) => expect.poll(async () => (await effects()).size).toBeGreaterThanOrEqual(count);
  // The second starts later, so that there is room for a third while the worker waits for it.
  await client.submit(work, { runId: "r0" });
  await called(1);
  await sleep(500);
  await client.submitAll(list);
  await called(2);
  first.signal("SIGTERM");
  expect(await first.ended).toBe(0);
  expect(await statusesOf(databaseUrl)).not.toContain("PENDING");
  await startWorker({ databaseUrl }).ready;
  for (const { options } of list) expect(await client.result(options.runId)).toMatchObject({ status: "completed" });
  expect([...(await effects()).values()]).toEqual(Array(10).fill(1));
  const adopted = "select from dbos.workflow_status where workflow_uuid ~ '/2$'";
  expect(await server.query(databaseUrl, adopted)).toEqual([]);
});
