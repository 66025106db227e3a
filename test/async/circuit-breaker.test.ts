import fc from "fast-check";
import type { Clock } from "planwright";
import { describe, expect, it } from "vitest";
import {
  CircuitBreaker,
  type CircuitBreakerOptions,
  type CircuitPermit,
  type CircuitState,
} from "../../src/async/circuit-breaker.ts";

const defaults: Required<CircuitBreakerOptions> = { maxFailures: 3, windowMs: 10_000, resetAfterMs: 5_000 };

/** A circuit breaker on a clock that is set by hand and has no timers. */
function create(options: CircuitBreakerOptions = {}) {
  const time = { nowMs: 0 };
  const clock: Clock = {
    now: () => time.nowMs,
    setTimeout: () => expect.unreachable("a circuit breaker needs no timer"),
    clearTimeout: () => {},
  };
  return { time, breaker: new CircuitBreaker({ ...defaults, ...options }, clock) };
}

function permitOf(breaker: CircuitBreaker): CircuitPermit {
  expect(breaker.refusedForMs()).toBeUndefined();
  return breaker.enter();
}

/** Lets calls fail, and returns the changes of state that they told. */
function fail(breaker: CircuitBreaker, times: number): (CircuitState | undefined)[] {
  return Array.from({ length: times }, () => permitOf(breaker).report("failed"));
}

/** A breaker that has just opened, at time 0, and the permits of calls that began before. */
function createOpen(options?: CircuitBreakerOptions) {
  const created = create(options);
  const early = Array.from({ length: 3 }, () => permitOf(created.breaker));
  expect(fail(created.breaker, 3)).toEqual([undefined, undefined, "open"]);
  return { ...created, early };
}

describe("a closed CircuitBreaker", () => {
  it("allows all calls", () => {
    const { breaker } = create();
    for (let call = 0; call < 100; call++) {
      const permit = permitOf(breaker);
      expect(permit.change).toBeUndefined();
      expect(call % 2 === 0 ? permit.report("succeeded") : permit.report("abandoned")).toBeUndefined();
    }
    expect(breaker.state).toBe("closed");
  });

  it("opens after its maximum of failures", () => {
    const { breaker } = create();
    expect(fail(breaker, 3)).toEqual([undefined, undefined, "open"]);
    expect(breaker.state).toBe("open");
  });

  it("opens with the first failure if its maximum is 1", () => {
    const { breaker } = create({ maxFailures: 1 });
    expect(fail(breaker, 1)).toEqual(["open"]);
  });

  it("does not open if the failures are not within one window", () => {
    const { breaker, time } = create();
    fail(breaker, 2);
    time.nowMs = 10_000;
    expect(fail(breaker, 2)).toEqual([undefined, undefined]);
    time.nowMs = 19_999;
    expect(fail(breaker, 1)).toEqual(["open"]);
  });

  it("counts failures of any age if its window is infinite", () => {
    const { breaker, time } = create({ windowMs: Number.POSITIVE_INFINITY });
    fail(breaker, 2);
    time.nowMs = 1e12;
    expect(fail(breaker, 1)).toEqual(["open"]);
  });

  it("keeps counting failures after a success", () => {
    const { breaker } = create();
    for (let call = 0; call < 2; call++) {
      expect(permitOf(breaker).report("failed")).toBeUndefined();
      expect(permitOf(breaker).report("succeeded")).toBeUndefined();
    }
    expect(permitOf(breaker).report("failed")).toBe("open");
  });

  it("counts a failure when it is reported, not when the call began, and only once", () => {
    const { breaker, time } = create();
    const permits = Array.from({ length: 3 }, () => permitOf(breaker));
    time.nowMs = 60_000;
    expect(permits.flatMap((permit) => [permit.report("failed"), permit.report("failed")])).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      "open",
      undefined,
    ]);
  });

  it("ignores old failures if the clock is set back", () => {
    const { breaker, time } = create();
    time.nowMs = 3_600_000;
    fail(breaker, 2);
    time.nowMs = 0;
    expect(fail(breaker, 1)).toEqual([undefined]);
  });
});

describe("an open CircuitBreaker", () => {
  it("refuses all calls, and reports for how long", () => {
    const { breaker, time } = createOpen();
    expect(breaker.refusedForMs()).toBe(5_000);
    time.nowMs = 4_999;
    expect(breaker.refusedForMs()).toBe(1);
    expect(breaker.state).toBe("open");
  });

  it("ignores the results of calls that began before it opened", () => {
    const { breaker, time, early } = createOpen();
    const [first, second, third] = early;
    expect(first?.report("succeeded")).toBeUndefined();
    time.nowMs = 4_000;
    expect(second?.report("failed")).toBeUndefined();
    expect(third?.report("abandoned")).toBeUndefined();
    expect(breaker.refusedForMs()).toBe(1_000);
  });

  it("becomes half-open with the first call after its time, not before", () => {
    const { breaker, time } = createOpen();
    time.nowMs = 5_000;
    expect(breaker.state).toBe("open");
    expect(permitOf(breaker).change).toBe("half-open");
    expect(breaker.state).toBe("half-open");
  });

  it("refuses for no longer than its time if the clock is set back", () => {
    const { breaker, time } = createOpen();
    time.nowMs = -3_600_000;
    expect(breaker.refusedForMs()).toBe(5_000);
    time.nowMs += 5_000;
    expect(breaker.refusedForMs()).toBeUndefined();
  });
});

describe("a half-open CircuitBreaker", () => {
  function createHalfOpen(options?: CircuitBreakerOptions) {
    const created = createOpen(options);
    created.time.nowMs = 5_000;
    return { ...created, probe: permitOf(created.breaker) };
  }

  it("allows one call at a time", () => {
    const { breaker, time } = createHalfOpen();
    expect(breaker.refusedForMs()).toBe(0);
    time.nowMs = 100_000;
    expect(breaker.refusedForMs()).toBe(0);
  });

  it("closes after a success, and forgets all failures", () => {
    const { breaker, probe } = createHalfOpen({ windowMs: Number.POSITIVE_INFINITY });
    expect(probe.report("succeeded")).toBe("closed");
    expect(breaker.state).toBe("closed");
    expect(fail(breaker, 3)).toEqual([undefined, undefined, "open"]);
  });

  it("opens again after a failure, for its whole time", () => {
    const { breaker, time, probe } = createHalfOpen();
    time.nowMs = 7_000;
    expect(probe.report("failed")).toBe("open");
    expect(breaker.refusedForMs()).toBe(5_000);
    time.nowMs = 12_000;
    expect(permitOf(breaker).change).toBe("half-open");
  });

  it("allows another call if the first was abandoned, without a change of state", () => {
    const { breaker, probe } = createHalfOpen();
    expect(probe.report("abandoned")).toBeUndefined();
    expect(breaker.state).toBe("half-open");
    const second = permitOf(breaker);
    expect(second.change).toBeUndefined();
    expect(breaker.refusedForMs()).toBe(0);
    expect(second.report("succeeded")).toBe("closed");
  });

  it("ignores results of an abandoned call", () => {
    const { breaker, probe } = createHalfOpen();
    probe.report("abandoned");
    const second = permitOf(breaker);
    expect([probe.report("succeeded"), probe.report("failed"), probe.report("abandoned")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(breaker.refusedForMs()).toBe(0);
    expect(second.report("failed")).toBe("open");
  });

  it.each(["succeeded", "failed", "abandoned"] as const)(
    "does not mistake an earlier call that %s for its probe",
    (verdict) => {
      const { breaker, early, probe } = createHalfOpen();
      expect(early[0]?.report(verdict)).toBeUndefined();
      expect(breaker.refusedForMs()).toBe(0);
      expect(probe.report("succeeded")).toBe("closed");
      expect(early.slice(1).map((permit) => permit.report("failed"))).toEqual([undefined, undefined]);
      expect(fail(breaker, 3)).toEqual([undefined, undefined, "open"]);
    },
  );
});

const verdicts = ["succeeded", "failed", "abandoned"] as const;

/** What a circuit breaker should do, as simply as it can be said: it remembers everything. */
class CircuitModel {
  state: CircuitState = "closed";
  probe: number | undefined;
  private openedMs = 0;
  private failuresMs: number[] = [];
  private readonly waiting = new Set<number>();

  constructor(private readonly options: Required<CircuitBreakerOptions>) {}

  /** Whether the call of this number may be made. */
  enter(call: number, nowMs: number): boolean {
    if (this.state === "open" && nowMs >= this.openedMs + this.options.resetAfterMs) this.state = "half-open";
    if (this.state === "open" || this.probe !== undefined) return false;
    if (this.state === "half-open") this.probe = call;
    this.waiting.add(call);
    return true;
  }

  tell(call: number, verdict: (typeof verdicts)[number], nowMs: number): void {
    if (!this.waiting.delete(call)) return;
    if (call === this.probe) {
      this.probe = undefined;
      if (verdict === "succeeded") this.become("closed", nowMs);
      if (verdict === "failed") this.become("open", nowMs);
    } else if (verdict === "failed") {
      this.failuresMs.push(nowMs);
      const recent = this.failuresMs.filter((failedMs) => failedMs > nowMs - this.options.windowMs);
      if (recent.length >= this.options.maxFailures) this.become("open", nowMs);
    }
  }

  private become(state: CircuitState, nowMs: number): void {
    this.state = state;
    this.openedMs = nowMs;
    this.failuresMs = [];
    this.waiting.clear();
  }
}

describe("a CircuitBreaker under random calls", () => {
  const optionsOf = fc.record({
    maxFailures: fc.integer({ min: 1, max: 4 }),
    windowMs: fc.integer({ min: 1, max: 50 }),
    resetAfterMs: fc.integer({ min: 0, max: 50 }),
  });
  const operation = fc.oneof(
    { arbitrary: fc.constant({ type: "enter" } as const), weight: 4 },
    {
      arbitrary: fc.record({
        type: fc.constant("tell" as const),
        ago: fc.nat(4),
        verdict: fc.constantFrom(...verdicts, "failed" as const),
      }),
      weight: 4,
    },
    { arbitrary: fc.record({ type: fc.constant("advance" as const), ms: fc.nat(30) }), weight: 1 },
  );

  it("behaves like its model, and reports each change of state once", () => {
    const play = fc.property(optionsOf, fc.array(operation, { maxLength: 100 }), (options, operations) => {
      const { breaker, time } = create(options);
      const model = new CircuitModel(options);
      const permits: CircuitPermit[] = [];
      let reported: CircuitState = "closed";
      for (const step of operations) {
        if (step.type === "enter") {
          const isAllowed = breaker.refusedForMs() === undefined;
          expect(isAllowed).toBe(model.enter(permits.length, time.nowMs));
          if (!isAllowed) continue;
          const entry = breaker.enter();
          permits.push(entry);
          reported = entry.change ?? reported;
        } else if (step.type === "tell") {
          const call = permits.length - 1 - step.ago;
          reported = permits[call]?.report(step.verdict) ?? reported;
          model.tell(call, step.verdict, time.nowMs);
        } else {
          time.nowMs += step.ms;
        }
        expect(breaker.state).toBe(model.state);
        expect(reported).toBe(model.state);
      }
    });
    fc.assert(play, { numRuns: 2_000 });
  });

  it("allows a call after the time that it reported, and not before", () => {
    const play = fc.property(optionsOf, fc.nat(1_000), (options, waitedMs) => {
      const { breaker, time } = create(options);
      fail(breaker, options.maxFailures);
      time.nowMs += Math.min(waitedMs, options.resetAfterMs);
      const refusedMs = breaker.refusedForMs();
      if (refusedMs === undefined) return;
      time.nowMs += refusedMs - 1;
      expect(breaker.refusedForMs()).toBe(1);
      time.nowMs += 1;
      expect(breaker.refusedForMs()).toBeUndefined();
    });
    fc.assert(play);
  });
});
