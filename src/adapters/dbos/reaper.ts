import { RecentMap } from "../../async/recent-map.ts";
import { describeThrown } from "../../core/text.ts";
import { inParallel } from "./dbos-queue.ts";
import type { RunQueue } from "./run-queue.ts";
import type { WorkingAgent } from "./run-work.ts";

const everyMs = 500;
/** Every how many times it also looks for runs that were taken and have recorded nothing. */
const takenEvery = 5;
const pageSize = 100;

type Warn = (warning: { code: "run-given-up" | "adoption-failed"; message: string; runId?: string }) => void;

/**
 * Looks for runs that could continue and that nobody has claimed, and queues them again: those of workers that died, and
 * those that a message was posted to. One query while there are none.
 */
export function startReaper(agent: WorkingAgent, queue: RunQueue, warn: Warn): { stop(): Promise<void> } {
  const reaper = new Reaper(agent, queue, warn);
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const later = () => {
    if (isStopped) return;
    timer = setTimeout(() => {
      running = reaper.look().finally(later);
    }, everyMs);
    timer.unref();
  };
  later();
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

class Reaper {
  private count = 0;
  private cursor: string | undefined;
  private isFailing = false;
  /** Runs that were taken and are in the store, so that their records are not read again and again. */
  private readonly recorded = new RecentMap<true>(10_000);

  constructor(
    private readonly agent: WorkingAgent,
    private readonly queue: RunQueue,
    private readonly warn: Warn,
  ) {}

  /** Never rejects. */
  async look(): Promise<void> {
    try {
      await this.adoptStopped();
      if (this.count++ % takenEvery === 0) await this.adoptUnrecorded();
      this.isFailing = false;
    } catch (thrown) {
      if (this.isFailing) return;
      this.isFailing = true;
      this.warn({
        code: "adoption-failed",
        message: `Stopped runs could not be looked for: ${describeThrown(thrown)}`,
      });
    }
  }

  /** A page at a time: those of a page that stay, as another queue has them, must not hide the others. */
  private async adoptStopped(): Promise<void> {
    const page = await this.agent.listRuns({
      resumable: true,
      limit: pageSize,
      ...(this.cursor !== undefined && { cursor: this.cursor }),
    });
    this.cursor = page.cursor;
    await this.adopt(page.runs.map(({ runId }) => runId));
  }

  private async adoptUnrecorded(): Promise<void> {
    const left: string[] = [];
    const unknown = (await this.queue.taken()).filter((runId) => this.recorded.get(runId) === undefined);
    await inParallel(unknown, async (runId) => {
      if ((await this.agent.getRun(runId)) === undefined) left.push(runId);
      else this.recorded.set(runId, true);
    });
    await this.adopt(left);
  }

  private async adopt(runIds: readonly string[]): Promise<void> {
    if (runIds.length === 0) return;
    const { givenUp } = await this.queue.adopt(runIds.map((runId) => ({ runId })));
    for (const runId of givenUp) {
      const message = `Run "${runId}" is given up: too many workers have died of it. Resume it once the reason is known.`;
      this.warn({ code: "run-given-up", runId, message });
    }
  }
}
