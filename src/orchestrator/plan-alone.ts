import { AbortSource } from "../async/abort-source.ts";
import { onAbort } from "../async/on-abort.ts";
import type { Plan } from "../core/plan.ts";
import type { RunsOwner } from "./active-runs.ts";
import { cancelledBy } from "./cancelled-by.ts";
import { planAndTell } from "./plan-request.ts";
import type { RunSettings } from "./run-options.ts";
import { RunRecorder } from "./run-recorder.ts";

/** A request that is only to be planned; the run id is that of its events. */
export interface PlanAlone {
  readonly runId: string;
  readonly request: string;
  readonly settings: RunSettings;
}

/** Makes a plan without a run: its beginning and its end are told, and nothing is stored. Rejects with what planning does. */
export async function planAlone(engine: RunsOwner, { runId, request, settings }: PlanAlone): Promise<Plan> {
  const { planner, clock } = engine.settings;
  if (planner === undefined) throw new TypeError("This engine has no planner.");
  const recorder = new RunRecorder({ runId, now: () => clock.now(), tell: (event) => engine.hub.emit(event) });
  const source = new AbortSource();
  const abort = () => source.abort(cancelledBy(settings.signal?.reason));
  if (settings.signal?.aborted) abort();
  const stopListening = settings.signal && onAbort(settings.signal, abort);
  try {
    const emit = recorder.emit.bind(recorder);
    return await planAndTell(engine.settings, { request, planner, settings, source, emit });
  } finally {
    stopListening?.();
  }
}
