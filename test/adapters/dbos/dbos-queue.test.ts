import { DBOSClient } from "@dbos-inc/dbos-sdk";
import { createDbosClient } from "planwright/dbos";
import { expect, it, onTestFinished, vi } from "vitest";
import { usePostgres } from "../postgres/postgres-server.ts";
import { newRuns, openQueue, statusesIn } from "./worker-processes.ts";

const server = usePostgres();

const work = { steps: [{ id: "s0", tool: "Work", input: {} }] };
const statusesOf = (databaseUrl: string) => statusesIn(server, databaseUrl);

it("a run is not woken while the database fails, and that is told", async () => {
  const { databaseUrl, client } = await newRuns(server);
  await client.submit(work, { runId: "r" });
  await server.query(databaseUrl, "update dbos.workflow_status set status = 'SUCCESS'");
  const queue = await openQueue(databaseUrl);
  await server.query(databaseUrl, "alter table dbos.streams rename to hidden");
  await expect(queue.wake("r")).rejects.toThrow("streams");
  await server.query(databaseUrl, "alter table dbos.hidden rename to streams");
  expect(await queue.wake("r")).toBe(true);
  expect(await statusesOf(databaseUrl)).toEqual(["ENQUEUED"]);
  // Once it is in the queue, to wake it does nothing, whoever is first.
  expect(await Promise.all([queue.wake("r"), queue.wake("r")])).toEqual([true, true]);
});

it("a run that others woke, and that has ended since, is woken again", async () => {
  const { databaseUrl, client } = await newRuns(server);
  await client.submit(work, { runId: "r" });
  const end = () => server.query(databaseUrl, "update dbos.workflow_status set status = 'SUCCESS'");
  await end();
  const queue = await openQueue(databaseUrl);
  const { rewindWorkflow } = DBOSClient.prototype;
  const rewind = vi.spyOn(DBOSClient.prototype, "rewindWorkflow");
  onTestFinished(() => rewind.mockRestore());
  rewind.mockImplementationOnce(async function (this: DBOSClient, ...given) {
    await rewindWorkflow.apply(this, given);
    return rewindWorkflow.apply(this, given).finally(end);
  });
  expect(await queue.wake("r")).toBe(true);
  expect(await statusesOf(databaseUrl)).toEqual(["ENQUEUED"]);
});

it("what wakes a run is deleted with it, and nothing else", async () => {
  const { databaseUrl, client } = await newRuns(server);
  const runIds = ["a_b", "a-b", "a_b2"];
  for (const runId of runIds) await client.submit(work, { runId });
  const queue = await openQueue(databaseUrl);
  for (const runId of runIds) await queue.wakeLater(runId, 60_000);
  await queue.deleteWith(async () => []);
  expect(await statusesOf(databaseUrl)).toHaveLength(6);
  await queue.deleteWith(async () => ["a_b"]);
  const rows = await server.query(databaseUrl, "select workflow_uuid as id from dbos.workflow_status");
  const left = rows.map(({ id }) => (id as string).replace(/later.*/, "later")).sort();
  expect(left).toEqual(["a-b", "a-b/later", "a_b2", "a_b2/later"]);
});

it("a run is to be woken once, at the earliest time, and what has woken it is removed", async () => {
  const { databaseUrl, client } = await newRuns(server);
  await client.submit(work, { runId: "r" });
  const queue = await openQueue(databaseUrl);
  for (const delayMs of [60_000, 60_000, 90_000, 1_000]) await queue.wakeLater("r", delayMs);
  expect(await statusesOf(databaseUrl)).toHaveLength(3);
  await server.query(
    databaseUrl,
    "update dbos.workflow_status set status = 'SUCCESS' where workflow_uuid like 'r/later/%'",
  );
  await queue.wakeLater("r", 1_000);
  expect(await statusesOf(databaseUrl)).toHaveLength(2);
});

it("a workflow that was left when another one took its place is ended", async () => {
  const { databaseUrl, client } = await newRuns(server);
  await client.submit(work, { runId: "r" });
  const set = (id: string, status: string) =>
    server.query(databaseUrl, `update dbos.workflow_status set status = '${status}' where workflow_uuid = '${id}'`);
  await set("r", "PENDING");
  const queue = await openQueue(databaseUrl);
  await queue.adopt(["r"], () => true);
  await set("r", "PENDING");
  await set("r/2", "SUCCESS");
  await queue.adopt(["r"], () => true);
  expect(await queue.taken()).toEqual([]);
  expect(await queue.find("r")).toMatchObject({ number: 2, state: "waiting", job: { adoptions: 1 } });
});

it("all runs that workers have taken are known, however many", async () => {
  const { databaseUrl, client } = await newRuns(server);
  await client.submit(work, { runId: "r" });
  await server.query(
    databaseUrl,
    `insert into dbos.workflow_status (workflow_uuid, status, name, queue_name)
     select 'r' || n, 'PENDING', name, queue_name from dbos.workflow_status, generate_series(1, 2500) as n`,
  );
  expect(new Set(await (await openQueue(databaseUrl)).taken()).size).toBe(2_500);
});

it("an id that another queue or workflow has is a conflict", async () => {
  const { databaseUrl, client } = await newRuns(server);
  const other = createDbosClient({ databaseUrl, queue: "other" });
  onTestFinished(() => other.close());
  await other.submit(work, { runId: "r" });
  await expect(client.submit(work, { runId: "r" })).rejects.toMatchObject({ code: "run-conflict" });
  await server.query(databaseUrl, "update dbos.workflow_status set name = 'order', queue_name = 'runs'");
  await expect(client.submit(work, { runId: "r" })).rejects.toMatchObject({ code: "run-conflict" });
});

it("what wakes a run is queued again, also if whoever did that died after it was cancelled", async () => {
  const { databaseUrl, client } = await newRuns(server);
  await client.submit(work, { runId: "r" });
  const queue = await openQueue(databaseUrl);
  await queue.wakeLater("r", 10);
  const task = "update dbos.workflow_status set status = 'CANCELLED' where workflow_uuid like 'r/later/%'";
  await server.query(databaseUrl, task);
  const left = await queue.takenTasks();
  expect(left).toEqual([expect.stringMatching(/^r\/later\//)]);
  await queue.restart(left);
  expect(await statusesOf(databaseUrl)).toEqual(["ENQUEUED", "ENQUEUED"]);
  expect(await queue.takenTasks()).toEqual([]);
});

it("a run is found however often it was adopted, and only from a worker that is dead", async () => {
  const { databaseUrl, client } = await newRuns(server);
  await client.submit(work, { runId: "r" });
  const queue = await openQueue(databaseUrl);
  const take = "update dbos.workflow_status set status = 'PENDING' where status = 'ENQUEUED'";
  for (let adoptions = 1; adoptions <= 20; adoptions++) {
    await server.query(databaseUrl, take);
    await queue.adopt(["r"], () => false);
    expect(await queue.find("r")).toMatchObject({ number: adoptions, state: "taken" });
    await queue.adopt(["r"], () => true);
    expect(await queue.find("r")).toMatchObject({ number: adoptions + 1, state: "waiting" });
  }
});
