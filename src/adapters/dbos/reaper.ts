import { type Clock, letExit, monotonicNow } from "../../async/clock.ts";
import { inParallel } from "../../async/promises.ts";
import { RecentMap } from "../../async/recent-map.ts";
import { isAgentError } from "../../core/errors.ts";
import { isLeftOpen } from "../../core/run-state.ts";
import { endedStatuses, isUnstarted, type RunSummary } from "../../core/run-summary.ts";
import { describeThrown } from "../../core/text.ts";
import type { Agent } from "../../runs/agent-interface.ts";
import { isDamaged } from "../../runs/stored/stored-runs.ts";
import { type DbosQueue, readId } from "./dbos-queue.ts";

const everyMs = 500;
const graceMs = 500;
const takenEvery = 5;
const endedEvery = 60;
const pageSize = 100;

/**
 * Queues runs that have no owner but can continue: their worker died, a message arrived, a wait ended, or they fit this
 * worker but did not fit others.
 */
export class Reaper {
  #timer: unknown;
  #looking: Promise<void> | undefined;
  #count = 0;
  #cursor: string | undefined;
  #unfitCursor: string | undefined;
  #isFailing = false;
  readonly #stopped = new Sightings();
  readonly #idle = new Sightings();
  readonly #tasks = new Sightings();
  readonly #adopted = new RecentMap<{ readonly updatedAt: string; readonly atMs: number }>(10_000);
  #idleFrom = 0;
  #endedCount = 0;

  constructor(
    private readonly agent: Pick<Agent, "listRuns" | "getRun">,
    private readonly queue: Pick<
      DbosQueue,
      "adopt" | "taken" | "takenTasks" | "restart" | "end" | "ended" | "removeGone"
    >,
    private readonly options: {
      readonly clock: Clock;
      /** Time within which a worker must claim a run that it took, even if its event loop is busy. */
      readonly leaseMs: number;
      readonly isRecorded: (runId: string) => Promise<boolean>;
      readonly fits: (run: RunSummary) => Promise<boolean>;
      readonly warn: (warning: { code: "adoption-failed"; message: string }) => void;
    },
  ) {}

  start(): void {
    this.#timer = this.options.clock.setTimeout(() => {
      this.#looking = this.look().finally(() => {
        if (this.#timer !== undefined) this.start();
      });
    }, everyMs);
    letExit(this.#timer);
  }

  async stop(): Promise<void> {
    this.options.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#looking;
  }

  async look(): Promise<void> {
    try {
      await this.#adoptStopped();
      if (this.#count++ % takenEvery === 0) {
        await this.#closeIdle();
        await this.#queueFitting();
        // A task is short: if it stays taken for `graceMs`, its worker has died.
        const findTasks = this.#tasks.add(await this.queue.takenTasks(), this.#nowMs);
        await this.queue.restart(findTasks(graceMs));
      }
      if (this.#count % endedEvery === 0) await this.#removeGone();
      this.#isFailing = false;
    } catch (thrown) {
      if (this.#isFailing) return;
      this.#isFailing = true;
      const message = `The search for stopped runs failed: ${describeThrown(thrown)}`;
      this.options.warn({ code: "adoption-failed", message });
    }
  }

  /** Reads the next page of stopped runs, because runs of other queues may fill the first page. */
  async #adoptStopped(): Promise<void> {
    const { runs, cursor } = await this.agent.listRuns({ resumable: true, limit: pageSize, cursor: this.#cursor });
    const free = new Map(runs.filter((run) => !isHeld(run)).map((run) => [run.runId, run]));
    const findSeen = this.#stopped.add([...free.keys()], this.#nowMs, { isLast: cursor === undefined });
    this.#cursor = cursor;
    const lost = new Set(findSeen(this.options.leaseMs));
    const isDead = (runId: string) => {
      const run = free.get(runId) as RunSummary;
      const last = this.#adopted.get(runId);
      // The worker that is to continue the adopted run may still claim it.
      if (last !== undefined && last.updatedAt === run.updatedAt)
        return this.#nowMs - last.atMs >= this.options.leaseMs;
      return isLeftOpen(run) || lost.has(runId);
    };
    const stopped = findSeen(graceMs);
    if (stopped.length === 0) return;
    const dead = new Set(stopped.filter(isDead));
    await this.queue.adopt(stopped, (runId) => dead.has(runId));
    for (const runId of dead)
      this.#adopted.set(runId, { updatedAt: (free.get(runId) as RunSummary).updatedAt, atMs: this.#nowMs });
  }

  async #queueFitting(): Promise<void> {
    const page = { pending: "mismatch", limit: pageSize, cursor: this.#unfitCursor } as const;
    const { runs, cursor } = await this.agent.listRuns(page);
    this.#unfitCursor = cursor;
    const fitting: string[] = [];
    await inParallel(runs, 4, async (run) => {
      // A run that is damaged, or deleted meanwhile, must not prevent queueing the others.
      if (await this.options.fits(run).catch(unlessUnreachable)) fitting.push(run.runId);
    });
    if (fitting.length > 0) await this.queue.adopt(fitting, () => false);
  }

  async #closeIdle(): Promise<void> {
    const taken = await this.queue.taken();
    if (taken.length === 0) return;
    const { runs } = await this.agent.listRuns({ status: ["planning", "running", "interrupted"], limit: 1_000 });
    const executed = new Set(runs.map(({ runId }) => runId));
    const free = taken.filter((id) => !executed.has(readId(id).runId));
    const findIdle = this.#idle.add(free, this.#nowMs);
    const idle = findIdle(graceMs);
    const lost = new Set(findIdle(this.options.leaseMs));
    const unrecorded: string[] = [];
    const ended: string[] = [];
    const suspended: string[] = [];
    const from = this.#idleFrom < idle.length ? this.#idleFrom : 0;
    this.#idleFrom = from + 5 * pageSize;
    await inParallel(idle.slice(from, this.#idleFrom), 4, async (id) => {
      const { runId } = readId(id);
      const run = await this.agent.getRun(runId).catch(unlessUnreachable);
      if (run === false) return;
      const isEnded = run !== undefined && endedStatuses.has(run.status);
      // A worker may still claim the run, even a failed run that was resumed.
      if (!lost.has(id) && (!isEnded || run.status === "failed")) return;
      if (isEnded) ended.push(id);
      else if (run === undefined || isUnstarted(run)) unrecorded.push(runId);
      else if (run.status === "suspended") suspended.push(id);
    });
    await this.queue.end(ended);
    await this.queue.restart(suspended);
    if (unrecorded.length > 0) await this.queue.adopt(unrecorded, () => true);
  }

  async #removeGone(): Promise<void> {
    const { isRecorded } = this.options;
    const runIds = (await this.queue.ended(this.#endedCount)).map((id) => readId(id).runId);
    const unrecorded: string[] = [];
    await inParallel([...new Set(runIds)], 4, async (runId) => {
      if (!(await isRecorded(runId))) unrecorded.push(runId);
    });
    const removed = unrecorded.length === 0 ? [] : await this.queue.removeGone(unrecorded, isRecorded);
    const left = runIds.filter((runId) => !removed.includes(runId));
    this.#endedCount = runIds.length === 0 ? 0 : this.#endedCount + left.length;
  }

  get #nowMs(): number {
    return monotonicNow(this.options.clock);
  }
}

class Sightings {
  #previous = new Map<string, number>();
  #current = new Map<string, number>();

  /** Returns a function that finds those of the ids that have been seen for at least `leastMs`. */
  add(ids: readonly string[], nowMs: number, { isLast = true } = {}): (leastMs: number) => readonly string[] {
    const seen = ids.map((id) => ({ id, firstMs: this.#previous.get(id) ?? nowMs }));
    for (const { id, firstMs } of seen) this.#current.set(id, firstMs);
    if (isLast) [this.#previous, this.#current] = [this.#current, new Map()];
    return (leastMs) => seen.flatMap(({ id, firstMs }) => (nowMs - firstMs >= leastMs ? [id] : []));
  }
}

function unlessUnreachable(thrown: unknown): false {
  if (isAgentError(thrown, "store-failed") && !isDamaged(thrown)) throw thrown;
  return false;
}

function isHeld({ pending }: RunSummary): boolean {
  return pending?.kinds.some((kind) => kind === "mismatch" || kind === "given-up") === true;
}
