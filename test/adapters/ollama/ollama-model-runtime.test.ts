import { expect, it } from "vitest";
import { repeatCall } from "../../../src/adapters/ollama/ollama-model-runtime.ts";
import { AgentError } from "../../../src/core/errors.ts";
import { createManualClock } from "../../../src/testing/manual-clock.ts";

const hourMs = 3_600_000;

it.each([-hourMs, 0, hourMs])(
  "repeatCall repeats a call until maxTotalMs, even if the clock is set by %i ms",
  async (jumpMs) => {
    const clock = createManualClock();
    const callsMs: number[] = [];
    const retry = { maxAttempts: 100, minDelayMs: 1_000, maxDelayMs: 1_000, factor: 1, maxTotalMs: 3_500 };
    const call = () => {
      callsMs.push(clock.monotonic());
      return Promise.reject(new AgentError("model-failed", "busy", { details: { model: "m", reason: "busy" } }));
    };
    const calling = repeatCall(call, { retry, clock, random: () => 1 } as never, new AbortController().signal);
    const failing = expect(calling).rejects.toThrow("busy");
    await clock.advance(500);
    clock.setNow(clock.now() + jumpMs);
    await clock.runUntil(failing);
    expect(callsMs).toEqual([0, 1_000, 2_000, 3_000]);
  },
);
