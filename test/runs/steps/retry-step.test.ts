import type { AgentEvent } from "planwright";
import { createFakeTool, type FakeOutcome } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { planOf } from "../../scenario/plans.ts";
import { runScenario, type Scenario } from "../../scenario/run-scenario.ts";

const retriesIn = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === "step-retry" ? [event] : []));

const scenario = (outcomes: readonly FakeOutcome[], rest: Partial<Scenario> = {}) => ({
  tools: [createFakeTool({ name: "A", outcomes })],
  plan: planOf("A"),
  ...rest,
});

describe("a failed attempt", () => {
  it("is repeated after a growing delay, and the retry is emitted before the wait", async () => {
    const { result, events } = await runScenario(() =>
      scenario([{ throws: new Error("one") }, { throws: new Error("two") }, { returns: "three" }]),
    );
    expect(result.steps[0]).toMatchObject({ status: "completed", attempts: 3, output: "three" });
    expect(retriesIn(events)).toMatchObject([
      { attempt: 1, delayMs: 1_000, error: { name: "Error", message: "one" } },
      { attempt: 2, delayMs: 2_000, error: { message: "two" } },
    ]);
    const [first, second] = retriesIn(events).map(({ timestamp }) => Date.parse(timestamp));
    expect((second ?? 0) - (first ?? 0)).toBe(1_000);
  });

  it("has jitter between half and all of the delay", async () => {
    const { events } = await runScenario(() => scenario([{ throws: "no" }, { returns: 1 }], { random: () => 0 }));
    expect(retriesIn(events).map(({ delayMs }) => delayMs)).toEqual([500]);
  });

  it("is final after maxAttempts, with every error and the last one as cause", async () => {
    const { result } = await runScenario(() =>
      scenario([{ throws: new Error("one") }, { throws: new TypeError("two") }, { throws: "three" }]),
    );
    expect(result.status).toBe("failed");
    expect(result.error).toMatchObject({
      code: "tool-failed",
      message: 'Step "s1" (A) failed after 3 attempts: three',
      retryable: false,
      details: {
        tool: "A",
        stepId: "s1",
        attempts: 3,
        errors: [{ message: "one" }, { name: "TypeError" }, { message: "three" }],
      },
      cause: { name: "Error", message: "three" },
    });
  });

  it.each([
    ["a string", "flaky"],
    ["a TypeError", new TypeError("fetch failed")],
    ["undefined", undefined],
    ["a frozen object", Object.freeze({ code: "E" })],
    [
      "an error with a getter that throws",
      Object.defineProperty(new Error("x"), "retryable", {
        get: () => {
          throw new Error("got");
        },
      }),
    ],
  ])("is repeated when the tool throws %s", async (_what, thrown) => {
    const { result } = await runScenario(() => scenario([{ throws: thrown }, { returns: 1 }]));
    expect(result.steps[0]).toMatchObject({ status: "completed", attempts: 2 });
  });

  it.each([
    ["an error", Object.assign(new Error("no"), { retryable: false })],
    ["what went through JSON", { code: "whatever", message: "no", retryable: false }],
  ])("is not repeated when %s has retryable: false", async (_what, thrown) => {
    const { result, events } = await runScenario(() => scenario([{ throws: thrown }, { returns: 1 }]));
    expect(result.error).toMatchObject({ code: "tool-failed", details: { attempts: 1 } });
    expect(retriesIn(events)).toEqual([]);
  });

  it("follows the policy of its tool, and the agent's if the tool's is incomplete", async () => {
    const { events, result } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ throws: 1 }], retry: { maxAttempts: 5, maxDelayMs: 250 } })],
      plan: planOf("A"),
      retry: { maxAttempts: 9, minDelayMs: 100, factor: 2 },
    }));
    expect(retriesIn(events).map(({ delayMs }) => delayMs)).toEqual([100, 200, 250, 250]);
    expect(result.error).toMatchObject({ details: { attempts: 5 } });
  });

  it("is final when the next one would start after maxTotalMs, counted from the first attempt", async () => {
    const { events } = await runScenario((clock) => ({
      tools: [
        createFakeTool({
          name: "A",
          outcomes: [{ throws: 1, afterMs: 400 }],
          clock,
          retry: { maxAttempts: 10, maxTotalMs: 2_000, factor: 1 },
        }),
      ],
      plan: planOf("A"),
    }));
    expect(retriesIn(events)).toHaveLength(1);
  });

  it("may be the only one", async () => {
    const { result } = await runScenario(() => scenario([{ throws: "no" }], { retry: { maxAttempts: 1 } }));
    expect(result.error).toMatchObject({
      code: "tool-failed",
      message: 'Step "s1" (A) failed: no',
      details: { attempts: 1 },
    });
  });
});
