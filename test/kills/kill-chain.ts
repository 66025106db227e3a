import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { loadDriver } from "../../src/sqlite/load-driver.ts";
import { inTransaction, toSqlDatabase } from "../../src/sqlite/sql-database.ts";
import { createSqliteRunStore } from "../../src/sqlite/sqlite-run-store.ts";
import { isBusy } from "../../src/sqlite/store-failure.ts";
import { checkRuns, type KillReport } from "./check-runs.ts";
import type { Boundary, ChildWork, KillPoint, WantedRun } from "./child-work.ts";
import { readJournal } from "./journal.ts";
import { type PlanKind, planKinds } from "./kill-plans.ts";
import { type Child, startChild } from "./start-child.ts";

/** So much later does each process live by its time for claims: those of the processes before it have ended. */
const hourMs = 3_600_000;

/** All kinds of kill points. */
export const allBoundaries: readonly Boundary[] = ["append", "claim", "release", "effect"];
const sides = ["before", "after"] as const;

/** How processes are killed at random. */
export interface RandomKills {
  readonly kills: number;
  /** Gives a number from 0 to below 1. */
  readonly random: () => number;
  /** The longest that a process lives. */
  readonly withinMs: number;
  /** Whether processes wait until the claims of those before have ended, as they have to outside of a test. */
  readonly waits: boolean;
}

/** How processes are stopped at random. */
export interface RandomPauses {
  readonly pauses: number;
  /** Gives a number from 0 to below 1. */
  readonly random: () => number;
  /** The longest that a process lives before. */
  readonly withinMs: number;
}

/** What came of a chain, and how often it was killed. */
export interface ChainReport extends KillReport {
  readonly kills: number;
}

/** Processes that share a database one after another: each goes on with what those before it have left, until it is killed. */
export class KillChain {
  private readonly folder = mkdtempSync(join(tmpdir(), "planwright-kills-"));
  private readonly path = join(this.folder, "runs.db");
  private readonly journalPath = join(this.folder, "journal");
  private readonly runs: WantedRun[] = [];
  /** Those that may not be recorded: no process has come to its end since they were to be started. */
  private readonly unsure = new Set<WantedRun>();
  private generation = 0;
  private kills = 0;

  constructor(private readonly script: string) {}

  /** Makes a run and kills it, at each of its kill points in turn. */
  async killFirstLeg(kind: PlanKind, boundaries: readonly Boundary[]): Promise<void> {
    await atEachPoint(boundaries, (killPoint) => this.makeRun(kind, killPoint));
  }

  /** Makes a run and kills it at each of its appends in turn; each time two processes go on with it at once. */
  async killAndResumeTwice(kind: PlanKind): Promise<void> {
    await atEachPoint(["append"], async (killPoint) => {
      const end = await this.makeRun(kind, killPoint);
      const aheadMs = (this.generation + 1) * hourMs;
      await Promise.all([this.live({ aheadMs }), this.live({ aheadMs })]);
      return end;
    });
  }

  /** Makes a run that stops by itself, and kills who goes on with it, at each kill point of that in turn. */
  killSecondLeg(kind: PlanKind, boundaries: readonly Boundary[]): Promise<void> {
    return this.killWhoGoesOn(kind, boundaries);
  }

  /** Kills a run at each kill point, and for each of them who goes on with it at each kill point of that. */
  async killBothLegs(kind: PlanKind): Promise<void> {
    await this.killWhoGoesOn(kind, allBoundaries);
    await atEachPoint(allBoundaries, async (killPoint) => {
      const end = await this.makeRun(kind, killPoint);
      if (end === "killed") await this.killWhoGoesOn(kind, allBoundaries, killPoint);
      return end;
    });
  }

  /** Makes runs of all kinds and kills whoever has them, at any time, until they have ended; then makes others. */
  async killAtRandom({ kills, random, withinMs, waits }: RandomKills): Promise<void> {
    const last = this.kills + kills;
    const lease = waits ? { aheadMs: 0, leaseMs: 100 } : {};
    while (this.kills < last) {
      const runs = [...planKinds, ...planKinds].map((kind) => this.want(kind));
      for (let end = "killed"; end === "killed" && this.kills < last; ) {
        const child = this.begin({ runs, effectMs: 2, ...lease });
        await child.ready;
        const timer = setTimeout(() => child.kill(), random() * withinMs);
        end = await this.endOf(child);
        clearTimeout(timer);
      }
      // Not all of them may have begun.
      await this.live({ runs, ...lease });
    }
  }

  /** Makes runs of all kinds and stops whoever has them, at any time, until another process has ended them; then it goes on. */
  async pauseAtRandom({ pauses, random, withinMs }: RandomPauses): Promise<void> {
    for (let paused = 0; paused < pauses; paused++) {
      const sleeper = this.begin({ runs: planKinds.map((kind) => this.want(kind)), effectMs: 2 });
      await sleeper.ready;
      await sleep(random() * withinMs);
      await this.pauseBetweenWrites(sleeper);
      await this.live({});
      sleeper.unpause();
      await sleeper.ended;
    }
  }

  /** One that is stopped while it writes keeps the file locked for all. */
  private async pauseBetweenWrites(child: Child): Promise<void> {
    for (child.pause(); isLocked(this.path); child.pause()) {
      child.unpause();
      await sleep(1);
    }
  }

  /** Lets a last process end what is left, and looks at everything that has happened. */
  async report(): Promise<ChainReport> {
    await this.live({});
    const store = createSqliteRunStore({ path: this.path });
    try {
      const report = checkRuns(this.runs, readJournal(this.journalPath), (runId) => store.read(runId));
      return { ...report, kills: this.kills };
    } finally {
      store.close();
    }
  }

  /** Deletes its files. */
  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private want(kind: PlanKind): WantedRun {
    const run = { runId: `${kind}-${this.runs.length + 1}`, kind };
    this.runs.push(run);
    return run;
  }

  /** Ends what is left, then makes a run and is killed there. */
  private makeRun(kind: PlanKind, killPoint: KillPoint | undefined): Promise<"killed" | "done"> {
    return this.live({ runs: [this.want(kind)], killPoint, armed: "with-new-runs" });
  }

  private async killWhoGoesOn(kind: PlanKind, boundaries: readonly Boundary[], first?: KillPoint): Promise<void> {
    await atEachPoint(boundaries, async (killPoint) => {
      await this.makeRun(kind, first);
      return this.live({ killPoint });
    });
  }

  private live(work: Partial<ChildWork>): Promise<"killed" | "done"> {
    return this.endOf(this.begin(work));
  }

  private begin(work: Partial<ChildWork>): Child {
    const generation = ++this.generation;
    const { path, journalPath } = this;
    const aheadMs = generation * hourMs;
    const { runs = [] } = work;
    const earlierRuns = [...this.unsure];
    for (const run of runs) this.unsure.add(run);
    const common = { path, journalPath, generation, aheadMs, leaseMs: 60_000, effectMs: 0 };
    return startChild(this.script, { ...common, runs, earlierRuns, ...work });
  }

  private async endOf(child: Child): Promise<"killed" | "done"> {
    const end = await child.ended;
    if (end === "killed") this.kills++;
    else this.unsure.clear();
    return end;
  }
}

function isLocked(path: string): boolean {
  const db = toSqlDatabase(new (loadDriver(undefined))(path));
  try {
    inTransaction(db, "IMMEDIATE", () => {});
    return false;
  } catch (thrown) {
    if (isBusy(thrown)) return true;
    throw thrown;
  } finally {
    db.close();
  }
}

/** Tries each kill point in turn: of each boundary as many as there are. */
async function atEachPoint(
  boundaries: readonly Boundary[],
  attempt: (point: KillPoint) => Promise<"killed" | "done">,
): Promise<void> {
  for (const boundary of boundaries) {
    for (let nth = 1, isThere = true; isThere; nth++) {
      for (const side of sides) {
        isThere &&= (await attempt({ boundary, side, nth })) === "killed";
      }
    }
  }
}
