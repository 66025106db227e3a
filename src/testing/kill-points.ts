import { isThenable } from "../async/promises.ts";
import type { AgentEvent, AgentEventType } from "../core/events.ts";
import { checkKeys, checkOption, failOption } from "../core/options.ts";
import type { RunStore } from "../core/run-store.ts";
import { describeThrown } from "../core/text.ts";
import { createMemoryRunStore } from "../stores/memory-run-store.ts";

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

/** The point at which a process is killed: before or after an append. @group Storage */
export interface KillPoint {
  readonly side: "before" | "after";
  /** The number of the append, from 1. */
  readonly append: number;
  /** The types of the events in that append. */
  readonly types: readonly AgentEventType[];
}

/** Represents a process: create an agent with its store, and with its own tools. @group Storage */
export interface MortalProcess {
  readonly store: FaultyRunStore;
  /**
   * 1 for the process that is killed, 2 for the one that resumes, and so on. Ignore what the tools of the first one do
   * after `store.hasCrashed`: nothing stops them.
   */
  readonly generation: number;
}

/** The outcome of a run that was killed and resumed. @inline */
export interface KilledRun<TResult> {
  readonly point: KillPoint;
  /** The value that `resume` resolved to: the first one, if several processes resumed at once. */
  readonly result: TResult;
  /** The errors of the processes that resumed at the same time and did not get the run. */
  readonly refused: readonly unknown[];
  /** The value that `run` resolves to when it is not killed. */
  readonly expected: TResult;
  /** The store with the recorded run. */
  readonly store: RunStore;
}

/** Options of {@link forEachKillPoint}. @inline */
export interface KillPointOptions<TResult> {
  /**
   * Starts a run, always with the same `runId`. It must record the same each time. It is called again if nothing was
   * recorded before the kill.
   */
  run(process: MortalProcess): Promise<TResult>;
  /** Resumes the recorded run, as with `agent.resume(runId)`. */
  resume(process: MortalProcess): Promise<TResult>;
  /** Checks how it ended. If it throws or rejects, the error is thrown with the name of the kill point. */
  check(killed: KilledRun<TResult>): unknown;
  /** Creates the store of each kill point, which must be empty. @default `createMemoryRunStore` */
  createStore?: (() => RunStore | Promise<RunStore>) | undefined;
  /** The number of processes that resume at once. @default 1 */
  resumers?: number | undefined;
  /** As in {@link createFaultyRunStore}. @default "hang" */
  afterCrash?: RunStoreFaults["afterCrash"];
}

/**
 * Runs once to see what is recorded, then once for each point at which the process can be killed: before and after each
 * append. Each time it is killed there, another process resumes the run, and `check` checks the outcome.
 *
 * Resolves to the points, in order. Rejects with `invalid-options`, and with the errors of `run`, `resume` and `check`.
 *
 * {@includeCode ../../examples/21-kill-points.ts}
 * @group Storage
 */
export async function forEachKillPoint<TResult>(options: KillPointOptions<TResult>): Promise<readonly KillPoint[]> {
  checkKeys("options", options, ["run", "resume", "check", "createStore", "resumers", "afterCrash"]);
  for (const key of ["run", "resume", "check"] as const) {
    checkOption({ type: "function", isRequired: true }, options[key], key);
  }

  checkOption({ type: "function" }, options.createStore, "createStore");
  checkOption({ type: "integer", min: 1 }, options.resumers, "resumers");
  const { store, result: expected } = await runWhole(options);
  const points = store.appends.flatMap((events, index) => {
    const types = events.map(({ type }) => type);
    return sides.map((side): KillPoint => ({ side, append: index + 1, types }));
  });
  for (const point of points) {
    try {
      await options.check({ ...(await killAt(options, point)), expected });
    } catch (thrown) {
      throw new Error(`Killed ${describe(point)}: ${describeThrown(thrown)}`, { cause: thrown });
    }
  }
  return points;
}

const sides = ["before", "after"] as const;

async function runWhole<TResult>(options: KillPointOptions<TResult>) {
  const store = createFaultyRunStore(await createStore(options));
  return { store, result: await options.run({ store, generation: 1 }) };
}

async function createStore<TResult>({ createStore = createMemoryRunStore }: KillPointOptions<TResult>) {
  return createStore();
}

async function killAt<TResult>(
  options: KillPointOptions<TResult>,
  point: KillPoint,
): Promise<Omit<KilledRun<TResult>, "expected">> {
  const { side, append } = point;
  const { run, resume, resumers = 1, afterCrash } = options;
  const store = await createStore(options);
  const fault = side === "before" ? { crashBeforeAppend: append } : { crashAfterAppend: append };
  await liveUntilKilled(options, createFaultyRunStore(store, { ...fault, afterCrash }));
  const goOn = side === "before" && append === 1 ? run : resume;
  const resuming = Array.from({ length: resumers }, async (_, index) =>
    goOn({ store: createFaultyRunStore(store), generation: index + 2 }),
  );
  const settled = await Promise.allSettled(resuming);
  const refused = settled.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
  const got = settled.find((one) => one.status === "fulfilled");
  if (got === undefined) throw refused[0];
  return { point, store, result: got.value, refused };
}

/** Rejects if the run ends before the kill, whether or not it succeeds. */
async function liveUntilKilled<TResult>({ run }: KillPointOptions<TResult>, store: FaultyRunStore): Promise<void> {
  const living = async () => run({ store, generation: 1 });
  const ended = living().then(
    () => {
      if (store.hasCrashed) return;
      throw new Error(`The run has ended with ${store.appends.length} appends. It must record the same each time.`);
    },
    (thrown) => {
      // Errors of a dead process are ignored.
      if (!store.hasCrashed) throw thrown;
    },
  );
  await Promise.race([ended, store.crashed]);
  // Also waits until its leases have ended.
  await store.crashed;
}

function describe({ side, append, types }: KillPoint): string {
  return `${side} append ${append} (${types.join(", ")})`;
}
