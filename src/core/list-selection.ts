import { checkKeys, checkNumber, failOption } from "./options.ts";
import { type RunStatus, runStatuses } from "./run-status.ts";
import type { ListRunsOptions } from "./run-store.ts";

/** What `RunStore.list` is asked for, checked and with its defaults, but for the cursor, which each store has of its own. */
export interface ListSelection {
  /** Undefined for all. */
  readonly statuses: ReadonlySet<RunStatus> | undefined;
  readonly resumable: boolean;
  /** Undefined for any time; in milliseconds since 1970 UTC. */
  readonly sinceMs: number | undefined;
  readonly limit: number;
}

/** The statuses of a run that has not ended and waits for nobody. */
export const unendedStatuses: ReadonlySet<RunStatus> = new Set(["planning", "running", "interrupted"]);

/** Reads the options of a list. Throws `invalid-options`. */
export function selectRuns(options: ListRunsOptions): ListSelection {
  checkKeys("options", options, ["status", "resumable", "since", "limit", "cursor"]);
  const { status, resumable = false, since, limit = 100 } = options;
  checkNumber("limit", limit, { min: 1, max: 1_000, isInteger: true });
  for (const one of status === undefined ? [] : [status].flat()) {
    if (!runStatuses.includes(one)) failOption("status", one, `one of ${runStatuses.join(", ")}, or a list of these`);
  }
  if (typeof resumable !== "boolean") failOption("resumable", resumable, "true or false");
  const sinceMs = since === undefined ? undefined : Date.parse(since);
  if (Number.isNaN(sinceMs)) failOption("since", since, "an ISO 8601 time");
  const statuses = status === undefined ? undefined : new Set([status].flat());
  return { statuses, resumable, sinceMs, limit };
}
