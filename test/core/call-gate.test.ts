import { createManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { AbortSource } from "../../src/async/abort.ts";
import { type Admission, CallGate } from "../../src/core/call-gate.ts";
import type { ToolLimitOptions } from "../../src/core/tool.ts";

const free = () => new AbortSource();

function prepare(limits: ToolLimitOptions) {
  const clock = createManualClock();
  const gate = new CallGate(limits, clock, (afterMs) => new Error(`open for ${afterMs} ms`));
  /** Whether a call was admitted within the given time. */
  const isIn = async (entering: Promise<Admission | undefined>) => {
    let admission: Admission | undefined;
    entering.then((value) => {
      admission = value;
    });
    await clock.advance(0);
    return admission;
  };
  return { clock, gate, isIn };
}

describe("CallGate", () => {
  it("admits as many calls as there are places, and the next one when a place is free", async () => {
    const { gate, isIn } = prepare({ concurrency: 1 });
    const first = await gate.enter(free());
    const second = gate.enter(free());
    expect(await isIn(second)).toBeUndefined();
    first?.leave("succeeded");
    expect(await isIn(second)).toBeDefined();
  });

  it("admits no call whose signal has aborted, before or while it waits", async () => {
    const { gate, isIn } = prepare({ concurrency: 1 });
    const aborted = new AbortSource();
    aborted.abort("no");
    expect(await gate.enter(aborted)).toBeUndefined();
    const first = await gate.enter(free());
    const waiting = new AbortSource();
    const second = gate.enter(waiting);
    const third = gate.enter(free());
    waiting.abort("no");
    expect(await second).toBeUndefined();
    first?.leave("succeeded");
    expect(await isIn(third)).toBeDefined();
  });

  it("frees the place when the signal aborts just as it is assigned", async () => {
    const { gate, isIn } = prepare({ concurrency: 1 });
    const first = await gate.enter(free());
    const source = new AbortSource();
    const second = gate.enter(source);
    const third = gate.enter(free());
    first?.leave("succeeded");
    source.abort("just now");
    expect(await second).toBeUndefined();
    expect(await isIn(third)).toBeDefined();
  });

  it("occupies a place while it waits for the rate, and frees it when it stops waiting", async () => {
    const { clock, gate, isIn } = prepare({ concurrency: 2, rateLimit: { limit: 1, intervalMs: 100 } });
    const first = await gate.enter(free());
    const source = new AbortSource();
    const second = gate.enter(source);
    const third = gate.enter(free());
    await clock.advance(50);
    source.abort("no");
    expect(await second).toBeUndefined();
    expect(await isIn(third)).toBeUndefined();
    await clock.advance(50);
    expect(await isIn(third)).toBeDefined();
    first?.leave("succeeded");
    expect(clock.pendingTimers).toBe(0);
  });

  it("refuses while the circuit is open, and frees the place", async () => {
    const { clock, gate } = prepare({ concurrency: 1, circuitBreaker: { maxFailures: 1, resetAfterMs: 100 } });
    const first = await gate.enter(free());
    expect(first?.change).toBeUndefined();
    expect(first?.leave("failed")).toBe("open");
    for (let time = 0; time < 3; time++) {
      await expect(gate.enter(free())).rejects.toThrow("open for 100 ms");
    }
    await clock.advance(100);
    const probe = await gate.enter(free());
    expect(probe?.change).toBe("half-open");
    expect(probe?.leave("succeeded")).toBe("closed");
  });

  it("admits another probe after one that was abandoned", async () => {
    const { clock, gate } = prepare({ circuitBreaker: { maxFailures: 1, resetAfterMs: 100 } });
    (await gate.enter(free()))?.leave("failed");
    await clock.advance(100);
    const probe = await gate.enter(free());
    await expect(gate.enter(free())).rejects.toThrow("open for 0 ms");
    expect(probe?.leave("abandoned")).toBeUndefined();
    const other = await gate.enter(free());
    expect(other?.change).toBeUndefined();
    expect(other?.leave("failed")).toBe("open");
  });
});
