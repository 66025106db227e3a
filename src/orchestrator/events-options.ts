import { checkKeys, checkNumber, maxDurationMs } from "../core/options.ts";
import { checkName } from "./decision-options.ts";
import { checkSignal, checkSwitch } from "./run-options.ts";

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

/** {@link EventsOptions}, checked and with their defaults. */
export interface EventsWanted {
  readonly runId: string;
  readonly after: number;
  readonly signal: AbortSignal | undefined;
  readonly follow: boolean;
  readonly pollMs: number;
}

/** Checks the options of reading events and fills in the defaults. Throws `invalid-options`. */
export function readEventsOptions(runId: string, options: EventsOptions): EventsWanted {
  checkName("runId", runId);
  checkKeys("options", options, ["after", "signal", "follow", "pollMs"]);
  const { after = 0, signal, follow = false, pollMs = 1_000 } = options;
  checkNumber("after", after, { min: 0, isInteger: true });
  checkSignal(signal);
  checkSwitch("follow", follow);
  checkNumber("pollMs", pollMs, { min: 1, max: maxDurationMs });
  return { runId, after, signal, follow, pollMs };
}
