import type { AgentEvent } from "../../core/events.ts";
import type { Observer } from "../../core/observer.ts";
import { checkOption } from "../../core/options.ts";
import { type Line, lineOf } from "./line.ts";

/** A method of a logger. @inline */
type Write = (...args: never[]) => unknown;

/** What {@link createRunLog} writes to: pino, bunyan, `console`, or another with these methods. */
export interface RunLogger {
  /** Makes a logger whose lines all have these fields. Without it, as in `console`, each line gets them. */
  child?(fields: object): RunLogger;
  /** Receives starts within an execution, and answers of models. */
  readonly debug: Write;
  /** Receives starts of executions, decisions, and most ends. */
  readonly info: Write;
  /** Receives what is repeated, waits, was interrupted, or was skipped for a failure. */
  readonly warn: Write;
  /** Receives what failed or has an unknown outcome. */
  readonly error: Write;
}

/**
 * An observer that writes a line for what happens in runs, each with `runId`, with `stepId`, `iteration` and `tool` where
 * it is about a step, and with `attempt` where it is about an attempt or how the last one ended. Levels:
 * - error: what failed or has an unknown outcome,
 * - warn: what is repeated, replaced by a fallback, late, interrupted, waiting, or skipped for a failure, and a circuit
 *   that opens,
 * - info: starts of executions, decisions, and what ends otherwise,
 * - debug: starts of plannings, steps, attempts and undoing, and answers of models.
 *
 * Inputs and outputs are not written. Throws `invalid-options`.
 *
 * {@includeCode ../../../examples/28-log.ts}
 */
export function createRunLog(logger: RunLogger): Required<Pick<Observer, "event">> {
  const methods = ["debug", "info", "warn", "error"] as const;
  checkOption({ methods, expected: `a logger with ${methods.join(", ")}`, isRequired: true }, logger, "logger");
  const log = new RunLog(logger);
  return { event: (event) => log.event(event) };
}

class RunLog {
  /** The loggers of the runs that are being executed. */
  private readonly children = new Map<string, RunLogger>();

  constructor(private readonly logger: RunLogger) {}

  event(event: AgentEvent): void {
    const line = lineOf(event);
    if (line !== undefined) this.write(event, line);
    // A planning without a run has no end of its own.
    const isOver = event.type === "run-end" || event.type === "run-suspend" || event.type === "plan-end";
    if (isOver) this.children.delete(event.runId);
  }

  private write({ runId }: AgentEvent, { level, message, fields }: Line): void {
    const { logger } = this;
    if (logger.child === undefined) {
      (logger[level] as (...args: unknown[]) => unknown)(message, { runId, ...fields });
      return;
    }
    let child = this.children.get(runId);
    if (child === undefined) {
      child = logger.child({ runId });
      this.children.set(runId, child);
    }
    (child[level] as (...args: unknown[]) => unknown)(fields, message);
  }
}
