import { type ModelAttempts, type ModelRequest, type ModelResponse, modelFailure } from "planwright";
import { createManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { type ModelCallOptions, ModelCalls } from "../../src/core/model-calls.ts";

const hourMs = 3_600_000;
const model = { provider: "test", modelId: "m" };

it.each([-hourMs, 0, hourMs])(
  "a call is repeated until maxTotalMs, even if the clock is set by %i ms",
  async (jumpMs) => {
    const clock = createManualClock();
    const callsMs: number[] = [];
    const retry = { maxAttempts: 100, minDelayMs: 1_000, maxDelayMs: 1_000, factor: 1, maxTotalMs: 3_500 };
    const call = () => {
      callsMs.push(clock.monotonic());
      return Promise.reject(modelFailure(model, "busy", { message: "busy" }));
    };
    const calls = new ModelCalls(model, { retry, clock, random: () => 1 });
    const calling = calls.run({ messages: [], signal: new AbortController().signal }, call);
    const failing = expect(calling).rejects.toThrow("busy");
    await clock.advance(500);
    clock.setNow(clock.now() + jumpMs);
    await clock.runUntil(failing);
    expect(callsMs).toEqual([0, 1_000, 2_000, 3_000]);
  },
);

const policy = {
  maxAttempts: 3,
  minDelayMs: 1_000,
  maxDelayMs: 30_000,
  factor: 2,
  maxTotalMs: Number.POSITIVE_INFINITY,
};
const answer: ModelResponse = { text: "yes", finishReason: "stop", usage: {} };
const busy = (retryAfter?: string) =>
  modelFailure(model, "busy", { message: "busy", cause: { responseHeaders: { "retry-after": retryAfter } } });

function callsOf(limits: Omit<ModelCallOptions, "retry"> = {}) {
  const clock = createManualClock();
  const calls = new ModelCalls(model, { retry: policy, ...limits, clock, random: () => 1 });
  /** Asks with these outcomes, one for each attempt. */
  const ask = (outcomes: readonly (ModelResponse | Error)[], request: Partial<ModelRequest> = {}) => {
    const left = [...outcomes];
    const asked: ModelRequest[] = [];
    const running = calls.run({ messages: [], signal: new AbortController().signal, ...request }, async (attempt) => {
      asked.push(attempt);
      const outcome = left.shift() ?? new Error("no more attempts were expected");
      if (outcome instanceof Error) throw outcome;
      return outcome;
    });
    running.catch(() => {});
    return { running, asked };
  };
  return { clock, ask };
}

describe("the calls of a model", () => {
  it("are repeated after failures that may pass, and wait as long as the server asks", async () => {
    const { clock, ask } = callsOf();
    const startMs = clock.now();
    const { running, asked } = ask([busy(), busy("7"), answer]);
    expect(await clock.runUntil(running)).toBe(answer);
    expect(asked).toHaveLength(3);
    expect(clock.now() - startMs).toBe(1_000 + 7_000);
  });

  it("are not repeated if the server asks to wait for a day, or if nothing would change", async () => {
    const { clock, ask } = callsOf();
    const day = ask([busy("86400")]);
    const tooLong = "busy (the error asks to wait 86400000 ms, longer than the maxDelayMs of 30000 ms)";
    await expect(clock.runUntil(day.running)).rejects.toThrow(tooLong);
    const refused = ask([modelFailure(model, "rejected", { message: "no money left" })]);
    await expect(clock.runUntil(refused.running)).rejects.toThrow("no money left");
    const strange = ask([new Error("strange")]);
    await expect(clock.runUntil(strange.running)).rejects.toThrow("strange");
    expect([day, refused, strange].map(({ asked }) => asked.length)).toEqual([1, 1, 1]);
  });

  it("fail with the last failure when all attempts are used up", async () => {
    const { clock, ask } = callsOf();
    const last = modelFailure(model, "server-error", { message: "last" });
    const { running } = ask([busy(), busy(), last]);
    await expect(clock.runUntil(running)).rejects.toBe(last);
  });

  it("end with the reason of the signal, also while they wait", async () => {
    const { clock, ask } = callsOf();
    const controller = new AbortController();
    const { running, asked } = ask([busy("9")], { signal: controller.signal });
    await clock.advance(100);
    controller.abort(new Error("enough"));
    await expect(clock.runUntil(running)).rejects.toThrow("enough");
    expect(asked).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it("make each attempt where the request wants it, and tell what follows", async () => {
    const { clock, ask } = callsOf();
    const told: unknown[] = [];
    const attempts: ModelAttempts = {
      make(attempt, call) {
        told.push(attempt);
        return call({ maxOutputTokens: 10 * attempt });
      },
      retry: ({ attempt, error, delayMs }) => void told.push([attempt, error.message, delayMs]),
    };
    const { running, asked } = ask([busy(), answer], { attempts });
    await clock.runUntil(running);
    expect(told).toEqual([1, [1, "busy", 1_000], 2]);
    expect(asked.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([10, 20]);
  });

  it("end at once if the request refuses an attempt, such as for a budget", async () => {
    const { clock, ask } = callsOf({ concurrency: 1 });
    const attempts: ModelAttempts = { make: () => Promise.reject(new Error("over budget")), retry: () => {} };
    await expect(clock.runUntil(ask([], { attempts }).running)).rejects.toThrow("over budget");
    // Its place is free again.
    expect(await clock.runUntil(ask([answer]).running)).toBe(answer);
  });

  it("are limited in number, and in a time", async () => {
    const { clock, ask } = callsOf({ rateLimit: { limit: 1, intervalMs: 5_000 } });
    const startMs = clock.now();
    await Promise.all([ask([answer]), ask([answer]), ask([answer])].map(({ running }) => clock.runUntil(running)));
    expect(clock.now() - startMs).toBe(10_000);
  });

  it("are not told of an attempt that an open circuit would refuse, nor wait for it", async () => {
    const { clock, ask } = callsOf({ circuitBreaker: { maxFailures: 1, resetAfterMs: 60_000 } });
    const told: unknown[] = [];
    const attempts: ModelAttempts = {
      make: (_attempt, call) => call(),
      retry: (retry) => void told.push(retry),
    };
    const startMs = clock.now();
    await expect(clock.runUntil(ask([busy()], { attempts }).running)).rejects.toThrow("busy");
    await expect(clock.runUntil(ask([answer], { attempts }).running)).rejects.toThrow("called again in 60 s");
    expect([told, clock.now() - startMs]).toEqual([[], 0]);
  });

  it("give their place back a second after they were aborted, even if the provider ignores that", async () => {
    const clock = createManualClock();
    const calls = new ModelCalls(model, { retry: policy, concurrency: 1, clock, random: () => 1 });
    const controller = new AbortController();
    const hanging = calls.run({ messages: [], signal: controller.signal }, () => new Promise<never>(() => {}));
    hanging.catch(() => {});
    await clock.advance(10);
    controller.abort(new Error("enough"));
    const next = calls.run({ messages: [], signal: new AbortController().signal }, async () => answer);
    expect(await clock.runUntil(next)).toBe(answer);
    expect(clock.monotonic()).toBe(10 + 1_000);
  });

  it("are refused while the circuit is open, and count only failures that are not answers", async () => {
    const { clock, ask } = callsOf({ circuitBreaker: { maxFailures: 2, resetAfterMs: 60_000 } });
    const rejected = modelFailure(model, "rejected", { message: "no" });
    for (const _time of [1, 2, 3]) await expect(clock.runUntil(ask([rejected]).running)).rejects.toThrow("no");
    // The second failure opens it; what follows is refused without a call.
    const { running, asked } = ask([busy(), busy()]);
    await expect(clock.runUntil(running)).rejects.toThrow("busy");
    expect(asked).toHaveLength(2);
    const refused = ask([answer]);
    await expect(clock.runUntil(refused.running)).rejects.toMatchObject({
      details: { reason: "busy" },
      retryable: true,
    });
    expect(refused.asked).toHaveLength(0);
    await clock.advance(60_000);
    expect(await clock.runUntil(ask([answer]).running)).toBe(answer);
  });
});
