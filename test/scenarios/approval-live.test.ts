import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../src/core/events.ts";
import { createFakeTool } from "../../src/testing/fake-tool.ts";
import { askingTool, requestOf, statuses } from "./asking.ts";
import { planOf, step } from "./plans.ts";
import { runScenario } from "./run-scenario.ts";

const types = (events: readonly AgentEvent[]) => events.map(({ type }) => type);

describe("deciding while the run goes on", () => {
  it("works from the listener that hears the request, without a suspension", async () => {
    const { result, events } = await runScenario(() => ({
      tools: [askingTool("B")],
      plan: planOf("B", "B"),
      act: ({ agent }) => {
        agent.on("approval-request", (event) => {
          if (event.kind === "step") agent.approve(event.runId, event.stepId, { inputHash: event.inputHash });
        });
      },
    }));
    expect(result.status).toBe("completed");
    expect(types(events)).not.toContain("run-suspend");
  });

  it("rejects from there, too", async () => {
    const { result } = await runScenario(() => ({
      tools: [askingTool("B")],
      plan: planOf("B", "B"),
      act: ({ agent }) => {
        agent.on("approval-request", (event) => {
          if (event.kind !== "step") return;
          agent.reject(event.runId, event.stepId, { inputHash: event.inputHash, reason: "never" });
        });
      },
    }));
    expect(result.error).toMatchObject({ code: "approval-rejected", details: { reason: "never" } });
    expect(statuses(result)).toEqual(["s1 skipped", "s2 skipped"]);
  });

  it("twice is once: the second one is told that nothing waits", async () => {
    const codes: unknown[] = [];
    const { result, events } = await runScenario(() => ({
      tools: [askingTool("B", { effect: "once" })],
      plan: planOf("B"),
      act: ({ agent }) => {
        agent.on("approval-request", (event) => {
          if (event.kind !== "step") return;
          const { runId, stepId, inputHash } = event;
          agent.approve(runId, stepId, { inputHash });
          agent.reject(runId, stepId, { inputHash }).result.catch(({ code }) => codes.push(code));
        });
      },
    }));
    expect(result.status).toBe("completed");
    expect(codes).toEqual(["run-conflict", "run-conflict"]);
    expect(types(events).filter((type) => type === "approval-end")).toHaveLength(1);
  });

  it("of something that does not wait is run-conflict, and changes nothing", async () => {
    const codes: unknown[] = [];
    const { result } = await runScenario((clock) => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ returns: 1, afterMs: 100 }], clock }), askingTool("B")],
      plan: { steps: [step("b", "B", { dependsOn: [] }), step("a", "A", { dependsOn: [] })] },
      act: async ({ agent, handle: { runId }, clock, events }) => {
        await clock.advance(10);
        const { inputHash } = requestOf(events);
        const wrong = [
          agent.approve(runId, "b", { inputHash: "0".repeat(64) }),
          agent.approve(runId, "a", { inputHash }),
          agent.approve(runId, "nothing", { inputHash }),
          agent.approve(runId, "b", { inputHash, iteration: 0 }),
          agent.approvePlan(runId, { planHash: inputHash }),
        ];
        for (const { result } of wrong) result.catch(({ code }) => codes.push(code));
      },
    }));
    expect(result).toMatchObject({ status: "suspended", pending: [{ stepId: "b" }] });
    expect(codes).toEqual(Array.from({ length: 10 }, () => "run-conflict"));
  });

  it("in vain gives no hold on the run, nor its events", async () => {
    const types: string[] = [];
    const { result } = await runScenario((clock) => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ returns: 1, afterMs: 100 }], clock })],
      plan: planOf("A"),
      act: async ({ agent, handle, clock }) => {
        await clock.advance(10);
        const refused = agent.approve(handle.runId, "s1", { inputHash: "0".repeat(64) });
        refused.cancel("mine");
        for await (const { type } of refused.events) types.push(type);
      },
    }));
    expect(result.status).toBe("completed");
    expect(types).toEqual([]);
  });

  it("once it is cancelled does not start the step", async () => {
    const { result } = await runScenario((clock) => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ returns: 1, afterMs: 100 }], clock }), askingTool("B")],
      plan: { steps: [step("b", "B", { dependsOn: [] }), step("a", "A", { dependsOn: [] })] },
      act: async ({ agent, handle, clock, events }) => {
        await clock.advance(10);
        handle.cancel();
        agent.approve(handle.runId, "b", { inputHash: requestOf(events).inputHash });
      },
    }));
    expect(result.status).toBe("cancelled");
    expect(statuses(result)).toEqual(["b skipped", "a completed"]);
  });
});
