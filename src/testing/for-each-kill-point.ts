import type { AgentEventType } from "../core/events.ts";
import { checkKeys, checkOption } from "../core/options.ts";
import type { RunStore } from "../core/run-store.ts";
import { describeThrown } from "../core/text.ts";
import { createMemoryRunStore } from "../stores/memory-run-store.ts";
import { createFaultyRunStore, type FaultyRunStore, type RunStoreFaults } from "./faulty-run-store.ts";

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
