import { toErrorData } from "../core/error-data.ts";
import { type AgentErrorData, isAgentError } from "../core/errors.ts";
import type { EventInit } from "../core/events.ts";
import type { RunResult } from "../core/run-result.ts";
import type { RunState } from "../core/run-state.ts";
import type { ListRunsOptions, RunStore } from "../core/run-store.ts";
import type { RunSummary } from "../core/run-summary.ts";
import { placeOf } from "../core/step-place.ts";
import { partsOf, type StepState } from "../core/step-state.ts";
import type { Tool } from "../core/tool.ts";
import { type Opening, type RunsOwner, runsOf } from "./active-runs.ts";
import { interruptedBy } from "./cancelled-by.ts";
import { continueStored, type LegBeginning } from "./continue-run.ts";
import { waitsInVain } from "./expiry.ts";
import type { ContinueOptions } from "./run-options.ts";
import { outcomeUnknown } from "./step-errors.ts";
import { listRuns, readRun } from "./stored-runs.ts";

/** A run that is to go on. */
export interface Resuming extends Pick<Opening, "runId" | "startedMs"> {
  readonly options: ContinueOptions;
  /** Whether one that has failed goes on, too. */
  readonly retriesFailed: boolean;
}

/**
 * Goes on with a stored run where it stopped: what is recorded is not run again, what was cut off runs again unless it must
 * run only once. One that has failed goes on with the step that failed. A run that goes on here is joined; one that has
 * ended for good, or waits for somebody, resolves to its result. Rejects with what `continueStored` does.
 */
export function resumeRun(engine: RunsOwner, resuming: Resuming): Promise<RunResult> {
  return runsOf(engine).follow(resume(engine, resuming));
}

async function resume(engine: RunsOwner, resuming: Resuming): Promise<RunResult> {
  const { runId } = resuming;
  const runs = runsOf(engine);
  for (;;) {
    const restoring = runs.restoring.get(runId);
    const active = runs.active.get(runId);
    if (restoring !== undefined) await restoring.opening.catch(() => {});
    else if (active === undefined)
      return continueStored(engine, {
        ...resuming,
        looksForPosted: true,
        mayGoOn: mayResume(engine, resuming),
        begin,
      });
    else {
      await active.result.catch(() => {});
      // One that never began was only looked up in the store.
      if (active.run.state.sequence > 0) return active.result;
    }
  }
}

/**
 * Whether a run goes on, by what is recorded of it: asked when it is looked at, and once more when it is claimed. One that
 * has failed between the two has been tried again by another process.
 */
function mayResume(
  { settings: { clock } }: Pick<RunsOwner, "settings">,
  { retriesFailed }: Pick<Resuming, "retriesFailed">,
): (state: RunState) => boolean {
  let seen: number | undefined;
  return (state) => {
    seen ??= state.sequence;
    switch (state.status) {
      case "planning":
      case "running":
      case "interrupted":
        return true;
      case "failed":
        return retriesFailed && state.sequence === seen && canRetry(state);
      case "suspended":
        // What it was asked under a hash of less has to be asked again, and what nobody can decide any more is rejected.
        return state.pending?.length === 0 || waitsInVain(state, clock.now());
      case "completed":
      case "cancelled":
        return false;
      default:
        return state.status satisfies never;
    }
  };
}

/** Not what somebody has refused, and not what was taken back: its steps would be the same once more to their tools. */
function canRetry({ error, steps }: RunState): boolean {
  if (error?.code === "approval-rejected" || error?.code === "approval-expired") return false;
  return ![...partsOf(steps.values())].some(({ status }) => status === "undone");
}

function begin(state: RunState): LegBeginning {
  return state.status === "failed" ? { retriesFailed: true, events: [] } : beginStopped(state);
}

/** How a run goes on that has stopped on the way. */
export function beginStopped(state: RunState): LegBeginning {
  return { events: closeKilled(state) };
}

const died = "its process has died";

/** Closes what a leg has left open whose process has died: each start gets its end. */
function closeKilled(state: RunState): readonly EventInit[] {
  const error = interruptedBy(died).toJSON() as AgentErrorData;
  const events: EventInit[] = [];
  if (state.isPlanning) events.push({ type: "plan-end", outcome: { status: "failed", error } });
  for (const part of partsOf(state.steps.values())) {
    if (part.status === "running") events.push(endOf(part, error));
    if (part.isUndoing) {
      const { tool } = part;
      events.push({ type: "undo-end", ...placeOf(part), tool, attempts: 1, outcome: { status: "failed", error } });
    }
  }
  return events;
}

function endOf(part: StepState, error: AgentErrorData): EventInit {
  const { stepId, tool, attempts, effect, iteration } = part;
  const task = { step: { id: stepId, tool }, iteration: iteration === undefined ? undefined : { index: iteration } };
  const outcome =
    effect === "once"
      ? ({ status: "unknown", error: outcomeUnknown(task, error).toJSON() } as const)
      : ({ status: "interrupted", error } as const);
  return { type: "step-end", ...placeOf(part), tool, attempts, outcome };
}

/** What came of a run that was to go on. */
export type ResumedRun<TTool extends Tool = Tool> =
  | { readonly runId: string; readonly result: RunResult<TTool>; readonly error?: undefined }
  /** It could not go on: `run-owned-elsewhere`, `resume-mismatch`, `store-failed` … */
  | { readonly runId: string; readonly result?: undefined; readonly error: AgentErrorData };

/**
 * Goes on with every run that nobody goes on with, so many at a time, the oldest first. Resolves when they have ended or
 * wait for somebody. Rejects with `store-failed` if they can not be listed.
 */
export async function resumeAll(
  engine: RunsOwner,
  { concurrency, resume }: { readonly concurrency: number; readonly resume: (run: RunSummary) => Promise<RunResult> },
): Promise<readonly ResumedRun[]> {
  const resumed: ResumedRun[] = [];
  const waiting = await listResumable(engine);
  const work = async () => {
    for (let run = waiting.pop(); run !== undefined; run = waiting.pop()) {
      resumed.push(await resumeOne(run, resume));
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, waiting.length) }, work));
  return resumed;
}

async function resumeOne(run: RunSummary, resume: (run: RunSummary) => Promise<RunResult>): Promise<ResumedRun> {
  const { runId } = run;
  try {
    return { runId, result: await resume(run) };
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    return { runId, error: toErrorData(thrown) as AgentErrorData };
  }
}

/** All of them, before any goes on: pages would move. Where questions expire, with those that wait for what nobody can decide. */
async function listResumable({ settings }: RunsOwner): Promise<RunSummary[]> {
  const runs = await listAll(settings.store, { resumable: true });
  if (settings.approvalTtlMs === undefined) return runs;
  for (const summary of await listAll(settings.store, { status: "suspended" })) {
    // One that cannot be read is told of when it is resumed.
    const run = await readRun(settings, summary.runId).catch(() => undefined);
    if (run === undefined || waitsInVain(run, settings.clock.now())) runs.push(summary);
  }
  return runs;
}

async function listAll(store: RunStore, selected: ListRunsOptions): Promise<RunSummary[]> {
  const runs: RunSummary[] = [];
  let cursor: string | undefined;
  do {
    const page = await listRuns(store, { ...selected, limit: 1_000, ...(cursor !== undefined && { cursor }) });
    runs.push(...page.runs);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return runs;
}
