import {
  type AgentEvent,
  createMemoryRunStore,
  type PendingItem,
  type RunOptions,
  type RunResult,
  type RunStore,
} from "planwright";
import { createSqliteRunStore, type SqliteRunStore } from "planwright/sqlite";
import { createManualClock, type ManualClock } from "planwright/testing";
import { toRunResult } from "../../src/core/run-result.ts";
import { foldEvents } from "../../src/core/run-state.ts";
import type { Disturbance, DisturbedCase, ResumeMethod } from "./disturbed-case.ts";
import type { ModelCase } from "./model-case.ts";
import type { Call } from "./model-tools.ts";
import { keyOf } from "./watch.ts";

/** The only run of a world. */
export const runId = "run";

/** A store that nobody else uses, so that each method but one returns a value. */
type ImmediateStore = {
  readonly [TName in "append" | "read" | "list" | "claim" | "renew" | "release" | "post"]: (
    ...args: Parameters<RunStore[TName]>
  ) => Awaited<ReturnType<RunStore[TName]>>;
} & { delete(...args: Parameters<RunStore["delete"]>): Promise<boolean> };

/** How long a lease lasts. */
export const leaseMs = 1_000;

/** An action that outlives its process, in order of occurrence, and how that process resumed the run. */
export type WorldRow = { readonly by: ResumeMethod } & (
  | { readonly type: "append"; readonly events: readonly AgentEvent[] }
  | { readonly type: "call"; readonly call: Call }
);

/** Which store the processes share. */
export type StoreKind = "memory" | "sqlite";

/** Processes that share a store, one after another and sometimes at once. Time is the same for all of them. */
export class DisturbedWorld {
  readonly clock: ManualClock = createManualClock();
  readonly model: ModelCase;
  readonly store: ImmediateStore;
  readonly rows: WorldRow[] = [];
  readonly runOptions: RunOptions;
  ids = 0;
  readonly problems: string[] = [];
  readonly disturbances: Disturbance[] = [];
  private readonly resumesFailed: boolean;
  private readonly settledBefore = new Set<string>();

  constructor(
    { model, timeoutMs, resumesFailed }: Omit<DisturbedCase, "disturbances">,
    storeKind: StoreKind,
    /** The events of the undisturbed run, if this is another one. */
    private readonly whole: readonly AgentEvent[] = [],
  ) {
    this.model = model;
    this.resumesFailed = resumesFailed;
    const { now } = this.clock;
    this.store = (
      storeKind === "memory" ? createMemoryRunStore({ now }) : createSqliteRunStore({ path: ":memory:", now })
    ) as ImmediateStore & SqliteRunStore;
    const { concurrency, onStepFailure, undoOnFailure, maxReplans } = model;
    this.runOptions = { concurrency, onStepFailure, undoOnFailure, maxReplans, timeoutMs };
  }

  close(): void {
    if ("close" in this.store) (this.store as ImmediateStore & SqliteRunStore).close();
  }

  recorded(): readonly AgentEvent[] {
    return this.store.read(runId);
  }

  note(problem: string): void {
    this.problems.push(problem);
  }

  noteDisturbance(disturbance: Disturbance): void {
    this.disturbances.push(disturbance);
  }

  /** Waits. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.clock.setTimeout(resolve, ms));
  }

  /** A settlement by somebody who knows the outcome from elsewhere; the first settlement is a retry. */
  settlementOf(item: Extract<PendingItem, { kind: "outcome" }>) {
    const key = keyOf(item);
    if (!this.settledBefore.has(key)) {
      this.settledBefore.add(key);
      return { retry: true } as const;
    }
    const outcomes = this.whole.flatMap((event) =>
      (event.type === "step-end" || event.type === "run-settle") && keyOf(event) === key ? [event.outcome] : [],
    );
    const outcome = outcomes.at(-1);
    if (outcome?.status === "completed") return { output: outcome.output };
    return { failed: "it did not take effect" };
  }

  /** Whether somebody shall retry the failed run: once, according to its record, and only where possible. */
  isToBeRetried(): boolean {
    const recorded = this.recorded();
    const wasRetried = recorded.some(
      (event, index) => event.type === "run-resume" && event.retriesFailed && !isDeadlineEnd(recorded[index - 1]),
    );
    const { error, steps } = this.result();
    const isRefused = error?.code === "approval-rejected" || steps.some((step) => step.status === "undone");
    return this.resumesFailed && !wasRetried && !isRefused;
  }

  result(): RunResult {
    return toRunResult(foldEvents(runId, this.recorded())) as RunResult;
  }
}

/** Whether an event is the end of a run because of its deadline. */
function isDeadlineEnd(event: AgentEvent | undefined): boolean {
  return event?.type === "run-end" && event.outcome.status === "failed" && isOutOfTime(event.outcome.error);
}

/** Whether a run has failed because of its deadline. */
export function isOutOfTime(error: RunResult["error"]): boolean {
  return error?.code === "timeout" && error.details.scope === "run";
}
