import { AbortSource } from "../async/abort-source.ts";
import type { AgentEvent } from "../core/events.ts";
import { maxDurationMs, type OptionTable, readOptions, type SettingsOf } from "../core/options.ts";
import type { RunsOwner } from "./active-runs.ts";
import { checkName } from "./decision-options.ts";
import { loadedRuntime, loadRuntime } from "./load-runtime.ts";

/** Options of reading the events of a run. */
export interface EventsOptions {
  /** The number of the last known event: only later ones are read. @default 0 */
  after?: number | undefined;
  /** Ends reading, which rejects with `cancelled`. */
  signal?: AbortSignal | undefined;
  /** Continue when the run is suspended or interrupted, until it ends for good. @default false */
  follow?: boolean | undefined;
  /** Time between reads of the store while the run is not active in this process, at least 1. @default 1000 */
  pollMs?: number | undefined;
}

const eventsOptions = {
  after: { type: "integer", min: 0, default: 0 },
  signal: { type: "signal" },
  follow: { type: "boolean", default: false },
  pollMs: { type: "number", min: 1, max: maxDurationMs, default: 1_000 },
} satisfies OptionTable<EventsOptions>;

/** {@link EventsOptions}, checked and with their defaults. */
export interface EventsWanted extends SettingsOf<EventsOptions, typeof eventsOptions> {
  readonly runId: string;
}

/** Checks the options of reading events and fills in the defaults. Throws `invalid-options`. */
export function readEventsOptions(runId: string, options: EventsOptions): EventsWanted {
  checkName("runId", runId);
  return { runId, ...readOptions(eventsOptions, options) };
}

/** The events of a run. Each loop reads them from the start; a loop that is left, in any way, leaves nothing behind. */
export function eventsOf(engine: RunsOwner, wanted: EventsWanted): AsyncIterable<AgentEvent> {
  return {
    [Symbol.asyncIterator]: () => {
      const leaving = new AbortSource();
      const events = readLater(engine, wanted, leaving);
      return {
        next: () => events.next(),
        // A generator that waits for an event would end only with the next one.
        return: () => {
          leaving.abort(undefined);
          return events.return(undefined);
        },
      };
    },
  };
}

async function* readLater(
  engine: RunsOwner,
  wanted: EventsWanted,
  leaving: AbortSource,
): AsyncGenerator<AgentEvent, undefined> {
  const { readEventsOf } = loadedRuntime() ?? (await loadRuntime());
  yield* readEventsOf(engine, wanted, leaving);
}
