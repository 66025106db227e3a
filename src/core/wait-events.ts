import type { JsonValue } from "./json.ts";
import type { EventBase } from "./plan-events.ts";

/** What a step waits for, once it does: the time does not move when the run is resumed. */
export interface WaitDue {
  /** When the wait is over by itself: its time, or its time-out. ISO 8601, UTC. */
  readonly until?: string;
  /** The name of the event that ends it. */
  readonly event?: string;
}

/** A step waits from now on. When that is over, `step-start` and `step-end` follow. @group Events */
export interface WaitStartEvent extends EventBase<"wait-start">, WaitDue {
  readonly stepId: string;
}

/** Somebody delivered an event, which the first step that waits for its name takes, now or later. @group Events */
export interface RunDeliverEvent extends EventBase<"run-deliver"> {
  readonly name: string;
  readonly value: JsonValue;
  /** A second one with this id does not count. */
  readonly id: string;
}
