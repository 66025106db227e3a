import { isThenable } from "../async/promises.ts";
import type { AgentEvent } from "../core/events.ts";
import { checkKeys, checkOption, failOption } from "../core/options.ts";
import type { RunStore } from "../core/run-store.ts";

/** The faults of a {@link FaultyRunStore}. Appends are counted from 1, over all runs. @group Storage */
export interface RunStoreFaults {
  /** The process dies before this append: it is not recorded. */
  readonly crashBeforeAppend?: number | undefined;
  /** The process dies after this append: it is recorded, but the caller never receives an answer. */
  readonly crashAfterAppend?: number | undefined;
  /** These appends throw and are not recorded. */
  readonly failAppends?: readonly number[] | undefined;
  /**
   * The answer that a dead process gets from the store: none, as in reality, or errors, so that its pending promises settle.
   * @default "hang"
   */
  readonly afterCrash?: "hang" | "throw" | undefined;
}

/** A run store with faults. Its additional members are for tests. @group Storage */
export interface FaultyRunStore extends RunStore {
  /** The events of each append that was requested before the crash, whether or not it succeeded. */
  readonly appends: readonly (readonly AgentEvent[])[];
  /** True if the process is dead. A tool that is still running then can check this, and have no effect. */
  readonly hasCrashed: boolean;
  /** Resolves when the process has died. */
  readonly crashed: Promise<void>;
  /** Kills the process: from now on the store does nothing more for it, and its leases end. */
  crash(this: void): void;
  /** From now on appends wait. */
  hold(this: void): void;
  /** Records the waiting appends, in order, and further appends at once. */
  letGo(this: void): void;
}

/**
 * Wraps a run store to simulate a process that is killed or whose disk fails. Give each process its own wrapper around
 * the same store: the next process reads what the first one has recorded, and the leases of the dead one do not block
 * it, as if it had died long ago.
 *
 * Code that is still running in the "dead" process is not stopped. Throws `invalid-options`.
 *
 * {@includeCode ../../examples/21-kill-points.ts}
 * @group Storage
 */
export function createFaultyRunStore(store: RunStore, faults: RunStoreFaults = {}): FaultyRunStore {
  checkKeys("faults", faults, ["crashBeforeAppend", "crashAfterAppend", "failAppends", "afterCrash"]);
  const { crashBeforeAppend, crashAfterAppend, failAppends = [], afterCrash = "hang" } = faults;
  checkOption({ type: "integer", min: 1 }, crashBeforeAppend, "crashBeforeAppend");
  checkOption({ type: "integer", min: 1 }, crashAfterAppend, "crashAfterAppend");
  if (!Array.isArray(failAppends)) failOption("failAppends", failAppends, "a list of numbers");
  for (const [index, nth] of failAppends.entries()) {
    checkOption({ type: "integer", min: 1, isRequired: true }, nth, `failAppends[${index}]`);
  }

  checkOption({ oneOf: ["hang", "throw"] }, afterCrash, "afterCrash");
  return new MortalRunStore(store, faults);
}

class MortalRunStore implements FaultyRunStore {
  readonly isVolatile: boolean | undefined;
  readonly appends: (readonly AgentEvent[])[] = [];
  readonly crashed: Promise<void>;
  hasCrashed = false;
  private reportCrashed = () => {};
  private readonly claims = new Map<string, { readonly owner: string; readonly fence: number }>();
  /** Lets held appends continue. */
  private gate: { readonly opened: Promise<void>; open(): void } | undefined;

  constructor(
    private readonly store: RunStore,
    private readonly faults: RunStoreFaults,
  ) {
    this.isVolatile = store.isVolatile;
    this.crashed = new Promise((resolve) => {
      this.reportCrashed = resolve;
    });
  }

  append(...args: Parameters<RunStore["append"]>): ReturnType<RunStore["append"]> {
    if (this.hasCrashed) return this.fallSilent();
    const nth = this.appends.push(args[1]);
    if (this.gate === undefined) return this.appendNth(nth, args);
    return this.gate.opened.then(() => this.appendNth(nth, args));
  }

  private appendNth(nth: number, args: Parameters<RunStore["append"]>): ReturnType<RunStore["append"]> {
    const { crashBeforeAppend, crashAfterAppend, failAppends = [] } = this.faults;
    if (nth === crashBeforeAppend) this.crash();
    return this.answer(
      () => {
        if (failAppends.includes(nth)) throw new Error(`append ${nth} fails, as the test says`);
        return this.store.append(...args);
      },
      () => {
        if (nth === crashAfterAppend) this.crash();
      },
    );
  }

  read(...args: Parameters<RunStore["read"]>): ReturnType<RunStore["read"]> {
    return this.answer(() => this.store.read(...args));
  }

  list(...args: Parameters<RunStore["list"]>): ReturnType<RunStore["list"]> {
    return this.answer(() => this.store.list(...args));
  }

  claim(...args: Parameters<RunStore["claim"]>): ReturnType<RunStore["claim"]> {
    const [runId, { owner }] = args;
    return this.answer(
      () => this.store.claim(...args),
      ({ fence }) => {
        this.claims.set(runId, { owner, fence });
        if (this.hasCrashed) return this.endClaims();
      },
    );
  }

  renew(...args: Parameters<RunStore["renew"]>): ReturnType<RunStore["renew"]> {
    return this.answer(() => this.store.renew(...args));
  }

  release(...args: Parameters<RunStore["release"]>): ReturnType<RunStore["release"]> {
    return this.answer(
      () => this.store.release(...args),
      () => this.claims.delete(args[0]),
    );
  }

  post(...args: Parameters<RunStore["post"]>): ReturnType<RunStore["post"]> {
    return this.answer(() => this.store.post(...args));
  }

  delete(...args: Parameters<RunStore["delete"]>): ReturnType<RunStore["delete"]> {
    return this.answer(() => this.store.delete(...args));
  }

  readonly crash = (): void => {
    if (this.hasCrashed) return;
    this.hasCrashed = true;
    const ended = this.endClaims();
    if (ended === undefined) this.reportCrashed();
    else ended.then(this.reportCrashed, this.reportCrashed);
  };

  readonly hold = (): void => {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    this.gate ??= { opened, open };
  };

  readonly letGo = (): void => {
    this.gate?.open();
    this.gate = undefined;
  };

  /** Passes an answer of the store on, unless the process has died by then. */
  private answer<T>(ask: () => T | Promise<T>, onDone: (value: T) => unknown = () => {}): T | Promise<T> {
    if (this.hasCrashed) return this.fallSilent();
    const answer = ask();
    if (!isThenable(answer)) {
      onDone(answer);
      return this.hasCrashed ? this.fallSilent() : answer;
    }
    return (answer as Promise<T>).then(
      async (value) => {
        await onDone(value);
        return this.hasCrashed ? this.fallSilent<T>() : value;
      },
      (thrown) => {
        if (this.hasCrashed) return this.fallSilent<T>();
        throw thrown;
      },
    );
  }

  private fallSilent<T>(): Promise<T> {
    if (this.faults.afterCrash === "throw") throw new Error("the process has crashed, as the test says");
    return new Promise<T>(() => {});
  }

  /** Ends the leases, as time would do. */
  private endClaims(): Promise<unknown> | undefined {
    const released = [...this.claims].map(([runId, claim]) => this.store.release(runId, claim));
    this.claims.clear();
    return released.some(isThenable) ? Promise.all(released) : undefined;
  }
}
