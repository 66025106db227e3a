import { type AgentEvent, createAgent, createMemoryRunStore, defineTool, type RunStore } from "planwright";
import { createFakeTool, createScriptedPlanner } from "planwright/testing";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod/v4";
import { planOf, step } from "../scenario/plans.ts";
import { runScenario } from "../scenario/run-scenario.ts";

/** A value without a text form: putting it into a message throws. */
const unreadable: unknown = Object.create(null);

describe("a value that cannot be read", () => {
  it("thrown by a planner ends the run as failed", async () => {
    const { result } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A" })],
      planner: createScriptedPlanner([
        () => {
          throw unreadable;
        },
      ]),
      request: "anything",
    }));
    expect(result).toMatchObject({ status: "failed", error: { code: "planning-failed" } });
  });

  it("thrown by a tool or its effect fails the step", async () => {
    const { result } = await runScenario(() => ({
      isResumable: false,
      tools: [
        createFakeTool({ name: "A", outcomes: [{ throws: unreadable }], retry: { maxAttempts: 1 } }),
        {
          ...createFakeTool({ name: "B" }),
          effect: () => {
            throw unreadable;
          },
        },
      ],
      plan: { steps: [step("s1", "A"), step("s2", "B", { dependsOn: [] })] },
      options: { concurrency: 2 },
    }));
    expect(result.steps.map(({ error }) => error?.code)).toEqual(["tool-failed", "tool-failed"]);
  });

  it("as the reason of an abort cancels the run", async () => {
    const { result } = await runScenario(() => {
      const controller = new AbortController();
      return {
        tools: [createFakeTool({ name: "A", outcomes: [{ hangs: "until-aborted" }] })],
        plan: planOf("A"),
        options: { signal: controller.signal },
        act: async ({ clock }) => {
          await clock.advance(1);
          controller.abort(unreadable);
        },
      };
    });
    expect(result.status).toBe("cancelled");
  });
});

describe("an input that references make too large", () => {
  it.each([
    ["for any text", 1_000_000, 600],
    ["for a step", 100_000, 200],
  ])("%s fails its step", async (_what, length, times) => {
    const { result } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ returns: "x".repeat(length) }] })],
      plan: { steps: [step("s1", "A"), step("s2", "A", { input: { text: "${s1}".repeat(times) } })] },
    }));
    expect(result.steps[1]).toMatchObject({ status: "failed", attempts: 0, error: { code: "invalid-tool-input" } });
  });
});

describe("an effect that is not a valid one", () => {
  it.each([
    ["a promise", async () => "once"],
    ["another word", () => "onze"],
  ])("such as %s fails the step before its tool is called", async (_what, effect) => {
    const { result } = await runScenario(() => ({
      tools: [{ ...createFakeTool({ name: "A" }), effect: effect as never }],
      plan: planOf("A"),
    }));
    expect(result).toMatchObject({ error: { code: "tool-failed" }, steps: [{ attempts: 0 }] });
    expect(result.error?.message).toContain("one of pure, idempotent, once");
  });
});

describe("a schema that never answers", () => {
  const never = () => new Promise<boolean>(() => {});
  const tool = defineTool({
    name: "A",
    description: "",
    inputSchema: z.object({}).refine(never),
    effect: "idempotent",
    execute: () => null,
  });

  it("can be interrupted by cancelling and by the deadline, while the plan is checked", async () => {
    await expect(
      runScenario(() => ({ tools: [tool], plan: planOf("A"), options: { timeoutMs: 50 } })),
    ).rejects.toMatchObject({ code: "timeout" });
    await expect(
      runScenario(() => ({ tools: [tool], plan: planOf("A"), act: ({ handle }) => handle.cancel("enough") })),
    ).rejects.toMatchObject({ code: "cancelled" });
  });

  it("can be interrupted while a step waits for it", async () => {
    let calls = 0;
    const { result } = await runScenario(() => {
      calls = 0;
      // The plan is checked once: first synchronously and then asynchronously.
      const inputSchema = z.object({}).refine(() => (calls++ < 2 ? Promise.resolve(true) : never()));
      const late = defineTool({ name: "A", description: "", inputSchema, effect: "idempotent", execute: () => null });
      return { tools: [late], plan: planOf("A"), options: { timeoutMs: 50 }, isResumable: false };
    });
    expect(result).toMatchObject({
      status: "failed",
      error: { code: "timeout" },
      steps: [{ attempts: 0, status: "failed" }],
    });
  });
});

describe("a store that answers with a thenable instead of a promise", () => {
  it("is awaited, and the work in its then is done", async () => {
    const memory = createMemoryRunStore();
    const store: RunStore = Object.assign(Object.create(memory) as RunStore, {
      append: (...args: Parameters<RunStore["append"]>) => ({
        // biome-ignore lint/suspicious/noThenProperty: query builders start their work in then.
        then: (resolve: (value: unknown) => void) => resolve(memory.append(...args)),
      }),
    });
    const agent = createAgent({ tools: [createFakeTool({ name: "A" })], store });
    const { runId } = await agent.execute(planOf("A"));
    expect(await memory.read(runId)).toHaveLength(4);
  });
});

describe("an agent", () => {
  it("reports a call that settles in a listener of run-end as a warning, not as an event after the last", async () => {
    let settle = () => {};
    const warnings = vi.fn(async () => {
      throw new Error("the logger is down");
    });
    const ignoring = {
      ...createFakeTool({ name: "A" }),
      execute: () => new Promise<void>((resolve) => (settle = resolve)),
    };
    const agent = createAgent({
      tools: [ignoring],
      stepTimeoutMs: 1,
      abortGraceMs: 0,
      retry: { maxAttempts: 1 },
      onWarning: warnings,
    });
    const events: AgentEvent[] = [];
    agent.subscribe((event) => events.push(event));
    agent.on("run-end", () => settle());
    await agent.execute(planOf("A"));
    await new Promise((resolve) => setImmediate(resolve));
    expect(events.at(-1)?.type).toBe("run-end");
    expect(warnings).toHaveBeenCalledTimes(1);
  });

  it("calls no planner with an aborted signal", async () => {
    const planner = createScriptedPlanner([]);
    const agent = createAgent({ tools: [createFakeTool({ name: "A" })], planner });
    await expect(agent.plan("anything", { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "cancelled" });
    expect(planner.requests).toEqual([]);
  });
});

it("a library that extends Object.prototype changes no run", async () => {
  const extended = Object.prototype as { legacy?: object };
  const agent = createAgent({ tools: [createFakeTool({ name: "A", outcomes: [{ returns: { list: [1] } }] })] });
  const plan = {
    steps: [step("s1", "A", { input: { items: [{ n: 1 }] } }), step("s2", "A", { input: { $ref: "s1" } })],
  };
  extended.legacy = { of: "another library" };
  try {
    // The second time the plan is known.
    const results = [await agent.execute(plan), await agent.execute(plan)];
    expect(results.map(({ status }) => status)).toEqual(["completed", "completed"]);
  } finally {
    delete extended.legacy;
  }
});
