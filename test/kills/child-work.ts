import type { PlanKind } from "./kill-plans.ts";

/** What a process can do that outlives it. */
export type Boundary = "append" | "claim" | "release" | "effect";

/** Where a process disturbs itself: before or after the nth time that it does something. */
export interface KillPoint {
  readonly boundary: Boundary;
  readonly side: "before" | "after";
  /** From 1. */
  readonly nth: number;
  /** Killed, or asked to end. @default "SIGKILL" */
  readonly signal?: Disturbance | undefined;
}

/** How a process is disturbed: killed, or asked to end, which it does by the handler of docs/resume.md. */
export type Disturbance = "SIGKILL" | "SIGTERM";

/** A run that a process starts, unless it is stored. */
export interface WantedRun {
  readonly runId: string;
  readonly kind: PlanKind;
}

/** What a process does: it goes on with all earlier runs, then starts others, and ends when nothing is left to do. */
export interface ChildWork {
  /** Of the database. */
  readonly path: string;
  readonly journalPath: string;
  /** Which process of the database it is, from 1. */
  readonly generation: number;
  readonly runs: readonly WantedRun[];
  /** Those that processes before were to start, and may not have got to. */
  readonly earlierRuns: readonly WantedRun[];
  /** How far its time for claims is ahead of the clock, so that those of the processes before it have ended. */
  readonly aheadMs: number;
  readonly leaseMs: number;
  /** How long an effect takes. */
  readonly effectMs: number;
  /** The time it takes for closing when it is asked to end. */
  readonly closeMs: number;
  /**
   * Whether it settles what is in doubt: not while another one may have a call on its way. Then it ends when nothing else is
   * left to do. @default true
   */
  readonly settles?: boolean | undefined;
  readonly killPoint?: KillPoint;
  /** From when on the kill point counts. @default "first" */
  readonly armed?: "first" | "with-new-runs";
}

/** Reads the work from the arguments of a process; the parent wrote it there. */
export function childWork(argv: readonly string[]): ChildWork {
  return JSON.parse(argv.at(-1) ?? "") as ChildWork;
}
