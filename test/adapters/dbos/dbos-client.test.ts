import { createDbosClient } from "planwright/dbos";
import { createPostgresRunStore } from "planwright/postgres";
import { expect, it, onTestFinished } from "vitest";
import { freePort } from "../postgres/embedded-server.mjs";
import { usePostgres } from "../postgres/postgres-server.ts";
import { newRuns, useWorkers } from "./worker-processes.ts";

const server = usePostgres();
const startWorker = useWorkers();

const work = { steps: [{ id: "s0", tool: "Work", input: {} }] };

it("a worker takes the runs of the lowest priority number first, and none before its time", async () => {
  const { databaseUrl, client } = await newRuns(server);
  const startAfter = new Date(Date.now() + 1_000);
  await client.submit(work, { runId: "later", startAfter });
  for (const [runId, priority] of Object.entries({ third: 3, first: 1, second: 2 }))
    await client.submit(work, { runId, priority });
  await startWorker({ databaseUrl, concurrency: 1 }).ready;
  await Promise.all(["first", "second", "third", "later"].map((runId) => client.result(runId)));
  const rows = await server.query(databaseUrl, "select key, at from effects order by at");
  const order = rows.map(({ key }) => key).filter((key) => key !== "later/s0");
  expect(order).toEqual(["first/s0", "second/s0", "third/s0"]);
  const later = rows.find(({ key }) => key === "later/s0")?.at;
  expect((later as Date).getTime()).toBeGreaterThanOrEqual(startAfter.getTime());
});

it("no more runs with one rate key are taken in any window than the limit says, whichever worker takes them", async () => {
  const { databaseUrl, client } = await newRuns(server);
  const rateLimit = { limit: 2, intervalMs: 1_200 };
  const keys = ["ada", "ada", "ada", "ada", "ada", "bob", "bob"];
  for (const [index, rateKey] of keys.entries()) await client.submit(work, { runId: `r${index}`, rateKey });
  await client.submit(work, { runId: "free" });
  const workers = [startWorker({ databaseUrl, rateLimit }), startWorker({ databaseUrl, rateLimit })];
  await Promise.all(workers.map(({ ready }) => ready));
  for (const runId of [...keys.map((_key, index) => `r${index}`), "free"])
    expect(await client.result(runId)).toMatchObject({ status: "completed" });
  const rows = await server.query(
    databaseUrl,
    `select workflow_uuid as id, started_at_epoch_ms as at from dbos.workflow_status
     where queue_partition_key = 'ada' order by started_at_epoch_ms, workflow_uuid`,
  );
  expect(rows.map(({ id }) => id)).toEqual(["r0", "r1", "r2", "r3", "r4"]);
  for (const [index, { at }] of rows.entries()) {
    const later = rows[index + rateLimit.limit]?.at ?? Number.POSITIVE_INFINITY;
    expect(Number(later) - Number(at)).toBeGreaterThanOrEqual(rateLimit.intervalMs);
  }
});

it("runs with a rate key are taken by workers without a limit, too, and out of the queue", async () => {
  const { databaseUrl, client } = await newRuns(server);
  await client.submit(work, { runId: "cancelled", rateKey: "ada" });
  await client.cancel("cancelled");
  await startWorker({ databaseUrl }).ready;
  await client.submit({ steps: [{ id: "s0", tool: "Ask", input: {} }] }, { runId: "asks", rateKey: "ada" });
  const { pending = [] } = await client.result("asks");
  await client.approve("asks", pending[0] as never);
  expect(await client.result("asks")).toMatchObject({ status: "completed" });
  expect(await client.result("cancelled")).toMatchObject({ status: "cancelled" });
});

it("each run has the resources that its worker makes for it", async () => {
  const { databaseUrl, client } = await newRuns(server);
  await startWorker({ databaseUrl }).ready;
  await client.submit(work, { runId: "one", metadata: { user: "ada" } });
  await client.submit(work, { runId: "two" });
  expect((await client.result("one")).output).toMatchObject({ user: "ada" });
  expect((await client.result("two")).output).toMatchObject({ user: "two" });
});

it("a schedule submits its request again and again, until it is ended", async () => {
  const { databaseUrl, client } = await newRuns(server);
  const store = createPostgresRunStore({ connectionString: databaseUrl });
  onTestFinished(() => store.close());
  // What DBOS is told at first: later it writes down which version has taken a run.
  await server.query(
    databaseUrl,
    `create table queued (id text, version text);
     create function note() returns trigger language plpgsql as
       $$ begin insert into queued values (new.workflow_uuid, new.application_version); return new; end $$;
     create trigger note before insert on dbos.workflow_status for each row execute function note()`,
  );
  await startWorker({ databaseUrl, version: "1" }).ready;
  await client.schedule("report", { cron: "* * * * * *", request: "Write the report" });
  const started = async () => (await store.list()).runs;
  await expect.poll(async () => (await started()).length).toBeGreaterThanOrEqual(2);
  await client.unschedule("report");
  const [last] = await started();
  expect(last?.runId).toMatch(/^report\./);
  expect(last?.request).toBe("Write the report");
  // They are for the latest version: the workers of the one that submitted them may be gone by then.
  const versions = await server.query(databaseUrl, "select distinct version from queued where id like 'report.%'");
  expect(versions).toEqual([{ version: null }]);
});

it("misuse is refused before anything is queued", async () => {
  expect(() => createDbosClient({ databaseUrl: 5 as never })).toThrow(/databaseUrl/);
  const { client } = await newRuns(server);
  await expect(client.submit(work, { runId: "a b" })).rejects.toMatchObject({ code: "invalid-options" });
  await expect(client.submit(work, { startAfter: "soon" as never })).rejects.toMatchObject({ code: "invalid-options" });
  await expect(client.submit(work, { rateKey: "" })).rejects.toMatchObject({ code: "invalid-options" });
  const backwards = { steps: [{ id: "a", tool: "Work", input: { n: { $ref: "b.n" } }, dependsOn: ["b"] }] };
  await expect(client.submit(backwards)).rejects.toMatchObject({ code: "invalid-plan" });
  const twice = { steps: [...work.steps, ...work.steps] };
  await expect(client.submit(twice)).rejects.toMatchObject({ code: "invalid-plan" });
  await expect(client.cancel("none")).rejects.toMatchObject({ code: "run-not-found" });
  const schedule = { cron: "0 8 * * *", request: "Write the report" };
  for (const [name, change] of [
    ["a b", {}],
    ["", {}],
    ["a", { request: " " }],
    ["a", { cron: "" }],
    ["a", { every: "day" }],
  ] as const) {
    await expect(client.schedule(name, { ...schedule, ...change })).rejects.toMatchObject({ code: "invalid-options" });
  }
});

it("a client can be closed while it cannot reach the database", async () => {
  const client = createDbosClient({ databaseUrl: `postgres://postgres:secret@127.0.0.1:${await freePort()}/none` });
  const submitting = expect(client.submit(work)).rejects.toThrow(/ECONNREFUSED/);
  await client.close();
  await submitting;
});
