import { createAgent, defineTool } from "planwright";
import { createDbosClient, type DbosWorkerOptions, startDbosWorker } from "planwright/dbos";
import { createPostgresRunStore } from "planwright/postgres";
import { expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod/v4";
import { keyOf } from "../../scenario/secret-tools.ts";
import { usePostgres } from "../postgres/postgres-server.ts";
import { newRuns, openQueue } from "./worker-processes.ts";

const server = usePostgres();
const secrets = { keys: [keyOf("k1")] };

/** An agent whose tools note their calls; the worker of it runs in this process, one at a time. */
async function newAgent() {
  const { databaseUrl, client } = await newRuns(server);
  const store = createPostgresRunStore({ connectionString: databaseUrl });
  onTestFinished(() => store.close());
  const calls: string[] = [];
  const fault = { isOn: false };
  const toolOf = (name: string, more: object = {}) =>
    defineTool({
      name,
      description: name,
      inputSchema: z.object({ text: z.string().default("") }),
      effect: "idempotent",
      retry: { maxAttempts: 1 },
      ...more,
      execute({ text }, { metadata }) {
        calls.push(name);
        if (name === "Break" && fault.isOn) throw new Error("broken");
        return { text, metadata };
      },
    });
  const agentOf = () =>
    createAgent({
      tools: [toolOf("Work"), toolOf("Break"), toolOf("Ask", { needsApproval: true })],
      store,
      secrets,
      leaseMs: 2_000,
    });
  const agent = agentOf();
  const start = async (options: Partial<DbosWorkerOptions> = {}) => {
    const worker = await startDbosWorker(agent, { databaseUrl, onWarning: () => {}, ...options });
    onTestFinished(() => worker.stop({ timeoutMs: 100 }));
    return worker;
  };
  /** The tables that have a text somewhere. */
  const tablesWith = async (text: string) => {
    const tables = await server.query(
      databaseUrl,
      "select schemaname || '.' || tablename as name from pg_tables where schemaname in ('dbos', 'public')",
    );
    const found: unknown[] = [];
    for (const { name } of tables) {
      const rows = await server.query(databaseUrl, `select from ${name} t where strpos(t::text, $1) > 0`, [text]);
      if (rows.length > 0) found.push(name);
    }
    return found;
  };
  return { databaseUrl, client, store, agent, agentOf, start, calls, fault, tablesWith };
}

/** Deletes a run once the worker that executed it has released it. */
const whenFree = (remove: () => Promise<unknown>) => vi.waitFor(remove, 10_000);

const step = (tool: string, id = "s", text = "") => ({ id, tool, input: { text } });

it("a run that failed continues with its step that failed, once somebody asks for that", async () => {
  const { client, start, calls, fault } = await newAgent();
  fault.isOn = true;
  await client.submit({ steps: [step("Work", "a"), step("Break", "b")] }, { runId: "r", rateKey: "ada" });
  await start();
  expect(await client.result("r")).toMatchObject({ status: "failed" });
  await client.resume("r");
  expect(await client.result("r")).toMatchObject({ status: "failed" });
  fault.isOn = false;
  await client.resume("r");
  expect(await client.result("r")).toMatchObject({ status: "completed" });
  expect(calls).toEqual(["Work", "Break", "Break", "Break"]);
  await client.resume("r");
  expect(await client.result("r")).toMatchObject({ status: "completed" });
  await expect(client.resume("none")).rejects.toMatchObject({ code: "run-not-found" });
  expect((await client.listRuns({ status: "completed" })).runs).toMatchObject([{ runId: "r" }]);
  expect(await client.getRun("none")).toBeUndefined();
});

it("the queue says how many wait, and how long the oldest has", async () => {
  const { client, start } = await newAgent();
  expect(await client.queue()).toEqual({ waiting: 0, oldestMs: 0 });
  await client.submit({ steps: [step("Work")] }, { runId: "a" });
  await client.submit({ steps: [step("Work")] }, { runId: "b", rateKey: "ada" });
  await client.submit({ steps: [step("Work")] }, { runId: "later", startAfter: new Date(Date.now() + 3_600_000) });
  await expect.poll(() => client.queue()).toMatchObject({ waiting: 2, oldestMs: expect.any(Number) });
  await expect.poll(async () => (await client.queue()).oldestMs).toBeGreaterThan(0);
  await start();
  for (const runId of ["a", "b"]) await client.result(runId);
  expect(await client.queue()).toEqual({ waiting: 0, oldestMs: 0 });
});

it("a client with keys seals what it submits, and other clients need none to decide about it", async () => {
  const { databaseUrl, client: plain, start, tablesWith } = await newAgent();
  const client = createDbosClient({ databaseUrl, secrets });
  onTestFinished(() => client.close());
  const plan = { steps: [step("Ask", "s", "PRIVATE-1")] };
  const options = { metadata: { user: "PRIVATE-1" } };
  for (const runId of ["run", "cancelled"]) await client.submit(plan, { runId, ...options });
  await client.submit(plan, { runId: "run", ...options });
  const other = { steps: [step("Ask", "s", "PRIVATE-2")] };
  await expect(client.submit(other, { runId: "run" })).rejects.toMatchObject({ code: "run-conflict" });
  await expect(plain.submit(plan, { runId: "run" })).rejects.toMatchObject({ code: "secret-unreadable" });
  await client.schedule("often", { cron: "0 0 1 1 *", plan, metadata: options.metadata });
  await plain.cancel("cancelled", "enough");
  expect(await plain.result("cancelled")).toMatchObject({
    status: "cancelled",
    error: { details: { reason: "enough" } },
  });
  expect(await tablesWith("PRIVATE-1")).toEqual([]);
  await start();
  const { pending = [] } = await plain.result("run");
  await plain.approve("run", pending[0] as never);
  expect(await plain.result("run")).toMatchObject({ status: "completed", output: { text: "PRIVATE-1" } });
});

it.each(["deleteRun", "prune"] as const)(
  "%s of a client, and of a worker's agent, leaves nothing behind",
  async (verb) => {
    const { client, agent, start, tablesWith } = await newAgent();
    await start();
    for (const by of [client, agent]) {
      const submit = (runId: string) => client.submit({ steps: [step("Work", "s", "PRIVATE-1")] }, { runId });
      await submit("r");
      await client.result("r");
      if (verb === "deleteRun") await whenFree(() => by.deleteRun("r"));
      else await whenFree(async () => expect(await by.prune({ keep: 0 })).toEqual({ deleted: 1 }));
      expect(await tablesWith("PRIVATE-1")).toEqual([]);
      await submit("r");
      expect(await client.result("r")).toMatchObject({ status: "completed" });
      await whenFree(() => by.deleteRun("r"));
    }
    await expect(client.deleteRun("r")).rejects.toMatchObject({ code: "run-not-found" });
  },
);

it("an id is free once its run was deleted, also by an agent that knows of no queue", async () => {
  const { databaseUrl, client, agentOf, start, calls, tablesWith } = await newAgent();
  const plan = { steps: [step("Work", "s", "PRIVATE-1")] };
  await client.submit(plan, { runId: "r" });
  const worker = await start();
  await client.result("r");
  const queue = await openQueue(databaseUrl);
  // The worker has left it.
  await expect.poll(() => queue.ended(0)).toEqual(["r"]);
  await whenFree(() => agentOf().deleteRun("r"));
  // Another plan under the same id is another run.
  await client.submit({ steps: [step("Work", "other", "PRIVATE-1")] }, { runId: "r" });
  expect(await client.result("r")).toMatchObject({ status: "completed", steps: [{ stepId: "other" }] });
  expect(calls).toHaveLength(2);
  await worker.stop();
  await whenFree(() => agentOf().deleteRun("r"));
  await client.submit(plan, { runId: "waits" });
  expect(await queue.ended(0)).toEqual(["r"]);
  const isRecorded = async () => false;
  // One that still waits for a worker was not deleted.
  expect(await queue.removeGone(["r", "waits"], isRecorded)).toEqual(["r"]);
  expect(await tablesWith("PRIVATE-1")).toEqual(["dbos.workflow_input"]);
  expect(await client.queue()).toMatchObject({ waiting: 1 });
});

it("a suspended run that was deleted does not start again, though somebody had decided about it", async () => {
  const { client, agent, start, calls } = await newAgent();
  await client.submit({ steps: [step("Ask")] }, { runId: "r" });
  const worker = await start();
  const { pending = [] } = await client.result("r");
  await worker.stop();
  await client.approve("r", pending[0] as never);
  expect(await client.queue()).toMatchObject({ waiting: 1 });
  await client.deleteRun("r");
  expect(await client.queue()).toMatchObject({ waiting: 0 });
  expect(await agent.getRun("r")).toBeUndefined();
  expect(calls).toEqual([]);
});

it("what a worker has left that died after the end of a run is closed, and the run can still be resumed", async () => {
  const { databaseUrl, client, start, fault } = await newAgent();
  fault.isOn = true;
  await client.submit({ steps: [step("Break")] }, { runId: "r" });
  await start();
  expect(await client.result("r")).toMatchObject({ status: "failed" });
  const left = "update dbos.workflow_status set status = 'PENDING', executor_id = 'dead' where workflow_uuid = 'r'";
  await expect.poll(() => server.query(databaseUrl, `${left} and status = 'SUCCESS' returning 1`)).toHaveLength(1);
  const pending = () => server.query(databaseUrl, "select from dbos.workflow_status where status = 'PENDING'");
  await expect.poll(pending, { timeout: 20_000 }).toEqual([]);
  fault.isOn = false;
  await client.resume("r");
  expect(await client.result("r")).toMatchObject({ status: "completed" });
});

it("a schedule submits a plan with metadata and a rate key, and leaves out times while its last run lasts", async () => {
  const { client, start, calls } = await newAgent();
  await start();
  const plan = { steps: [step("Ask")] };
  const metadata = { user: "ada" };
  await client.schedule("skips", { cron: "* * * * * *", plan, metadata, rateKey: "ada", overlap: "skip" });
  await client.schedule("allows", { cron: "* * * * * *", plan: { steps: [step("Work")] } });
  await expect.poll(() => calls.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(4);
  const asked = (await client.listRuns({ metadata })).runs;
  expect(asked).toHaveLength(1);
  const { runId } = asked[0] as { runId: string };
  const { pending = [] } = await client.result(runId);
  await client.approve(runId, pending[0] as never);
  await expect.poll(async () => (await client.listRuns({ metadata })).runs.length).toBeGreaterThanOrEqual(2);
  for (const name of ["skips", "allows"]) await client.unschedule(name);
});

it("a schedule that cannot be read is refused", async () => {
  const { client } = await newRuns(server);
  const schedule = { cron: "0 8 * * *", request: "Write the report" };
  for (const [option, change] of [
    ["cron", { cron: "every day" }],
    ["cron", { cron: "61 * * * *" }],
    ["cron", { cron: "0 0 31 2 *" }],
    ["timeZone", { timeZone: "Nowhere/Land" }],
    ["request", { plan: { steps: [step("Work")] } }],
    ["overlap", { overlap: "never" }],
  ] as const)
    await expect(client.schedule("a", { ...schedule, ...change } as never)).rejects.toMatchObject({
      code: "invalid-options",
      details: { option },
    });
});

it("a run may use the tools that it was submitted with, and waits for a worker that has them", async () => {
  const { client, start } = await newAgent();
  const warnings: string[] = [];
  await start({ onWarning: ({ message }) => warnings.push(message) });
  await client.submit({ steps: [step("Work")] }, { runId: "some", tools: ["Work"], replanTools: ["Work"] });
  expect(await client.result("some")).toMatchObject({ status: "completed" });
  await client.submit({ steps: [step("Work")] }, { runId: "other", tools: ["Ask"] });
  expect(await client.result("other")).toMatchObject({ status: "failed", error: { code: "invalid-plan" } });
  await client.submit({ steps: [step("Work")] }, { runId: "rare", tools: ["Work", "Rare"] });
  await expect.poll(() => warnings.join()).toMatch(/"rare".*lacks Rare/);
});

it("a worker starts though the database restarts meanwhile, and rejects if that takes too long", async () => {
  const { client, start } = await newAgent();
  await client.submit({ steps: [step("Work")] }, { runId: "r" });
  await server.stop();
  await expect(start({ retryForMs: 0 })).rejects.toThrow(/ECONNREFUSED/);
  const starting = start({ retryForMs: 30_000 });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await server.start();
  await starting;
  expect(await client.result("r")).toMatchObject({ status: "completed" });
});
