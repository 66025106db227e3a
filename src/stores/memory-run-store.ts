import { AgentError } from "../core/errors.ts";
import type { AgentEvent, RunStartEvent } from "../core/events.ts";
import { type ListSelection, selectRuns, unendedStatuses } from "../core/list-selection.ts";
import { checkKeys, checkNumber, failOption } from "../core/options.ts";
import { type RunStatus, runStatusAfter } from "../core/run-status.ts";
import type { ListRunsOptions, RunPage, RunStore, RunSummary } from "../core/run-store.ts";

/** Options of {@link createMemoryRunStore}. */
export interface MemoryRunStoreOptions {
  /** The most finished runs that are kept; the one that ended first goes first. @default 1000 */
  maxFinishedRuns?: number | undefined;
  /** Time for claims, in milliseconds since 1970 UTC. @default `Date.now` */
  now?: (() => number) | undefined;
}

interface StoredRun {
  readonly runId: string;
  readonly events: AgentEvent[];
  status: RunStatus;
  /** Grows with each new run, so that pages stand still while runs come. */
  readonly number: number;
}

interface Claim {
  readonly fence: number;
  owner: string | undefined;
  readonly fromMs: number;
  readonly untilMs: number;
}

const finished: ReadonlySet<RunStatus> = new Set(["completed", "failed", "cancelled"]);

/**
 * A run store in memory: for tests, for tools that can lose their runs with the process, and to begin with. All its
 * methods answer at once. Runs that have not finished are never dropped. Throws `invalid-options`.
 */
export function createMemoryRunStore(options: MemoryRunStoreOptions = {}): RunStore {
  checkKeys("options", options, ["maxFinishedRuns", "now"]);
  checkNumber("maxFinishedRuns", options.maxFinishedRuns, { min: 0, isInteger: true });
  return new MemoryRunStore(options);
}

class MemoryRunStore implements RunStore {
  readonly isVolatile = true;
  private readonly runs = new Map<string, StoredRun>();
  private readonly claims = new Map<string, Claim>();
  /** The oldest first, with some that are gone: a page begins where the one before it ended, without looking at all. */
  private order: StoredRun[] = [];
  /** In the order of their ends. */
  private readonly finishedRuns = new Set<string>();
  private readonly maxFinishedRuns: number;
  private readonly now: () => number;
  private counter = 0;

  constructor({ maxFinishedRuns = 1_000, now = Date.now }: MemoryRunStoreOptions) {
    this.maxFinishedRuns = maxFinishedRuns;
    this.now = now;
  }

  append(
    runId: string,
    events: readonly AgentEvent[],
    { sequence, fence }: { sequence: number; fence?: number },
  ): void {
    if (events.length === 0) return;
    if (fence !== undefined && fence !== this.claims.get(runId)?.fence) throw ownedElsewhere(runId);
    const known = this.runs.get(runId);
    const run: StoredRun = known ?? { runId, events: [], status: "planning", number: this.counter + 1 };
    if (sequence !== run.events.length + 1) throw conflict(runId, { sequence, next: run.events.length + 1 });
    if (known === undefined) this.add(run);
    for (const event of events) {
      run.events.push(event);
      run.status = runStatusAfter(event) ?? run.status;
    }
    if (finished.has(run.status)) this.finish(runId);
    else this.finishedRuns.delete(runId);
  }

  read(
    runId: string,
    { after = 0, limit = Number.POSITIVE_INFINITY }: { after?: number; limit?: number } = {},
  ): readonly AgentEvent[] {
    return this.runs.get(runId)?.events.slice(after, after + limit) ?? [];
  }

  list(options: ListRunsOptions = {}): RunPage {
    const { limit, ...wanted } = selectRuns(options);
    const { cursor } = options;
    if (cursor !== undefined && !/^\d+$/.test(cursor)) failOption("cursor", cursor, "the cursor of a page");
    const before = cursor === undefined ? Number.POSITIVE_INFINITY : Number(cursor);
    const runs: RunSummary[] = [];
    let last: StoredRun | undefined;
    for (let index = this.countBefore(before) - 1; index >= 0; index--) {
      const run = this.order[index] as StoredRun;
      if (this.runs.get(run.runId) !== run || !this.isWanted(run, wanted)) continue;
      if (last !== undefined && runs.length === limit) return { runs, cursor: String(last.number) };
      last = run;
      runs.push(summarize(run));
    }
    return { runs };
  }

  /** How many runs, with those that are gone, have a lower number. */
  private countBefore(number: number): number {
    let [low, high] = [0, this.order.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.order[middle] as StoredRun).number < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private add(run: StoredRun): void {
    this.counter = run.number;
    this.runs.set(run.runId, run);
    this.order.push(run);
    if (this.order.length > 2 * this.runs.size + 100) {
      this.order = this.order.filter((other) => this.runs.get(other.runId) === other);
    }
  }

  private isWanted(
    { runId, status, events }: StoredRun,
    { statuses, resumable, sinceMs }: Pick<ListSelection, "statuses" | "resumable" | "sinceMs">,
  ): boolean {
    if (statuses !== undefined && !statuses.has(status)) return false;
    if (resumable && (!unendedStatuses.has(status) || this.isHeld(runId))) return false;
    return sinceMs === undefined || Date.parse(events[0]?.timestamp ?? "") >= sinceMs;
  }

  claim(runId: string, { owner, ttlMs }: { owner: string; ttlMs: number }): { fence: number } {
    const held = this.claims.get(runId);
    const isHeld = this.isHeld(runId);
    if (isHeld && held?.owner !== owner) throw ownedElsewhere(runId);
    const fence = (held?.fence ?? 0) + (isHeld ? 0 : 1);
    this.claims.set(runId, { fence, owner, ...timesOf(this.now(), ttlMs) });
    return { fence };
  }

  renew(runId: string, { owner, fence, ttlMs }: { owner: string; fence: number; ttlMs: number }): void {
    const held = this.claims.get(runId);
    if (held?.owner !== owner || held.fence !== fence) throw ownedElsewhere(runId);
    this.claims.set(runId, { fence, owner, ...timesOf(this.now(), ttlMs) });
  }

  release(runId: string, { owner, fence }: { owner: string; fence: number }): void {
    const held = this.claims.get(runId);
    if (held?.owner === owner && held.fence === fence) held.owner = undefined;
  }

  /** Whether a claim on a run lasts. */
  private isHeld(runId: string): boolean {
    const held = this.claims.get(runId);
    if (held?.owner === undefined) return false;
    const nowMs = this.now();
    // One that begins in the future was made before the clock was set back, and would last until that time comes again.
    return held.fromMs <= nowMs && nowMs < held.untilMs;
  }

  private finish(runId: string): void {
    this.finishedRuns.add(runId);
    for (const oldest of this.finishedRuns) {
      if (this.finishedRuns.size <= this.maxFinishedRuns) break;
      this.finishedRuns.delete(oldest);
      this.runs.delete(oldest);
      this.claims.delete(oldest);
    }
  }
}

/** One that never ends lasts whatever the clock says. */
function timesOf(nowMs: number, ttlMs: number): Pick<Claim, "fromMs" | "untilMs"> {
  const isEndless = ttlMs === Number.POSITIVE_INFINITY;
  return { fromMs: isEndless ? Number.NEGATIVE_INFINITY : nowMs, untilMs: nowMs + ttlMs };
}

function summarize({ events, status }: StoredRun): RunSummary {
  const start = events[0] as RunStartEvent;
  const { runId, timestamp: createdAt, request } = start;
  const updatedAt = events.at(-1)?.timestamp ?? createdAt;
  return { runId, status, ...(request !== undefined && { request }), createdAt, updatedAt };
}

function ownedElsewhere(runId: string): AgentError<"run-owned-elsewhere"> {
  return new AgentError("run-owned-elsewhere", `Run "${runId}" belongs to another owner.`, { details: { runId } });
}

function conflict(runId: string, { sequence, next }: { sequence: number; next: number }): AgentError<"run-conflict"> {
  const message = `Run "${runId}" expects event ${next}, not ${sequence}: somebody else has written to it.`;
  return new AgentError("run-conflict", message, { details: { runId } });
}
