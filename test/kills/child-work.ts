import type { PlanKind } from "./kill-plans.ts";
import type { StoreAddress } from "./store-address.ts";

/** An action of a process that outlives it. */
export type Boundary = "append" | "claim" | "release" | "effect";

/** Where a process disturbs itself: before or after its nth action of a kind. */
export interface KillPoint {
  readonly boundary: Boundary;
  readonly side: "before" | "after";
  /** From 1. */
  readonly nth: number;
  /** Killed, or asked to end. @default "SIGKILL" */
  readonly signal?: Disturbance | undefined;
}

/** How a process is disturbed: killed, or asked to end, which the handler of docs/resume.md does. */
export type Disturbance = "SIGKILL" | "SIGTERM";

/** A run that a process starts, unless it is stored. */
export interface WantedRun {
  readonly runId: string;
  readonly kind: PlanKind;
}

/** The work of a process: it resumes all earlier runs, then starts others, and ends when nothing is left to do. */
export interface ChildWork {
  readonly address: StoreAddress;
  readonly journalPath: string;
  /** The number of the process on this store, from 1. */
  readonly generation: number;
  readonly runs: readonly WantedRun[];
  /** Runs that earlier processes were to start, and may not have started. */
  readonly earlierRuns: readonly WantedRun[];
  /** How far its time for claims is ahead of the clock, so that the leases of earlier processes have expired. */
  readonly aheadMs: number;
  readonly leaseMs: number;
  /** How long an effect takes. */
  readonly effectMs: number;
  /** The time limit for closing when it is asked to end. */
  readonly closeMs: number;
  /**
   * Whether it settles steps in doubt: not while another process may have a call on its way. Then it ends when nothing
   * else is left to do. @default true
   */
  readonly settles?: boolean | undefined;
  readonly killPoint?: KillPoint;
  /** When the kill point starts to count. @default "first" */
  readonly armed?: "first" | "with-new-runs";
}

/** Reads the work from the arguments of a process; the parent wrote it there. */
export function childWork(argv: readonly string[]): ChildWork {
  return JSON.parse(argv.at(-1) ?? "") as ChildWork;
}
