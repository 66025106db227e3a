import { toTimestamp } from "../../async/clock.ts";
import type { AgentEvent, EventInit } from "../../core/events.ts";
import { type RunState, reduceRunState } from "../../core/run-state.ts";
import { isHold, isWait } from "../../core/run-summary.ts";
import { Run } from "../run/run.ts";
import { notWaiting } from "../run/run-errors.ts";
import { pendingItems } from "../run/run-progress.ts";
import { evidenceOf } from "../run/run-recorder.ts";
import { secretsIfReadable } from "../run/run-secrets.ts";
import { loadWords, type SayEnd } from "../run/run-words.ts";
import { endingOf } from "../steps/end-run.ts";
import type { Opening, RunRegistry } from "../stored/run-registry.ts";
import { recordResume, restoreSettings } from "./resume-run.ts";

/** Only records events, without tools or keys; the process that resumes the run acts on them. */
export async function recordSuspended(
  runs: RunRegistry,
  { runId, channel }: Opening,
  { state, fence, events }: { state: RunState; fence: number | undefined; events: readonly EventInit[] },
): Promise<RunState> {
  if (endingOf(state) !== undefined) throw notWaiting(runId, "it was ending when its process died: resume it");
  const run = new Run(runId, runs, restoreSettings(runs.settings, state, { isCancel: true }), state);
  run.watchers = runs.watchers.get(runId);
  run.secrets = await secretsIfReadable(runs.settings, { state });
  run.evidence = await evidenceOf(runs.settings, state);
  run.fence = fence;
  if (channel !== undefined) run.addChannel(channel);
  const loading = loadWords(run);
  const say = loading && (await loading);
  await recordResume(run, [], events, (before) => suspensionAfter(run, before, say));
  return run.state;
}

function suspensionAfter(run: Run, events: readonly EventInit[], say: SayEnd | undefined): EventInit {
  const { runId, state, settings } = run;
  const after = structuredClone(state);
  for (const event of events)
    reduceRunState(after, { ...event, runId, sequence: after.sequence + 1, timestamp: "" } as AgentEvent);
  const holds = (state.pending ?? []).filter(isHold);
  const items = pendingItems({ state: after, settings }).filter((item) => holds.length === 0 || !isWait(item));
  const resumeAt = holds.length === 0 ? { resumeAt: toTimestamp(run.sharedNow()) } : {};
  const pending = [...holds, ...items];
  return { type: "run-suspend", pending, ...resumeAt, ...say?.(after, { status: "suspended", pending }) };
}
