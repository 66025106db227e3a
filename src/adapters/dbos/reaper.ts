import type { Agent } from "../../agent.ts";
import { type Clock, letExit, monotonicNow } from "../../async/clock.ts";
import { inParallel } from "../../async/promises.ts";
import { endedStatuses } from "../../core/run-summary.ts";
import { describeThrown } from "../../core/text.ts";
import { type DbosQueue, readId } from "./dbos-queue.ts";

const everyMs = 500;
/** The time that a run must have been without an owner: a worker that has just taken it claims it soon. */
const graceMs = 500;
/** The number of looks after which it also looks for runs that were taken and have recorded nothing. */
const takenEvery = 5;
/** The number of looks after which it also looks for what is left of deleted runs. */
const endedEvery = 60;
const pageSize = 100;

/**
 * Looks for runs that could continue and without an owner, and queues them again: those of workers that died, those
 * that a message was posted to, and those whose wait is over. One query while there are none.
 */
export class Reaper {
  /** Undefined unless it was started. */
  private timer: unknown;
  private looking: Promise<void> | undefined;
  private count = 0;
  private cursor: string | undefined;
  private isFailing = false;
  private readonly stopped = new Sightings();
  private readonly idle = new Sightings();
  private readonly tasks = new Sightings();
  /** The number of ended workflows that were looked at, in the round among all of them. */
  private endedCount = 0;

  constructor(
    private readonly agent: Pick<Agent, "listRuns" | "getRun">,
    private readonly queue: Pick<
      DbosQueue,
      "adopt" | "taken" | "takenTasks" | "restartTasks" | "end" | "ended" | "removeGone"
    >,
    private readonly options: {
      readonly clock: Clock;
      readonly isRecorded: (runId: string) => Promise<boolean>;
      readonly warn: (warning: { code: "run-given-up" | "adoption-failed"; message: string; runId?: string }) => void;
    },
  ) {}

  /** Looks again and again, until it is stopped. */
  start(): void {
    this.timer = this.options.clock.setTimeout(() => {
      this.looking = this.look().finally(() => {
        if (this.timer !== undefined) this.start();
      });
    }, everyMs);
    letExit(this.timer);
  }

  async stop(): Promise<void> {
    this.options.clock.clearTimeout(this.timer);
    this.timer = undefined;
    await this.looking;
  }

  /** Looks once. Never rejects. */
  async look(): Promise<void> {
    try {
      await this.adoptStopped();
      if (this.count++ % takenEvery === 0) {
        await this.closeIdle();
        // A task takes a moment: one that is seen twice was taken by a worker that died.
        const tasks = this.tasks.add(await this.queue.takenTasks(), this.nowMs);
        if (tasks.length > 0) await this.queue.restartTasks(tasks);
      }
      if (this.count % endedEvery === 0) await this.removeGone();
      this.isFailing = false;
    } catch (thrown) {
      if (this.isFailing) return;
      this.isFailing = true;
      const message = `Stopped runs could not be looked for: ${describeThrown(thrown)}`;
      this.options.warn({ code: "adoption-failed", message });
    }
  }

  /** A page at a time: those of a page that stay, as another queue has them, must not hide the others. */
  private async adoptStopped(): Promise<void> {
    const { runs, cursor } = await this.agent.listRuns({ resumable: true, limit: pageSize, cursor: this.cursor });
    const runIds = runs.map(({ runId }) => runId);
    await this.adopt(this.stopped.add(runIds, this.nowMs, { isLast: cursor === undefined }));
    this.cursor = cursor;
  }

  /**
   * Closes what workers have taken, and left when they died, of runs that nobody executes: a run that has ended is done
   * with, one that is suspended is looked at once more, and one that has recorded nothing is adopted.
   */
  private async closeIdle(): Promise<void> {
    const taken = await this.queue.taken();
    const executed = taken.length === 0 ? new Set() : await this.findExecuted();
    const idle = this.idle.add(
      taken.filter((id) => !executed.has(readId(id).runId)),
      this.nowMs,
    );
    const unrecorded: string[] = [];
    const ended: string[] = [];
    const suspended: string[] = [];
    // All the others are looked at next time: it may be very many at first.
    await inParallel(idle.slice(0, 5 * pageSize), 4, async (id) => {
      const { runId } = readId(id);
      const run = await this.agent.getRun(runId);
      if (run === undefined) unrecorded.push(runId);
      else if (endedStatuses.has(run.status)) ended.push(id);
      else if (run.status === "suspended") suspended.push(id);
    });
    await this.queue.end(ended);
    await this.queue.restartTasks(suspended);
    await this.adopt(unrecorded);
  }

  /** Finds the runs that have started, and have neither ended nor been suspended. */
  private async findExecuted(): Promise<ReadonlySet<string>> {
    const runIds = new Set<string>();
    const status = ["planning", "running", "interrupted"] as const;
    let cursor: string | undefined;
    do {
      const page = await this.agent.listRuns({ status, limit: 1_000, cursor });
      for (const { runId } of page.runs) runIds.add(runId);
      cursor = page.cursor;
    } while (cursor !== undefined);
    return runIds;
  }

  /** Removes what the queue still has of runs that were deleted, a page at a time. */
  private async removeGone(): Promise<void> {
    const { isRecorded } = this.options;
    const runIds = (await this.queue.ended(this.endedCount)).map((id) => readId(id).runId);
    const unrecorded: string[] = [];
    await inParallel([...new Set(runIds)], 4, async (runId) => {
      if (!(await isRecorded(runId))) unrecorded.push(runId);
    });
    const removed = unrecorded.length === 0 ? [] : await this.queue.removeGone(unrecorded, isRecorded);
    const left = runIds.filter((runId) => !removed.includes(runId));
    this.endedCount = runIds.length === 0 ? 0 : this.endedCount + left.length;
  }

  private async adopt(runIds: readonly string[]): Promise<void> {
    for (const runId of runIds.length === 0 ? [] : await this.queue.adopt(runIds)) {
      const message = `Run "${runId}" was given up after too many of its workers died. Fix the cause, then call agent.resume("${runId}").`;
      this.options.warn({ code: "run-given-up", runId, message });
    }
  }

  private get nowMs(): number {
    return monotonicNow(this.options.clock);
  }
}

/**
 * Time at which ids were first seen, by this process's own clock: no clocks of machines are compared. One that was not
 * seen in a whole round is forgotten.
 */
class Sightings {
  private previous = new Map<string, number>();
  private current = new Map<string, number>();

  /** Adds ids, the last of a round or not. Returns those that have been seen for long enough. */
  add(ids: readonly string[], nowMs: number, { isLast = true } = {}): readonly string[] {
    const old = ids.filter((id) => {
      const firstMs = this.previous.get(id) ?? nowMs;
      this.current.set(id, firstMs);
      return nowMs - firstMs >= graceMs;
    });
    if (isLast) [this.previous, this.current] = [this.current, new Map()];
    return old;
  }
}
