import type { AgentEvent } from "planwright";
import { describe, expect, it } from "vitest";
import type { EventInit } from "../../src/core/events.ts";
import { checkRuns, noneWrong } from "./check-runs.ts";
import type { JournalRow } from "./journal.ts";
import { killPlans } from "./kill-plans.ts";

type Row = JournalRow extends infer TRow ? (TRow extends unknown ? Omit<TRow, "generation"> : never) : never;

const { plan } = killPlans.sequential;
const events = [
  { type: "run-start", plan, metadata: {}, options: {}, tools: [] },
  ...(["a", "b", "c"] as const).flatMap((stepId) => {
    const [tool, effect] = stepId === "b" ? ["Send", "once"] : ["Put", "idempotent"];
    const outcome = { status: "completed", output: { value: 1 } };
    return [
      { type: "step-start", stepId, tool, input: { value: 1 }, effect },
      { type: "step-end", stepId, tool, attempts: 1, outcome },
    ];
  }),
  { type: "run-end", outcome: { status: "completed", output: { value: 1 } } },
].map((event, index) => {
  const timestamp = "2026-01-01T00:00:00.000Z";
  return { ...(event as unknown as EventInit), runId: "r", sequence: index + 1, timestamp } as AgentEvent;
});

/** The rows that a process writes about a run that nobody kills. */
const rows = events.flatMap((event): Row[] => {
  const recording: Row[] = [
    { type: "try", runId: "r", events: [event] },
    { type: "ack", runId: "r", sequence: event.sequence },
  ];
  if (event.type !== "step-start") return recording;
  const key = `r/${event.stepId}`;
  return [
    ...recording,
    { type: "begin", key, attempt: 1 },
    { type: "effect", key, value: 1 },
    { type: "end", key, attempt: 1 },
  ];
});

function check(journaled: readonly Row[], stored = events) {
  const journal = journaled.map((row) => ({ generation: 1, ...row }) as JournalRow);
  return checkRuns([{ runId: "r", kind: "sequential" }], journal, () => stored);
}

/** The rows with others after the nth one of a type. */
function insert(type: Row["type"], nth: number, ...others: readonly Row[]): readonly Row[] {
  const indexes = rows.flatMap((row, index) => (row.type === type ? [index] : []));
  const at = (indexes[nth - 1] ?? 0) + 1;
  return [...rows.slice(0, at), ...others, ...rows.slice(at)];
}

describe("checkRuns", () => {
  it("finds no fault in a run that was never killed", () => {
    expect(check(rows)).toMatchObject({ ...noneWrong, runs: 1, acknowledged: 8, unacknowledged: 0, repeated: 0 });
  });

  it("finds a confirmed event that is missing or changed", () => {
    expect(check(rows, events.slice(0, -1))).toMatchObject({ lost: 1, wrongEnds: 1 });
    const other = events.map((event) => (event.sequence === 8 ? { ...event, timestamp: "later" } : event));
    expect(check(rows, other)).toMatchObject({ ...noneWrong, lost: 1 });
  });

  it("finds a gap", () => {
    expect(
      check(
        rows,
        events.filter(({ sequence }) => sequence !== 4),
      ).gaps,
    ).toBe(1);
  });

  it("finds a call after its result was recorded, whether its process knew that or not", () => {
    const again: Row = { type: "begin", key: "r/a", attempt: 1 };
    expect(check(insert("ack", 3, again))).toMatchObject({ ...noneWrong, ranAgain: 1, repeated: 1 });
    expect(check(insert("try", 3, again))).toMatchObject({ ...noneWrong, ranAgain: 1, repeated: 1 });
    expect(check(insert("end", 1, again))).toMatchObject({ ...noneWrong, repeated: 1 });
  });

  it("finds a once step that runs before its start is recorded, or takes effect twice", () => {
    expect(check(insert("ack", 3, { type: "begin", key: "r/b", attempt: 1 }))).toMatchObject({ unannounced: 1 });
    expect(check(insert("effect", 2, { type: "effect", key: "r/b", value: 1 }))).toMatchObject({ onceTwice: 1 });
    expect(check(insert("effect", 1, { type: "effect", key: "r/a", value: 1 }))).toMatchObject(noneWrong);
  });

  it("finds a run that lacks an effect", () => {
    const journaled = rows.filter((row) => row.type !== "effect" || row.key !== "r/c");
    expect(check(journaled)).toMatchObject({ ...noneWrong, wrongEnds: 1 });
  });
});
