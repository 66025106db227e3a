import { canonicalJson } from "./hash-plan.ts";
import { toJson } from "./json.ts";
import { checkObject, failOption, type OptionTable, readOptions } from "./options.ts";
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

const listOptions = {
  status: readStatuses,
  resumable: { type: "boolean", default: false },
  since: readTime,
  until: readTime,
  metadata: readMetadata,
  limit: { type: "integer", min: 1, max: 1_000, default: 100 },
  cursor: { type: "any" },
} satisfies OptionTable<ListRunsOptions>;

/** Reads the options of a list. Throws `invalid-options`. */
export function selectRuns(options: ListRunsOptions): ListSelection {
  const { status, since, until, resumable, metadata, limit } = readOptions(listOptions, options);
  return { statuses: status, resumable, sinceMs: since, untilMs: until, metadata, limit };
}

/** An option that is a status or a list of these. Throws `invalid-options`. */
export function readStatuses(status: unknown, option: string): ReadonlySet<RunStatus> | undefined {
  if (status === undefined) return undefined;
  const statuses = [status].flat() as RunStatus[];
  for (const one of statuses) {
    if (!runStatuses.includes(one)) failOption(option, one, `one of ${runStatuses.join(", ")}, or a list of these`);
  }
  return new Set(statuses);
}

/** An option that is a time, in milliseconds since 1970 UTC. Throws `invalid-options`. */
export function readTime(time: unknown, option: string): number | undefined {
  const ms = time === undefined ? undefined : Date.parse(time as string);
  if (Number.isNaN(ms)) failOption(option, time, "an ISO 8601 time");
  return ms;
}

function readMetadata(metadata: unknown = {}): ListSelection["metadata"] {
  checkObject("metadata", metadata);
  return Object.entries(metadata).map(([key, value]) => {
    const json = toJson(value);
    // A value that is missing by mistake would list the runs of others.
    if (value === undefined || !json.ok) failOption(`metadata.${key}`, value, "a value of JSON");
    return [key, canonicalJson(json.value)];
  });
}
