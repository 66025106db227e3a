import { type AgentEvent, createAgent } from "planwright";
import { createFakeTool, type FakeTool } from "planwright/testing";
import { describe, expect, it, vi } from "vitest";

const plan = { steps: [{ id: "s1", tool: "A", input: {} }] } as const;
const tools = [createFakeTool({ name: "A", outcomes: [{ returns: { list: [1] } }] })];

describe("a listener", () => {
  it("receives its type until it is removed", async () => {
    const agent = createAgent({ tools });
    const ends = vi.fn();
    const stop = agent.on("step-end", ends);
    const starts = vi.fn();
    agent.on("step-start", starts);
    await agent.execute(plan);
    stop();
    agent.off("step-start", starts);
    agent.off("step-start", starts);
    await agent.execute(plan);
    expect(ends).toHaveBeenCalledTimes(1);
    expect(starts).toHaveBeenCalledTimes(1);
    expect(ends.mock.calls[0]?.[0]).toMatchObject({ type: "step-end", outcome: { output: { list: [1] } } });
  });

  it("receives one event if added with once, even when several runs emit it", async () => {
    const agent = createAgent({ tools });
    const ends = vi.fn();
    const stop = agent.once("run-end", ends);
    await Promise.all([agent.execute(plan), agent.execute(plan)]);
    expect(ends).toHaveBeenCalledTimes(1);
    agent.once("run-end", ends)();
    stop();
    await agent.execute(plan);
    expect(ends).toHaveBeenCalledTimes(1);
  });

  it("of every event stays when all others are removed", async () => {
    const agent = createAgent({ tools });
    const [one, every] = [vi.fn(), vi.fn()];
    agent.on("step-end", one);
    agent.subscribe(every);
    agent.removeAllListeners("run-end");
    expect(agent.listenerCount("step-end")).toBe(1);
    agent.removeAllListeners();
    await agent.execute(plan);
    expect([one.mock.calls.length, every.mock.calls.length]).toEqual([0, 4]);
  });

  it("never changes a run by throwing or rejecting, and its errors are reported", async () => {
    const onListenerError = vi.fn();
    const agent = createAgent({ tools, onListenerError });
    agent.on("step-start", () => {
      throw new Error("thrown");
    });
    agent.subscribe(async ({ type }) => {
      if (type === "run-end") throw new Error("rejected");
    });
    const heard = vi.fn();
    agent.on("step-start", heard);
    expect((await agent.execute(plan)).status).toBe("completed");
    await Promise.resolve();
    expect(heard).toHaveBeenCalledTimes(1);
    expect(onListenerError.mock.calls.map(([error]) => (error as Error).message)).toEqual(["thrown", "rejected"]);
  });

  it("is reported once by default if it fails", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const agent = createAgent({ tools });
    agent.subscribe(() => {
      throw new Error("always");
    });
    await agent.execute(plan);
    expect(warn).toHaveBeenCalledTimes(1);
    warn.mockRestore();
  });

  it("cannot change a run through the events it receives", async () => {
    const changes: ((event: AgentEvent) => void)[] = [
      (event) => event.type === "run-start" && Object.assign(event.options, { concurrency: 9 }),
      (event) => event.type === "step-end" && Object.assign(event.outcome, { output: 666 }),
      (event) => event.type === "step-retry" && Object.assign(event.error, { message: "changed" }),
      (event) =>
        event.type === "run-end" &&
        "error" in event.outcome &&
        Object.assign(event.outcome.error, { message: "changed" }),
    ];
    const failures = vi.fn();
    const failing = createFakeTool({
      name: "A",
      outcomes: [{ throws: "no" }],
      retry: { minDelayMs: 0, maxAttempts: 2 },
    });
    for (const used of [tools[0], failing]) {
      const agent = createAgent({ tools: [used as FakeTool], onListenerError: failures });
      for (const change of changes) agent.subscribe(change);
      const result = await agent.execute(plan as never);
      expect(JSON.stringify(await agent.getRun(result.runId))).not.toMatch(/"output":666|changed/);
      expect(JSON.stringify(result)).not.toMatch(/"output":666|changed/);
    }
    expect(failures).toHaveBeenCalledTimes(2 + 4);
  });

  it("cannot change what others see", async () => {
    const onListenerError = vi.fn();
    const agent = createAgent({ tools, onListenerError });
    agent.on("step-end", (event) => {
      if (event.outcome.status === "completed") (event.outcome.output as { list: number[] }).list.push(2);
    });
    const result = await agent.execute(plan);
    expect(onListenerError).toHaveBeenCalledTimes(1);
    expect(result.output).toEqual({ list: [1] });
    (result.output as { list: number[] }).list.push(3);
    expect((await agent.getRun(result.runId))?.output).toEqual({ list: [1] });
  });
});
