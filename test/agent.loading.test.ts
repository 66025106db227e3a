import { createAgent } from "planwright";
import { createFakeTool, createManualClock } from "planwright/testing";
import { describe, expect, it, vi } from "vitest";

vi.mock("../src/runs/resume/start-run.ts", () => {
  throw new Error("no such file");
});

describe("a runtime that cannot be loaded", () => {
  const clock = createManualClock();
  const agent = createAgent({ tools: [createFakeTool({ name: "Fake" })], clock, onWarning: () => {} });
  const plan = { steps: [{ id: "s1", tool: "Fake", input: {} }] } as const;

  it("is the error that runs and plans reject with", async () => {
    await expect(agent.execute(plan)).rejects.toThrow();
    await expect(agent.plan("do it")).rejects.toThrow();
    await expect(agent.getRun("r1")).rejects.toThrow();
  });

  it("leaves no handle waiting and no timer, and frees the run's id", async () => {
    for (const _attempt of [1, 2]) {
      const { result, events } = agent.start(plan, { runId: "r1", timeoutMs: 1_000 });
      await expect(events[Symbol.asyncIterator]().next()).rejects.toThrow();
      await expect(result).rejects.toThrow();
      expect(clock.pendingTimers).toBe(0);
    }
  });
});
