import { type AgentEvent, createAgent, createMemoryRunStore, createTodoStore, type RunStore } from "planwright";
import { createSqliteRunStore, createSqliteTodos } from "planwright/sqlite";
import { createFakeTool, createManualClock } from "planwright/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { answerLater } from "../../scenario/answer-later.ts";
import { planOf } from "../../scenario/plans.ts";
import { withMethods } from "../../scenario/two-processes.ts";

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

const runId = "r";

/** The first events of a run of three steps: all except the last step, which was cut off. */
async function recordHalf(nowMs: number, toolName = "A"): Promise<readonly AgentEvent[]> {
  const store = createMemoryRunStore();
  const tool = createFakeTool({ name: toolName });
  const steps = ["s1", "s2", "s3"].map((id) => ({ id, tool: toolName, input: {} }));
  await createAgent({ tools: [tool], store, clock: createManualClock({ nowMs }) }).execute({ steps }, { runId });
  const events = await store.read(runId);
  return events.slice(0, -2);
}

/** A store that calls the current one, with some methods changed. */
function storeOver(now: () => RunStore, changes: Partial<RunStore> = {}): RunStore {
  return {
    append: (...args) => now().append(...args),
    read: (...args) => now().read(...args),
    list: (...args) => now().list(...args),
    claim: (...args) => now().claim(...args),
    renew: (...args) => now().renew(...args),
    release: (...args) => now().release(...args),
    post: (...args) => now().post(...args),
    delete: (...args) => now().delete(...args),
    ...changes,
  };
}

describe("the record of a resumed run", () => {
  it("is read once; after the lease only new events are read", async () => {
    const memory = createMemoryRunStore();
    const half = await recordHalf(Date.UTC(2026));
    await memory.append(runId, half, { sequence: 1 });
    const found: number[] = [];
    const store = storeOver(() => memory, {
      read: async (...args) => {
        const events = await memory.read(...args);
        found.push(events.length);
        return events;
      },
    });
    const result = await createAgent({ tools: [createFakeTool({ name: "A" })], store }).resume(runId);
    expect({ status: result.status, found }).toEqual({ status: "completed", found: [half.length, 1, 1] });
  });

  it("is read again in full if the run was deleted and its id reused", async () => {
    const clock = { nowMs: Date.UTC(2026) };
    const first = createMemoryRunStore();
    await first.append(runId, await recordHalf(clock.nowMs), { sequence: 1 });
    const second = createMemoryRunStore();
    await second.append(runId, await recordHalf(clock.nowMs + 1, "B"), { sequence: 1 });
    let now = first;
    const store = storeOver(() => now, {
      claim: (...args) => {
        now = second;
        return second.claim(...args);
      },
    });
    const tools = ["A", "B"].map((name) => createFakeTool({ name }));
    const agent = createAgent({ tools, store });
    const { steps } = await agent.resume(runId);
    expect(steps.map(({ tool, status }) => `${tool} ${status}`)).toEqual(["B completed", "B completed", "B completed"]);
  });

  it("is read again in full if the run was deleted and another with its id has got equally far", async () => {
    const nowMs = Date.UTC(2026);
    const [first, second] = [createMemoryRunStore(), createMemoryRunStore()];
    await first.append(runId, await recordHalf(nowMs), { sequence: 1 });
    await second.append(runId, await recordHalf(nowMs, "B"), { sequence: 1 });
    let now = first;
    const store = storeOver(() => now, {
      claim: (...args) => {
        now = second;
        return second.claim(...args);
      },
    });
    const agent = createAgent({ tools: ["A", "B"].map((name) => createFakeTool({ name })), store });
    const { steps } = await agent.resume(runId);
    expect(steps.map(({ tool, status }) => `${tool} ${status}`)).toEqual(["B completed", "B completed", "B completed"]);
  });

  it("is refused if the run was deleted meanwhile, and nothing is recorded under its id", async () => {
    const memory = createMemoryRunStore();
    await memory.append(runId, await recordHalf(Date.UTC(2026)), { sequence: 1 });
    const store = storeOver(() => memory, {
      claim: async (...args) => {
        await memory.delete(runId);
        return memory.claim(...args);
      },
    });
    const resumed = createAgent({ tools: [createFakeTool({ name: "A" })], store }).resume(runId);
    await expect(resumed).rejects.toMatchObject({ code: "run-not-found", details: { runId } });
    expect(await memory.read(runId)).toEqual([]);
  });

  it("is refused if the new events are damaged", async () => {
    const memory = createMemoryRunStore();
    await memory.append(runId, await recordHalf(Date.UTC(2026)), { sequence: 1 });
    let reads = 0;
    const store = storeOver(() => memory, {
      read: async (...args) => [...(await memory.read(...args)), ...(++reads === 3 ? [{} as AgentEvent] : [])],
    });
    const resumed = createAgent({ tools: [createFakeTool({ name: "A" })], store }).resume(runId);
    await expect(resumed).rejects.toMatchObject({ code: "store-failed", details: { problem: "corrupt" } });
  });
});

const tool = createFakeTool({ name: "A" });

function agentWith(methods: object, wrap: (store: RunStore) => RunStore) {
  return createAgent({ tools: [tool], store: wrap(withMethods(createMemoryRunStore(), methods as Partial<RunStore>)) });
}

describe.each([
  ["at once", (store: RunStore) => store],
  ["later", answerLater],
])("a store whose invalid answer comes %s", (_when, wrap) => {
  it.each([undefined, null, {}, { fence: "1" }, { fence: Number.NaN }])(
    "fails the run if claim returns %j, and nothing runs",
    async (claim) => {
      const before = tool.calls.length;
      const agent = agentWith({ claim: () => claim }, wrap);
      const result = await agent.run(planOf("A") as never);
      expect(result).toMatchObject({
        status: "failed",
        error: { code: "store-failed", details: { operation: "claim" } },
      });
      expect(tool.calls).toHaveLength(before);
    },
  );

  it.each([null, { runs: 5 }, { runs: [{ runId: "r" }] }, { runs: [], cursor: 1 }])(
    "fails listing and resumeAll if list returns %j",
    async (page) => {
      const agent = agentWith({ list: () => page }, wrap);
      const failure = { code: "store-failed", details: { operation: "list" } };
      await expect(agent.listRuns()).rejects.toMatchObject(failure);
      await expect(agent.resumeAll()).rejects.toMatchObject(failure);
    },
  );

  it("fails resumeAll if its pages go round in a circle", async () => {
    const agent = agentWith({ list: () => ({ runs: [], cursor: "same" }) }, wrap);
    await expect(agent.resumeAll()).rejects.toMatchObject({ code: "store-failed", details: { operation: "list" } });
  });

  it.each([null, "events", [null], [5]])("fails reading and resuming if read returns %j", async (events) => {
    const agent = agentWith({ read: () => events }, wrap);
    const failure = { code: "store-failed", details: { operation: "read", problem: "corrupt", runId: "r" } };
    await expect(agent.getRun("r")).rejects.toMatchObject(failure);
    await expect(agent.resume("r")).rejects.toMatchObject(failure);
  });
});
