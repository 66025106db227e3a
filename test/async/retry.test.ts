import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { type RetryPolicy, retryDelayMs, retryFailed } from "../../src/async/retry.ts";

const policy: RetryPolicy = {
  maxAttempts: 3,
  minDelayMs: 1_000,
  maxDelayMs: 30_000,
  factor: 2,
  maxTotalMs: Number.POSITIVE_INFINITY,
};

describe("retryDelayMs", () => {
  const delays = (random: number) =>
    [1, 2, 3, 4, 5, 6, 7].map((attempt) => retryDelayMs(policy, attempt, () => random));

  it("doubles up to its maximum without jitter", () => {
    expect(delays(1)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it("is at least half of that with jitter", () => {
    expect(delays(0)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
  });

  it("is an integer between half and all of the delay, for any policy", () => {
    const policies = fc.record({
      minDelayMs: fc.integer({ min: 0, max: 100_000 }),
      maxDelayMs: fc.integer({ min: 0, max: 2_147_483_647 }),
      factor: fc.double({ min: 1, max: 10, noNaN: true }),
    });
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(policies, fc.integer({ min: 1, max: 1_000 }), random, (fields, attempt, number) => {
        const delayMs = retryDelayMs({ ...policy, ...fields }, attempt, () => number);
        const whole = Math.min(fields.maxDelayMs, fields.minDelayMs * fields.factor ** (attempt - 1));
        return Number.isInteger(delayMs) && delayMs >= Math.floor(whole / 2) && delayMs <= Math.ceil(whole);
      }),
    );
  });
});

describe("retryFailed", () => {
  /** Plays results in turn, where a text that begins with "bad" is a failure. */
  async function play(results: readonly unknown[], maxAttempts: number, retries: readonly boolean[] = []) {
    const asked: [unknown, number][] = [];
    const attempt = vi.fn(async (number: number) => results[number - 1]);
    const last = await retryFailed<unknown>(results[0], {
      maxAttempts,
      isFailure: (result) => String(result).startsWith("bad"),
      shouldRetry: async (failure, number) => {
        asked.push([failure, number]);
        return retries[number - 1] ?? true;
      },
      attempt,
    });
    return { last, asked, attempts: attempt.mock.calls.map(([number]) => number) };
  }

  it("makes no further attempt after a success", async () => {
    expect(await play(["good"], 3)).toEqual({ last: "good", asked: [], attempts: [] });
  });

  it("makes attempts until one succeeds", async () => {
    const played = await play(["bad 1", "bad 2", "good"], 5);
    expect(played.last).toBe("good");
    expect(played.attempts).toEqual([2, 3]);
    expect(played.asked).toEqual([
      ["bad 1", 1],
      ["bad 2", 2],
    ]);
  });

  it("returns the last failure after the last attempt, without calling shouldRetry", async () => {
    const played = await play(["bad 1", "bad 2", "bad 3", "good"], 3);
    expect(played.last).toBe("bad 3");
    expect(played.asked.map(([, number]) => number)).toEqual([1, 2]);
  });

  it("makes no further attempt if only one is allowed", async () => {
    expect(await play(["bad", "good"], 1)).toEqual({ last: "bad", asked: [], attempts: [] });
  });

  it("stops when shouldRetry returns false", async () => {
    const played = await play(["bad 1", "bad 2", "good"], 9, [true, false]);
    expect(played).toMatchObject({ last: "bad 2", attempts: [2] });
  });

  it("retries failures of any kind, even a TypeError, which p-retry alone does not retry", async () => {
    const failures = [new TypeError("bad"), "bad text", null];
    const results = [...failures, "good"];
    const last = await retryFailed<unknown>(results[0], {
      maxAttempts: 9,
      isFailure: (result) => result !== "good",
      shouldRetry: async () => true,
      attempt: async (number) => results[number - 1],
    });
    expect(last).toBe("good");
  });

  it("rejects if an attempt rejects", async () => {
    const broken = retryFailed<string>("bad", {
      maxAttempts: 2,
      isFailure: (result) => result === "bad",
      shouldRetry: async (failure) => failure === "bad",
      attempt: () => Promise.reject(new RangeError("broken")),
    });
    await expect(broken).rejects.toThrow(RangeError);
  });
});
