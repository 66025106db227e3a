import { describe, expect, it } from "vitest";
import { AbortSource } from "../../../src/async/abort.ts";
import { hasLimits, ToolGates } from "../../../src/runs/steps/tool-gate.ts";
import { createFakeTool } from "../../../src/testing/fake-tool.ts";
import { createManualClock } from "../../../src/testing/manual-clock.ts";
import { withLimits } from "../../scenario/run-several.ts";

describe("ToolGates", () => {
  const tool = withLimits(createFakeTool({ name: "A" }), { concurrency: 1 });
  const plain = createFakeTool({ name: "B" });
  const clock = createManualClock();

  it("contain one gate per tool", () => {
    const gates = new ToolGates(clock);
    expect(gates.of(tool)).toBe(gates.of(tool));
    expect(new ToolGates(clock).of(tool)).not.toBe(gates.of(tool));
  });

  it("contain none for a tool without limits", () => {
    expect(new ToolGates(clock).of(plain)).toBeUndefined();
    expect([tool, plain].map(hasLimits)).toEqual([true, false]);
    expect(hasLimits(withLimits(plain, { rateLimit: { limit: 1, intervalMs: 1 } }))).toBe(true);
    expect(hasLimits(withLimits(plain, { circuitBreaker: {} }))).toBe(true);
  });

  it("name the tool that is not called", async () => {
    const gate = new ToolGates(clock).of(withLimits(tool, { circuitBreaker: { maxFailures: 1, resetAfterMs: 100 } }));
    (await gate?.enter(new AbortSource()))?.leave("failed");
    await expect(gate?.enter(new AbortSource())).rejects.toMatchObject({
      code: "circuit-open",
      retryable: true,
      details: { tool: "A", retryAfterMs: 100 },
    });
  });
});
