import { describe, expect, it } from "vitest";
import { parseEvents, parseRunPage } from "../../../src/runs/stored/parse-stored.ts";
import {
  runEnd,
  runResume,
  runStart as startOf,
  stepStart,
} from "../../../src/testing/conformance/run-store-conformance.ts";

/** The first event of a run with one step. */
function runStart(runId: string) {
  const event = startOf(runId);
  if (event.type !== "run-start" || event.plan === undefined) throw new Error("It has a plan.");
  return { ...event, plan: { ...event.plan, steps: [{ id: "s1", tool: "Fake", input: {} }] } };
}

const start = { ...stepStart("r", 2), stepId: "s1" };
const base = { runId: "r", sequence: 3, timestamp: "2026-01-01T00:00:00.000Z", stepId: "s1", tool: "Fake" };
const end = (outcome: unknown) => ({ ...base, type: "step-end", attempts: 1, outcome });
const done = { status: "completed", output: 1 };

describe("parseEvents", () => {
  it("returns the events and their state, and keeps unknown keys", () => {
    const events = [runStart("r"), { ...start, later: 1 }, end(done)];
    const { events: parsed, state } = parseEvents("r", events);
    expect(parsed).toEqual(events);
    expect(state.steps.get("s1")).toMatchObject({ status: "completed", output: 1 });
    expect(parseEvents("r", []).state.sequence).toBe(0);
  });

  it.each<[unknown, number | undefined, RegExp]>([
    [null, undefined, /not a list/],
    [[null], 1, /not an event/],
    [[runStart("other")], 1, /another run, "other"/],
    [[runStart("r"), { ...start, sequence: 3 }], 2, /number is 3/],
    [[runStart("r"), { ...start, timestamp: "soon" }], 2, /timestamp/],
    [[start].map((event) => ({ ...event, sequence: 1 })), 1, /no step-start at the beginning/],
    [[runStart("r"), { ...runStart("r"), sequence: 2 }], 2, /run-start in a run that has started/],
    [[runStart("r"), { ...start, type: "step-begin" }], 2, /"step-begin" is not a type of recorded events/],
    [[runStart("r"), { ...start, type: "step-progress" }], 2, /is not a type of recorded events/],
    [[runStart("r"), { ...start, type: "__proto__" }], 2, /is not a type of recorded events/],
    [[runStart("r"), { ...start, stepId: "s9" }], 2, /an unknown step, "s9"/],
    [[runStart("r"), { ...start, tool: "Other" }], 2, /another tool, "Other"/],
    [[runStart("r"), { ...start, iteration: 0, iterations: 1e9 }], 2, /which has no iterations/],
    [[runStart("r"), { ...end(done), sequence: 2 }], 2, /step-end for "s1", which is pending/],
    [[runStart("r"), start, end({ status: "done" })], 3, /"outcome" of step-end/],
    [[runStart("r"), start, end({ status: "completed" })], 3, /"outcome" of step-end/],
    [[runStart("r"), start, end({ status: "failed", error: {} })], 3, /"outcome" of step-end/],
    [[runStart("r"), start, end(done), { ...start, sequence: 4 }], 4, /step-start for "s1", which is completed/],
    [[runStart("r"), { ...runEnd("r"), sequence: 2 }, runResume("r", 3)], 3, /run-resume in a run that has ended/],
    [[runStart("r"), { ...runEnd("r"), sequence: 2 }, { ...start, sequence: 3 }], 3, /in a run that is completed/],
  ])("reports damage: case %#", (events, sequence, reason) => {
    let thrown: unknown;
    try {
      parseEvents("r", events);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({
      code: "store-failed",
      details: { runId: "r", operation: "read", problem: "corrupt", reason: expect.stringMatching(reason) },
    });
    expect((thrown as { details: { sequence?: number } }).details.sequence).toBe(sequence);
  });
});

describe("parseRunPage", () => {
  const run = { runId: "r", status: "running", metadata: {}, createdAt: "2026", updatedAt: "2026" };

  it("returns a valid page unchanged", () => {
    const page = { runs: [run, { ...run, request: "x" }], cursor: "2" };
    expect(parseRunPage(page, { cursor: "1" })).toBe(page);
  });

  it.each([
    null,
    {},
    { runs: [null] },
    { runs: [{ ...run, status: "nope" }] },
    { runs: [{ ...run, runId: 1 }] },
    { runs: [{ ...run, request: null }] },
    { runs: [], cursor: 5 },
    { runs: [], cursor: "1" },
  ])("refuses %j", (page) => {
    expect(() => parseRunPage(page, { cursor: "1" })).toThrow(TypeError);
  });
});
