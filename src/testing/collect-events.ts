import type { AgentEvent } from "../core/events.ts";

/** Events in the order in which they were emitted. @group Testing */
export interface CollectedEvents {
  readonly events: readonly AgentEvent[];
  /** Returns the types of the events, in the same order. */
  types(this: void): readonly AgentEvent["type"][];
  /** Stops collecting. */
  stop: () => void;
}

/**
 * Collects every event of an agent or orchestrator from now on.
 * {@includeCode ../../examples/20-test-an-agent.ts} @group Testing
 */
export function collectEvents(observed: {
  subscribe(listener: (event: AgentEvent) => unknown): () => void;
}): CollectedEvents {
  const events: AgentEvent[] = [];
  const stop = observed.subscribe((event) => events.push(event));
  return { events, types: () => events.map(({ type }) => type), stop };
}
