import fc from "fast-check";
import type { AgentEvent, RunResult } from "planwright";
import { expect } from "vitest";
import { toRunResult } from "../../src/core/run-result.ts";
import { foldEvents } from "../../src/core/run-state.ts";
import { eventTexts } from "../scenario/ask-for-approval.ts";
import { checkStartsAndEnds } from "../scenario/check-starts-and-ends.ts";
import { checkInvariants } from "../scenario/run-scenario.ts";
import type { ModelCase } from "./model-case.ts";
import { pathToRepeat, type SuiteOptions } from "./model-suite.ts";
import { planOf } from "./play-case.ts";
import {
  forkOn,
  playOn,
  playWhole,
  prefixOf,
  type RefusedCase,
  type ResumedCase,
  resumableCase,
  tryOn,
} from "./resume-case.ts";
import { keyOf } from "./watch.ts";

/** Plays many cases, kills each after every event it has recorded and resumes it: it must end the same. */
export async function resumeMany({ numRuns, seed }: SuiteOptions): Promise<void> {
  const ends: Record<string, number> = {};
  const changes = { refused: 0, accepted: 0 };
  let cuts = 0;
  const property = fc.asyncProperty(resumableCase, async (model) => {
    const whole = await playWhole(model);
    const { status } = whole.result;
    ends[status] = (ends[status] ?? 0) + 1;
    // A failed run is retried, and may end differently.
    const last = whole.recorded.length - (status === "failed" ? 1 : 0);
    for (let count = 1; count <= last; count++, cuts++) await checkCut(model, whole, count);
    for (let count = 1; count <= whole.recorded.length; count++) changes[await checkChanged(model, whole, count)]++;
  });
  try {
    await fc.assert(property, { numRuns, seed, ...pathToRepeat() });
  } finally {
    const said = `${JSON.stringify(ends)}, with a changed tool ${JSON.stringify(changes)}`;
    console.log(`resume: PLANWRIGHT_SEED=${seed}, ${numRuns} plans, ${cuts} cuts, ${said}`);
  }
}

/** Plays many cases, and forks each after every event it has recorded: the fork must end the same. */
export async function forkMany({ numRuns, seed }: SuiteOptions): Promise<void> {
  let cuts = 0;
  const property = fc.asyncProperty(resumableCase, async (given) => {
    // A fork leaves to the whole run what that has done.
    const model: ModelCase = { ...given, undoOnFailure: false };
    const whole = await playWhole(model);
    const last = whole.recorded.length - (whole.result.status === "failed" ? 1 : 0);
    for (let count = 1; count <= last; count++, cuts++) await checkFork(model, whole, count);
  });
  try {
    await fc.assert(property, { numRuns, seed, ...pathToRepeat() });
  } finally {
    console.log(`fork: PLANWRIGHT_SEED=${seed}, ${numRuns} plans, ${cuts} cuts`);
  }
}

function checkFork(model: ModelCase, whole: ResumedCase, count: number): Promise<void> {
  return explaining({ model, whole, count }, async (onPlayed) => {
    const forked = await forkOn(model, { count, whole });
    onPlayed(forked);
    const { recorded, result } = forked;
    checkStartsAndEnds(recorded);
    expect(toRunResult(foldEvents("fork", recorded))).toMatchObject({ status: result.status, steps: result.steps });
    expect(unasked(endOf(result))).toEqual(unasked(endOf(whole.result)));
    checkCalls(prefixOf(whole, count), forked);
  });
}

/** A withdrawn question is asked again when its step may start: not while the run waits for the outcome of another. */
function unasked(end: unknown): string {
  return JSON.stringify(end).replaceAll(" waiting ", " pending ");
}

/** Plays, and reports all details of a failure. */
async function explaining<T>(
  { model, whole, count }: { model: ModelCase; whole: ResumedCase; count: number },
  check: (onPlayed: (played: Played) => void) => Promise<T>,
): Promise<T> {
  let played: Played | undefined;
  try {
    return await check((one) => {
      played = one;
    });
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    throw new Error(`${message}\n${describe(model, whole, { count, played })}`, { cause: thrown });
  }
}

type Played = ResumedCase | RefusedCase;

function checkCut(model: ModelCase, whole: ResumedCase, count: number): Promise<void> {
  return explaining({ model, whole, count }, async (onPlayed) => {
    const before = prefixOf(whole, count);
    const resumed = await playOn(model, { before, whole });
    onPlayed(resumed);
    const { events, recorded, result } = resumed;
    checkInvariants({ events: [...before, ...events], recorded, result, killedAt: count });
    expect(endOf(result)).toEqual(endOf(whole.result));
    checkCalls(before, resumed);
  });
}

/**
 * Resumes with a tool that no longer accepts its planned inputs: if it may still run, the run is suspended for that, and
 * ends as usual with the tool as it was; otherwise it ends as usual, without the tool.
 */
function checkChanged(model: ModelCase, whole: ResumedCase, count: number): Promise<"refused" | "accepted"> {
  return explaining({ model, whole, count }, async (onPlayed) => {
    const before = prefixOf(whole, count);
    const changed = count % model.tools.length;
    const tools = model.tools.map((tool, index) => ({ ...tool, isChanged: index === changed }));
    const played = await tryOn({ ...model, tools }, { before, whole });
    onPlayed(played);
    const { events, recorded, result, calls } = played;
    const name = `T${changed}`;
    if (result === undefined) {
      expect(played.refusal).toMatchObject({ code: "resume-mismatch" });
      expect(calls).toEqual([]);
      expect(isLeft(before, name)).toBe(true);
      const { status } = foldEvents(whole.result.runId, before);
      // One that has failed stays so, and one that waits for a decision still does.
      if (status === "failed" || status === "suspended") expect(recorded).toEqual(before);
      else await checkHeld(model, { before, whole, events, recorded });
      return "refused";
    }
    expect(calls.filter(({ tool }) => tool === name)).toEqual([]);
    checkInvariants({ events: [...before, ...events], recorded, result, killedAt: count });
    const isToDiffer = (event: AgentEvent) =>
      event.type === "plan-revise" || (event.type === "undo-start" && event.tool === name);
    const isRetried = count === whole.recorded.length;
    if (!isRetried && !recorded.slice(count).some(isToDiffer)) expect(endOf(result)).toEqual(endOf(whole.result));
    return "accepted";
  });
}

/** Checks the record of a run that is suspended as it does not fit, and how it ends when it fits again. */
async function checkHeld(
  model: ModelCase,
  {
    before,
    whole,
    events,
    recorded,
  }: Pick<Played, "events" | "recorded"> & {
    readonly before: readonly AgentEvent[];
    readonly whole: ResumedCase;
  },
): Promise<void> {
  const killedAt = before.length;
  const held = toRunResult(foldEvents(whole.result.runId, recorded));
  expect(held.status).toBe("suspended");
  expect(held.pending?.[0]).toMatchObject({ kind: "mismatch" });
  checkInvariants({ events: [...before, ...events], recorded, result: held, killedAt });
  // Of every third one, as it takes as long as all of the rest.
  if (killedAt % 3 !== 0) return;
  const again = await playOn(model, { before: recorded, whole });
  const all = [...before, ...events, ...again.events];
  checkInvariants({ events: all, recorded: again.recorded, result: again.result, killedAt });
  expect(endOf(again.result)).toEqual(endOf(whole.result));
}

/** Whether a step of a tool is not done. */
function isLeft(before: readonly AgentEvent[], name: string): boolean {
  const { steps } = toRunResult(foldEvents(before[0]?.runId ?? "", before));
  return steps.some(({ tool, status }) => tool === name && status !== "completed");
}

/** The part that must be the same: all except times, ids and attempts. */
function endOf({ status, steps, output = null }: RunResult): unknown {
  return { status, output, steps: steps.map((step) => `${keyOf(step)} ${step.status} ${JSON.stringify(step.output)}`) };
}

/** Recorded calls are not repeated, nor once steps that had started. */
function checkCalls(before: readonly AgentEvent[], { calls }: ResumedCase): void {
  const kept = new Set<string>();
  for (const event of before) {
    if (event.type === "step-start" && event.effect === "once") kept.add(keyOf(event));
    if (event.type === "step-end" && event.outcome.status !== "interrupted") kept.add(keyOf(event));
  }
  expect(calls.filter(({ key }) => kept.has(key)).map(({ key }) => key)).toEqual([]);
}

function describe(
  model: ModelCase,
  whole: ResumedCase,
  { count, played }: { count: number; played: Played | undefined },
): string {
  const { steps, replans, ...rest } = model;
  const scripts = steps.map(({ script, undoScript }) => JSON.stringify({ script, undoScript }));
  const lines = (events: readonly AgentEvent[]) =>
    eventTexts(events).map((one, index) => {
      const {
        outcome,
        reason = "",
        error,
      } = (events[index] ?? {}) as {
        outcome?: { status: string; error?: { message: string } };
        reason?: string;
        error?: { message: string };
      };
      return `  ${one} ${outcome?.status ?? ""}${reason} ${outcome?.error?.message ?? error?.message ?? ""}`;
    });
  return [
    ...planOf(model).steps.map((step) => JSON.stringify(step)),
    ...scripts,
    JSON.stringify(rest),
    JSON.stringify({ replans }),
    `the whole run, ${whole.result.status}:`,
    ...lines(whole.recorded),
    `cut after ${count}, then:`,
    ...(played === undefined ? ["  it does not end"] : lines(played.events)),
    ...(played?.result === undefined ? [] : [played.result.status]),
  ].join("\n");
}
