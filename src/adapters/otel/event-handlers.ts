import type { AgentEvent, AgentEventOf, AgentEventType } from "../../core/events.ts";

/** What is done with the events of some types. */
export type EventHandlers<TContext> = {
  readonly [TType in AgentEventType]?: (context: TContext, event: AgentEventOf<TType>) => void;
};

/** Gives an event to its handler, if there is one. */
export function handle<TContext>(handlers: EventHandlers<TContext>, context: TContext, event: AgentEvent): void {
  (handlers[event.type] as ((context: TContext, event: AgentEvent) => void) | undefined)?.(context, event);
}
