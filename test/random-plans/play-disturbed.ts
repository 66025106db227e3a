import type { AgentEvent, RunResult } from "planwright";
import type { Disturbance, DisturbedCase, ResumeMethod } from "./disturbed-case.ts";
import { DisturbedProcess } from "./disturbed-process.ts";
import { DisturbedWorld, isOutOfTime, leaseMs, type StoreKind, type WorldRow } from "./disturbed-world.ts";

/** The outcome of a run. */
export interface DisturbedRun {
  readonly result: Pick<RunResult, "status" | "steps" | "error" | "plan">;
  readonly rows: readonly WorldRow[];
  readonly recorded: readonly AgentEvent[];
  readonly problems: readonly string[];
  /** The disturbances of its processes. */
  readonly disturbances: readonly Disturbance[];
}

/** Longer than any run takes, however late its store answers. */
const patienceMs = 600_000;
/** More processes than a run needs once they are undisturbed. */
const maxProcesses = 12;

/** Plays a run without disturbances. */
export function playUndisturbed(disturbed: DisturbedCase, storeKind: StoreKind): Promise<DisturbedRun> {
  return playIn(new DisturbedWorld({ ...disturbed, timeoutMs: undefined }, storeKind), []);
}

/** Plays a run, and disturbs one of its processes after another, until it has ended. */
export function playDisturbed(
  disturbed: DisturbedCase,
  { storeKind, whole }: { readonly storeKind: StoreKind; readonly whole: DisturbedRun },
): Promise<DisturbedRun> {
  return playIn(new DisturbedWorld(disturbed, storeKind, whole.recorded), disturbed.disturbances);
}

async function playIn(world: DisturbedWorld, disturbances: readonly Disturbance[]): Promise<DisturbedRun> {
  try {
    await play(world, disturbances);
    const { rows, problems, disturbances: happened } = world;
    return { result: world.result(), recorded: world.recorded(), rows, problems, disturbances: happened };
  } finally {
    world.close();
  }
}

async function play(world: DisturbedWorld, disturbances: readonly Disturbance[]): Promise<void> {
  const processes: DisturbedProcess[] = [];
  let how: ResumeMethod = "start";
  let rival: ResumeMethod | undefined;
  for (let count = 0; count < maxProcesses; count++) {
    const disturbance = disturbances[count];
    const process = new DisturbedProcess(world, possible(world, how), disturbance);
    const rivals = rival === undefined ? [] : [new DisturbedProcess(world, possible(world, rival))];
    const isAlone = rivals.length === 0 && !world.disturbances.some(isLate);
    await until(world, Promise.all([process, ...rivals].map((one) => one.live())));
    if (process.wasRefused && isAlone && processes.at(-1)?.hasGivenBack)
      world.note("a closed agent has kept its claim");
    processes.push(...rivals, process);
    if (hasEnded(world)) await until(world, Promise.all(processes.map((one) => one.ended())));
    if (hasEnded(world)) return;
    // A closed process has given up its lease, if its store got the call; the leases of others have to expire.
    if (!process.hasGivenBack) await world.clock.advance(leaseMs);
    ({ next: how, rival } = disturbance ?? { next: "resume", rival: undefined });
  }
  // A slow process that keeps its lease outlasts them all.
  await until(world, Promise.all(processes.map((one) => one.ended())));
}

/** Whether a process may try to claim a run when others have it. */
function isLate({ what, store }: Disturbance): boolean {
  return what === "sleep" || store !== "prompt";
}

/** How a process can resume the record: a run that never started is started, one that is out of time is resumed. */
function possible(world: DisturbedWorld, how: ResumeMethod): ResumeMethod {
  if (world.recorded().length === 0) return "start";
  return world.result().status === "failed" ? "resume" : how;
}

function hasEnded(world: DisturbedWorld): boolean {
  if (world.recorded().length === 0) return false;
  const { status, error } = world.result();
  if (status === "failed") return !isOutOfTime(error) && !world.isToBeRetried();
  return status === "completed" || status === "cancelled";
}

async function until({ clock }: DisturbedWorld, promise: Promise<unknown>): Promise<void> {
  let timer: unknown;
  const limit = new Promise<never>((_, reject) => {
    timer = clock.setTimeout(() => reject(new Error("it hangs")), patienceMs);
  });
  try {
    await clock.runUntil(Promise.race([promise, limit]));
  } finally {
    clock.clearTimeout(timer);
  }
}
