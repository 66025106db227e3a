import { AbortSource } from "../async/abort-source.ts";
import { checkEventType } from "../core/event-types.ts";
import type { AgentEvent, AgentEventOf, AgentEventType } from "../core/events.ts";
import { failOption } from "../core/options.ts";
import type { RunSnapshot } from "../core/run-result.ts";
import type { ListRunsOptions, RunPage } from "../core/run-store.ts";
import type { Tool } from "../core/tool.ts";
import type { Engine } from "./engine.ts";
import { type EventsOptions, type EventsWanted, readEventsOptions } from "./events-options.ts";

/** Listens to runs and reads stored ones: what agents and orchestrators have in common. */
export interface RunObserver<TTool extends Tool = Tool> {
  readonly tools: readonly TTool[];
  /**
   * Calls a listener for each event of a type, until the returned function is called; calling that again does nothing.
   * What the listener throws, or rejects with, never changes a run. The same listener is added once per type. Throws
   * `invalid-options`, as do the next five methods.
   */
  on<TType extends AgentEventType>(
    this: void,
    type: TType,
    listener: (event: AgentEventOf<TType, TTool>) => unknown,
  ): () => void;
  /** Calls a listener for the next event of a type. */
  once<TType extends AgentEventType>(
    this: void,
    type: TType,
    listener: (event: AgentEventOf<TType, TTool>) => unknown,
  ): () => void;
  /** Removes a listener; does nothing if it was not added. */
  off<TType extends AgentEventType>(
    this: void,
    type: TType,
    listener: (event: AgentEventOf<TType, TTool>) => unknown,
  ): void;
  /** How many listeners `on` and `once` have added for a type. */
  listenerCount(this: void, type: AgentEventType): number;
  /** Removes the listeners of a type, or of all types; those of `subscribe` stay. */
  removeAllListeners(this: void, type?: AgentEventType): void;
  /** Calls a listener for every event. */
  subscribe(this: void, listener: (event: AgentEvent<TTool>) => unknown): () => void;
  /**
   * The events of a run, by its id: the stored ones, then new ones, from this process or another. Reading ends with the
   * run, or when it is suspended or interrupted unless `follow` is set. No recorded event is left out, however slowly
   * they are read; transient events come from this process alone. Throws `invalid-options`; reading rejects with
   * `run-not-found`, `store-failed` or `cancelled`.
   */
  events(this: void, runId: string, options?: EventsOptions): AsyncIterable<AgentEvent<TTool>>;
  /** The current state of a stored run; undefined if there is no run with this id. Rejects with `store-failed`. */
  getRun(this: void, runId: string): Promise<RunSnapshot<TTool> | undefined>;
  /** Stored runs, newest first, in pages. Rejects with `store-failed`, and `invalid-options` for a wrong cursor. */
  listRuns(this: void, options?: ListRunsOptions): Promise<RunPage>;
}

/** The part of an engine that observes. */
export function observe(engine: Engine): RunObserver {
  return {
    tools: engine.settings.tools,
    on: (type, listener) => {
      checkEventType(type);
      checkListener(listener);
      return engine.hub.on(type, listener);
    },
    once: (type, listener) => {
      checkEventType(type);
      checkListener(listener);
      return engine.hub.once(type, listener);
    },
    off: (type, listener) => {
      checkEventType(type);
      engine.hub.off(type, listener);
    },
    listenerCount: (type) => {
      checkEventType(type);
      return engine.hub.listenerCount(type);
    },
    removeAllListeners: (type) => {
      if (type !== undefined) checkEventType(type);
      engine.hub.removeAllListeners(type);
    },
    subscribe: (listener) => {
      checkListener(listener);
      return engine.hub.subscribe(listener);
    },
    events: (runId, options = {}) => eventsOf(engine, readEventsOptions(runId, options)),
    getRun: (runId) => engine.getRun(runId),
    listRuns: (options) => engine.listRuns(options),
  };
}

function checkListener(listener: unknown): void {
  if (typeof listener !== "function") failOption("listener", listener, "a function");
}

/** The events of a run. Each loop reads them from the start; a loop that is left, in any way, leaves nothing behind. */
function eventsOf(engine: Engine, wanted: EventsWanted): AsyncIterable<AgentEvent> {
  return {
    [Symbol.asyncIterator]: () => {
      const leaving = new AbortSource();
      const events = engine.events(wanted, leaving);
      return {
        next: () => events.next(),
        // A generator that waits for an event would end only with the next one.
        return: () => {
          leaving.abort(undefined);
          return events.return(undefined);
        },
      };
    },
  };
}
