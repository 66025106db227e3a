import type { AgentEvent, AgentEventOf } from "../core/events.ts";
import { describeStepRef, type StepRef } from "../core/step.ts";

/** A part of a timeline. */
export interface Bar {
  readonly kind: "attempt" | "backoff" | "waiting" | "planning" | "undo";
  readonly startMs: number;
  /** Undefined while it is under way. */
  readonly endMs?: number;
  readonly hasFailed?: boolean;
  /** Describes it in words. */
  readonly title: string;
  /** The message of its error. */
  readonly message?: string;
}

/** One execution of a run, from its start or resume until it ends or waits. */
export interface Execution {
  startMs: number;
  endMs?: number;
}

type Open = Pick<Bar, "kind" | "startMs" | "title">;

/** Puts together the bars of a run from its events, in their order. Transient events are not needed. */
export class Timeline {
  readonly bars = new Map<string, Bar[]>();
  readonly planning: Bar[] = [];
  readonly executions: Execution[] = [];
  /** Bars that have started, by the name of the step. */
  private readonly open = new Map<string, Open>();
  private planningStart: number | undefined;
  /** Time at which the first model was called since the last plan: a replan has no event when it starts. */
  private modelStart: number | undefined;

  follow(event: AgentEvent): void {
    const ms = Date.parse(event.timestamp);
    const execution = this.executions.at(-1);
    // In a fork, what was taken over happened before the run was created.
    if (execution !== undefined && ms < execution.startMs) execution.startMs = ms;
    switch (event.type) {
      case "run-start":
      case "run-resume":
        this.executions.push({ startMs: ms });
        break;
      case "run-suspend":
      case "run-end":
        if (execution !== undefined) execution.endMs = ms;
        break;
      case "plan-start":
        this.planningStart = ms;
        break;
      case "model-end":
        this.modelStart ??= ms - event.durationMs;
        break;
      case "plan-end":
      case "plan-revise":
        this.endPlanning(event, ms);
        break;
      case "step-start":
      case "undo-start":
        this.begin(event, { kind: event.type === "step-start" ? "attempt" : "undo", startMs: ms });
        break;
      case "step-retry":
        this.retry(event, ms);
        break;
      case "step-end":
      case "undo-end":
        this.end(event, ms, event.outcome.status === "failed" || event.outcome.status === "unknown");
        break;
      case "approval-request":
        if (event.kind === "step")
          this.open.set(describeStepRef(event), { kind: "waiting", startMs: ms, title: "waits for approval" });
        break;
      case "approval-end":
        if (event.kind === "step") this.end(event, ms, false);
        break;
    }
  }

  private begin(event: StepRef, { kind, startMs }: Pick<Open, "kind" | "startMs">): void {
    const name = describeStepRef(event);
    // Its start stayed open when the process died.
    if (this.open.has(name)) this.end(event, startMs, true);
    this.open.set(name, { kind, startMs, title: kind === "undo" ? "undo" : "attempt 1" });
  }

  /** The next attempt starts after the delay, which only a transient event would say. */
  private retry(event: AgentEventOf<"step-retry">, ms: number): void {
    const name = describeStepRef(event);
    this.end(event, ms, true, event.error.message);
    const backoffEnd = ms + event.delayMs;
    this.add(name, { kind: "backoff", startMs: ms, endMs: backoffEnd, title: "delay before the next attempt" });
    const title = `${event.undo ? "undo, " : ""}attempt ${event.attempt + 1}`;
    this.open.set(name, { kind: event.undo ? "undo" : "attempt", startMs: backoffEnd, title });
  }

  private end(event: StepRef, endMs: number, hasFailed: boolean, message?: string): void {
    const name = describeStepRef(event);
    const open = this.open.get(name);
    if (open === undefined) return;
    this.open.delete(name);
    const { kind, startMs, title } = open;
    // It may have been cut off during the delay.
    if (startMs > endMs) return;
    this.add(name, { kind, startMs, endMs, title, ...(hasFailed && { hasFailed }), ...(message && { message }) });
  }

  private endPlanning(event: AgentEventOf<"plan-end" | "plan-revise">, endMs: number): void {
    const isRevision = event.type === "plan-revise";
    const startMs = (isRevision ? this.modelStart : this.planningStart) ?? endMs;
    const title = isRevision ? `replan ${event.replan}` : "planning";
    const hasFailed = event.outcome.status === "failed";
    this.planning.push({ kind: "planning", startMs, endMs, title, ...(hasFailed && { hasFailed }) });
    this.planningStart = undefined;
    this.modelStart = undefined;
  }

  /** Adds what is under way, without an end. */
  close(): void {
    for (const [name, { kind, startMs, title }] of this.open) this.add(name, { kind, startMs, title });
    this.open.clear();
    if (this.planningStart !== undefined) {
      this.planning.push({ kind: "planning", startMs: this.planningStart, title: "planning" });
    }
  }

  private add(name: string, bar: Bar): void {
    const bars = this.bars.get(name);
    if (bars === undefined) this.bars.set(name, [bar]);
    else bars.push(bar);
  }
}
