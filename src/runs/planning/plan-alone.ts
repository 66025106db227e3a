import { AbortSource, onAbort } from "../../async/abort.ts";
import type { AgentError } from "../../core/errors.ts";
import type { AgentEvent } from "../../core/events.ts";
import type { Plan } from "../../core/plan.ts";
import type { RunHost } from "../run.ts";
import { cancelledBy } from "../run-errors.ts";
import type { RunSettings } from "../run-options.ts";
import { RunRecorder } from "../run-recorder.ts";
import { secretsOf } from "../secrets/secrets-of-run.ts";
import { showIn } from "../show.ts";
import { type PlanReporter, planAndEmit } from "./planning.ts";

/** A request that is only planned; the run id is that of its events. */
interface PlanAlone {
  readonly runId: string;
  readonly request: string;
  readonly settings: RunSettings;
}

/** Makes a plan without a run: its start and end are emitted, and nothing is stored. Rejects as planning does. */
export async function planAlone(
  { settings: engine, hub }: Pick<RunHost, "settings" | "hub">,
  { runId, request, settings }: PlanAlone,
): Promise<Plan> {
  const { planner, clock } = engine;
  if (planner === undefined) throw new TypeError("This engine has no planner.");
  const opening = secretsOf(engine, { runId, tools: settings.tools });
  const secrets = opening && (await opening);
  const run = { runId, secrets, engine };
  const tell = (event: AgentEvent) => hub.emit(showIn(run, event));
  const recorder = new RunRecorder({ runId, now: () => clock.now(), onRecorded: tell });
  const reporter: PlanReporter = {
    runId,
    spent: undefined,
    emit: (event) => recorder.emit(secrets?.hideInEvent(event) ?? event),
    // The caller catches what was thrown.
    dataOf: (error: AgentError) => error.toJSON(),
    sealPlan: secrets && (async (plan) => secrets.hidePlan(plan)),
  };
  return underSignal(settings.signal, (source) =>
    planAndEmit(engine, { request, planner, settings, source, reporter }),
  );
}

/** Does work that belongs to no run, with a source that aborts with `cancelled` as soon as the caller's signal does. */
export async function underSignal<T>(
  signal: AbortSignal | undefined,
  work: (source: AbortSource) => Promise<T>,
): Promise<T> {
  const source = new AbortSource();
  const abort = () => source.abort(cancelledBy(signal?.reason));
  if (signal?.aborted) abort();
  const stopListening = signal && onAbort(signal, abort);
  try {
    return await work(source);
  } finally {
    stopListening?.();
  }
}
