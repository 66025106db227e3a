import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentEvent } from "planwright";
import { inTransaction, loadDriver, SqlDatabase } from "../../src/adapters/sqlite/sql-database.ts";
import { isBusy } from "../../src/adapters/sqlite/store-failure.ts";
import { checkRuns, type KillReport } from "./check-runs.ts";
import type { Boundary, ChildWork, Disturbance, KillPoint, WantedRun } from "./child-work.ts";
import { readJournal, tellStop } from "./journal.ts";
import { type PlanKind, planKinds } from "./kill-plans.ts";
import { type Child, type ChildEnd, startChild } from "./start-child.ts";
import { openStore, type StoreAddress } from "./store-address.ts";

/** How much later each process lives by its time for claims: those of earlier processes have expired. */
const hourMs = 3_600_000;

/** All kinds of kill points. */
export const allBoundaries: readonly Boundary[] = ["append", "claim", "release", "effect"];
const sides = ["before", "after"] as const;

/** How processes are disturbed at random. */
export interface RandomDisturbances {
  readonly disturbances: number;
  /** Returns a number from 0 to below 1. */
  readonly random: () => number;
  /** The longest time a process has before it is disturbed. */
  readonly withinMs: number;
  readonly leaseMs: number;
}

/** The outcome of a chain, and how often its processes were killed, asked to end, and put to sleep. */
export interface ChainReport extends KillReport {
  readonly kills: number;
  readonly closes: number;
  readonly sleeps: number;
}

/** Processes that share a store one after another: each resumes the runs of those before it, until it is killed. */
export class KillChain {
  private readonly folder = mkdtempSync(join(tmpdir(), "planwright-kills-"));
  private readonly address: StoreAddress;
  private readonly journalPath = join(this.folder, "journal");
  private readonly runs: WantedRun[] = [];
  /** Runs that may not be recorded: no process has completed since they were to be started. */
  private readonly unsure = new Set<WantedRun>();
  private generation = 0;
  private kills = 0;
  private closes = 0;
  private sleeps = 0;

  constructor(
    private readonly script: string,
    /** @default a file of SQLite of its own */
    address?: StoreAddress,
  ) {
    this.address = address ?? { path: join(this.folder, "runs.db") };
  }

  /** Creates a run and kills it, or asks its process to end, at each of its kill points in turn. */
  async killFirstExecution(kind: PlanKind, boundaries: readonly Boundary[], signal?: Disturbance): Promise<void> {
    await atEachPoint(boundaries, (killPoint) => this.makeRun(kind, { ...killPoint, signal }));
  }

  /** Creates a run and kills it at each of its appends in turn; each time two processes resume it at once. */
  async killAndResumeTwice(kind: PlanKind): Promise<void> {
    await atEachPoint(["append"], async (killPoint) => {
      const end = await this.makeRun(kind, killPoint);
      const aheadMs = (this.generation + 1) * hourMs;
      await Promise.all([this.live({ aheadMs }), this.live({ aheadMs })]);
      return end;
    });
  }

  /** Creates a run that stops by itself, and kills the process that resumes it, at each of its kill points in turn. */
  killSecondExecution(kind: PlanKind, boundaries: readonly Boundary[]): Promise<void> {
    return this.killWhoGoesOn(kind, boundaries);
  }

  /** Kills a run at each kill point, and for each, the process that resumes it at each of its kill points. */
  async killBothExecutions(kind: PlanKind): Promise<void> {
    await this.killWhoGoesOn(kind, allBoundaries);
    await atEachPoint(allBoundaries, async (killPoint) => {
      const end = await this.makeRun(kind, killPoint);
      if (end === "killed") await this.killWhoGoesOn(kind, allBoundaries, killPoint);
      return end;
    });
  }

  /**
   * Creates runs of all kinds and disturbs their processes at any time: in turn alone, and while others want them.
   * Then a last process ends the runs.
   */
  async disturbAtRandom({ disturbances, random, withinMs, leaseMs }: RandomDisturbances): Promise<void> {
    const last = this.kills + this.closes + disturbances;
    for (let isAlone = true; this.kills + this.closes < last; isAlone = !isAlone) {
      const timing = { withinMs, random, leaseMs };
      if (isAlone) await this.disturbAlone(timing);
      else await this.disturbAmongOthers(timing);
      await this.live({ aheadMs: 0, leaseMs });
    }
  }

  private async disturbAlone({ random, withinMs, leaseMs }: Timing): Promise<void> {
    const victim = this.begin({ runs: this.wantAll(), aheadMs: 0, leaseMs, ...anyTimes(random) });
    await victim.ready;
    await sleep(random() * withinMs);
    victim.disturb(anySignal(random));
    await this.endOf(victim);
  }

  /**
   * One falls asleep, another takes its runs when their claims have expired and is disturbed, a third resumes at once,
   * and the first wakes up meanwhile. None of them settles anything, as another one may have a call on its way.
   */
  private async disturbAmongOthers({ random, withinMs, leaseMs }: Timing): Promise<void> {
    const common = { aheadMs: 0, leaseMs, settles: false, ...anyTimes(random) };
    const sleeper = this.begin({ runs: this.wantAll(), ...common });
    const { generation } = this;
    await sleeper.ready;
    await (random() < 0.5 ? sleeper.retrying : sleep(random() * withinMs));
    await this.pauseBetweenWrites(sleeper);
    tellStop(this.journalPath, generation);
    this.sleeps++;
    const victim = this.begin(common);
    await Promise.all([victim.ready, sleep(leaseMs)]);
    await sleep(random() * withinMs);
    victim.disturb(anySignal(random));
    const next = this.begin(common);
    const ends = [victim, next].map((child) => this.endOf(child));
    await (random() < 0.5 ? Promise.all(ends) : sleep(random() * withinMs));
    sleeper.unpause();
    await Promise.all([...ends, this.endOf(sleeper)]);
  }

  /** A process that is stopped while it writes keeps a file locked for all. */
  private async pauseBetweenWrites(child: Child): Promise<void> {
    for (child.pause(); isLocked(this.address); child.pause()) {
      child.unpause();
      await sleep(1);
    }
  }

  /** Lets a last process end the remaining runs, and checks everything that has happened. */
  async report(): Promise<ChainReport> {
    await this.live({});
    const store = openStore(this.address);
    try {
      const events = new Map<string, readonly AgentEvent[]>();
      for (const { runId } of this.runs) events.set(runId, await store.read(runId));
      const report = checkRuns(this.runs, readJournal(this.journalPath), (runId) => events.get(runId) ?? []);
      const { kills, closes, sleeps } = this;
      return { ...report, kills, closes, sleeps };
    } finally {
      await store.close();
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

  private wantAll(): readonly WantedRun[] {
    return planKinds.map((kind) => this.want(kind));
  }

  /** Ends the remaining runs, then creates one and is disturbed there: if asked to end, in the middle of work. */
  private makeRun(kind: PlanKind, killPoint: KillPoint | undefined): Promise<ChildEnd> {
    const timing = killPoint?.signal === "SIGTERM" ? { effectMs: 50, closeMs: 0 } : {};
    return this.live({ runs: [this.want(kind)], killPoint, armed: "with-new-runs", ...timing });
  }

  private async killWhoGoesOn(kind: PlanKind, boundaries: readonly Boundary[], first?: KillPoint): Promise<void> {
    await atEachPoint(boundaries, async (killPoint) => {
      await this.makeRun(kind, first);
      return this.live({ killPoint });
    });
  }

  private live(work: Partial<ChildWork>): Promise<ChildEnd> {
    return this.endOf(this.begin(work));
  }

  private begin(work: Partial<ChildWork>): Child {
    const generation = ++this.generation;
    const { address, journalPath } = this;
    const aheadMs = generation * hourMs;
    const { runs = [] } = work;
    const earlierRuns = [...this.unsure];
    for (const run of runs) this.unsure.add(run);
    const common = { address, journalPath, generation, aheadMs, leaseMs: 60_000, effectMs: 0, closeMs: 0 };
    return startChild(this.script, { ...common, runs, earlierRuns, ...work });
  }

  private async endOf(child: Child): Promise<ChildEnd> {
    const end = await child.ended;
    if (end === "killed") this.kills++;
    else if (end === "closed") this.closes++;
    else this.unsure.clear();
    return end;
  }
}

type Timing = Omit<RandomDisturbances, "disturbances">;

/** How long effects take, and how long closing may: longer than that, or shorter. */
function anyTimes(random: () => number): Pick<ChildWork, "effectMs" | "closeMs"> {
  return { effectMs: 2 + Math.floor(random() * 30), closeMs: Math.floor(random() * 3) * 20 };
}

function anySignal(random: () => number): Disturbance {
  return random() < 0.5 ? "SIGKILL" : "SIGTERM";
}

function isLocked(address: StoreAddress): boolean {
  // A server's locks are those of its own processes.
  if (!("path" in address)) return false;
  const db = new SqlDatabase(new (loadDriver(undefined))(address.path));
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

/** Tries each kill point in turn: as many as each boundary has. */
async function atEachPoint(
  boundaries: readonly Boundary[],
  attempt: (point: KillPoint) => Promise<ChildEnd>,
): Promise<void> {
  for (const boundary of boundaries) {
    for (let nth = 1, isThere = true; isThere; nth++) {
      for (const side of sides) {
        isThere &&= (await attempt({ boundary, side, nth })) !== "done";
      }
    }
  }
}
