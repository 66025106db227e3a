import { defineTool } from "planwright";
import { createFakeTool, type FakeOutcome } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { planOf } from "../../scenario/plans.ts";
import { runScenario } from "../../scenario/run-scenario.ts";

const once = (...outcomes: FakeOutcome[]) => createFakeTool({ name: "Pay", effect: "once", outcomes, timeoutMs: 100 });

describe('a step with effect "once"', () => {
  it("is not retried once it has started", async () => {
    const { result } = await runScenario(() => ({
      tools: [once({ throws: new Error("no") }, { returns: 1 })],
      plan: planOf("Pay"),
    }));
    expect(result).toMatchObject({ status: "failed", error: { code: "tool-failed", details: { attempts: 1 } } });
  });

  it("is retried when its error states that nothing has happened", async () => {
    const nothing = Object.assign(new Error("queue full"), { retryable: true });
    const { result } = await runScenario(() => ({
      tools: [once({ throws: nothing }, { returns: 1 })],
      plan: planOf("Pay"),
    }));
    expect(result.steps[0]).toMatchObject({ status: "completed", attempts: 2, effect: "once" });
  });

  it("suspends the run, its outcome unknown, when it times out", async () => {
    const { result, events } = await runScenario(() => ({
      tools: [once({ hangs: "until-aborted" }), createFakeTool({ name: "A" })],
      plan: planOf("Pay", "A"),
    }));
    expect(result.status).toBe("suspended");
    expect(result.pending).toMatchObject([{ stepId: "s1", kind: "outcome", error: { code: "outcome-unknown" } }]);
    expect(result.steps).toMatchObject([
      { status: "unknown", error: { code: "outcome-unknown", cause: { code: "timeout" } } },
      // It may still run, once somebody has settled the first.
      { status: "pending" },
    ]);
    expect(events.at(-1)?.type).toBe("run-suspend");
  });

  it("is completed when its value comes within the grace period", async () => {
    const { result } = await runScenario((clock) => ({
      tools: [
        createFakeTool({
          name: "Pay",
          effect: "once",
          outcomes: [{ returns: "paid", afterMs: 600 }],
          timeoutMs: 100,
          clock,
        }),
      ],
      plan: planOf("Pay"),
    }));
    expect(result).toMatchObject({ status: "completed", output: "paid" });
  });

  it("is unknown when the run is cancelled and the tool does not settle; the run is cancelled", async () => {
    const { result } = await runScenario(() => ({
      tools: [once({ hangs: "forever" })],
      plan: planOf("Pay"),
      act: async ({ handle, clock }) => {
        await clock.advance(50);
        handle.cancel();
      },
    }));
    expect(result).toMatchObject({ status: "cancelled", steps: [{ status: "unknown" }] });
  });

  it("is cancelled, not unknown, when the run is aborted before the second call", async () => {
    const nothing = Object.assign(new Error("queue full"), { retryable: true });
    const { result } = await runScenario(() => {
      let calls = 0;
      const execute = () => {
        expect(++calls).toBe(1);
        throw nothing;
      };
      return {
        tools: [defineTool({ name: "Pay", description: "", effect: "once", inputSchema: z.object({}), execute })],
        plan: planOf("Pay"),
        act: ({ agent, handle }) => void agent.on("step-retry", () => handle.cancel("enough")),
      };
    });
    expect(result).toMatchObject({ status: "cancelled", steps: [{ status: "cancelled", attempts: 1 }] });
  });

  it("may depend on the input", async () => {
    const { result } = await runScenario(() => {
      const tool = createFakeTool({ name: "A", outcomes: [{ throws: new Error("no") }] });
      return {
        tools: [
          {
            ...tool,
            declaredEffect: "by-input",
            effect: (input: unknown) => ((input as { pay?: boolean }).pay ? "once" : "pure"),
          },
        ],
        plan: { steps: [{ id: "s1", tool: "A", input: { pay: true } }] },
      };
    });
    expect(result.error).toMatchObject({ details: { attempts: 1 } });
  });

  it("fails before it starts when the function of the input throws", async () => {
    const { result } = await runScenario(() => ({
      tools: [
        {
          ...createFakeTool({ name: "A" }),
          effect: () => {
            throw new Error("which?");
          },
        },
      ],
      plan: planOf("A"),
    }));
    expect(result).toMatchObject({
      status: "failed",
      error: { code: "tool-failed", message: 'Step "s1" (A) failed: which?' },
      steps: [{ attempts: 0 }],
    });
  });
});
