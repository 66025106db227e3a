import { type AgentOptions, createAgent, createMemoryRunStore, createOrchestrator } from "planwright";
import { createSqliteRunStore } from "planwright/sqlite";
import { createFakeTool, createManualClock } from "planwright/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { askingTool } from "../../scenario/ask-for-approval.ts";
import { planOf } from "../../scenario/plans.ts";

const stores = ["memory", "sqlite"] as const;

function createAgentOn(kind: (typeof stores)[number], options: Partial<AgentOptions> = {}) {
  const clock = createManualClock({ nowMs: Date.UTC(2026) });
  const now = () => clock.now();
  const sqlite = kind === "sqlite" ? createSqliteRunStore({ path: ":memory:", now }) : undefined;
  onTestFinished(() => sqlite?.close());
  const store = sqlite ?? createMemoryRunStore({ now });
  const tools = [createFakeTool({ name: "Good" }), askingTool("Ask")];
  return createAgent({ tools, store, clock, ...options });
}

describe.each(stores)("runs of a thread with %s", (kind) => {
  it("are recorded, listed and shown with it, and forks keep it", async () => {
    const agent = createAgentOn(kind);
    const first = await agent.execute(planOf("Good"), { runId: "r1", thread: "ada" });
    await agent.execute(planOf("Good"), { runId: "r2", thread: "bob" });
    const last = await agent.execute(planOf("Good"), { runId: "r3" });
    await agent.fork("r1", { runId: "r4" }).result;
    expect([first.thread, "thread" in last]).toEqual(["ada", false]);
    expect((await agent.getRun("r1"))?.thread).toBe("ada");
    const { runs } = await agent.listRuns({ thread: "ada" });
    expect(runs.map(({ runId, thread }) => [runId, thread])).toEqual([
      ["r4", "ada"],
      ["r1", "ada"],
    ]);
  });

  it("have no effect on a run of the same id in another thread, or in none", async () => {
    const agent = createAgentOn(kind);
    await agent.execute(planOf("Good"), { runId: "r1", thread: "ada" });
    expect((await agent.execute(planOf("Good"), { runId: "r1", thread: "ada" })).status).toBe("completed");
    for (const thread of ["bob", undefined])
      await expect(agent.execute(planOf("Good"), { runId: "r1", thread })).rejects.toMatchObject({
        code: "run-conflict",
      });
  });

  it("are forgotten together, suspended ones too, and no others", async () => {
    const agent = createAgentOn(kind);
    for (const [runId, tool, thread] of [
      ["r1", "Good", "ada"],
      ["r2", "Ask", "ada"],
      ["r3", "Ask", "bob"],
      ["r4", "Good", undefined],
    ] as const)
      await agent.execute(planOf(tool), { runId, thread });
    expect(await agent.prune({ thread: "ada", status: "completed", keep: 1 })).toEqual({ deleted: 0 });
    expect(await agent.prune({ thread: "ada" })).toEqual({ deleted: 2 });
    const { runs } = await agent.listRuns();
    expect(runs.map(({ runId }) => runId)).toEqual(["r4", "r3"]);
  });

  it("are hidden from who names another thread", async () => {
    const agent = createAgentOn(kind);
    const { pending } = await agent.execute(planOf("Ask"), { runId: "r1", thread: "ada" });
    const [item] = pending as never[];
    const bob = { thread: "bob" };
    const notFound = { code: "run-not-found" };
    expect(await agent.getRun("r1", bob)).toBeUndefined();
    await expect(agent.cancel("r1", "no", bob)).rejects.toMatchObject(notFound);
    for (const decide of [agent.approve, agent.reject])
      await expect(decide("r1", item as never, bob).result).rejects.toMatchObject(notFound);
    await expect(agent.settle("r1", "s1", { retry: true, ...bob }).result).rejects.toMatchObject(notFound);
    await expect(agent.deliver("r1", "paid", 1, { id: "1", ...bob }).result).rejects.toMatchObject(notFound);
    const mine = { thread: "ada" };
    expect((await agent.getRun("r1", mine))?.status).toBe("suspended");
    expect((await agent.approve("r1", item as never, mine).result).status).toBe("completed");
    await expect(agent.cancel("no", "no", mine)).rejects.toMatchObject(notFound);
  });
});

it("checks a thread before anything is recorded", async () => {
  const store = createMemoryRunStore();
  const agent = createAgent({ tools: [createFakeTool({ name: "Good" })], store });
  const tellAll = createOrchestrator({ tools: [createFakeTool({ name: "Good" })], store });
  for (const thread of ["", "x".repeat(10_000), 7 as never]) {
    const refused = { code: "invalid-options", message: expect.stringContaining('"thread" must be text of 1 to 200') };
    for (const attempt of [
      () => agent.run("go", { thread }),
      async () => agent.start("go", { thread }),
      () => agent.plan("go", { thread }),
      () => agent.dryRun("go", { thread }),
      () => tellAll.execute(planOf("Good"), { thread }),
      () => agent.getRun("r", { thread }),
      () => agent.cancel("r", "no", { thread }),
      () => agent.listRuns({ thread }),
      () => agent.prune({ thread }),
    ])
      await expect(attempt()).rejects.toMatchObject(refused);
  }
  expect(await store.list()).toEqual({ runs: [] });
});
