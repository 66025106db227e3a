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
    pending: [{ kind: "mismatch", reason: expect.stringContaining('no tool "Rare"') }],
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
