import {
  type AgentWarning,
  createAgent,
  createMemoryRunStore,
  createOrchestrator,
  defineTool,
  describeTool,
  type Tool,
} from "planwright";
import { createFakeTool, createManualClock, type FakeOutcome } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { planOf } from "../../scenario/plans.ts";
import { record, resumeFrom, until } from "../../scenario/resume-from.ts";
import { runScenario } from "../../scenario/run-scenario.ts";

const payment = { name: "Pay", description: "Pays", inputSchema: z.object({}) };
const least = { ...payment, execute: () => "paid" };

/** A payment that does not say its effect, and counts its calls. */
function forgetful(execute: () => unknown = () => "paid") {
  const made = { calls: 0 };
  const tool = defineTool({
    ...payment,
    execute: async () => {
      made.calls++;
      return execute();
    },
  });
  return { tool, made };
}

describe("a tool that does not say its effect", () => {
  it("is described as one that runs once", async () => {
    expect(await describeTool(forgetful().tool)).toMatchObject({ effect: "once" });
    expect(await describeTool(defineTool({ ...least, effect: undefined }))).toMatchObject({ effect: "once" });
    expect(await describeTool({ ...defineTool({ ...least, effect: "pure" }), effect: undefined })).toMatchObject({
      effect: "once",
    });
  });

  it("is called a single time if it fails", async () => {
    const { tool, made } = forgetful(() => Promise.reject(new Error("the connection was reset")));
    const clock = createManualClock();
    const agent = createAgent({ tools: [tool], clock, retry: { maxAttempts: 3 } });
    const result = await clock.runUntil(agent.execute(planOf("Pay")));
    expect(result).toMatchObject({ status: "failed", steps: [{ status: "failed", attempts: 1, effect: "once" }] });
    expect(made.calls).toBe(1);
  });

  it("is not called again after a kill: its run asks whether it took effect", async () => {
    const { recorded } = await record(() => ({ tools: [forgetful().tool], plan: planOf("Pay") }));
    const { tool, made } = forgetful();
    const { result } = await resumeFrom(until(recorded, "step-start s1"), () => ({ tools: [tool] }));
    expect(result).toMatchObject({ status: "suspended", pending: [{ kind: "outcome", stepId: "s1" }] });
    expect(made.calls).toBe(0);
  });

  it("needs approval where a replan adds it", async () => {
    const { tool, made } = forgetful();
    const broken = Object.assign(new Error("no"), { retryable: false });
    const { result } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ throws: broken }] }), tool],
      planner: {
        name: "other",
        plan: () => Promise.reject(new Error("it only plans again")),
        replan: async () => ({ steps: [{ id: "other", tool: "Pay", input: {}, dependsOn: [] }] }),
      },
      plan: planOf("A"),
      options: { maxReplans: 1 },
    }));
    expect(result).toMatchObject({ status: "suspended", pending: [{ kind: "approval", tool: "Pay", effect: "once" }] });
    expect(made.calls).toBe(0);
  });

  it("does not fit a run that was stored when it said another effect", async () => {
    const tools = [{ ...least, effect: "idempotent" }] as const;
    const { recorded } = await record(() => ({ tools, plan: planOf("Pay") }));
    const resuming = resumeFrom(until(recorded, "step-start s1"), () => ({ tools: [forgetful().tool] }));
    await expect(resuming).rejects.toMatchObject({
      code: "resume-mismatch",
      details: { differences: [{ tool: "Pay", expected: "idempotent", found: "once" }] },
    });
  });
});

describe("the warning effect-missing", () => {
  const retry = { maxAttempts: 3 };
  const warningsOf = (...tools: readonly Tool[]) => {
    const warnings: AgentWarning[] = [];
    createAgent({ tools, onWarning: (warning) => warnings.push(warning) });
    return warnings;
  };

  it("names each tool that has retry and no effect, once, with what to do", () => {
    const mail = defineTool({ ...least, name: "Mail", retry });
    const warnings = warningsOf({ ...least, retry }, { ...mail, name: "Letter" }, mail);
    expect(warnings.map(({ code }) => code)).toEqual(["effect-missing", "effect-missing", "effect-missing"]);
    expect(warnings.map(({ message }) => message.split(" ", 1)[0])).toEqual(["Pay", "Letter", "Mail"]);
    expect(warnings[0]?.message).toBe(
      'Pay has `retry` but no `effect`, so it counts as "once" and is rarely retried: ' +
        'give it effect: "idempotent" or "pure" if it may run again, or effect: "once" if it must not.',
    );
  });

  it("is given by an orchestrator, too, and when a run has no step of the tool", () => {
    const warnings: AgentWarning[] = [];
    const store = createMemoryRunStore();
    createOrchestrator({ tools: [{ ...least, retry }], store, onWarning: (warning) => warnings.push(warning) });
    expect(warnings).toMatchObject([{ code: "effect-missing" }]);
  });

  it("is not given for a tool that says its effect, or has no policy of its own", () => {
    const tools = [
      least,
      { ...least, name: "A", effect: "once", retry },
      { ...least, name: "B", effect: () => "pure", retry },
      defineTool({ ...least, name: "C", effect: "idempotent", retry }),
      { ...defineTool({ ...least, name: "D", effect: "pure" }), retry },
      createFakeTool({ name: "E", retry }),
    ] satisfies readonly Tool[];
    expect(warningsOf(...tools)).toEqual([]);
  });
});

describe("a fake tool", () => {
  it("is idempotent unless it says otherwise", async () => {
    expect(await describeTool(createFakeTool({ name: "A" }))).toMatchObject({ effect: "idempotent" });
    expect(await describeTool(createFakeTool({ name: "A", effect: undefined }))).toMatchObject({
      effect: "idempotent",
    });
    expect(await describeTool(createFakeTool({ name: "A", effect: "once" }))).toMatchObject({ effect: "once" });
  });
});

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
