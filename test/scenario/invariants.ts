import type { AgentEvent, RunResult } from "planwright";
import { expect } from "vitest";
import { isTransient } from "../../src/core/events.ts";
import { hideSealed, toJson } from "../../src/core/json.ts";
import { toRunResult } from "../../src/core/run-result.ts";
import { foldEvents, initialRunState, reduceRunState } from "../../src/core/run-state.ts";
import { parseEvents } from "../../src/runs/stored/parse-stored.ts";
import { checkStartsAndEnds, keyOf } from "./check-starts-and-ends.ts";

/** Input of {@link checkInvariants}. */
export interface Checked {
  /** As they were emitted. */
  readonly events: readonly AgentEvent[];
  readonly recorded: readonly AgentEvent[];
  readonly result: RunResult;
  /** The number of events emitted when a process died, if one has. */
  readonly killedAt?: number;
}

/** The five invariants of a run whose store did not fail. */
export function checkInvariants({ events, recorded, result, killedAt }: Checked): void {
  checkExecutions(events, killedAt);
  checkStartsAndEnds(recorded);
  checkDecisions(recorded);
  checkSequence(events, recorded);
  checkAttempts(events);
  for (const event of events) {
    expect(JSON.parse(JSON.stringify(event))).toEqual(asData(event));
    expect(notFrozen(event, event.type)).toEqual([]);
    // Whatever a tool threw, no event is nested deeper than an output may be.
    expect(toJson(hideSealed(event))).toMatchObject({ ok: true });
  }
  checkFold(recorded, result);
}

/** The parts of an event that a listener could change for others. */
function notFrozen(value: unknown, path: string): string[] {
  if (typeof value !== "object" || value === null) return [];
  const below = Object.entries(value).flatMap(([key, item]) => notFrozen(item, `${path}.${key}`));
  return Object.isFrozen(value) ? below : [path, ...below];
}

function checkExecutions(events: readonly AgentEvent[], killedAt = 0): void {
  const types = events.map(({ type }) => type);
  const isOpening = (type: string) => type === "run-start" || type === "run-resume";
  const isClosing = (type: string) => type === "run-end" || type === "run-suspend";
  expect(types[0]).toBe("run-start");
  expect(types.filter((type) => type === "run-start")).toHaveLength(1);
  expect(isClosing(types.at(-1) ?? "")).toBe(true);
  // An execution starts where one has ended, and nowhere else.
  for (const [index, type] of types.entries()) {
    if (index <= killedAt && type === "run-resume") continue;
    if (index > 0) expect(isOpening(type)).toBe(isClosing(types[index - 1] ?? ""));
  }
}

/** Each decision answers an open question, and each question has only one. */
function checkDecisions(recorded: readonly AgentEvent[]): void {
  const asked = new Set<string>();
  for (const event of recorded) {
    const key = keyOf(event);
    if (event.type === "approval-request") {
      expect(asked.has(key)).toBe(false);
      asked.add(key);
    } else if (event.type === "approval-end") expect(asked.delete(key)).toBe(true);
    else if (event.type === "step-start") expect(asked.has(key)).toBe(false);
  }
}

/** Each reported attempt follows the one that was reported as failed. */
function checkAttempts(events: readonly AgentEvent[]): void {
  const failed = new Map<string, number>();
  for (const event of events) {
    const key = `${keyOf(event)}${"undo" in event ? " undo" : ""}`;
    if (event.type === "step-retry") failed.set(key, event.attempt);
    if (event.type !== "step-attempt") continue;
    expect(event.attempt).toBe((failed.get(key) ?? Number.NaN) + 1);
    failed.delete(key);
  }
}

function checkSequence(events: readonly AgentEvent[], recorded: readonly AgentEvent[]): void {
  let last = 0;
  for (const event of events) {
    if (!isTransient(event)) last++;
    expect(event.sequence).toBe(last);
  }
  // Sealed values differ only in how they are shown.
  const emitted = events.filter((event) => !isTransient(event)).map(asData);
  expect(hideSealed(emitted)).toEqual(hideSealed(recorded));
  for (const event of recorded) expect(asData(event)).toBe(event);
}

/** An event without thrown values: the same object where it contains none. */
function asData<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if ("toJSON" in value && typeof value.toJSON === "function") return value.toJSON() as T;
  const entries = Object.entries(value).map(([key, part]) => [key, asData(part)] as const);
  if (entries.every(([key, part]) => part === value[key as keyof T])) return value;
  return (Array.isArray(value) ? entries.map(([, part]) => part) : Object.fromEntries(entries)) as T;
}

function checkFold(recorded: readonly AgentEvent[], result: RunResult): void {
  const { runId } = result;
  const live = initialRunState(runId);
  const stored: AgentEvent[] = [];
  for (const event of recorded) {
    reduceRunState(live, event);
    stored.push(JSON.parse(JSON.stringify(event)) as AgentEvent);
    if (recorded.length < 200 || stored.length === recorded.length) expect(foldEvents(runId, stored)).toEqual(live);
  }
  // The caller gets the output unchanged.
  const shown = hideSealed(toRunResult(live));
  expect(live.mayBeSealed ? { ...shown, output: result.output } : shown).toEqual(asData(result));
  // A store must be able to return every recorded event.
  expect(parseEvents(runId, stored).state).toEqual(live);
}
