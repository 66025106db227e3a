import { type Clock, systemClock } from "../../src/async/clock.ts";
import type { RunStore } from "../../src/core/run-store.ts";
import type { SqliteRunStore } from "../../src/sqlite/sqlite-run-store.ts";
import type { Boundary, KillPoint } from "./child-work.ts";
import type { Journal } from "./journal.ts";

/** Kills this process, or asks it to end, where it was told. */
export interface KillSwitch {
  /** From now on the kill point counts. */
  arm(): void;
  /** Does something that outlives the process, and disturbs it before or after that if this is the place. */
  pass<T>(boundary: Boundary, work: () => T): T;
}

/** A {@link KillSwitch}; without a kill point it never kills. */
export function createKillSwitch(point: KillPoint | undefined): KillSwitch {
  let isArmed = false;
  let count = 0;
  const die = () => {
    const { signal = "SIGKILL" } = point ?? {};
    process.kill(process.pid, signal);
    if (signal === "SIGTERM") return;
    // The signal may take a moment, in which nothing more may happen.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  };
  return {
    arm: () => {
      isArmed = true;
    },
    pass(boundary, work) {
      const isHere = isArmed && boundary === point?.boundary && ++count === point.nth;
      if (isHere && point.side === "before") die();
      const result = work();
      if (isHere) die();
      return result;
    },
  };
}

/** The clock of the machine, which tells the journal when a timer fires. */
export function createKillClock(journal: Journal): Clock {
  return {
    ...systemClock,
    setTimeout: (callback, delayMs) =>
      systemClock.setTimeout(() => {
        journal.write({ type: "timer" });
        callback();
      }, delayMs),
  };
}

/** A store that tells the journal what it records, and where this process may be killed. */
export function createKillStore(
  store: SqliteRunStore,
  { journal, killSwitch }: { readonly journal: Journal; readonly killSwitch: KillSwitch },
): RunStore {
  return {
    append(runId, events, options) {
      journal.write({ type: "try", runId, events });
      killSwitch.pass("append", () => store.append(runId, events, options));
      journal.write({ type: "ack", runId, sequence: options.sequence });
    },
    read: (...args) => store.read(...args),
    list: (...args) => store.list(...args),
    claim: (...args) => killSwitch.pass("claim", () => store.claim(...args)),
    renew: (...args) => store.renew(...args),
    release: (...args) => killSwitch.pass("release", () => store.release(...args)),
    post: (...args) => store.post(...args),
    delete: (...args) => store.delete(...args),
  };
}
