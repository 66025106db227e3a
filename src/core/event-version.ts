import { AgentError } from "./errors.ts";
import type { AgentEvent } from "./events.ts";

/** Upgrades an event to the next version of the format; it keeps its number. */
export type EventUpgrade = (event: AgentEvent) => AgentEvent;

/** From version 1 to 2, and so on: to change the shape of a recorded event, or to record a new type, add a function. */
const upgrades: readonly EventUpgrade[] = [
  // 2 records the event "model-end".
  (event) => event,
  // 3 records the events "wait-start" and "run-deliver".
  (event) => event,
];

/** The version of the format in which events are now recorded. */
export const eventVersion = upgrades.length + 1;

/** Events in the newest format. */
export interface UpgradedEvents {
  readonly events: readonly AgentEvent[];
  /** The version in which the last of them was recorded. */
  readonly version: number;
}

/**
 * Stored events in the newest format. The first event of each execution states the version it was recorded in: an older
 * run may have been resumed by a newer version. `version` is that of the event before them. Throws `store-failed` for
 * an execution of a later version of planwright, or of an invalid version.
 */
export function upgradeEvents(
  runId: string,
  found: readonly AgentEvent[],
  { version = 1, steps = upgrades }: { readonly version?: number; readonly steps?: readonly EventUpgrade[] } = {},
): UpgradedEvents {
  const events = found.map((event) => {
    if (event.type === "run-start" || event.type === "run-resume") {
      version = event.version ?? 1;
      if (!Number.isSafeInteger(version) || version < 1) throw corrupt(runId, version);
      if (version > steps.length + 1) throw newerFormat(runId, version, steps.length + 1);
    }
    let upgraded = event;
    for (let from = version; from <= steps.length; from++) upgraded = (steps[from - 1] as EventUpgrade)(upgraded);
    return upgraded;
  });
  return { events, version };
}

function corrupt(runId: string, version: unknown): AgentError<"store-failed"> {
  const reason = `events of version ${JSON.stringify(version)}, which is invalid`;
  return new AgentError("store-failed", `The stored data of run "${runId}" is damaged: ${reason}.`, {
    details: { runId, operation: "read", reason, problem: "corrupt" },
  });
}

function newerFormat(runId: string, version: number, newest: number): AgentError<"store-failed"> {
  const reason = `events of version ${version}, but only versions up to ${newest} are known`;
  const message = `Run "${runId}" was recorded by a later version of planwright (${reason}). Update planwright; the run was left unchanged.`;
  return new AgentError("store-failed", message, {
    details: { runId, operation: "read", reason, problem: "newer-format" },
  });
}
