import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { usePostgres } from "../postgres/postgres-server.ts";
import { newRuns, useWorkers } from "./worker-processes.ts";

const server = usePostgres();
const startWorker = useWorkers();

const plan = {
  steps: [
    { id: "w", wait: { event: "go" } },
    { id: "s", tool: "Rare", input: {} },
  ],
};

it("a run whose tool no worker has says so, once, and continues when one has it", async () => {
  const { databaseUrl, client, effects } = await newRuns(server);
  const first = startWorker({ databaseUrl });
  await first.ready;
  await client.submit(plan, { runId: "r" });
  expect(await client.result("r")).toMatchObject({ pending: [{ kind: "wait" }] });
  first.signal("SIGTERM");
  await first.ended;
  const older = startWorker({ databaseUrl, tools: ["Work"] });
  await older.ready;
  await client.deliver("r", "go", 1, { id: "1" });
  const isHeld = async () => (await client.listRuns({ pending: "mismatch" })).runs.map(({ runId }) => runId);
  await expect.poll(isHeld, { timeout: 30_000 }).toEqual(["r"]);
  const held = await client.getRun("r");
  expect(held).toMatchObject({
    status: "suspended",
    pending: [{ kind: "mismatch", reason: expect.stringContaining('this agent has no tool "Rare"') }],
  });
  // Nobody comes back to it, unless somebody asks; and it is told once.
  await client.resume("r");
  await sleep(3_000);
  expect((await client.getRun("r"))?.updatedAt).toBe(held?.updatedAt);
  expect(older.said.join("").match(/run-postponed/g)).toHaveLength(1);
  await startWorker({ databaseUrl }).ready;
  await expect.poll(async () => (await client.getRun("r"))?.status).toBe("completed");
  expect(await effects()).toEqual(new Map([["r/s", 1]]));
});

it("a run that does not fit is cancelled by a client", async () => {
  const { databaseUrl, client } = await newRuns(server);
  const first = startWorker({ databaseUrl });
  await first.ready;
  await client.submit(plan, { runId: "r" });
  await client.result("r");
  first.signal("SIGTERM");
  await first.ended;
  await startWorker({ databaseUrl, tools: ["Work"] }).ready;
  await client.deliver("r", "go", 1, { id: "1" });
  await expect.poll(async () => (await client.getRun("r"))?.pending?.[0]?.kind).toBe("mismatch");
  await client.cancel("r", "enough");
  expect(await client.result("r")).toMatchObject({ status: "cancelled", error: { details: { reason: "enough" } } });
});

it("a run that could never start says so, and starts when a worker has its tool", async () => {
  const { databaseUrl, client, effects } = await newRuns(server);
  const older = startWorker({ databaseUrl, tools: ["Work"] });
  await older.ready;
  await client.submit(plan, { runId: "r", metadata: { user: "ada" } });
  const listHeld = async () => (await client.listRuns({ pending: "mismatch", metadata: { user: "ada" } })).runs;
  await expect.poll(async () => (await listHeld()).map(({ runId }) => runId), { timeout: 30_000 }).toEqual(["r"]);
  const held = await client.getRun("r");
  expect(held).toMatchObject({
    status: "suspended",
    pending: [
      { kind: "mismatch", reason: "the worker lacks Rare", differences: [{ tool: "Rare" }], isUnstarted: true },
    ],
    steps: [],
  });
  // What comes meanwhile is kept.
  await client.deliver("r", "go", 1, { id: "1" });
  await client.resume("r");
  await sleep(3_000);
  expect((await client.getRun("r"))?.updatedAt).toBe(held?.updatedAt);
  expect(older.said.join("").match(/run-postponed/g)).toHaveLength(1);
  older.signal("SIGTERM");
  await older.ended;
  const following = client.follow("r");
  await startWorker({ databaseUrl }).ready;
  expect(await client.result("r")).toMatchObject({ status: "completed", metadata: { user: "ada" }, plan });
  const types: string[] = [];
  for await (const { type } of following) types.push(type);
  expect(types.slice(0, 3)).toEqual(["run-start", "run-suspend", "run-start"]);
  expect(await effects()).toEqual(new Map([["r/s", 1]]));
});

it("a run that could never start is refused if it does not fit the tools that come, or cancelled", async () => {
  const { databaseUrl, client } = await newRuns(server);
  const older = startWorker({ databaseUrl, tools: ["Work"] });
  await older.ready;
  const wrong = { steps: [{ id: "s", tool: "Rare", input: { n: "x" } }] } as never;
  await client.submit(wrong, { runId: "wrong" });
  await client.submit(plan, { runId: "unwanted" });
  const isHeld = async () => (await client.listRuns({ pending: "mismatch" })).runs.length;
  await expect.poll(isHeld, { timeout: 30_000 }).toBe(2);
  older.signal("SIGTERM");
  await older.ended;
  // It needs no worker.
  await client.cancel("unwanted", "enough");
  expect(await client.result("unwanted")).toMatchObject({
    status: "cancelled",
    error: { details: { reason: "enough" } },
  });
  await startWorker({ databaseUrl }).ready;
  expect(await client.result("wrong")).toMatchObject({ status: "failed", error: { code: "invalid-plan" } });
});

it("a run with which workers die before they have recorded anything is given up, until somebody resumes it", async () => {
  const { databaseUrl, client, effects } = await newRuns(server);
  const work = { steps: [{ id: "s", tool: "Work", input: {} }] };
  await client.submit(work, { runId: "r", metadata: { user: "deadly" } });
  const isGivenUp = async () => (await client.listRuns({ pending: "given-up" })).runs.map(({ runId }) => runId);
  const dieAndGiveUp = async () => {
    for (let deaths = 0; deaths < 2; deaths++) await startWorker({ databaseUrl, maxAdoptions: 1 }).ended;
    const last = startWorker({ databaseUrl, maxAdoptions: 1 });
    await expect.poll(isGivenUp, { timeout: 30_000 }).toEqual(["r"]);
    return last;
  };
  const last = await dieAndGiveUp();
  expect(await client.result("r")).toMatchObject({ pending: [{ kind: "given-up", deaths: 2, isUnstarted: true }] });
  await client.resume("r");
  await last.ended;
  const after = startWorker({ databaseUrl, maxAdoptions: 1 });
  await after.ended;
  // Given up as it was: nothing has changed.
  const other = startWorker({ databaseUrl, maxAdoptions: 1 });
  await other.ready;
  await client.submit(work, { runId: "other" });
  expect(await client.result("other")).toMatchObject({ status: "completed" });
  await sleep(3_000);
  expect(await isGivenUp()).toEqual(["r"]);
  expect(await effects()).toEqual(new Map([["other/s", 1]]));
});

it("a run whose resources cannot be made is put back, and starts once they can", async () => {
  const { databaseUrl, client, effects } = await newRuns(server);
  const broken = startWorker({ databaseUrl, maxAdoptions: 1, resourcesFail: true });
  await broken.ready;
  await client.submit({ steps: [{ id: "s", tool: "Work", input: {} }] }, { runId: "r", metadata: { user: "ada" } });
  await expect
    .poll(() => broken.said.join(""))
    .toMatch(/run-postponed.*creating the resources failed: Error: no connection/);
  // Long enough for others to adopt it, if its worker were dead.
  await sleep(5_000);
  expect((await client.listRuns({ pending: ["given-up", "mismatch"] })).runs).toEqual([]);
  broken.signal("SIGTERM");
  await broken.ended;
  await startWorker({ databaseUrl, maxAdoptions: 1 }).ready;
  expect(await client.result("r")).toMatchObject({ status: "completed" });
  expect(await effects()).toEqual(new Map([["r/s", 1]]));
  const wakes = await server.query(
    databaseUrl,
    "select from dbos.workflow_status where workflow_uuid like 'r/later/%'",
  );
  expect(wakes.length).toBeLessThan(4);
});
