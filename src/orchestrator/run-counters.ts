import type { RunState } from "../core/run-state.ts";
import { partsOf } from "../core/step-state.ts";

/**
 * What of a run is limited, over all its executions. What this execution does is counted when it is asked for, not by what is recorded:
 * a step may begin and never call its tool.
 */
export class RunCounters {
  private steps: number;

  /** `toolCalls` is how many earlier executions have made. */
  constructor(
    private readonly state: RunState,
    private toolCalls: number,
  ) {
    this.steps = countSteps(state);
  }

  /** How many calls of tools there are. */
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

  /** The plan has changed, and with it what counts. */
  recountSteps(): void {
    this.steps = countSteps(this.state);
  }
}

function countSteps({ steps }: RunState): number {
  let total = 0;
  for (const { iterations } of steps.values()) total += 1 + (iterations?.states.length ?? 0);
  return total;
}

/** How many calls of tools a state tells of. */
export function countToolCalls({ steps }: RunState): number {
  let total = 0;
  for (const { attempts } of partsOf(steps.values())) total += attempts;
  return total;
}
