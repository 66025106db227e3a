import { createFakeTool, createScriptedPlanner } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { planOf } from "../../scenario/plans.ts";
import { runScenario } from "../../scenario/run-scenario.ts";

const hanging = () => createFakeTool({ name: "A", outcomes: [{ hangs: "until-aborted" }] });

describe("cancelling a run", () => {
  it("reaches the running tool through its signal", async () => {
    const { result } = await runScenario(() => ({
      tools: [hanging()],
      plan: planOf("A", "A"),
      act: async ({ handle, clock }) => {
        await clock.advance(10);
        handle.cancel("enough");
        handle.cancel("again");
      },
    }));
    expect(result.status).toBe("cancelled");
    expect(result.error).toMatchObject({ code: "cancelled", details: { reason: "enough" } });
    expect(result.steps).toMatchObject([
      { status: "cancelled", attempts: 1, error: { code: "cancelled" } },
      { status: "skipped", attempts: 0 },
    ]);
  });

  it("works through the caller's signal, before the run starts", async () => {
    const { result, events } = await runScenario(() => ({
      isResumable: false,
      tools: [hanging()],
      plan: planOf("A"),
      options: { signal: AbortSignal.abort(new Error("never mind")) },
    }));
    expect(result).toMatchObject({ status: "cancelled", error: { details: { reason: "never mind" } } });
    expect(events.map(({ type }) => type)).toEqual(["run-start", "step-skip", "run-end"]);
  });

  it("works through the caller's signal, while it runs, and leaves no listener behind", async () => {
    const counts: number[] = [];
    const { result } = await runScenario(() => {
      const controller = new AbortController();
      const { signal } = controller;
      let listeners = 0;
      const add = signal.addEventListener.bind(signal);
      const remove = signal.removeEventListener.bind(signal);
      signal.addEventListener = (...args: Parameters<typeof add>) => {
        listeners++;
        add(...args);
      };
      signal.removeEventListener = (...args: Parameters<typeof remove>) => {
        listeners--;
        remove(...args);
      };
      return {
        tools: [hanging()],
        plan: planOf("A"),
        options: { signal },
        act: async ({ handle, clock }) => {
          await clock.advance(10);
          controller.abort("stop");
          void handle.result.finally(() => counts.push(listeners));
        },
      };
    });
    expect(result).toMatchObject({ status: "cancelled", error: { details: { reason: "stop" } } });
    expect(counts).toEqual([0, 0]);
  });

  it("stops waiting for the next attempt", async () => {
    const { result, clock, events } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ throws: new Error("down") }] })],
      plan: planOf("A"),
      act: async ({ handle, clock }) => {
        await clock.advance(300);
        handle.cancel();
      },
    }));
    expect(result.steps[0]).toMatchObject({ status: "cancelled", attempts: 1, error: { cause: { message: "down" } } });
    expect(clock.now() - Date.parse(events[0]?.timestamp ?? "")).toBe(300);
  });

  it("keeps a value that comes within the grace period, and the run is still cancelled", async () => {
    const { result } = await runScenario((clock) => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ returns: "done", afterMs: 500 }], clock })],
      plan: planOf("A", "A"),
      act: async ({ handle, clock }) => {
        await clock.advance(100);
        handle.cancel();
      },
    }));
    expect(result.status).toBe("cancelled");
    expect(result.steps).toMatchObject([{ status: "completed", output: "done" }, { status: "skipped" }]);
  });

  it("abandons a tool that ignores its signal after the grace period, and reports its late value", async () => {
    const { result, clock, warnings } = await runScenario((clock) => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ returns: "done", afterMs: 5_000 }], clock })],
      plan: planOf("A"),
      act: async ({ handle, clock }) => {
        await clock.advance(100);
        handle.cancel();
      },
      leftoverTimers: 1,
    }));
    expect(result.steps[0]).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
    await clock.advance(5_000);
    expect(warnings).toMatchObject([{ code: "late-result" }]);
  });

  it("reaches the planner, and does not wait for one that ignores it", async () => {
    const { result, events } = await runScenario(() => ({
      tools: [hanging()],
      planner: createScriptedPlanner([() => new Promise(() => {})]),
      request: "anything",
      act: async ({ handle, clock }) => {
        await clock.advance(10);
        handle.cancel("no plan needed");
      },
    }));
    expect(result).toMatchObject({ status: "cancelled", steps: [], error: { code: "cancelled" } });
    expect(result.plan).toBeUndefined();
    expect(events.map(({ type }) => type)).toEqual(["run-start", "plan-start", "plan-end", "run-end"]);
  });

  it("does nothing once the run has ended", async () => {
    const { result } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A" })],
      plan: planOf("A"),
      act: async ({ handle, clock }) => {
        await clock.runUntil(handle.result);
        handle.cancel("too late");
      },
    }));
    expect(result.status).toBe("completed");
  });

  it("reaches all steps that run side by side", async () => {
    const { result } = await runScenario(() => ({
      tools: [hanging()],
      plan: {
        steps: Array.from({ length: 20 }, (_, index) => ({ id: `s${index}`, tool: "A", input: {}, dependsOn: [] })),
      },
      options: { concurrency: 20 },
      act: async ({ handle, clock }) => {
        await clock.advance(10);
        handle.cancel();
      },
    }));
    expect(new Set(result.steps.map(({ status }) => status))).toEqual(new Set(["cancelled"]));
  });
});
