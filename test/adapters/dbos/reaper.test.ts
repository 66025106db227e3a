import type { RunStatus } from "planwright";
import { createManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { Reaper } from "../../../src/adapters/dbos/reaper.ts";

/** A reaper, and what its agent and its queue answer. */
function createReaper() {
  const clock = createManualClock();
  const answers = {
    pages: [[]] as readonly (readonly string[])[],
    taken: [] as readonly string[],
    tasks: [] as readonly string[],
    /** The status of each run that is recorded, and has started. */
    runs: new Map<string, RunStatus>(),
    ended: [] as readonly string[],
    /** The runs that did not fit another worker, and those of them that fit this one. */
    unfit: [] as readonly string[],
    fitting: [] as readonly string[],
    fails: false,
  };
  const dead: string[] = [];
  const adopted: string[] = [];
  const restarted: string[] = [];
  const ended: string[] = [];
  const removed: string[] = [];
  const warnings: string[] = [];
  const reaper = new Reaper(
    {
      async listRuns({ cursor = "0", status, pending, limit } = {}) {
        if (answers.fails) throw new Error("no database");
        const executed = [...answers.runs].filter(([, one]) => status?.includes(one)).slice(0, limit);
        if (status !== undefined) return { runs: executed.map(([runId]) => ({ runId }) as never) };
        if (pending !== undefined) return { runs: answers.unfit.map((runId) => ({ runId }) as never) };
        const page = Number(cursor);
        const statusOf = (runId: string) => answers.runs.get(runId) ?? "running";
        const pendingOf = (runId: string) => (answers.unfit.includes(runId) ? { kinds: ["mismatch"] } : undefined);
        const listed = answers.pages[page] ?? [];
        const runs = listed.map((runId) => ({ runId, status: statusOf(runId), pending: pendingOf(runId) }) as never);
        return page + 1 < answers.pages.length ? { runs, cursor: String(page + 1) } : { runs };
      },
      async getRun(runId) {
        const status = answers.runs.get(runId);
        return status && ({ runId, status } as never);
      },
    },
    {
      async adopt(runIds, isDead) {
        adopted.push(...runIds);
        dead.push(...runIds.filter(isDead));
      },
      taken: async () => answers.taken,
      takenTasks: async () => answers.tasks,
      async restart(ids) {
        restarted.push(...ids);
      },
      async end(ids) {
        ended.push(...ids);
      },
      ended: async (offset) => answers.ended.slice(offset, offset + 2),
      async removeGone(runIds) {
        removed.push(...runIds);
        return runIds;
      },
    },
    {
      clock,
      leaseMs: 3_000,
      fits: async ({ runId }) => answers.fitting.includes(runId),
      isRecorded: async (runId) => answers.runs.has(runId),
      warn: ({ code, message }) => warnings.push(`${code} ${message}`),
    },
  );
  const look = async (times = 1) => {
    for (let time = 0; time < times; time++) {
      await reaper.look();
      await clock.advance(500);
    }
    return adopted.splice(0);
  };
  return { answers, look, dead, restarted, ended, removed, warnings, reaper, clock };
}

describe("a reaper", () => {
  it("adopts a run that it has seen twice without an owner, and not one that was claimed meanwhile", async () => {
    const { answers, look } = createReaper();
    answers.pages = [["dead", "taken"]];
    expect(await look()).toEqual([]);
    answers.pages = [["dead"]];
    expect(await look()).toEqual(["dead"]);
    answers.pages = [["taken"]];
    expect(await look()).toEqual([]);
  });

  it("adopts a run once, and again if that is not claimed for the time of a lease", async () => {
    const { answers, look, dead } = createReaper();
    answers.pages = [["dead"]];
    await look(7);
    expect(dead).toEqual(["dead"]);
    await look(1);
    expect(dead).toEqual(["dead", "dead"]);
  });

  it("closes what is idle behind any number of runs that are executed", async () => {
    const { answers, look, ended } = createReaper();
    const running = Array.from({ length: 1_700 }, (_, index) => `r${index}`);
    answers.runs = new Map([...running.map((runId) => [runId, "running"] as const), ["over", "completed"]]);
    answers.taken = [...running, "over"];
    await look(11);
    expect(ended).toEqual(["over"]);
  });

  it("takes a run that waited from a worker that has not claimed it once its lease would have ended", async () => {
    const { answers, look, dead } = createReaper();
    answers.pages = [["busy"]];
    answers.runs.set("busy", "suspended");
    expect(await look(6)).toEqual(Array(5).fill("busy"));
    expect(dead).toEqual([]);
    await look();
    expect(dead).toEqual(["busy"]);
  });

  it("queues what fits again, and leaves alone what does not, though a message was posted to it", async () => {
    const { answers, look, dead } = createReaper();
    answers.unfit = ["other", "mine"];
    answers.pages = [answers.unfit];
    expect(await look(5)).toEqual([]);
    answers.fitting = ["mine"];
    expect(await look(5)).toEqual(["mine"]);
    expect(dead).toEqual([]);
  });

  it("restarts a task that it has seen twice, and not one that was done meanwhile", async () => {
    const { answers, look, restarted } = createReaper();
    answers.tasks = ["done", "dead"];
    await look(5);
    expect(restarted).toEqual([]);
    answers.tasks = ["dead"];
    await look(5);
    expect(restarted).toEqual(["dead"]);
  });

  it("adopts runs of all pages, though those of the first one stay", async () => {
    const { answers, look } = createReaper();
    answers.pages = [["other"], ["dead"]];
    expect(await look(4)).toEqual(["other", "dead"]);
  });

  it("adopts what was taken and has recorded nothing, and closes what is not executed any more", async () => {
    const { answers, look, restarted, ended } = createReaper();
    answers.taken = ["lost", "works/2", "done/3", "waits", "fast"];
    answers.runs = new Map([
      ["works", "running"],
      ["done", "completed"],
      ["waits", "suspended"],
    ]);
    expect(await look(5)).toEqual([]);
    answers.taken = ["lost", "works/2", "done/3", "waits"];
    expect(await look(5)).toEqual([]);
    expect(ended).toEqual(["done/3"]);
    answers.taken = ["lost", "works/2", "waits"];
    expect(await look(5)).toEqual(["lost"]);
    expect(restarted).toEqual(["waits"]);
  });

  it("removes what is left of runs that were deleted, page by page, round after round", async () => {
    const { answers, look, removed } = createReaper();
    answers.runs = new Map([
      ["a", "completed"],
      ["c", "failed"],
    ]);
    answers.ended = ["a", "b", "c", "d/2"];
    for (let round = 0; round < 3; round++) {
      await look(60);
      answers.ended = answers.ended.filter((id) => !removed.includes(id.split("/")[0] as string));
    }
    expect(removed).toEqual(["b", "d"]);
    answers.runs.delete("a");
    await look(3 * 60);
    expect(removed).toEqual(["b", "d", "a"]);
  });

  it("warns once of a database that is gone", async () => {
    const { answers, look, warnings } = createReaper();
    answers.fails = true;
    await look(3);
    expect(warnings.splice(0)).toEqual(["adoption-failed The search for stopped runs failed: Error: no database"]);
  });

  it("looks every half second until it is stopped", async () => {
    const { answers, reaper, clock, warnings } = createReaper();
    answers.fails = true;
    reaper.start();
    await clock.advance(499);
    expect(warnings).toHaveLength(0);
    await clock.advance(1);
    expect(warnings).toHaveLength(1);
    await reaper.stop();
    expect(clock.pendingTimers).toBe(0);
  });
});
