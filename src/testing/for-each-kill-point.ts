import { describeThrown } from "../core/describe-thrown.ts";
import type { AgentEventType } from "../core/events.ts";
import { checkFunction, checkKeys, checkNumber, failOption } from "../core/options.ts";
import type { RunStore } from "../core/run-store.ts";
import { createMemoryRunStore } from "../stores/memory-run-store.ts";
import { createFaultyRunStore, type FaultyRunStore, type RunStoreFaults } from "./faulty-run-store.ts";

/** Where a process is killed: before or after it has recorded something. */
export interface KillPoint {
  readonly side: "before" | "after";
  /** Which append it is, from 1. */
  readonly append: number;
  /** What that append records. */
  readonly types: readonly AgentEventType[];
}

/** What stands for a process: make an agent over its store, with tools of its own. */
export interface MortalProcess {
  readonly store: FaultyRunStore;
  /**
   * 1 for the process that is killed, 2 for the one that goes on, and so on. What the tools of the first one do after
   * `store.hasCrashed` counts for nothing: nobody stops them.
   */
  readonly generation: number;
}

/** What came of a run that was killed and went on. */
export interface KilledRun<TResult> {
  readonly point: KillPoint;
  /** What `resume` has resolved to: the first of them, if several resumed at once. */
  readonly result: TResult;
  /** What those have thrown that resumed at once and did not get the run. */
  readonly refused: readonly unknown[];
  /** What `run` resolves to when nobody kills it. */
  readonly expected: TResult;
  /** What is recorded. */
  readonly store: RunStore;
}

/** Options of {@link forEachKillPoint}. */
export interface KillPointOptions<TResult> {
  /**
   * Makes a run from its beginning, with a `runId` that is always the same. It must record the same each time. It is called
   * again where nothing was recorded before the kill.
   */
  run(process: MortalProcess): Promise<TResult>;
  /** Goes on with what was recorded, as with `agent.resume(runId)`. */
  resume(process: MortalProcess): Promise<TResult>;
  /** Looks at how it ended. What it throws, or rejects with, is thrown with the name of the kill point. */
  check(killed: KilledRun<TResult>): unknown;
  /** Makes the store of each kill point, which must be empty. @default `createMemoryRunStore` */
  createStore?: (() => RunStore | Promise<RunStore>) | undefined;
  /** How many processes resume at once. @default 1 */
  resumers?: number | undefined;
  /** As of {@link createFaultyRunStore}. @default "hang" */
  afterCrash?: RunStoreFaults["afterCrash"];
}

/**
 * Makes a run once to see what it records, then once for each point at which its process can be killed: before and after
 * each append. Each time it is killed there, another process goes on, and `check` says whether all is well.
 *
 * Resolves to the points, in order. Rejects with `invalid-options`, and with what `run`, `resume` or `check` throw.
 */
export async function forEachKillPoint<TResult>(options: KillPointOptions<TResult>): Promise<readonly KillPoint[]> {
  checkKeys("options", options, ["run", "resume", "check", "createStore", "resumers", "afterCrash"]);
  for (const key of ["run", "resume", "check"] as const) {
    if (typeof options[key] !== "function") failOption(key, options[key], "a function");
  }
  checkFunction("createStore", options.createStore);
  checkNumber("resumers", options.resumers, { min: 1, isInteger: true });
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

/** Rejects if the run ends before, be it well or not. */
async function liveUntilKilled<TResult>({ run }: KillPointOptions<TResult>, store: FaultyRunStore): Promise<void> {
  const living = async () => run({ store, generation: 1 });
  const ended = living().then(
    () => {
      if (store.hasCrashed) return;
      throw new Error(`The run has ended with ${store.appends.length} appends. It must record the same each time.`);
    },
    (thrown) => {
      // What a dead process says counts for nothing.
      if (!store.hasCrashed) throw thrown;
    },
  );
  await Promise.race([ended, store.crashed]);
  // Not before its claims have ended.
  await store.crashed;
}

function describe({ side, append, types }: KillPoint): string {
  return `${side} append ${append} (${types.join(", ")})`;
}
