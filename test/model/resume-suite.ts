import fc from "fast-check";
import { expect } from "vitest";
import type { AgentEvent } from "../../src/core/events.ts";
import type { RunResult } from "../../src/core/run-result.ts";
import { told } from "../scenarios/asking.ts";
import { checkInvariants } from "../scenarios/run-scenario.ts";
import type { ModelCase } from "./model-case.ts";
import { pathToRepeat, type SuiteOptions } from "./model-suite.ts";
import { planOf } from "./play-case.ts";
import { playOn, playWhole, prefixOf, type ResumedCase, resumableCase } from "./resume-case.ts";
import { keyOf } from "./watch.ts";

/** Plays many cases, kills each after every event it has recorded and goes on: it must come to the same. */
export async function resumeMany({ numRuns, seed }: SuiteOptions): Promise<void> {
  const ends: Record<string, number> = {};
  let cuts = 0;
  const property = fc.asyncProperty(resumableCase, async (model) => {
    const whole = await playWhole(model);
    const { status } = whole.result;
    ends[status] = (ends[status] ?? 0) + 1;
    // One that has failed is tried again, and may come to another end.
    const last = whole.recorded.length - (status === "failed" ? 1 : 0);
    for (let count = 1; count <= last; count++, cuts++) await checkCut(model, whole, count);
  });
  try {
    await fc.assert(property, { numRuns, seed, ...pathToRepeat() });
  } finally {
    console.log(`resume: PLANWRIGHT_SEED=${seed}, ${numRuns} plans, ${cuts} cuts, ${JSON.stringify(ends)}`);
  }
}

async function checkCut(model: ModelCase, whole: ResumedCase, count: number): Promise<void> {
  const before = prefixOf(whole, count);
  let resumed: ResumedCase | undefined;
  try {
    resumed = await playOn(model, { before, whole });
    const { events, recorded, result } = resumed;
    checkInvariants({ events: [...before, ...events], recorded, result, killedAt: count });
    expect(endOf(result)).toEqual(endOf(whole.result));
    checkCalls(before, resumed);
  } catch (thrown) {
    throw new Error(
      `${thrown instanceof Error ? thrown.message : thrown}\n${describe(model, whole, { count, resumed })}`,
      {
        cause: thrown,
      },
    );
  }
}

/** What must be the same, times, ids and attempts aside. */
function endOf({ status, steps, output = null }: RunResult): unknown {
  return { status, output, steps: steps.map((step) => `${keyOf(step)} ${step.status} ${JSON.stringify(step.output)}`) };
}

/** What was recorded is not run again, nor what must run only once and had begun. */
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
  { count, resumed }: { count: number; resumed: ResumedCase | undefined },
): string {
  const { steps, replans, ...rest } = model;
  const scripts = steps.map(({ script, undoScript }) => JSON.stringify({ script, undoScript }));
  const lines = (events: readonly AgentEvent[]) =>
    told(events).map((one, index) => {
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
    ...(resumed === undefined ? ["  it does not end"] : lines(resumed.events)),
    resumed?.result.status ?? "",
  ].join("\n");
}
