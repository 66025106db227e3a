import { join } from "node:path";
import { type AgentEvent, createMemoryRunStore, type PlanRequest, type RunStore } from "planwright";
import { createSqliteRunStore } from "planwright/sqlite";
import { createManualClock } from "planwright/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { newFolder } from "../../new-folder.ts";
import { createDialogue, dialogueTools, question, readByWords, wordPlanner } from "../../scenario/dialogue.ts";
import { checkInvariants } from "../../scenario/invariants.ts";
import { withMethods } from "../../scenario/two-processes.ts";

const thread = "ada";
const idsOf = (runs: readonly { readonly runId: string }[] = []) => runs.map(({ runId }) => runId).join(" ");

describe("a line of a dialogue", () => {
  it("is read after the newest runs of its thread, and no others", async () => {
    const { agent, turns } = createDialogue();
    await agent.execute({ steps: [{ id: "s1", tool: "Add", input: {} }] }, { runId: "button", thread });
    await agent.run("add", { runId: "other", thread: "bob" });
    await agent.run("add", { runId: "alone" });
    for (let number = 1; number <= 8; number++) await agent.run("add", { runId: `r${number}`, thread });
    await agent.run("show", { runId: "last", thread });
    expect(idsOf(turns.find(({ request, runs }) => request === "add" && runs[0]?.runId === "button")?.runs)).toBe(
      "button",
    );
    expect(idsOf(turns.at(-1)?.runs)).toBe("r8 r7 r6 r5 r4 r3 r2 r1");
    expect(turns.at(-1)?.runs[0]?.steps[0]).toMatchObject({
      tool: "Add",
      status: "completed",
      output: { name: "Add" },
    });
  });

  it("is not read without a thread", async () => {
    const { agent, turns } = createDialogue();
    expect((await agent.run("add")).status).toBe("completed");
    expect(turns).toEqual([]);
  });

  it("passes what a model may be shown to the planner", async () => {
    const asked: unknown[] = [];
    const shown = { things: [], lines: ["last: Add {}"] };
    const planner = {
      name: "own",
      plan: (request: {
        readonly thread?: PlanRequest["thread"];
        readonly request: string;
        readonly signal: AbortSignal;
      }) => {
        asked.push([request.request, request.thread, request.signal.aborted]);
        return wordPlanner.plan(request);
      },
    };
    const { agent } = createDialogue({ planner, read: () => ({ status: "request", thread: shown }) });
    await agent.run("add", { thread });
    expect(asked).toEqual([["add", shown, false]]);
  });

  it("may be a plan of its own, which is checked like any other", async () => {
    const steps = (tool: string) => [{ id: "s1", tool, input: {} }];
    const { agent } = createDialogue({
      read: ({ request }) => ({ status: "plan", draft: { steps: steps(request === "again" ? "Add" : "Gone") } }),
    });
    const { status, plan } = await agent.run("again", { thread });
    expect([status, plan?.source.planner]).toEqual(["completed", "dialogue"]);
    const refused = await agent.run("elsewhere", { thread });
    expect(refused.error).toMatchObject({
      code: "invalid-plan",
      message: expect.stringContaining('The planner "dialogue" made an invalid plan'),
    });
  });

  it("asks for what it lacks if nothing else plans it", async () => {
    const { agent } = createDialogue({
      ask: (_turn, { message }) =>
        message.includes("some") ? { steps: [{ id: "q1", wait: { ask: question } }] } : undefined,
    });
    const { status, plan } = await agent.run("some", { thread });
    expect(status).toBe("suspended");
    expect(plan?.source).toEqual({
      planner: "dialogue",
      failures: [{ planner: "words", code: "cannot-plan", message: '"some" is not understood.' }],
    });
    const { status: end, error } = await agent.run("none", { thread });
    expect([end, error?.code, error?.message]).toEqual(["failed", "cannot-plan", '"none" is not understood.']);
  });

  it("may be answered in words, without a plan", async () => {
    const store = createMemoryRunStore();
    const { agent } = createDialogue({ store });
    const events: AgentEvent[] = [];
    agent.subscribe((event) => events.push(event));
    const result = await agent.run("say hello", { runId: "r1", thread });
    expect(result).toMatchObject({ status: "completed", text: "hello", steps: [] });
    expect("plan" in result || "output" in result).toBe(false);
    expect(await agent.getRun("r1")).toMatchObject({ status: "completed", text: "hello" });
    expect(events.map(({ type }) => type)).toEqual(["run-start", "plan-start", "plan-end", "run-end"]);
    checkInvariants({ events, recorded: await store.read("r1"), result });
    expect(await agent.run("say hello", { runId: "r1", thread })).toEqual(result);
  });

  it("is only looked at by plan and dryRun, which record nothing", async () => {
    const { agent, turns } = createDialogue();
    await agent.run("ask", { runId: "q", thread });
    expect((await agent.plan("add", { thread })).steps).toHaveLength(1);
    expect((await agent.dryRun("add", { thread })).steps).toHaveLength(1);
    expect(idsOf(turns.at(-1)?.runs)).toBe("q");
    const place = { runId: "q", stepId: "s1" };
    for (const [line, details] of [
      ["say hello", { text: "hello" }],
      ["yes", { answers: { ...place, answer: "yes" } }],
      ["never mind", { answers: place }],
      ["undo", { undoes: { runId: "q" } }],
    ] as const)
      for (const look of [agent.plan, agent.dryRun])
        await expect(look(line, { thread })).rejects.toMatchObject({
          code: "cannot-plan",
          details: { reason: "no-request", examples: [], ...details },
        });
    expect(idsOf((await agent.listRuns()).runs)).toBe("q");
    expect((await agent.run("say hello", { thread, approvedHash: "0".repeat(64) })).error?.code).toBe("cannot-plan");
  });

  it("fails if its thread cannot be listed", async () => {
    const store = withMethods(createMemoryRunStore(), {
      list: () => {
        throw new Error("no disk");
      },
    });
    const { error } = await createDialogue({ store }).agent.run("add", { thread });
    expect(error).toMatchObject({ code: "planning-failed", message: expect.stringContaining("no disk") });
  });
});

describe("a thread", () => {
  it("shows runs that failed, wait or were undone, and leaves out deleted and damaged ones", async () => {
    const store = createMemoryRunStore();
    const damaged = withMethods(store, {
      read: (runId, options) => (runId === "damaged" ? ([{ type: "odd" }] as never) : store.read(runId, options)),
    });
    await createDialogue({ store }).agent.run("add", { runId: "damaged", thread });
    const { agent, turns } = createDialogue({ store: damaged });
    await agent.run("nonsense", { runId: "failed", thread });
    await agent.run("add", { runId: "undone", thread });
    await agent.undo("undone");
    await agent.run("ask", { runId: "waits", thread });
    await agent.run("show", { runId: "deleted", thread });
    await agent.deleteRun("deleted");
    await agent.run("show", { thread });
    expect(turns.at(-1)?.runs.map(({ runId, status }) => `${runId} ${status}`)).toEqual([
      "waits suspended",
      "undone cancelled",
      "failed failed",
    ]);
  });

  it("of 10,000 runs is not read as a whole", async () => {
    const store = createSqliteRunStore({ path: ":memory:" });
    onTestFinished(() => store.close());
    const [first, ...rest] = await sampleEvents();
    for (let number = 0; number < 10_000; number++) {
      const runId = `r${number}`;
      store.append(runId, [first, ...rest].map((event) => ({ ...event, runId })) as never, { sequence: 1 });
    }
    let read = 0;
    const counting = withMethods(store, {
      read: async (...args) => {
        const events = await store.read(...args);
        read += events.length;
        return events;
      },
      async list(options) {
        const page = await store.list(options);
        read += page.runs.length;
        return page;
      },
    });
    const { agent, turns } = createDialogue({ store: counting });
    await agent.run("show", { thread });
    expect(turns[0]?.runs).toHaveLength(8);
    expect(read).toBeLessThan(100);
    expect(await agent.prune({ thread })).toEqual({ deleted: 10_001 });
  });
});

async function sampleEvents() {
  const store = createMemoryRunStore();
  await createDialogue({ store }).agent.run("show", { runId: "r", thread });
  return store.read("r");
}

describe("two lines at once", () => {
  it("are planned one after the other in a process, even if the first fails to start", async () => {
    const clock = createManualClock();
    const { agent, turns } = createDialogue({ clock });
    const lines = ["add", "nonsense", "ask", "show"].map((line, index) =>
      agent.run(line, { runId: `r${index + 1}`, thread }),
    );
    const conflicting = agent.run("other", { runId: "r1", thread });
    const after = agent.run("add", { runId: "r5", thread });
    await expect(conflicting).rejects.toMatchObject({ code: "run-conflict" });
    const results = await clock.runUntil(Promise.all([...lines, after]));
    expect(results.map(({ status }) => status)).toEqual(["completed", "failed", "suspended", "completed", "completed"]);
    expect(turns.map(({ runs }) => idsOf(runs))).toEqual(["", "r1", "r2 r1", "r3 r2 r1", "r4 r3 r2 r1"]);
  });

  it("do not wait for those of other threads, and stop waiting when cancelled or closed", async () => {
    const clock = createManualClock();
    const read = ({ request }: { readonly request: string }) =>
      request === "slow" ? new Promise<never>(() => {}) : ({ status: "request" } as const);
    const { agent } = createDialogue({ clock, read });
    const slow = agent.start("slow", { thread });
    const waits = agent.start("add", { thread });
    const closed = agent.start("add", { thread });
    expect((await agent.run("add", { thread: "bob" })).status).toBe("completed");
    waits.cancel("enough");
    expect((await waits.result).error).toMatchObject({ code: "cancelled", details: { reason: "enough" } });
    const closing = agent.close({ timeoutMs: 1_000 });
    expect((await closed.result).status).toBe("interrupted");
    expect((await clock.runUntil(slow.result)).status).toBe("interrupted");
    await closing;
  });

  it("of two processes on one file are planned again if an earlier one has appeared", async () => {
    const path = join(newFolder(), "runs.db");
    const [store, other] = [createSqliteRunStore({ path }), createSqliteRunStore({ path })];
    onTestFinished(() => {
      store.close();
      other.close();
    });
    const gate = { open: () => {} };
    const opened = new Promise<void>((resolve) => {
      gate.open = resolve;
    });
    const one = createDialogue({ store: other, read: () => opened.then(() => ({ status: "request" })) });
    let isFirst = true;
    const two = createDialogue({
      store,
      read: async (turn) => {
        if (!isFirst) return readByWords(turn);
        isFirst = false;
        gate.open();
        await first.result;
        return { status: "words", text: "I know nothing" };
      },
    });
    const first = one.agent.start("add", { runId: "r1", thread });
    await first.recorded;
    const second = await two.agent.run("show", { runId: "r2", thread });
    expect(second).toMatchObject({ status: "completed", plan: { request: "show" } });
    expect(two.turns.map(({ runs }) => idsOf(runs))).toEqual(["", "r1"]);
    expect(one.turns.map(({ runs }) => idsOf(runs))).toEqual([""]);
    const types = (await store.read("r2")).map(({ type }) => type);
    expect(types.filter((type) => type === "plan-start" || type === "plan-end")).toHaveLength(2);
  });
});

it("a thread is only recorded by an engine without a reader", async () => {
  const store: RunStore = createMemoryRunStore();
  const { createAgent } = await import("planwright/engine");
  const agent = createAgent({ tools: dialogueTools(), planner: wordPlanner, store });
  await agent.run("add", { runId: "r1", thread });
  expect((await agent.run("say hello", { thread })).error?.code).toBe("cannot-plan");
  expect((await agent.getRun("r1"))?.thread).toBe(thread);
});
