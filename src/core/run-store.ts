import type { AgentEvent } from "./events.ts";
import type { RunStatus } from "./run-status.ts";

type Awaitable<T> = T | Promise<T>;

/** A stored run in a list. */
export interface RunSummary {
  readonly runId: string;
  readonly status: RunStatus;
  readonly request?: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** What {@link RunStore.list} selects. */
export interface ListRunsOptions {
  /** Only runs of this status, or of one of these. */
  readonly status?: RunStatus | readonly RunStatus[] | undefined;
  /**
   * Only runs that nobody goes on with though they have not ended: they are `planning`, `running` or `interrupted`, and no
   * claim on them lasts. @default false
   */
  readonly resumable?: boolean | undefined;
  /** Only runs created at this time or later; ISO 8601. */
  readonly since?: string | undefined;
  /** The most runs in the answer, 1 to 1000. @default 100 */
  readonly limit?: number | undefined;
  /** Where the previous page ended. */
  readonly cursor?: string | undefined;
}

/** A page of runs, the newest first. */
export interface RunPage {
  readonly runs: readonly RunSummary[];
  /** Pass it to get the next page; absent on the last. */
  readonly cursor?: string;
}

/**
 * Where the events of runs are kept. A run's state is the fold of its events, so nothing else is stored.
 *
 * What `append` has returned from (or resolved) is recorded for good. A method may answer at once or with a promise.
 */
export interface RunStore {
  /** What it keeps goes with the process, so that no claim on a run has to end by time. @default false */
  readonly isVolatile?: boolean | undefined;
  /**
   * Records events, all or none, behind those the run has. `sequence` is the number of the first one: any other than the
   * next is `run-conflict`. With a `fence` that is not that of the latest claim: `run-owned-elsewhere`.
   */
  append(runId: string, events: readonly AgentEvent[], options: { sequence: number; fence?: number }): Awaitable<void>;
  /** A run's events in order, those behind number `after`, at most `limit`; none for a run that is not known. */
  read(runId: string, options?: { after?: number; limit?: number }): Awaitable<readonly AgentEvent[]>;
  /**
   * A page of the stored runs, the newest first. The status of a run is what its last event that changes it has made of it,
   * as `runStatusAfter` says. Throws `invalid-options` for an option that can not be.
   */
  list(options?: ListRunsOptions): Awaitable<RunPage>;
  /**
   * Takes a run for an owner for `ttlMs`. The fence grows with each claim by another owner, and writes with an older one
   * are refused. While another owner's claim lasts: `run-owned-elsewhere`. One that begins in the future, as its owner's clock
   * has been set back since, has ended. A volatile store is asked for `Infinity`, which no clock ends.
   */
  claim(runId: string, options: { owner: string; ttlMs: number }): Awaitable<{ fence: number }>;
  /** Lengthens a claim, from now. `run-owned-elsewhere` if it is no longer held. */
  renew(runId: string, options: { owner: string; fence: number; ttlMs: number }): Awaitable<void>;
  /** Gives a claim back; nothing happens if it is no longer held. */
  release(runId: string, options: { owner: string; fence: number }): Awaitable<void>;
}
