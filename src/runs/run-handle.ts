import type { EventStream } from "../async/event-channel.ts";
import type { AgentEvent } from "../core/events.ts";
import type { RunResult } from "../core/run-result.ts";
import type { Tool } from "../core/tool.ts";

/**
 * A run in progress.
 *
 * {@includeCode ../../examples/05-cancel-and-time-out.ts}
 * @group Runs and results
 */
export interface RunHandle<TTool extends Tool = Tool> {
  readonly runId: string;
  /** The run's events from the first on, to be read once with `for await`; at most 1000 wait to be read. */
  readonly events: EventStream<AgentEvent<TTool>>;
  /** Resolves when the run has ended, whatever its status. Left unread, it is never an unhandled rejection. */
  readonly result: Promise<RunResult<TTool>>;
  /** Cancels the run; its tools have `abortGraceMs` to end. Does nothing if it has ended. */
  cancel(this: void, reason?: string): void;
}
