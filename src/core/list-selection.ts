import { canonicalJson } from "./hash-plan.ts";
import { toJson } from "./json.ts";
import { checkKeys, checkNumber, checkObject, failOption } from "./options.ts";
import { type RunStatus, runStatuses } from "./run-status.ts";
import type { ListRunsOptions } from "./run-store.ts";

/** The options of `RunStore.list`, checked and with defaults, except the cursor, which each store defines itself. */
export interface ListSelection {
  /** Undefined for all. */
  readonly statuses: ReadonlySet<RunStatus> | undefined;
  readonly resumable: boolean;
  /** Undefined for any time; in milliseconds since 1970 UTC. */
  readonly sinceMs: number | undefined;
  /** Like {@link ListSelection.sinceMs}, but exclusive. */
  readonly untilMs: number | undefined;
  /** Each a key and its value as canonical JSON. */
  readonly metadata: readonly (readonly [key: string, value: string])[];
  readonly limit: number;
}

/** Reads the options of a list. Throws `invalid-options`. */
export function selectRuns(options: ListRunsOptions): ListSelection {
  checkKeys("options", options, ["status", "resumable", "since", "until", "metadata", "limit", "cursor"]);
  const { status, resumable = false, since, until, metadata = {}, limit = 100 } = options;
  checkNumber("limit", limit, { min: 1, max: 1_000, isInteger: true });
  for (const one of status === undefined ? [] : [status].flat()) {
    if (!runStatuses.includes(one)) failOption("status", one, `one of ${runStatuses.join(", ")}, or a list of these`);
  }
  if (typeof resumable !== "boolean") failOption("resumable", resumable, "true or false");
  const statuses = status === undefined ? undefined : new Set([status].flat());
  const times = { sinceMs: readTime("since", since), untilMs: readTime("until", until) };
  return { statuses, resumable, ...times, metadata: readMetadata(metadata), limit };
}

/** An option that is a time, in milliseconds since 1970 UTC. Throws `invalid-options`. */
export function readTime(option: string, text: string | undefined): number | undefined {
  const ms = text === undefined ? undefined : Date.parse(text);
  if (Number.isNaN(ms)) failOption(option, text, "an ISO 8601 time");
  return ms;
}

function readMetadata(metadata: unknown): ListSelection["metadata"] {
  checkObject("metadata", metadata);
  return Object.entries(metadata).map(([key, value]) => {
    const json = toJson(value);
    // A value that is missing by mistake would list the runs of others.
    if (value === undefined || !json.ok) failOption(`metadata.${key}`, value, "a value of JSON");
    return [key, canonicalJson(json.value)];
  });
}
