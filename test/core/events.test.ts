import type { AgentEventType } from "planwright";
import { expect, it } from "vitest";
import { isTransient } from "../../src/core/events.ts";

it("only progress, attempts, late results and partial plans are transient", () => {
  const types: Record<AgentEventType, boolean> = {
    "run-start": false,
    "plan-start": false,
    "model-start": true,
    "model-retry": true,
    "model-end": false,
    "plan-delta": true,
    "plan-fallback": false,
    "plan-end": false,
    "step-start": false,
    "wait-start": false,
    "run-deliver": false,
    "step-progress": true,
    "step-attempt": true,
    "step-retry": false,
    "step-skip": false,
    "step-end": false,
    "step-late": true,
    "run-settle": false,
    "run-suspend": false,
    "run-resume": false,
    "plan-revise": false,
    "approval-request": false,
    "approval-end": false,
    "undo-start": false,
    "undo-end": false,
    "circuit-change": false,
    "run-end": false,
  };
  for (const [type, expected] of Object.entries(types))
    expect(isTransient({ type: type as AgentEventType })).toBe(expected);
});
