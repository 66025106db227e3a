import { maxTimerMs } from "../async/clock.ts";
import { type OptionTable, readOptions, type SettingsOf } from "../core/options.ts";
import { checkName } from "./decisions/decision-options.ts";

/** Options of reading the events of a run. @inline */
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
  pollMs: { type: "number", min: 1, max: maxTimerMs, default: 1_000 },
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
