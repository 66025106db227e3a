import { createAgent, createMemoryRunStore, createTodoStore } from "planwright";
import { createSqliteRunStore, createSqliteTodos } from "planwright/sqlite";
import { createFakeTool, createManualClock } from "planwright/testing";
import { describe, expect, it, onTestFinished } from "vitest";

const startMs = Date.UTC(2026);
const at = (second: number) => new Date(startMs + second * 1_000).toISOString();
const stores = ["memory", "sqlite"] as const;

/** An agent with runs r1 to r5, created one per second: completed, failed, suspended, completed, completed. */
async function setUp(kind: (typeof stores)[number]) {
  const clock = createManualClock({ nowMs: startMs });
  const now = () => clock.now();
  const sqlite = kind === "sqlite" ? createSqliteRunStore({ path: ":memory:", now }) : undefined;
  onTestFinished(() => sqlite?.close());
  const store = sqlite ?? createMemoryRunStore({ now });
  const fails = { outcomes: [{ throws: Object.assign(new Error("no"), { retryable: false }) }] };
  const tools = [
    createFakeTool({ name: "Good" }),
    createFakeTool({ name: "Bad", ...fails }),
    createFakeTool({ name: "Ask", ...{ needsApproval: true } }),
    createFakeTool({ name: "Slow", outcomes: [{ hangs: "until-aborted" }] }),
  ];
  const agent = createAgent({ tools, store, clock });
  const step = (tool: string) => ({ steps: [{ id: "s", tool, input: {} }] });
  for (const [index, tool] of ["Good", "Bad", "Ask", "Good", "Good"].entries()) {
    await agent.execute(step(tool), { runId: `r${index + 1}` });
    await clock.advance(1_000);
  }
  const listIds = async () => (await agent.listRuns()).runs.map(({ runId }) => runId).join(" ");
  return { agent, store, clock, step, listIds };
}

describe.each(stores)("deleting runs with %s", (kind) => {
  it("frees the id, which can run again with other steps", async () => {
    const { agent, step, listIds } = await setUp(kind);
    await expect(agent.execute(step("Bad"), { runId: "r1" })).rejects.toMatchObject({ code: "run-conflict" });
    await agent.deleteRun("r1");
    expect(await agent.getRun("r1")).toBeUndefined();
    expect((await agent.execute(step("Bad"), { runId: "r1" })).status).toBe("failed");
    expect(await listIds()).toBe("r1 r5 r4 r3 r2");
  });

  it("refuses a run that is active, and one that does not exist", async () => {
    const { agent, clock, step, store } = await setUp(kind);
    const slow = agent.start(step("Slow"), { runId: "slow" });
    await clock.advance(0);
    await expect(agent.deleteRun("slow")).rejects.toMatchObject({
      code: "run-owned-elsewhere",
      message: expect.stringContaining("is active in this process: cancel it"),
    });
    slow.cancel();
    await slow.result;
    await agent.deleteRun("slow");
    await expect(agent.deleteRun("slow")).rejects.toMatchObject({ code: "run-not-found", details: { runId: "slow" } });
    await expect(agent.deleteRun("")).rejects.toMatchObject({ code: "invalid-options" });
    const broken = Object.assign(Object.create(store) as typeof store, {
      delete: () => {
        throw new Error("disk");
      },
    });
    const other = createAgent({ tools: [createFakeTool({ name: "Good" })], store: broken });
    const failed = { code: "store-failed", details: { operation: "delete", runId: "r1" } };
    await expect(other.deleteRun("r1")).rejects.toMatchObject(failed);
    await expect(other.prune({ keep: 0 })).rejects.toMatchObject({ code: "store-failed" });
  });

  it("prunes runs that have ended, by creation time, and keeps the newest of them", async () => {
    const { agent, listIds } = await setUp(kind);
    expect(await agent.prune({ before: at(1) })).toEqual({ deleted: 1 });
    expect(await listIds()).toBe("r5 r4 r3 r2");
    expect(await agent.prune({ keep: 2 })).toEqual({ deleted: 1 });
    expect(await listIds()).toBe("r5 r4 r3");
    expect(await agent.prune({ before: at(4), keep: 1 })).toEqual({ deleted: 0 });
    expect(await agent.prune({ keep: 0, status: "suspended" })).toEqual({ deleted: 1 });
    expect(await agent.prune({ keep: 0, status: ["failed", "completed"] })).toEqual({ deleted: 2 });
    expect(await listIds()).toBe("");
  });

  it("does not prune a run that a process owns, or whose status has changed", async () => {
    const { agent, store } = await setUp(kind);
    await store.claim("r5", { owner: "who goes on with it", ttlMs: 1_000 });
    const racing = Object.assign(Object.create(store) as typeof store, {
      list: async (...args: Parameters<typeof store.list>) => {
        const page = await store.list(...args);
        await store.delete("r1");
        return page;
      },
      delete: store.delete.bind(store),
    });
    const other = createAgent({ tools: [createFakeTool({ name: "Good" })], store: racing });
    expect(await other.prune({ keep: 0, status: ["completed"] })).toEqual({ deleted: 1 });
    const { runs } = await agent.listRuns();
    expect(runs.map(({ runId }) => runId)).toEqual(["r5", "r3", "r2"]);
  });

  it("stops when its signal is aborted", async () => {
    const { agent, listIds } = await setUp(kind);
    const pruning = agent.prune({ keep: 0, signal: AbortSignal.abort("enough") });
    await expect(pruning).rejects.toMatchObject({ code: "cancelled", details: { reason: "enough" } });
    expect(await listIds()).toBe("r5 r4 r3 r2 r1");
  });

  it.each([
    undefined,
    {},
    { status: "failed" },
    { keep: -1 },
    { keep: 1.5 },
    { before: "yesterday" },
    { keep: 1, status: "odd" },
    { keep: 1, all: true },
    { keep: 1, signal: 5 },
  ])("refuses %j as options", async (options) => {
    const { agent } = await setUp(kind);
    await expect(agent.prune(options as never)).rejects.toMatchObject({ code: "invalid-options" });
  });
});

it("a run that reuses a deleted id has the same idempotency keys: an existing todo is not added again", async () => {
  const todos = createSqliteTodos({ path: ":memory:" });
  onTestFinished(() => todos.close());
  const agent = createAgent({ tools: [createTodoStore({ storage: todos })] });
  const add = () => agent.run("Add milk to my list", { runId: "r" });
  const first = await add();
  await agent.deleteRun("r");
  expect((await add()).output).toEqual(first.output);
  expect((await todos.find("default", { limit: 10 })).count).toBe(1);
});
