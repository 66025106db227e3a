import type { AgentEvent, RetryOptions } from "planwright";
import { createFakeTool, type FakeOutcome } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { planOf } from "../../scenario/plans.ts";
import { runScenario, type Scenario } from "../../scenario/run-scenario.ts";
import { msOf, withLimits } from "../../scenario/run-several.ts";

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

/** Errors that HTTP clients throw. */
const refusal = (properties: object) => Object.assign(new Error("429 Too Many Requests"), properties);

const delaysOf = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === "step-retry" ? [event.delayMs] : []));

const play = (thrown: unknown, retry: RetryOptions = {}, options = {}) =>
  runScenario(() => ({
    tools: [createFakeTool({ name: "Api", outcomes: [{ throws: thrown }, { returns: "ok" }], retry })],
    plan: planOf("Api"),
    options,
  }));

describe("an error that states when to try again", () => {
  it.each<[string, object, number]>([
    ["a header in seconds", { headers: { "retry-after": "7" } }, 7_000],
    ["a header of any case", { headers: { "Retry-After": 7 } }, 7_000],
    ["Headers", { headers: new Headers({ "Retry-After": "7" }) }, 7_000],
    ["the headers of a response", { response: { headers: new Headers({ "Retry-After": "12" }) } }, 12_000],
    ["responseHeaders", { responseHeaders: { "retry-after": "12" } }, 12_000],
    [
      "a header in milliseconds, which is more exact",
      { headers: { "retry-after-ms": "2500", "retry-after": "9" } },
      2_500,
    ],
    // The clock starts at this midnight.
    ["an HTTP date", { headers: { "retry-after": "Thu, 01 Jan 2026 00:00:20 GMT" } }, 20_000],
    ["a date", { retryAfter: new Date(Date.UTC(2026, 0, 1, 0, 0, 15)) }, 15_000],
    ["seconds", { retryAfter: 1.5 }, 1_500],
    ["milliseconds", { retryAfterMs: 4_321 }, 4_321],
    ["its cause", { cause: refusal({ headers: { "retry-after": "3" } }) }, 3_000],
    ["as long as maxDelayMs", { retryAfter: 30 }, 30_000],
  ])("is obeyed: %s", async (_what, properties, delayMs) => {
    const { events, result } = await play(refusal(properties));
    expect(result).toMatchObject({ status: "completed", output: "ok" });
    expect(delaysOf(events)).toEqual([delayMs]);
    const last = events.at(-1);
    expect(last && msOf(last)).toBe(delayMs);
  });

  it.each<[string, object]>([
    ["a shorter time than the backoff", { retryAfterMs: 200 }],
    ["a time that has passed", { headers: { "retry-after": "Thu, 01 Jan 2025 00:00:00 GMT" } }],
    ["a negative time", { retryAfter: -5 }],
    ["nothing that can be understood", { headers: { "retry-after": "soon" } }],
    [
      "what cannot be read",
      {
        get headers(): never {
          throw new Error("no headers");
        },
      },
    ],
    ["nothing", {}],
  ])("does not shorten the backoff: %s", async (_what, properties) => {
    const { events } = await play(properties);
    expect(delaysOf(events)).toEqual([1_000]);
  });

  it("affects only the next attempt: the backoff grows as usual", async () => {
    const { events } = await runScenario(() => ({
      tools: [
        createFakeTool({
          name: "Api",
          outcomes: [{ throws: refusal({ retryAfter: 5 }) }, { throws: refusal({ retryAfterMs: 10 }) }, { returns: 1 }],
        }),
      ],
      plan: planOf("Api"),
    }));
    expect(delaysOf(events)).toEqual([5_000, 2_000]);
  });

  it.each([600, 5_184_000])(
    "is final when %i s are longer than maxDelayMs, and the message says so",
    async (retryAfter) => {
      const { events, result } = await play(refusal({ retryAfter }));
      const askedMs = Math.min(retryAfter * 1_000, 2 ** 31 - 1);
      const reason = `(the error asks to wait ${askedMs} ms, longer than the maxDelayMs of 30000 ms)`;
      const message = `Step "s1" (Api) failed: 429 Too Many Requests ${reason}`;
      expect(result.error).toMatchObject({ code: "tool-failed", message, details: { attempts: 1 } });
      expect(delaysOf(events)).toEqual([]);
    },
  );

  it("may be as long as a longer maxDelayMs", async () => {
    const { events } = await play(refusal({ retryAfter: 600 }), { maxDelayMs: 600_000 });
    expect(delaysOf(events)).toEqual([600_000]);
  });

  it("is final when that time is after maxTotalMs, without waiting", async () => {
    const late = await play(refusal({ retryAfter: 11 }), { maxTotalMs: 10_000 });
    expect(late.result.error).toMatchObject({ code: "tool-failed", details: { attempts: 1 } });
    expect(delaysOf(late.events)).toEqual([]);
    expect(late.events.map(msOf).at(-1)).toBe(0);
    const justInTime = await play(refusal({ retryAfter: 10 }), { maxTotalMs: 10_000 });
    expect(justInTime.result.status).toBe("completed");
  });

  it("does not cause a final error to be repeated", async () => {
    const { result, events } = await play(refusal({ retryable: false, retryAfter: 5 }));
    expect(result.error).toMatchObject({ code: "tool-failed", details: { attempts: 1 } });
    expect(delaysOf(events)).toEqual([]);
  });

  it("does not cause a once step to run again, unless nothing has happened", async () => {
    const create = (properties: object) => () => ({
      tools: [
        createFakeTool({
          name: "Pay",
          effect: "once",
          outcomes: [{ throws: refusal({ retryAfter: 5, ...properties }) }, { returns: "paid" }],
        }),
      ],
      plan: planOf("Pay"),
    });
    expect((await runScenario(create({}))).result.steps[0]).toMatchObject({ status: "failed", attempts: 1 });
    const { result, events } = await runScenario(create({ retryable: true }));
    expect(result.steps[0]).toMatchObject({ status: "completed", attempts: 2 });
    expect(delaysOf(events)).toEqual([5_000]);
  });

  it("does not wait longer than the run may take", async () => {
    const { result, events } = await play(refusal({ retryAfter: 20 }), {}, { timeoutMs: 3_000 });
    expect(result.error).toMatchObject({ code: "timeout", details: { scope: "run" } });
    expect(events.map(msOf).at(-1)).toBe(3_000);
  });

  it("occupies no place at the tool while it waits, and leaves no headers in its events", async () => {
    const { events, result } = await runScenario((clock) => ({
      tools: [
        withLimits(
          createFakeTool({
            name: "Api",
            outcomes: [{ throws: refusal({ headers: { "retry-after": "5", cookie: "secret" } }) }, { returns: 1 }],
            clock,
          }),
          { concurrency: 1 },
        ),
      ],
      plan: {
        steps: [
          { id: "a", tool: "Api", input: {}, dependsOn: [] },
          { id: "b", tool: "Api", input: {}, dependsOn: [] },
        ],
      },
      options: { concurrency: 2 },
    }));
    const ends = events.flatMap((event) => (event.type === "step-end" ? [`${msOf(event)} ${event.stepId}`] : []));
    expect(ends).toEqual(["0 b", "5000 a"]);
    expect(JSON.stringify([events, result])).not.toContain("secret");
  });
});
