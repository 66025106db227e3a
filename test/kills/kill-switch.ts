import type { Clock, RunStore } from "planwright";
import { systemClock } from "../../src/async/clock.ts";
import type { Boundary, KillPoint } from "./child-work.ts";
import type { Journal } from "./journal.ts";

/** Kills this process, or asks it to end, at the given point. */
export interface KillSwitch {
  /** Lets the kill point count from now on. */
  arm(): void;
  /** Does work that outlives the process, and disturbs the process before it or once it is done, if this is the point. */
  pass<T>(boundary: Boundary, work: () => T | Promise<T>): T | Promise<T>;
}

/** A {@link KillSwitch}; without a kill point it never kills. */
export function createKillSwitch(point: KillPoint | undefined): KillSwitch {
  let isArmed = false;
  let count = 0;
  const die = () => {
    const { signal = "SIGKILL" } = point ?? {};
    process.kill(process.pid, signal);
    if (signal === "SIGTERM") return;
    // The signal may take a moment; nothing more may happen meanwhile.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  };
  return {
    arm: () => {
      isArmed = true;
    },
    pass(boundary, work) {
      const isHere = isArmed && boundary === point?.boundary && ++count === point.nth;
      if (isHere && point.side === "before") die();
      return andThen(work(), (result) => {
        if (isHere) die();
        return result;
      });
    },
  };
}

/** At once where the work is done at once, as nothing else may happen in between. */
function andThen<T, U>(work: T | Promise<T>, next: (result: T) => U): U | Promise<U> {
  return work instanceof Promise ? work.then(next) : next(work);
}

/** The system clock, which records in the journal when a timer fires. */
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

/** A store that records its appends in the journal, and where this process may be killed. */
export function createKillStore(
  store: RunStore,
  { journal, killSwitch }: { readonly journal: Journal; readonly killSwitch: KillSwitch },
): RunStore {
  return {
    append(runId, events, options) {
      journal.write({ type: "try", runId, events });
      const appended = killSwitch.pass("append", () => store.append(runId, events, options));
      return andThen(appended, () => journal.write({ type: "ack", runId, sequence: options.sequence }));
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
