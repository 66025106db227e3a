import { createFakeTool, createScriptedPlanner } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { planOf } from "../../scenario/plans.ts";
import { runScenario } from "../../scenario/run-scenario.ts";

describe("an attempt that takes too long", () => {
  it("has its signal aborted and is retried", async () => {
    const { result, events } = await runScenario(() => ({
      tools: [
        createFakeTool({ name: "A", outcomes: [{ hangs: "until-aborted" }, { returns: "second" }], timeoutMs: 5_000 }),
      ],
      plan: planOf("A"),
    }));
    expect(result.steps[0]).toMatchObject({ status: "completed", attempts: 2, output: "second" });
    const retry = events.find(({ type }) => type === "step-retry");
    expect(retry).toMatchObject({
      delayMs: 1_000,
      error: { code: "timeout", details: { scope: "step", timeoutMs: 5_000 } },
    });
    expect(retry).not.toHaveProperty("overlaps");
  });

  it("is limited to 30 seconds by default, and ends as a timeout with its attempts", async () => {
    const { result, clock, events } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ hangs: "until-aborted" }] })],
      plan: planOf("A"),
    }));
    expect(result.error).toMatchObject({ code: "timeout", details: { scope: "step", timeoutMs: 30_000, attempts: 3 } });
    expect(clock.now() - Date.parse(events[0]?.timestamp ?? "")).toBe(3 * 30_000 + 1_000 + 2_000);
  });

  it("counts if its value comes within the grace period", async () => {
    const { result } = await runScenario((clock) => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ returns: "just", afterMs: 1_500 }], clock, timeoutMs: 1_000 })],
      plan: planOf("A"),
    }));
    expect(result.steps[0]).toMatchObject({ status: "completed", attempts: 1, output: "just" });
  });

  it("is overlapped by the next one if it ignores its signal, and its late value is reported", async () => {
    const { result, events } = await runScenario((clock) => ({
      tools: [
        createFakeTool({
          name: "A",
          outcomes: [
            { returns: "late", afterMs: 4_500 },
            { returns: "kept", afterMs: 900 },
          ],
          clock,
          timeoutMs: 1_000,
          retry: { minDelayMs: 2_000 },
        }),
      ],
      plan: planOf("A"),
    }));
    expect(result.output).toBe("kept");
    expect(events.find(({ type }) => type === "step-retry")).toMatchObject({ overlaps: true });
    expect(events.find(({ type }) => type === "step-late")).toMatchObject({
      attempt: 1,
      outcome: { status: "completed", output: "late" },
    });
  });

  it("becomes a warning if it settles after the run has ended", async () => {
    const { result, warnings, clock } = await runScenario((clock) => ({
      tools: [
        createFakeTool({
          name: "A",
          outcomes: [{ throws: "late", afterMs: 60_000 }],
          clock,
          timeoutMs: 10,
          retry: { maxAttempts: 1 },
        }),
      ],
      plan: planOf("A"),
      leftoverTimers: 1,
    }));
    expect(result.error).toMatchObject({ code: "timeout" });
    expect(warnings).toEqual([]);
    await clock.advance(60_000);
    expect(warnings).toMatchObject([{ code: "late-result", stepId: "s1" }]);
  });

  it("does not keep a run waiting for ever", async () => {
    const { result } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ hangs: "forever" }], retry: { maxAttempts: 2 } })],
      plan: planOf("A"),
    }));
    expect(result.error).toMatchObject({ code: "timeout", details: { attempts: 2 } });
  });

  it("may have no limit", async () => {
    const { result } = await runScenario((clock) => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ returns: 1, afterMs: 10_000_000 }], clock })],
      plan: planOf("A"),
      stepTimeoutMs: Number.POSITIVE_INFINITY,
    }));
    expect(result.status).toBe("completed");
  });
});

describe("the deadline of a run", () => {
  it("ends it as failed, and its running step too", async () => {
    const { result } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ hangs: "until-aborted" }] })],
      plan: planOf("A", "A"),
      options: { timeoutMs: 700 },
    }));
    expect(result.status).toBe("failed");
    expect(result.error).toMatchObject({ code: "timeout", details: { scope: "run", timeoutMs: 700 } });
    expect(result.steps.map(({ status }) => status)).toEqual(["failed", "skipped"]);
    expect(result.steps[0]?.error).toMatchObject({ code: "timeout", details: { scope: "run" } });
  });

  it("cuts a backoff short and keeps the previous error as cause", async () => {
    const { result, clock, events } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ throws: new Error("down") }] })],
      plan: planOf("A"),
      options: { timeoutMs: 400 },
    }));
    expect(result.steps[0]).toMatchObject({
      status: "failed",
      attempts: 1,
      error: { code: "timeout", cause: { message: "down" } },
    });
    expect(clock.now() - Date.parse(events[0]?.timestamp ?? "")).toBe(400);
  });

  it("includes the time of planning", async () => {
    const { result, events } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A" })],
      planner: createScriptedPlanner([() => new Promise(() => {})]),
      request: "anything",
      options: { timeoutMs: 400 },
    }));
    expect(result).toMatchObject({ status: "failed", error: { code: "timeout", details: { scope: "run" } } });
    expect(events.find(({ type }) => type === "plan-end")).toMatchObject({ outcome: { status: "failed" } });
  });
});
