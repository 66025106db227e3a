import type { AgentError } from "../core/errors.ts";
import type { Plan } from "../core/plan.ts";
import type { RunsOwner } from "./active-runs.ts";
import { planAndTell } from "./plan-request.ts";
import type { RunSettings } from "./run-options.ts";
import { RunRecorder } from "./run-recorder.ts";
import { underSignal } from "./under-signal.ts";

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
  // What was thrown is thrown to the caller.
  const dataOf = (error: AgentError) => error.toJSON();
  const teller = { runId, spent: undefined, emit: recorder.emit.bind(recorder), dataOf };
  return underSignal(settings.signal, (source) =>
    planAndTell(engine.settings, { request, planner, settings, source, teller }),
  );
}
