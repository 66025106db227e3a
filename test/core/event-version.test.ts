import { describe, expect, it } from "vitest";
import { type EventUpgrade, eventVersion, upgradeEvents } from "../../src/core/event-version.ts";
import type { AgentEvent } from "../../src/core/events.ts";
import { runEnd, runStart, stepStart } from "../../src/testing/conformance/run-store-case.ts";

const resume = (sequence: number, version: number): AgentEvent => {
  return { ...runEnd("r", { sequence }), type: "run-resume", version, tools: [], outcome: undefined } as never;
};

/** Marks the tool of a step with the version that the event came to. */
const toVersion = (version: number): EventUpgrade => {
  return (event) => (event.type === "step-start" ? { ...event, tool: `${event.tool} ${version}` } : event);
};

/** As the first version recorded it. */
const ofFirst = (event: AgentEvent): AgentEvent => ({ ...event, version: 1 }) as AgentEvent;

const toolsOf = (events: readonly AgentEvent[]) => events.flatMap((event) => ("tool" in event ? [event.tool] : []));

describe("upgradeEvents", () => {
  it("returns events of the current version unchanged", () => {
    const events = [runStart("r"), stepStart("r", 2), runEnd("r", { sequence: 3 })];
    expect(events[0]).toMatchObject({ version: eventVersion });
    expect(upgradeEvents("r", events)).toEqual({ events, version: eventVersion });
    expect(upgradeEvents("r", []).events).toEqual([]);
  });

  it("upgrades each execution from its own version, step by step", () => {
    const executions = [
      ofFirst(runStart("r")),
      stepStart("r", 2),
      resume(3, 2),
      stepStart("r", 4),
      resume(5, 3),
      stepStart("r", 6),
    ];
    const steps = [toVersion(2), toVersion(3)];
    const { events, version } = upgradeEvents("r", executions, { steps });
    expect(version).toBe(3);
    expect(toolsOf(events)).toEqual(["Fake 2 3", "Fake 3", "Fake"]);
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("continues with the version of the previous events", () => {
    const steps = [toVersion(2), toVersion(3)];
    const { events, version } = upgradeEvents("r", [stepStart("r", 4)], { version: 2, steps });
    expect({ tools: toolsOf(events), version }).toEqual({ tools: ["Fake 3"], version: 2 });
  });

  it("treats an execution without a version as version 1", () => {
    const { version: _, ...first } = runStart("r") as AgentEvent & { version: number };
    const upgraded = upgradeEvents("r", [first as AgentEvent, stepStart("r", 2)], { steps: [toVersion(2)] });
    expect(toolsOf(upgraded.events)).toEqual(["Fake 2"]);
  });

  it.each([0, -1, 1.5, Number.NaN, "2", {}])("reports damage if an execution has version %j", (version) => {
    const executions = [{ ...runStart("r"), version } as AgentEvent, stepStart("r", 2)];
    for (const steps of [[], [toVersion(2)]]) {
      const details = expect.objectContaining({ runId: "r", problem: "corrupt" });
      expect(() => upgradeEvents("r", executions, { steps })).toThrow(
        expect.objectContaining({ code: "store-failed", details }),
      );
    }
  });

  it("refuses an execution of a later version, and says what to do", () => {
    const executions = [runStart("r"), resume(2, eventVersion + 1), stepStart("r", 3)];
    const refusal = {
      code: "store-failed",
      message: expect.stringMatching(/later version of planwright .*Update planwright/),
      details: { runId: "r", operation: "read", problem: "newer-format" },
    };
    expect(() => upgradeEvents("r", executions)).toThrow(
      expect.objectContaining({ ...refusal, details: expect.objectContaining(refusal.details) }),
    );
  });
});
