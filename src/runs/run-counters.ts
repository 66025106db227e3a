import type { RunState } from "../core/run-state.ts";
import { instancesOf } from "../core/step-state.ts";

/**
 * The limited counts of a run, over all its executions. This execution counts what is requested, not what is recorded:
 * a step may start and never call its tool.
 */
export class RunCounters {
  private steps: number;

  /** `toolCalls` is how many calls earlier executions made. */
  constructor(
    private readonly state: RunState,
    private toolCalls: number,
  ) {
    this.steps = countSteps(state);
  }

  /** How many tool calls there are. */
  get toolCallCount(): number {
    return this.toolCalls;
  }

  /** Counts one more call of a tool. */
  addToolCall(): void {
    this.toolCalls++;
  }

  /** Takes back one call that was counted and not made. */
  removeToolCall(): void {
    this.toolCalls--;
  }

  /** How many steps and iterations there are. */
  get stepCount(): number {
    return this.steps;
  }

  /** Counts more iterations. */
  addIterations(count: number): void {
    this.steps += count;
  }

  /** Counts the steps again, after the plan has changed. */
  recountSteps(): void {
    this.steps = countSteps(this.state);
  }
}

function countSteps({ steps }: RunState): number {
  let total = 0;
  for (const { iterations } of steps.values()) total += 1 + (iterations?.states.length ?? 0);
  return total;
}

/** How many tool calls a state contains. */
export function countToolCalls({ steps }: RunState): number {
  let total = 0;
  for (const { attempts } of instancesOf(steps.values())) total += attempts;
  return total;
}
