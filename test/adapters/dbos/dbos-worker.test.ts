import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDbosClient } from "../../../src/adapters/dbos/dbos-client.ts";
import { usePostgres } from "../postgres/postgres-server.ts";
import { newRuns, useWorkers } from "./worker-processes.ts";

const server = usePostgres();
const startWorker = useWorkers();

const chain = (tool: string, length = 3) => ({
  steps: Array.from({ length }, (_, index) => ({ id: `s${index}`, tool, input: { n: index } })),
});

describe("workers", { timeout: 90_000 }, () => {
  it("execute what a client submits, started at once on an empty database", async () => {
    const { databaseUrl, client, effects } = await newRuns(server);
    const workers = [startWorker({ databaseUrl }), startWorker({ databaseUrl })];
    await Promise.all(workers.map(({ ready }) => ready));
    const list = Array.from({ length: 20 }, (_, index) => ({ run: chain("Work"), options: { runId: `r${index}` } }));
    const submitted = await client.submitAll(list);
    const results = await Promise.all(submitted.map(({ runId }) => client.result(runId)));
    expect(results.map(({ status }) => status)).toEqual(Array(20).fill("completed"));
    const counts = await effects();
    expect(counts.size).toBe(60);
    expect([...counts.values()].every((calls) => calls === 1)).toBe(true);
  });

  it("execute runs that were submitted before there was one, the same id once", async () => {
    const { databaseUrl, client, effects } = await newRuns(server);
    const plan = chain("Work", 1);
    await client.submit(plan, { runId: "same", metadata: { user: "ada" } });
    await client.submit(plan, { runId: "same" });
    await expect(client.submit(chain("Work", 2), { runId: "same" })).rejects.toMatchObject({ code: "run-conflict" });
    await expect(client.result("other")).rejects.toMatchObject({ code: "run-not-found" });
    const followed: number[] = [];
    const following = (async () => {
      for await (const { sequence } of client.follow("same")) followed.push(sequence);
    })();
    await startWorker({ databaseUrl }).ready;
    expect(await client.result("same")).toMatchObject({ status: "completed", metadata: { user: "ada" } });
    await following;
    expect(followed).toEqual(followed.map((_, index) => index + 1));
    expect(await effects()).toEqual(new Map([["same/s0", 1]]));
    await client.submit(plan, { runId: "same" });
    expect(await client.result("same")).toMatchObject({ status: "completed" });
  });

  it.each([0, -3_600_000])("adopt the runs of one that was killed, by a clock %s ms off", async (clockOffMs) => {
    const { databaseUrl, client, effects } = await newRuns(server);
    const first = startWorker({ databaseUrl, stepMs: 150 });
    await first.ready;
    const list = Array.from({ length: 30 }, (_, index) => ({
      run: chain(index % 3 === 0 ? "Once" : "Work", 4),
      options: { runId: `r${index}` },
    }));
    await client.submitAll(list);
    const second = startWorker({ databaseUrl, stepMs: 150, clockOffMs });
    await second.ready;
    await sleep(300);
    first.signal("SIGKILL");
    await first.ended;
    const results = await Promise.all(list.map(({ options }) => client.result(options.runId)));
    const counts = await effects();
    for (const [index, { status, pending = [] }] of results.entries()) {
      if (index % 3 !== 0) expect(status).toBe("completed");
      // Whether a step that must run only once took effect, nobody knows.
      else if (status === "suspended") expect(pending[0]?.kind).toBe("outcome");
      else expect(status).toBe("completed");
    }
    const once = list.filter((_, index) => index % 3 === 0).map(({ options }) => options.runId);
    for (const [key, calls] of counts) {
      const isOnce = once.includes(key.split("/")[0] ?? "");
      expect(calls).toBeLessThanOrEqual(isOnce ? 1 : 2);
    }
    const doubled = [...counts.values()].filter((calls) => calls > 1).length;
    expect(doubled).toBeLessThanOrEqual(10);
  });

  it("adopt a run before they take those that nobody has started", async () => {
    const { databaseUrl, client, effects } = await newRuns(server);
    const first = startWorker({ databaseUrl, concurrency: 1, stepMs: 200 });
    await first.ready;
    await client.submit(chain("Work"), { runId: "left" });
    await expect.poll(effects, { timeout: 20_000 }).toHaveProperty("size", 1);
    first.signal("SIGKILL");
    await first.ended;
    const queued = Array.from({ length: 30 }, (_, index) => ({ run: chain("Work"), options: { runId: `r${index}` } }));
    await client.submitAll(queued);
    await startWorker({ databaseUrl, concurrency: 1, stepMs: 50 }).ready;
    expect(await client.result("left")).toMatchObject({ status: "completed" });
    expect((await effects()).size).toBeLessThan(3 * queued.length);
  });

  it("give up a run of which too many have died", async () => {
    const { databaseUrl, client } = await newRuns(server);
    await client.submit(chain("Deadly", 1), { runId: "deadly" });
    for (let deaths = 0; deaths < 2; deaths++) {
      const worker = startWorker({ databaseUrl, maxAdoptions: 1 });
      await worker.ready;
      expect(await worker.ended).toBeNull();
    }
    const last = startWorker({ databaseUrl, maxAdoptions: 1 });
    await last.ready;
    await expect.poll(() => last.said.join(""), { timeout: 30_000 }).toMatch(/run-given-up.*"deadly"/);
  });

  it("take only the runs of their version", async () => {
    const { databaseUrl, client } = await newRuns(server);
    const next = createDbosClient({ databaseUrl, version: "next" });
    onTestFinished(() => next.close());
    await startWorker({ databaseUrl, version: "next" }).ready;
    const older = createDbosClient({ databaseUrl, version: "older" });
    onTestFinished(() => older.close());
    await older.submit(chain("Work", 1), { runId: "older" });
    await next.submit(chain("Work", 1), { runId: "next" });
    expect(await next.result("next")).toMatchObject({ status: "completed" });
    await startWorker({ databaseUrl, version: "older" }).ready;
    expect(await client.result("older")).toMatchObject({ status: "completed" });
  });

  it("join a DBOS that the application has launched", async () => {
    const { databaseUrl, client, effects } = await newRuns(server);
    const worker = startWorker({ databaseUrl, joins: true });
    await worker.ready;
    await client.submit(chain("Work", 2), { runId: "joined" });
    expect(await client.result("joined")).toMatchObject({ status: "completed" });
    expect((await effects()).size).toBe(2);
    worker.signal("SIGTERM");
    expect(await worker.ended).toBe(0);
    expect(worker.said.join("")).toContain("still launched");
  });

  it("receive decisions that were taken while there was none", async () => {
    const { databaseUrl, client } = await newRuns(server);
    const first = startWorker({ databaseUrl });
    await first.ready;
    await client.submit(chain("Ask", 1), { runId: "yes" });
    await client.submit(chain("Ask", 1), { runId: "no" });
    await client.submit(chain("Ask", 1), { runId: "cancelled" });
    const items = new Map<string, unknown>();
    for (const runId of ["yes", "no", "cancelled"]) {
      const { status, pending = [] } = await client.result(runId);
      expect(status).toBe("suspended");
      items.set(runId, pending[0]);
    }
    first.signal("SIGTERM");
    expect(await first.ended).toBe(0);
    await client.approve("yes", items.get("yes") as never, { by: "ada" });
    await client.approve("yes", items.get("yes") as never);
    await client.reject("no", items.get("no") as never, { reason: "not now" });
    await client.cancel("cancelled", "enough");
    await expect(
      client.approve("yes", { ...(items.get("no") as object), hash: "0".repeat(64) } as never),
    ).rejects.toMatchObject({ code: "run-conflict" });
    await startWorker({ databaseUrl }).ready;
    expect(await client.result("yes")).toMatchObject({ status: "completed", approvals: [{ by: "ada" }] });
    expect(await client.result("no")).toMatchObject({ status: "failed", error: { code: "approval-rejected" } });
    expect(await client.result("cancelled")).toMatchObject({ status: "cancelled" });
  });

  it("leave a run with a tool that they lack to others, and refuse one with a wrong input", async () => {
    const { databaseUrl, client } = await newRuns(server);
    const first = startWorker({ databaseUrl, tools: ["Work"] });
    await first.ready;
    await client.submit(chain("Rare", 1), { runId: "rare" });
    await expect(client.submit({ steps: [] })).rejects.toMatchObject({ code: "invalid-plan" });
    await client.submit({ steps: [{ id: "a", tool: "Work", input: { n: "x" } }] } as never, { runId: "wrong" });
    await expect(client.result("wrong")).rejects.toMatchObject({ code: "invalid-plan" });
    await sleep(1_200);
    expect(first.said.join("")).toMatch(/run-postponed.*this worker lacks Rare/);
    await startWorker({ databaseUrl }).ready;
    expect(await client.result("rare")).toMatchObject({ status: "completed" });
  });

  it("stop a run that is cancelled, or take it out of the queue", async () => {
    const { databaseUrl, client, effects } = await newRuns(server);
    await client.submit(chain("Work", 1), { runId: "queued" });
    await client.cancel("queued");
    await expect(client.result("queued")).rejects.toMatchObject({ code: "cancelled" });
    await expect(client.cancel("none")).rejects.toMatchObject({ code: "run-not-found" });
    await startWorker({ databaseUrl, stepMs: 500 }).ready;
    await client.submit(chain("Work", 20), { runId: "long" });
    for await (const { type } of client.follow("long")) if (type === "step-end") break;
    await client.cancel("long", "enough");
    expect(await client.result("long")).toMatchObject({
      status: "cancelled",
      error: { details: { reason: "enough" } },
    });
    expect([...(await effects()).keys()].some((key) => key.startsWith("queued"))).toBe(false);
  });
});
