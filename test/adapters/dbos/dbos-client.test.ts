import { expect, it, onTestFinished } from "vitest";
import { createDbosClient } from "../../../src/adapters/dbos/dbos-client.ts";
import { createPostgresRunStore } from "../../../src/adapters/postgres/postgres-run-store.ts";
import { usePostgres } from "../postgres/postgres-server.ts";
import { newRuns, useWorkers } from "./worker-processes.ts";

const server = usePostgres();
const startWorker = useWorkers();

const work = { steps: [{ id: "s0", tool: "Work", input: {} }] };

it("a worker takes the runs of the lowest priority number first, and none before its time", {
  timeout: 90_000,
}, async () => {
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

it("each run has the resources that its worker makes for it", { timeout: 90_000 }, async () => {
  const { databaseUrl, client } = await newRuns(server);
  await startWorker({ databaseUrl }).ready;
  await client.submit(work, { runId: "one", metadata: { user: "ada" } });
  await client.submit(work, { runId: "two" });
  expect((await client.result("one")).output).toMatchObject({ user: "ada" });
  expect((await client.result("two")).output).toMatchObject({ user: "two" });
});

it("a schedule submits its request again and again, until it is ended", { timeout: 90_000 }, async () => {
  const { databaseUrl, client } = await newRuns(server);
  const store = createPostgresRunStore({ connectionString: databaseUrl });
  onTestFinished(() => store.close());
  await startWorker({ databaseUrl }).ready;
  await client.schedule("report", { cron: "* * * * * *", request: "Write the report" });
  const started = async () => (await store.list()).runs;
  await expect.poll(async () => (await started()).length, { timeout: 60_000 }).toBeGreaterThanOrEqual(2);
  await client.unschedule("report");
  const [last] = await started();
  expect(last?.runId).toMatch(/^report\./);
  expect(last?.request).toBe("Write the report");
});

it("misuse is refused before anything is queued", { timeout: 90_000 }, async () => {
  expect(() => createDbosClient({ databaseUrl: 5 as never })).toThrow(/databaseUrl/);
  const { client } = await newRuns(server);
  await expect(client.submit(work, { runId: "a b" })).rejects.toMatchObject({ code: "invalid-options" });
  await expect(client.submit(work, { startAfter: "soon" as never })).rejects.toMatchObject({ code: "invalid-options" });
  const twice = { steps: [...work.steps, ...work.steps] };
  await expect(client.submit(twice)).rejects.toMatchObject({ code: "invalid-plan" });
  await expect(client.cancel("none")).rejects.toMatchObject({ code: "run-not-found" });
});
