import type { AgentEvent, RunStore, Tool } from "planwright";
import { createFakeTool, type FakeTool, type ManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { planOf } from "../../scenario/plans.ts";
import { record, until } from "../../scenario/resume-from.ts";
import type { Scenario } from "../../scenario/run-scenario.ts";
import { peakOf } from "../../scenario/run-several.ts";
import { scenarioDatabase } from "../../scenario/scenario-store.ts";
import { share, withMethods } from "../../scenario/two-processes.ts";

const works = (name: string) => createFakeTool({ name, outcomes: [{ returns: name }] });
const create = (): Scenario => ({ tools: [works("A"), works("B")], plan: planOf("A", "B") });

/** A tool that fails, added to a list of all such tools. */
function fails(made: FakeTool[]): FakeTool {
  const tool = createFakeTool({ name: "B", outcomes: [{ throws: { retryable: false } }] });
  made.push(tool);
  return tool;
}

const callsOf = (made: readonly FakeTool[]) => made.flatMap(({ calls }) => calls).length;

/** The same run under another id. */
function named(events: readonly AgentEvent[], runId: string): readonly AgentEvent[] {
  return events.map((event) => ({ ...event, runId }));
}

async function store(shared: RunStore, events: readonly AgentEvent[], ...ids: readonly string[]): Promise<void> {
  for (const id of ids) await shared.append(id, named(events, id), { sequence: 1 });
}

async function setUp(tools: (clock: ManualClock) => readonly Tool[] = () => [works("A"), works("B")]) {
  const { recorded } = await record(create);
  const one = await share(tools);
  return { ...one, recorded, cut: until(recorded, "step-start s2") };
}

describe("all runs that no process owns", () => {
  it("resume, the oldest first; those that ended, wait or are claimed are left alone", async () => {
    const { clock, process, store: shared, recorded, cut } = await setUp();
    await store(shared, cut, "r1", "r2");
    await store(shared, recorded, "done");
    const failing = await record(() => ({
      ...create(),
      tools: [works("A"), createFakeTool({ name: "B", outcomes: [{ throws: { retryable: false } }] })],
    }));
    await store(shared, failing.recorded, "failed");
    await store(shared, cut, "held", "r3");
    await shared.claim("held", { owner: "somebody", ttlMs: 60_000 });
    const agent = process();
    const order: string[] = [];
    agent.on("run-resume", ({ runId }) => order.push(runId));
    expect((await agent.listRuns({ resumable: true })).runs.map(({ runId }) => runId)).toEqual(["r3", "r2", "r1"]);
    const resumed = await clock.runUntil(agent.resumeAll({ concurrency: 1 }));
    expect(order).toEqual(["r1", "r2", "r3"]);
    expect(resumed).toMatchObject(order.map((runId) => ({ runId, result: { runId, status: "completed" } })));
    expect(await agent.resumeAll()).toEqual([]);
    expect((await agent.listRuns({ resumable: true })).runs).toEqual([]);
  });

  it("are reported with their error if they cannot resume, and do not stop the others", async () => {
    const { clock, process, store: shared, cut } = await setUp();
    await store(shared, cut, "r1", "r2", "r3");
    const agent = process({}, (reached) =>
      withMethods(reached, {
        read: (runId, options) => {
          if (runId === "r2") throw new Error("unreadable");
          return reached.read(runId, options);
        },
        claim: (runId, options) => reached.claim(runId, runId === "r3" ? { ...options, owner: "me" } : options),
      }),
    );
    // Another owner claims it between the list and the lease.
    agent.on("run-resume", () => void shared.claim("r3", { owner: "somebody", ttlMs: 60_000 }));
    const resumed = await clock.runUntil(agent.resumeAll({ concurrency: 1 }));
    expect(resumed).toMatchObject([
      { runId: "r1", result: { status: "completed" } },
      { runId: "r2", error: { code: "store-failed", details: { operation: "read" } } },
      { runId: "r3", error: { code: "run-owned-elsewhere" } },
    ]);
  });

  it("that failed meanwhile in another process stay failed: nothing in them runs again", async () => {
    const made: FakeTool[] = [];
    const { clock, process, store: shared, cut } = await setUp(() => [works("A"), fails(made)]);
    await store(shared, cut, "r1", "r2");
    const other = process();
    // The other process finishes them when this one has just listed them.
    const agent = process({}, (reached) =>
      withMethods(reached, {
        list: async (options) => {
          const page = await reached.list(options);
          for (const { runId } of page.runs) expect((await other.resume(runId)).status).toBe("failed");
          return page;
        },
      }),
    );
    const resumed = await clock.runUntil(agent.resumeAll());
    expect(resumed).toMatchObject([{ result: { status: "failed" } }, { result: { status: "failed" } }]);
    expect(callsOf(made)).toBe(2);
  });

  it("are retried by only one of two processes that resume the same failed run", async () => {
    const failing = await record(() => ({
      ...create(),
      tools: [works("A"), createFakeTool({ name: "B", outcomes: [{ throws: { retryable: false } }] })],
    }));
    const made: FakeTool[] = [];
    const { clock, process, store: shared } = await setUp(() => [works("A"), fails(made)]);
    await store(shared, failing.recorded, "r1");
    const other = process();
    const agent = process({}, (reached) =>
      withMethods(reached, {
        claim: async (runId, options) => {
          // Between the lookup and the lease.
          expect((await other.resume(runId)).status).toBe("failed");
          return reached.claim(runId, options);
        },
      }),
    );
    expect(await clock.runUntil(agent.resume("r1"))).toMatchObject({ status: "failed" });
    expect(callsOf(made)).toBe(1);
  });

  it("are each reported if they no longer match the tools", async () => {
    const { clock, process, store: shared, cut } = await setUp();
    await store(shared, cut, "r1");
    const resumed = await clock.runUntil(process({ tools: [works("A")] }).resumeAll());
    expect(resumed).toMatchObject([{ runId: "r1", error: { code: "resume-mismatch" } }]);
    expect(resumed[0]).not.toHaveProperty("result");
  });

  it("resume with the given concurrency and resources", async () => {
    let tool: FakeTool | undefined;
    const shop = await setUp((clock) => {
      tool = createFakeTool({ name: "B", outcomes: [{ returns: 1, afterMs: 5 }], clock });
      return [works("A"), tool];
    });
    const { clock, process, store: shared, cut } = shop;
    await store(shared, cut, "r1", "r2", "r3", "r4", "r5");
    const agent = process();
    const events: AgentEvent[] = [];
    agent.subscribe((event) => events.push(event));
    const resumed = await clock.runUntil(agent.resumeAll({ concurrency: 2, resources: "db" }));
    expect(resumed).toHaveLength(5);
    // Steps that were cut off end without having started in this process.
    expect(peakOf(events.filter((event) => event.type !== "step-end" || event.outcome.status === "completed"))).toBe(2);
    expect(tool?.calls.map(({ context }) => context.resources)).toEqual(Array(5).fill("db"));
  });

  it("are included, on however many pages", async () => {
    const { clock, process, store: shared, cut } = await setUp();
    // More than a minute in a database.
    const length = scenarioDatabase() === undefined ? 1_003 : 103;
    const ids = Array.from({ length }, (_, index) => `r${index}`);
    await store(shared, cut.slice(0, 1), ...ids);
    const agent = process({ tools: [works("A")] });
    const resumed = await clock.runUntil(agent.resumeAll({ concurrency: 1 }));
    expect(resumed.map(({ runId }) => runId)).toEqual(ids);
  });

  it("cause a rejection if they cannot be listed", async () => {
    const { process } = await setUp();
    const agent = process({}, (reached) =>
      withMethods(reached, {
        list: () => {
          throw new TypeError("gone");
        },
      }),
    );
    await expect(agent.resumeAll()).rejects.toMatchObject({ code: "store-failed", details: { operation: "list" } });
  });

  it("are left alone once the agent is closed", async () => {
    const { clock, process, store: shared, cut } = await setUp();
    await store(shared, cut, "r1", "r2");
    const agent = process();
    let closed: Promise<void> | undefined;
    agent.on("step-start", () => {
      closed ??= agent.close();
    });
    const resumed = await clock.runUntil(agent.resumeAll({ concurrency: 1 }));
    await closed;
    expect(resumed).toMatchObject([
      { runId: "r1", result: { status: "completed" } },
      { runId: "r2", error: { code: "interrupted" } },
    ]);
  });

  it("can each throw their failures", async () => {
    const failing = createFakeTool({ name: "B", outcomes: [{ throws: { retryable: false } }] });
    const { clock, process, store: shared, cut } = await setUp(() => [works("A"), failing]);
    await store(shared, cut, "r1");
    const agent = process();
    const resumed = await clock.runUntil(agent.resumeAll({ throwOnFailure: true }));
    expect(resumed).toMatchObject([{ runId: "r1", error: { code: "tool-failed" } }]);
  });
});
