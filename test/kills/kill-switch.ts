import type { RunStore } from "../../src/core/run-store.ts";
import type { SqliteRunStore } from "../../src/sqlite/sqlite-run-store.ts";
import type { Boundary, KillPoint } from "./child-work.ts";
import type { Journal } from "./journal.ts";

/** Kills this process where it was told. */
export interface KillSwitch {
  /** From now on the kill point counts. */
  arm(): void;
  /** Does something that outlives the process, and dies before or after it if this is the place. */
  pass<T>(boundary: Boundary, work: () => T): T;
}

/** A {@link KillSwitch}; without a kill point it never kills. */
export function createKillSwitch(point: KillPoint | undefined): KillSwitch {
  let isArmed = false;
  let count = 0;
  const die = () => {
    process.kill(process.pid, "SIGKILL");
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
  };
}
