import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { type RetryPolicy, retryAfterMs, retryDelayMs, retryFailed } from "../../src/async/retry.ts";

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

const nowMs = Date.UTC(2026, 0, 1, 12);
const inAMinute = new Date(nowMs + 60_000);
const longestMs = 2_147_483_647;

const ask = (thrown: unknown) => retryAfterMs(thrown, nowMs);

describe("retryAfterMs of a value", () => {
  it.each<[unknown, number | undefined]>([
    [1_500, 1_500],
    [0, 0],
    [-1, 0],
    [-0, 0],
    [0.2, 1],
    ["250", 250],
    [1e300, longestMs],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    [Number.NEGATIVE_INFINITY, undefined],
    ["soon", undefined],
    [inAMinute, undefined],
    [10n, undefined],
    [null, undefined],
    [true, undefined],
    [[], undefined],
  ])("reads retryAfterMs %o as milliseconds: %o", (value, expected) => {
    expect(ask({ retryAfterMs: value })).toBe(expected);
  });

  it.each<[unknown, number | undefined]>([
    [2, 2_000],
    [0, 0],
    [1.5, 1_500],
    [-3, 0],
    [1e9, longestMs],
    [1e307, longestMs],
    [-1e307, 0],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    ["120", 120_000],
    [" 7 ", 7_000],
    ["1.5", 1_500],
    ["-5", 0],
    ["+5", 5_000],
    ["9".repeat(400), undefined],
    ["0x10", undefined],
    ["1e3", undefined],
    ["5s", undefined],
    ["", undefined],
    ["  ", undefined],
    ["NaN", undefined],
    ["Infinity", undefined],
    [inAMinute, 60_000],
    [new Date(nowMs - 1), 0],
    [new Date(8.64e15), longestMs],
    [new Date(Number.NaN), undefined],
    [Symbol("5"), undefined],
    [() => 5, undefined],
    [{ valueOf: () => 5 }, undefined],
  ])("reads retryAfter %o as seconds or a time: %o", (value, expected) => {
    expect(ask({ retryAfter: value })).toBe(expected);
  });

  it.each([
    ["Thu, 01 Jan 2026 12:01:00 GMT", 60_000],
    ["thu, 01 jan 2026 12:01:00 gmt", 60_000],
    ["Thu, 01 Jan 2026 12:01:00 UTC", 60_000],
    ["Thursday, 01-Jan-26 12:01:00 GMT", 60_000],
    ["Thu Jan  1 12:01:00 2026", 60_000],
    ["Thu Jan 15 12:00:00 2026", 14 * 86_400_000],
    ["2026-01-01T12:01:00.000Z", 60_000],
    ["2026-01-01T13:01:00+01:00", 60_000],
    [" Thu, 01 Jan 2026 12:01:00 GMT ", 60_000],
    ["Sun, 06 Nov 1994 08:49:37 GMT", 0],
    ["Thu, 01 Jan 2099 12:00:00 GMT", longestMs],
    ["Thu, 01 Foo 2026 12:01:00 GMT", undefined],
    ["Thu, 01 Jan 2026 99:01:00 GMT", undefined],
    ["Thu, 01 Jan 2026 12:01:00", undefined],
    ["2026-01-01", undefined],
    ["2026", 2_026_000],
    ["try again on May 1", undefined],
  ])("reads the date %o: %o", (text, expected) => {
    expect(ask({ retryAfter: text })).toBe(expected);
    expect(ask({ headers: { "Retry-After": text } })).toBe(expected);
  });

  it("reads every HTTP date and every Date object", () => {
    const dates = fc.date({ min: new Date(0), max: new Date("2049-12-31T23:59:59Z"), noInvalidDate: true });
    const play = fc.property(dates, (date) => {
      const wholeMs = Math.floor(date.getTime() / 1_000) * 1_000;
      const expected = (atMs: number) => Math.min(Math.max(atMs - nowMs, 0), longestMs);
      expect(ask({ retryAfter: date })).toBe(expected(date.getTime()));
      expect(ask({ retryAfter: date.toJSON() })).toBe(expected(date.getTime()));
      expect(ask({ retryAfter: date.toUTCString() })).toBe(expected(wholeMs));
      const [weekday, day, month, year, time] = date.toUTCString().replace(",", "").split(" ");
      const asctime = `${weekday} ${month} ${String(Number(day)).padStart(2)} ${time} ${year}`;
      expect(ask({ retryAfter: asctime })).toBe(expected(wholeMs));
    });
    fc.assert(play);
  });
});

describe("retryAfterMs of headers", () => {
  const headersOf: readonly [string, (name: string, value: string) => unknown][] = [
    ["Headers", (name, value) => new Headers({ [name]: value })],
    ["a plain object", (name, value) => ({ x: "1", [name]: value })],
    ["an object without prototype", (name, value) => Object.assign(Object.create(null), { [name]: value })],
    ["an object of lists", (name, value) => ({ [name]: [value, "99"] })],
    ["a map", (name, value) => new Map([[name, value]])],
    ["an object with get", (name, value) => ({ get: (key: string) => (key === name.toLowerCase() ? value : null) })],
  ];
  const places: readonly [string, (headers: unknown) => unknown][] = [
    ["headers", (headers) => ({ headers })],
    ["responseHeaders", (headers) => ({ responseHeaders: headers })],
    ["response.headers", (headers) => Object.assign(new Error("busy"), { response: { headers } })],
    ["a cause", (headers) => new Error("outer", { cause: new Error("inner", { cause: { headers } }) })],
  ];
  const cases = headersOf.flatMap(([kind, create]) => places.map(([place, put]) => ({ kind, place, create, put })));

  it.each(cases)("reads $kind in $place", ({ create, put }) => {
    for (const name of ["retry-after", "Retry-After", "RETRY-AFTER"]) {
      expect(ask(put(create(name, "3")))).toBe(3_000);
      expect(ask(put(create(name, inAMinute.toUTCString())))).toBe(60_000);
      expect(ask(put(create(name, "soon")))).toBeUndefined();
    }
    for (const name of ["retry-after-ms", "Retry-After-Ms"]) expect(ask(put(create(name, "42")))).toBe(42);
    expect(ask(put(create("x-other", "42")))).toBeUndefined();
  });

  it("reads numeric values", () => {
    expect(ask({ headers: { "retry-after": 3 } })).toBe(3_000);
  });

  it("reads a thrown response", () => {
    expect(ask(new Response(null, { status: 429, headers: { "Retry-After": "4" } }))).toBe(4_000);
  });

  it("ignores invalid headers", () => {
    for (const headers of ["retry-after: 5", 5, null, undefined, true, [], () => {}])
      expect(ask({ headers })).toBeUndefined();
  });
});

describe("retryAfterMs of several values", () => {
  it("prefers milliseconds to seconds, and the error's own fields to its headers", () => {
    const headers = { "retry-after": "3", "retry-after-ms": "4" };
    expect(ask({ retryAfterMs: 1, retryAfter: 2, headers })).toBe(1);
    expect(ask({ retryAfter: 2, headers })).toBe(2_000);
    expect(ask({ headers })).toBe(4);
    expect(ask({ headers: {}, responseHeaders: { "retry-after": "3" }, response: { headers } })).toBe(3_000);
  });

  it("uses the next value if one is invalid", () => {
    const headers = { "retry-after-ms": "soon", "retry-after": "3" };
    expect(ask({ retryAfterMs: Number.NaN, retryAfter: "later", headers })).toBe(3_000);
  });

  it("prefers the outer error to its cause, even if it says 0", () => {
    expect(ask({ retryAfter: 0, cause: { retryAfter: 5 } })).toBe(0);
    expect(ask({ retryAfter: "soon", cause: { retryAfter: 5 } })).toBe(5_000);
  });

  it("looks at five causes at most, and stops at a circular cause", () => {
    const nest = (depth: number): object => (depth === 0 ? { retryAfter: 1 } : { cause: nest(depth - 1) });
    expect(ask(nest(5))).toBe(1_000);
    expect(ask(nest(6))).toBeUndefined();
    const loop: { cause?: unknown } = {};
    loop.cause = loop;
    expect(ask(loop)).toBeUndefined();
  });
});

describe("retryAfterMs of any value", () => {
  it("is undefined for values that state no time", () => {
    for (const thrown of [
      undefined,
      null,
      "5",
      5,
      5n,
      true,
      Symbol("x"),
      {},
      [],
      () => {},
      new Error("x"),
      Object.create(null),
    ])
      expect(ask(thrown)).toBeUndefined();
  });

  it("never throws", () => {
    const throwing = {
      get headers() {
        throw new Error("hostile");
      },
    };
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const readable = {
      retryAfter: 5,
      get headers() {
        throw new Error("no headers");
      },
    };
    expect(ask(readable)).toBe(5_000);
    for (const thrown of [throwing, proxy, { headers: proxy }, { cause: proxy }]) expect(ask(thrown)).toBeUndefined();
  });

  it("is undefined or a valid timer delay, whatever was thrown", () => {
    const value = fc.oneof(fc.anything(), fc.double(), fc.integer().map(String), fc.date());
    const headers = fc.oneof(
      value,
      fc.dictionary(fc.constantFrom("retry-after", "Retry-After-Ms", "get"), value),
      fc
        .array(fc.tuple(fc.constantFrom<unknown>("retry-after", "Retry-After-Ms", 5), value))
        .map((list) => new Map(list)),
    );
    const { error } = fc.letrec<{ error: unknown }>((tie) => ({
      error: fc.record(
        {
          retryAfterMs: value,
          retryAfter: value,
          headers,
          responseHeaders: headers,
          response: fc.oneof(value, fc.record({ headers })),
          cause: fc.oneof({ depthSize: "small" }, value, tie("error")),
        },
        { requiredKeys: [] },
      ),
    }));
    const play = fc.property(fc.oneof(error, fc.anything()), fc.constantFrom(nowMs, Number.NaN), (thrown, now) => {
      const answer = retryAfterMs(thrown, now);
      if (answer === undefined) return true;
      return Number.isInteger(answer) && answer >= 0 && answer <= longestMs && !Object.is(answer, -0);
    });
    fc.assert(play, { numRuns: 2_000 });
  });
});
