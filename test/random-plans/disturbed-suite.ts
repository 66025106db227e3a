import fc from "fast-check";
import type { AgentEvent } from "planwright";
import { type DisturbedCase, disturbedCase } from "./disturbed-case.ts";
import { checkDisturbed } from "./disturbed-check.ts";
import type { StoreKind } from "./disturbed-world.ts";
import { pathToRepeat, type SuiteOptions } from "./model-suite.ts";
import { planOf } from "./play-case.ts";
import { type DisturbedRun, playDisturbed, playUndisturbed } from "./play-disturbed.ts";
import { keyOf } from "./watch.ts";

/** Which runs are disturbed. */
export interface DisturbedSuiteOptions extends SuiteOptions {
  readonly storeKind: StoreKind;
}

/**
 * Disturbs many runs: each must end as it does undisturbed. Reports the seed, what happened to the runs and how many
 * were different; for the first of those, shrunk as far as possible, all details.
 */
export async function disturbMany({ storeKind, numRuns, seed }: DisturbedSuiteOptions): Promise<void> {
  const counts: Record<string, number> = {};
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  let differences = 0;
  const startMs = performance.now();
  const counting = fc.asyncProperty(disturbedCase, async (disturbed) => {
    const failure = await disturb(disturbed, storeKind, count);
    if (failure !== undefined) differences++;
  });
  const repeated = pathToRepeat();
  if (repeated.path === undefined) {
    await fc.assert(counting, { numRuns, seed });
    const seconds = ((performance.now() - startMs) / 1_000).toFixed(0);
    const said = `PLANWRIGHT_SEED=${seed}, ${numRuns} runs (${storeKind}), ${JSON.stringify(counts)}`;
    console.log(`disturbed: ${said}, ${seconds} s: ${differences} differences`);
    if (differences === 0) return;
  }
  const judging = fc.asyncProperty(disturbedCase, async (disturbed) => {
    const failure = await disturb(disturbed, storeKind, count);
    if (failure !== undefined) throw failure;
  });
  await fc.assert(judging, { numRuns, seed, ...repeated });
}

/** Returns what is wrong with a case. */
async function disturb(
  disturbed: DisturbedCase,
  storeKind: StoreKind,
  count: (what: string) => void,
): Promise<Error | undefined> {
  const runs: DisturbedRun[] = [];
  try {
    const whole = await playUndisturbed(disturbed, storeKind);
    runs.push(whole);
    const run = await playDisturbed(disturbed, { storeKind, whole });
    runs.push(run);
    for (const { what, store, slowIn } of run.disturbances)
      count(store === "prompt" ? what : `${what}, ${store} ${slowIn}`);
    if (whole.recorded.some(isRetry)) count("resumed when failed");
    count(run.result.status);
    checkDisturbed(run, whole);
    return undefined;
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return new Error(`${message}\n${describe(disturbed, runs)}`, { cause: thrown });
  }
}

function isRetry(event: AgentEvent): boolean {
  return event.type === "run-resume" && event.retriesFailed === true;
}

function describe(
  { model, timeoutMs, resumesFailed, disturbances }: DisturbedCase,
  runs: readonly DisturbedRun[],
): string {
  const { steps, replans, ...rest } = model;
  return [
    ...planOf(model).steps.map((step) => JSON.stringify(step)),
    ...steps.map(({ script, undoScript }) => JSON.stringify({ script, undoScript })),
    JSON.stringify(rest),
    JSON.stringify({ replans }),
    `deadline ${timeoutMs} ms${resumesFailed ? ", resumed when it has failed" : ""}`,
    ...disturbances.map((one) => JSON.stringify(one)),
    ...runs.flatMap((run, index) => [index === 0 ? "undisturbed:" : "disturbed:", ...linesOf(run)]),
    ...(runs.length < 2 ? ["it does not end"] : []),
  ].join("\n");
}

function linesOf({ rows, result }: DisturbedRun): readonly string[] {
  const lines = rows.flatMap((row) => {
    if (row.type === "append") return row.events.map(lineOf);
    const { key, attempt, startMs, settled = "never settles" } = row.call;
    return [`    ${startMs - Date.UTC(2026)} ms: calls ${key}, attempt ${attempt}: ${settled}`];
  });
  return [...lines, `  ${result.status} ${result.error?.message ?? ""}`];
}

function lineOf(event: AgentEvent): string {
  const { type, outcome, reason, timestamp } = event as AgentEvent & {
    readonly outcome?: { readonly status: string; readonly error?: { readonly message: string } };
    readonly reason?: string;
  };
  const place = "stepId" in event ? keyOf(event) : "";
  const end = [outcome?.status ?? reason, outcome?.error?.message].filter((one) => one !== undefined).join(": ");
  return `  ${Date.parse(timestamp) - Date.UTC(2026)} ms: ${type} ${place} ${end}`;
}
