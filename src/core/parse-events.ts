import { AgentError } from "./errors.ts";
import { whyOutOfOrder } from "./event-order.ts";
import { type FindWrongKey, type Keyed, wrongKeyOf } from "./event-shapes.ts";
import { upgradeEvents } from "./event-version.ts";
import type { AgentEvent } from "./events.ts";
import { initialRunState, type RunState, reduceRunState } from "./run-state.ts";

/** A run as it was recorded. */
export interface RecordedRun {
  /** In the newest format. */
  readonly events: readonly AgentEvent[];
  /** The first and the last event of the run, even if they were known before. */
  readonly first: AgentEvent | undefined;
  readonly last: AgentEvent | undefined;
  /** The state that they lead to. */
  readonly state: RunState;
  /** The format in which the last of them was recorded. */
  readonly version: number;
}

const wrongKeys: ReadonlyMap<string, FindWrongKey> = new Map(Object.entries(wrongKeyOf));

/**
 * The events that a store returned for a run, from the first on, or after those that are known. They come from outside:
 * anything that is not an event of this run, or cannot occur at its place, is `store-failed`, as resuming the run could
 * execute a step twice, or never.
 */
export function parseEvents(runId: string, found: unknown, known?: RecordedRun): RecordedRun {
  const state = known?.state ?? initialRunState(runId);
  if (!Array.isArray(found)) throw damaged(runId, { reason: "what was read is not a list of events" });
  for (const [index, event] of found.entries()) {
    const sequence = state.sequence + index + 1;
    const reason = whyNoEvent(runId, event, sequence);
    if (reason !== undefined) throw damaged(runId, { sequence, reason });
  }
  // All events first: an execution of a later version must be reported as such, whatever its events are.
  const { events, version } = upgradeEvents(runId, found as readonly AgentEvent[], known);
  for (const event of events) {
    const reason = whyWrong(state, event);
    if (reason !== undefined) throw damaged(runId, { sequence: event.sequence, reason });
    reduceRunState(state, event);
  }
  const [first, last] = [known?.first ?? events[0], events.at(-1) ?? known?.last];
  return { events, first, last, state, version };
}

/** Checks the fields that events of any version have. */
function whyNoEvent(runId: string, event: unknown, next: number): string | undefined {
  if (typeof event !== "object" || event === null || Array.isArray(event)) return "it is not an event";
  const { type, runId: of, sequence, timestamp } = event as Readonly<Record<string, unknown>>;
  if (typeof type !== "string") return "it has no type";
  if (of !== runId) return `it is of another run, ${JSON.stringify(of)}`;
  if (sequence !== next) return `its number is ${JSON.stringify(sequence)}`;
  if (typeof timestamp !== "string" || Number.isNaN(Date.parse(timestamp))) return "its timestamp is not a time";
  return undefined;
}

function whyWrong(state: RunState, event: AgentEvent): string | undefined {
  const findWrong = wrongKeys.get(event.type);
  // A version that records another type has its own number.
  if (findWrong === undefined) return `there is no recorded event of type ${JSON.stringify(event.type)}`;
  const key = findWrong(event as unknown as Keyed);
  if (key !== undefined) return `the "${key}" of ${event.type} is missing or invalid`;
  const misplaced = whyOutOfOrder(state, event);
  return misplaced && `there can be no ${event.type} ${misplaced}`;
}

interface Damage {
  readonly reason: string;
  readonly sequence?: number;
}

function damaged(runId: string, { reason, sequence }: Damage): AgentError<"store-failed"> {
  const where = sequence === undefined ? "" : ` at event ${sequence}`;
  const message = `The stored data of run "${runId}" is damaged${where}: ${reason}. Nothing was run or recorded.`;
  return new AgentError("store-failed", message, {
    details: { runId, operation: "read", reason, problem: "corrupt", ...(sequence !== undefined && { sequence }) },
  });
}
