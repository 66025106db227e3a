import type { AgentEvent, AgentEventOf } from "planwright";
import { expect } from "vitest";

/** The subject of a start and an end. */
export function keyOf(event: {
  readonly type?: string;
  readonly stepId?: string;
  readonly iteration?: number;
}): string {
  const { stepId = "the plan", iteration } = event;
  return `${event.type?.startsWith("undo-") ? "undo " : ""}${stepId}${iteration === undefined ? "" : `[${iteration}]`}`;
}

/** Checks that each start has one end, in its execution or, after a kill, in the next, and nothing restarts wrongly. */
export function checkStartsAndEnds(recorded: readonly AgentEvent[]): void {
  const things = new Things();
  for (const event of recorded) things.follow(event);
  things.expectAllEnded();
}

/** Whether something that has ended may start again: never, in any later execution, or in one that retries failures. */
type Again = "never" | "later" | "if retried";

class Things {
  private readonly open = new Set<string>();
  private readonly ended = new Map<string, Again>();

  follow(event: AgentEvent): void {
    const key = keyOf(event);
    switch (event.type) {
      case "step-start":
      case "plan-start":
      case "undo-start":
        this.expectNew(key);
        this.open.add(key);
        break;
      case "step-end":
      case "plan-end":
      case "undo-end":
        expect(this.open.delete(key)).toBe(true);
        this.onEnd(key, event);
        break;
      case "step-skip":
        this.expectNew(key);
        this.ended.set(key, reopened.has(event.reason) ? "if retried" : "never");
        break;
      case "run-settle":
        if (event.outcome.status === "retry") this.ended.delete(key);
        else this.ended.set(key, event.outcome.status === "failed" ? "if retried" : "never");
        break;
      case "run-resume":
        this.reopen(event);
        break;
      case "run-end":
      case "run-suspend":
        this.expectAllEnded();
        break;
      default:
        break;
    }
  }

  expectAllEnded(): void {
    expect([...this.open]).toEqual([]);
  }

  private expectNew(key: string): void {
    expect(this.open.has(key) ? `${key} runs` : this.ended.has(key) ? `${key} has ended` : key).toBe(key);
  }

  private onEnd(key: string, { type, outcome }: AgentEventOf<"step-end" | "plan-end" | "undo-end">): void {
    if (outcome.status === "completed" || outcome.status === "unknown") this.ended.set(key, "never");
    // A start that a dead process left open is closed in the execution that runs it again.
    else if (!("error" in outcome)) this.ended.set(key, "never");
    else if (outcome.error.code !== "interrupted") this.ended.set(key, type === "undo-end" ? "later" : "if retried");
  }

  private reopen({ retriesFailed }: AgentEventOf<"run-resume">): void {
    for (const [key, again] of this.ended)
      if (again === "later" || (again === "if retried" && retriesFailed)) this.ended.delete(key);
  }
}

const reopened: ReadonlySet<string> = new Set(["dependency-failed", "run-ended"]);
