import fc from "fast-check";
import { checkPlayed } from "./check-result.ts";
import { modelCase } from "./model-arbitrary.ts";
import type { ModelCase } from "./model-case.ts";
import { type PlayedCase, planOf, playCase } from "./play-case.ts";

/** The number of cases, and their seed. */
export interface SuiteOptions {
  readonly numRuns: number;
  readonly seed: number;
}

/** The seed to repeat, if set with `PLANWRIGHT_SEED`; for one case, `PLANWRIGHT_PATH` is set as well. */
export function seedOr(usual: number): number {
  return Number(process.env.PLANWRIGHT_SEED ?? usual);
}

/** The path of the one case to repeat, if set. */
export function pathToRepeat(): { path?: string; numRuns?: number; endOnFailure?: boolean } {
  const path = process.env.PLANWRIGHT_PATH;
  return path === undefined ? {} : { path, numRuns: 1, endOnFailure: true };
}

/** Plays many cases and checks each. Reports the seed, how the runs ended, and all details of a failing one. */
export async function playMany({ numRuns, seed }: SuiteOptions): Promise<void> {
  const ends: Record<string, number> = {};
  let calls = 0;
  const property = fc.asyncProperty(modelCase, async (model) => {
    let played: PlayedCase | undefined;
    try {
      played = await playCase(model);
      await checkPlayed(played);
    } catch (thrown) {
      throw new Error(`${thrown instanceof Error ? thrown.message : thrown}\n${describe(model, played)}`, {
        cause: thrown,
      });
    }
    ends[played.result.status] = (ends[played.result.status] ?? 0) + 1;
    calls += played.watch.calls.length;
  });
  try {
    await fc.assert(property, { numRuns, seed, ...pathToRepeat() });
  } finally {
    console.log(`model: PLANWRIGHT_SEED=${seed}, ${numRuns} plans, ${calls} calls, ${JSON.stringify(ends)}`);
  }
}

function describe(model: ModelCase, played: PlayedCase | undefined): string {
  const { steps, replans, ...rest } = model;
  const plan = planOf(model).steps.map((step) => JSON.stringify(step));
  const scripts = steps.map(({ script, undoScript }) => JSON.stringify({ script, undoScript }));
  const start = Date.UTC(2026, 0, 1);
  const events = played?.watch.events.map((event) => {
    const { type, stepId = "", iteration, outcome, reason } = event as unknown as Record<string, unknown>;
    const { status = "", error } = (outcome ?? {}) as { status?: string; error?: { message: string } };
    const place = iteration === undefined ? stepId : `${stepId}[${iteration}]`;
    return `${Date.parse(event.timestamp) - start} ms: ${type} ${place} ${status}${reason ?? ""} ${error?.message ?? ""}`;
  });
  return [
    ...plan,
    ...scripts,
    JSON.stringify(rest),
    JSON.stringify({ replans }),
    ...(events ?? ["it does not end"]),
  ].join("\n");
}
