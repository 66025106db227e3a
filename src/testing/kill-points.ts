import { isThenable } from "../async/promises.ts";
import type { AgentEvent, AgentEventType } from "../core/events.ts";
import { checkKeys, checkOption, failOption } from "../core/option-tables.ts";
import type { RunStore } from "../core/run-store.ts";
import { describeThrown } from "../core/text.ts";
import { createMemoryRunStore } from "../stores/memory-run-store.ts";

/** Faults of a {@link FaultyRunStore}. Appends are counted from 1, over all runs. @group Storage */
export interface RunStoreFaults {
  /** Number of the append before which the process dies. The append is not recorded. */
  readonly crashBeforeAppend?: number | undefined;
  /** Number of the append after which the process dies. The append is recorded, but its caller gets no answer. */
  readonly crashAfterAppend?: number | undefined;
  /** Numbers of appends that throw and are not recorded. */
  readonly failAppends?: readonly number[] | undefined;
  /** `hang` never answers a dead process, as in reality. `throw` rejects, so that promises settle. @default "hang" */
  readonly afterCrash?: "hang" | "throw" | undefined;
}

/** Run store with faults. Its additional members are for tests. @group Storage */
export interface FaultyRunStore extends RunStore {
  /** Events of each append that was requested before the crash, whether or not it succeeded. */
  readonly appends: readonly (readonly AgentEvent[])[];
  /** True if the process is dead. A tool that is still running can check this to avoid an effect. */
  readonly hasCrashed: boolean;
  /** Resolves when the process has died. */
  readonly crashed: Promise<void>;
  /** Kills the process: from now on, the store ignores its calls, and its leases end. */
  crash(this: void): void;
  /** Holds back appends from now on. */
  hold(this: void): void;
  /** Records the appends held back, in order. Later appends are recorded at once. */
  letGo(this: void): void;
}

/**
 * Wraps a run store to simulate a process that is killed or whose disk fails. Give each process its own wrapper around
 * the same store. Leases of a dead process do not block the next one, as if they had expired. Code that is still
 * running in the "dead" process is not stopped. Throws `invalid-options`.
 * {@includeCode ../../examples/21-kill-points.ts} @group Storage
 */
export function createFaultyRunStore(store: RunStore, faults: RunStoreFaults = {}): FaultyRunStore {
  checkKeys("faults", faults, ["crashBeforeAppend", "crashAfterAppend", "failAppends", "afterCrash"]);
  const { crashBeforeAppend, crashAfterAppend, failAppends = [], afterCrash = "hang" } = faults;
  checkOption({ type: "integer", min: 1 }, crashBeforeAppend, "crashBeforeAppend");
  checkOption({ type: "integer", min: 1 }, crashAfterAppend, "crashAfterAppend");
  if (!Array.isArray(failAppends)) failOption("failAppends", failAppends, "a list of numbers");
  for (const [index, nth] of failAppends.entries())
    checkOption({ type: "integer", min: 1, isRequired: true }, nth, `failAppends[${index}]`);
  checkOption({ oneOf: ["hang", "throw"] }, afterCrash, "afterCrash");
  const appends: (readonly AgentEvent[])[] = [];
  const claims = new Map<string, { readonly owner: string; readonly fence: number }>();
  let hasCrashed = false;
  let reportCrashed = () => {};
  const crashed = new Promise<void>((resolve) => {
    reportCrashed = resolve;
  });
  let opened: Promise<void> | undefined;
  let open = () => {};

  const crash = (): void => {
    if (hasCrashed) return;
    hasCrashed = true;
    const ended = endClaims();
    if (ended === undefined) reportCrashed();
    else ended.then(reportCrashed, reportCrashed);
  };
  const endClaims = (): Promise<unknown> | undefined => {
    const released = [...claims].map(([runId, claim]) => store.release(runId, claim));
    claims.clear();
    return released.some(isThenable) ? Promise.all(released) : undefined;
  };
  const fallSilent = <T>(): Promise<T> => {
    if (afterCrash === "throw") throw new Error("the process has crashed, as the test says");
    return new Promise<T>(() => {});
  };
  const answer = <T>(ask: () => T | Promise<T>, onDone: (value: T) => unknown = () => {}): T | Promise<T> => {
    if (hasCrashed) return fallSilent();
    const answer = ask();
    if (!isThenable(answer)) {
      onDone(answer);
      return hasCrashed ? fallSilent() : answer;
    }
    return (answer as Promise<T>).then(
      async (value) => {
        await onDone(value);
        return hasCrashed ? fallSilent<T>() : value;
      },
      (thrown) => {
        if (hasCrashed) return fallSilent<T>();
        throw thrown;
      },
    );
  };
  const append = (nth: number, args: Parameters<RunStore["append"]>) => {
    if (nth === crashBeforeAppend) crash();
    const ask = () => {
      if (failAppends.includes(nth)) throw new Error(`append ${nth} fails, as the test says`);
      return store.append(...args);
    };
    return answer(ask, () => nth === crashAfterAppend && crash());
  };

  return {
    isVolatile: store.isVolatile,
    appends,
    crashed,
    get hasCrashed() {
      return hasCrashed;
    },
    crash,
    hold() {
      opened ??= new Promise((resolve) => {
        open = resolve;
      });
    },
    letGo() {
      open();
      opened = undefined;
    },
    append(...args) {
      if (hasCrashed) return fallSilent();
      const nth = appends.push(args[1]);
      return opened === undefined ? append(nth, args) : opened.then(() => append(nth, args));
    },
    claim(runId, options) {
      const keep = ({ fence }: { readonly fence: number }) => {
        claims.set(runId, { owner: options.owner, fence });
        return hasCrashed && endClaims();
      };
      return answer(() => store.claim(runId, options), keep);
    },
    release(...args) {
      const forget = () => claims.delete(args[0]);
      return answer(() => store.release(...args), forget);
    },
    read: (...args) => answer(() => store.read(...args)),
    list: (...args) => answer(() => store.list(...args)),
    renew: (...args) => answer(() => store.renew(...args)),
    post: (...args) => answer(() => store.post(...args)),
    delete: (...args) => answer(() => store.delete(...args)),
  };
}

/** Point at which a process is killed: before or after an append. @group Storage */
export interface KillPoint {
  readonly side: "before" | "after";
  /** Number of the append, from 1. */
  readonly append: number;
  readonly types: readonly AgentEventType[];
}

/** Process to simulate. Create an agent with this store, and with tools of its own. @group Storage */
export interface MortalProcess {
  readonly store: FaultyRunStore;
  /** 1 for the first process, 2 or more for those after the kill. Ignore what its tools do once `store.hasCrashed`. */
  readonly generation: number;
}

/** Outcome of a run that was killed and resumed. @inline */
export interface KilledRun<TResult> {
  readonly point: KillPoint;
  /** Result of `resume`. If several processes resumed at once, that of the first that did not fail. */
  readonly result: TResult;
  /** Errors of the processes that resumed at once and did not get the run. */
  readonly refused: readonly unknown[];
  /** Result of `run` without a kill. */
  readonly expected: TResult;
  readonly store: RunStore;
}

/** Options of {@link forEachKillPoint}. @inline */
export interface KillPointOptions<TResult> {
  /** Starts a run, with the same `runId` and events each time. Called again if nothing was recorded before the kill. */
  run(process: MortalProcess): Promise<TResult>;
  /** Resumes the recorded run, as with `agent.resume(runId)`. */
  resume(process: MortalProcess): Promise<TResult>;
  /** Checks the outcome. If it throws or rejects, the error is thrown with the name of the kill point. */
  check(killed: KilledRun<TResult>): unknown;
  /** Creates an empty store for each kill point. @default `createMemoryRunStore` */
  createStore?: (() => RunStore | Promise<RunStore>) | undefined;
  /** Number of processes that resume at once. @default 1 */
  resumers?: number | undefined;
  /** Behavior of a dead store, as in {@link createFaultyRunStore}. @default "hang" */
  afterCrash?: RunStoreFaults["afterCrash"];
}

/**
 * Runs once without a kill to see what is recorded, then once per point at which the process can be killed: before and
 * after each append. Each time, another process resumes the run, and `check` checks the outcome. Resolves to the
 * points, in order. Rejects with `invalid-options`, with the error of the first `run`, or with an error that names the
 * point and has an error of `run`, `resume` or `check` as its cause.
 * {@includeCode ../../examples/21-kill-points.ts} @group Storage
 */
export async function forEachKillPoint<TResult>(options: KillPointOptions<TResult>): Promise<readonly KillPoint[]> {
  checkKeys("options", options, ["run", "resume", "check", "createStore", "resumers", "afterCrash"]);
  for (const key of ["run", "resume", "check"] as const)
    checkOption({ type: "function", isRequired: true }, options[key], key);
  checkOption({ type: "function" }, options.createStore, "createStore");
  checkOption({ type: "integer", min: 1 }, options.resumers, "resumers");
  const { createStore = createMemoryRunStore, run, check } = options;
  const store = createFaultyRunStore(await createStore());
  const expected = await run({ store, generation: 1 });
  const points = store.appends.flatMap((events, index) =>
    (["before", "after"] as const).map((side): KillPoint => {
      return { side, append: index + 1, types: events.map(({ type }) => type) };
    }),
  );
  for (const point of points) {
    try {
      await check({ ...(await killAt(options, point, await createStore())), expected });
    } catch (thrown) {
      const where = `${point.side} append ${point.append} (${point.types.join(", ")})`;
      throw new Error(`Killed ${where}: ${describeThrown(thrown)}`, { cause: thrown });
    }
  }
  return points;
}

async function killAt<TResult>(
  { run, resume, resumers = 1, afterCrash }: KillPointOptions<TResult>,
  point: KillPoint,
  store: RunStore,
): Promise<Omit<KilledRun<TResult>, "expected">> {
  const { side, append } = point;
  const fault = side === "before" ? { crashBeforeAppend: append } : { crashAfterAppend: append };
  await liveUntilKilled(run, createFaultyRunStore(store, { ...fault, afterCrash }));
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

async function liveUntilKilled(run: KillPointOptions<unknown>["run"], store: FaultyRunStore): Promise<void> {
  const live = async () => {
    try {
      await run({ store, generation: 1 });
    } catch (thrown) {
      if (!store.hasCrashed) throw thrown;
    }
    if (!store.hasCrashed)
      throw new Error(
        `The run ended before this kill point (appends: ${store.appends.length}); each "run" must make the same appends.`,
      );
  };
  await Promise.race([live(), store.crashed]);
  // Resolves only when the leases of the dead process have ended.
  await store.crashed;
}
