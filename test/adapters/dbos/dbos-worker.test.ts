import { setTimeout as sleep } from "node:timers/promises";
import { createDbosClient } from "planwright/dbos";
import { createPostgresRunStore } from "planwright/postgres";
import { describe, expect, it, onTestFinished } from "vitest";
import { usePostgres } from "../postgres/postgres-server.ts";
import { newRuns, useWorkers } from "./worker-processes.ts";

const server = usePostgres();
const startWorker = useWorkers();

const chain = (tool: string, length = 3) => ({
  steps: Array.from({ length }, (_, index) => ({ id: `s${index}`, tool, input: { n: index } })),
});

/** The number of events of each run. */
function eventsOf(databaseUrl: string) {
  return server.query(databaseUrl, "select run_id, sequence, status from planwright_runs order by run_id");
}

describe("workers", () => {
  it("execute what a client submits, started at once on an empty database", async () => {
    const { databaseUrl, client, effects } = await newRuns(server, { isEmpty: true });
    // One of them has fewer connections than runs.
    const workers = [startWorker({ databaseUrl }), startWorker({ databaseUrl, maxConnections: 1 })];
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

  it("take the runs of a thread in the order of submission, and show them to no other", async () => {
    const { databaseUrl, client } = await newRuns(server);
    const plan = chain("Work", 1);
    for (const runId of ["r1", "r2", "r3"]) await client.submit(plan, { runId, thread: "ada" });
    await client.submit(plan, { runId: "r4", thread: "bob" });
    await expect(client.submit(plan, { runId: "r1", thread: "bob" })).rejects.toMatchObject({ code: "run-conflict" });
    for (const options of [{ thread: "x".repeat(201) }, { thread: "ada", rateKey: "a" }])
      await expect(client.submit(plan, options)).rejects.toMatchObject({ code: "invalid-options" });
    await expect(client.cancel("r1", "no", { thread: "bob" })).rejects.toMatchObject({ code: "run-not-found" });
    await client.cancel("r4", "enough", { thread: "bob" });
    await startWorker({ databaseUrl }).ready;
    for (const runId of ["r1", "r2", "r3"])
      expect(await client.result(runId)).toMatchObject({ status: "completed", thread: "ada" });
    const { runs } = await client.listRuns({ thread: "ada" });
    expect(runs.map(({ runId }) => runId)).toEqual(["r3", "r2", "r1"]);
    expect(await client.getRun("r4", { thread: "bob" })).toMatchObject({ status: "cancelled" });
    expect(await client.getRun("r1", { thread: "bob" })).toBeUndefined();
    expect(await client.prune({ thread: "ada" })).toEqual({ deleted: 3 });
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

  it("record nothing in a run that was taken over while they were stopped for longer than their lease", async () => {
    const { databaseUrl, client, effects } = await newRuns(server);
    const zombie = startWorker({ databaseUrl, stepMs: 400 });
    await zombie.ready;
    await client.submit(chain("Work", 6), { runId: "work" });
    await client.submit(chain("Once", 6), { runId: "once" });
    for (const runId of ["work", "once"])
      for await (const { type } of client.follow(runId)) if (type === "step-end") break;
    zombie.signal("SIGSTOP");
    const other = startWorker({ databaseUrl });
    await other.ready;
    expect(await client.result("work")).toMatchObject({ status: "completed" });
    // Whether a step took effect that must run only once, nobody knows, unless it was stopped between two.
    const once = await client.result("once");
    if (once.status === "suspended") expect(once.pending).toMatchObject([{ kind: "outcome" }]);
    const ended = await eventsOf(databaseUrl);
    zombie.signal("SIGCONT");
    zombie.signal("SIGTERM");
    // What it still has to say is refused.
    expect(await zombie.ended).toBe(0);
    expect(await eventsOf(databaseUrl)).toEqual(ended);
    for (const [key, calls] of await effects()) expect(calls).toBeLessThanOrEqual(key.startsWith("once") ? 1 : 2);
  });

  it("do not start with a store of another format", async () => {
    const { databaseUrl } = await newRuns(server);
    const store = createPostgresRunStore({ connectionString: databaseUrl });
    onTestFinished(() => store.close());
    await store.list();
    await server.query(databaseUrl, "update planwright_format set format = 999");
    await expect(startWorker({ databaseUrl }).ready).rejects.toThrow(/another version of planwright/);
  });

  it("adopt a run before they take those that nobody has started", async () => {
    const { databaseUrl, client, effects } = await newRuns(server);
    const first = startWorker({ databaseUrl, concurrency: 1, stepMs: 60_000 });
    await first.ready;
    await client.submit(chain("Work"), { runId: "left" });
    await expect.poll(effects).toHaveProperty("size", 1);
    first.signal("SIGKILL");
    await first.ended;
    const queued = Array.from({ length: 100 }, (_, index) => ({ run: chain("Work"), options: { runId: `r${index}` } }));
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
    expect(await client.result("deadly")).toMatchObject({ pending: [{ kind: "given-up", deaths: 2 }] });
    expect((await client.listRuns({ pending: "given-up" })).runs).toMatchObject([{ runId: "deadly" }]);
    // The next death is the first one again.
    await client.resume("deadly");
    expect(await last.ended).toBeNull();
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

  it("of the latest version continue what those of older ones have left, and not the other way round", async () => {
    const { databaseUrl, client, effects } = await newRuns(server);
    const older = startWorker({ databaseUrl, version: "1", tools: ["Work", "Ask"] });
    await older.ready;
    const newer = startWorker({ databaseUrl, version: "2", stepMs: 60_000 });
    await newer.ready;
    await client.submit(chain("Work", 1), { runId: "cut" });
    await expect.poll(async () => (await effects()).has("cut/s0")).toBe(true);
    newer.signal("SIGKILL");
    const adopted = () => server.query(databaseUrl, "select from dbos.workflow_status where workflow_uuid = 'cut/2'");
    await expect.poll(async () => (await adopted()).length).toBe(1);
    const clientOfOlder = createDbosClient({ databaseUrl, version: "1" });
    onTestFinished(() => clientOfOlder.close());
    await clientOfOlder.submit(chain("Ask", 1), { runId: "asked" });
    await clientOfOlder.submit(chain("Rare", 1), { runId: "postponed" });
    const { pending = [] } = await client.result("asked");
    await expect.poll(() => older.said.join("")).toContain("run-postponed");
    older.signal("SIGTERM");
    expect(await older.ended).toBe(0);
    await client.approve("asked", pending[0] as never);
    // As if a worker had died of waking the run.
    const died = `update dbos.workflow_status set status = 'PENDING', executor_id = 'dead'
      where name = 'planwright.wake' and status <> 'SUCCESS' returning name`;
    expect(await server.query(databaseUrl, died)).toHaveLength(1);
    await startWorker({ databaseUrl, version: "2" }).ready;
    for (const runId of ["asked", "postponed", "cut"]) {
      expect(await client.result(runId)).toMatchObject({ runId, status: "completed" });
    }
    expect([...(await effects())].sort()).toEqual([
      ["asked/s0", 1],
      ["cut/s0", 2],
      ["postponed/s0", 1],
    ]);
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

  it("continue runs that waited for a time, an event or an answer, though the worker that had them is gone", async () => {
    const { databaseUrl, client, effects } = await newRuns(server);
    const first = startWorker({ databaseUrl });
    await first.ready;
    const work = { id: "s0", tool: "Work", input: { n: 0 } };
    await client.submit({ steps: [{ id: "w", wait: { forMs: 3_000 } }, work] }, { runId: "time" });
    await client.submit({ steps: [{ id: "w", wait: { event: "paid" } }, work] }, { runId: "event" });
    const responseSchema = {
      ...{ type: "object", properties: { answer: { type: "integer" } }, required: ["answer"] },
    };
    const ask = { message: "How many?", display: "text", responseSchema } as const;
    const counted = { ...work, input: { n: { $ref: "q" } } };
    await client.submit({ steps: [{ id: "q", wait: { ask } }, counted] }, { runId: "question" });
    for (const runId of ["time", "event", "question"]) {
      for await (const event of client.follow(runId)) {
        if (event.type !== "run-suspend") continue;
        expect(event.pending).toMatchObject([{ kind: runId === "question" ? "question" : "wait" }]);
        break;
      }
    }
    first.signal("SIGKILL");
    await first.ended;
    await client.deliver("event", "paid", { euros: 1 }, { id: "1" });
    await client.deliver("event", "paid", { euros: 2 }, { id: "1" });
    await expect(client.answer("question", "q", { answer: "two" })).rejects.toMatchObject({ code: "invalid-options" });
    await client.answer("question", "q", { answer: 2 });
    await client.answer("question", "q", { answer: 2 });
    await expect(client.answer("question", "q", { answer: 3 })).rejects.toMatchObject({ code: "run-conflict" });
    await startWorker({ databaseUrl }).ready;
    expect(await client.result("question")).toMatchObject({
      status: "completed",
      steps: [{ output: 2 }, { input: { n: 2 } }],
    });
    expect(await client.result("event")).toMatchObject({ status: "completed", steps: [{ output: { euros: 1 } }, {}] });
    for await (const { type } of client.follow("time")) if (type === "run-end") break;
    expect(await client.result("time")).toMatchObject({ status: "completed" });
    expect([...(await effects()).values()]).toEqual([1, 1, 1]);
    await expect(client.deliver("event", "paid", 1, { id: "2" })).rejects.toMatchObject({ code: "run-conflict" });
  });

  it.each([3_600_000, -3_600_000])(
    "wait by the clock of the database, with one that is %s ms off",
    async (clockOffMs) => {
      const { databaseUrl, client } = await newRuns(server);
      await startWorker({ databaseUrl, clockOffMs }).ready;
      const until = new Date(Date.now() + 1_500).toISOString();
      await client.submit({ steps: [{ id: "w", wait: { forMs: 1_500 } }] }, { runId: "for" });
      await client.submit({ steps: [{ id: "w", wait: { until } }] }, { runId: "until" });
      for (const runId of ["for", "until"]) {
        for await (const { type } of client.follow(runId)) if (type === "run-end") break;
        const isOver = await server.query(databaseUrl, "select clock_timestamp() >= $1 as is_over", [until]);
        expect(isOver).toEqual([{ is_over: true }]);
      }
    },
  );

  it("take what was delivered to a run before they started it", async () => {
    const { databaseUrl, client } = await newRuns(server);
    const plan = { steps: [{ id: "w", wait: { event: "paid" } }] };
    await client.submit(plan, { runId: "early" });
    await client.deliver("early", "paid", { euros: 1 }, { id: "1" });
    await client.deliver("early", "paid", { euros: 2 }, { id: "1" });
    await client.submit(plan, { runId: "full" });
    for (let id = 0; id < 100; id++) await client.deliver("full", "sent", id, { id: `${id}` });
    await expect(client.deliver("full", "paid", 1, { id: "paid" })).rejects.toMatchObject({ code: "limit-exceeded" });
    await client.submit(plan, { runId: "cancelled" });
    await client.deliver("cancelled", "paid", 1, { id: "1" });
    await client.cancel("cancelled");
    await expect(client.deliver("cancelled", "paid", 1, { id: "2" })).rejects.toMatchObject({ code: "run-conflict" });
    await expect(client.deliver("none", "paid", 1, { id: "1" })).rejects.toMatchObject({ code: "run-not-found" });
    await startWorker({ databaseUrl }).ready;
    expect(await client.result("early")).toMatchObject({ status: "completed", output: { euros: 1 } });
    expect(await client.result("full")).toMatchObject({ status: "suspended" });
    await client.deliver("full", "paid", 1, { id: "paid" });
    await expect.poll(async () => (await client.result("full")).status).toBe("completed");
  });

  it("leave a run with a tool that they lack to others, and refuse one with a wrong input", async () => {
    const { databaseUrl, client } = await newRuns(server);
    const first = startWorker({ databaseUrl, tools: ["Work"] });
    await first.ready;
    await client.submit(chain("Rare", 1), { runId: "rare" });
    await expect(client.submit({ steps: [] })).rejects.toMatchObject({ code: "invalid-plan" });
    await client.submit({ steps: [{ id: "a", tool: "Work", input: { n: "x" } }] } as never, { runId: "wrong" });
    expect(await client.result("wrong")).toMatchObject({
      status: "failed",
      error: { code: "invalid-plan", details: { issues: [{ path: ["steps", 0, "input", "n"] }] } },
      steps: [{ stepId: "a", status: "skipped" }],
    });
    const followed: string[] = [];
    for await (const { type } of client.follow("wrong")) followed.push(type);
    expect(followed).toEqual(["run-start", "step-skip", "run-end"]);
    await client.submit("make me a sandwich", { runId: "unplannable" });
    expect(await client.result("unplannable")).toMatchObject({ status: "failed", error: { code: "cannot-plan" } });
    await expect.poll(() => first.said.join("")).toMatch(/run-postponed.*the worker lacks Rare/);
    await startWorker({ databaseUrl }).ready;
    expect(await client.result("rare")).toMatchObject({ status: "completed" });
  });

  it("stop a run that is cancelled, or take it out of the queue", async () => {
    const { databaseUrl, client, effects } = await newRuns(server);
    await client.submit(chain("Work", 1), { runId: "queued", metadata: { user: "ada" } });
    await client.cancel("queued", "too late");
    const cancelled = { status: "cancelled", error: { details: { reason: "too late" } } };
    expect(await client.result("queued")).toMatchObject({ ...cancelled, metadata: { user: "ada" } });
    await client.cancel("queued", "once more");
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
    expect(await client.result("queued")).toMatchObject(cancelled);
    await client.submit(chain("Work", 1), { runId: "queued" });
    expect(await client.result("queued")).toMatchObject(cancelled);
  });
});
