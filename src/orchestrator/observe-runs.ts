import type { Unsubscribe } from "../async/event-hub.ts";
import { checkEventType } from "../core/event-types.ts";
import type { AgentEvent, AgentEventOf, AgentEventType } from "../core/events.ts";
import { failOption } from "../core/options.ts";
import type { RunSnapshot } from "../core/run-result.ts";
import type { ListRunsOptions, RunPage } from "../core/run-store.ts";
import type { Tool } from "../core/tool.ts";
import type { Engine } from "./engine.ts";
import { type EventsOptions, eventsOf, readEventsOptions } from "./events-options.ts";

/** Listening to runs and looking at stored ones: what agents and orchestrators have in common. */
export interface RunObserver<TTool extends Tool = Tool> {
  readonly tools: readonly TTool[];
  /**
   * Calls a listener for each event of a type, until the function that is returned is called. What it throws, or rejects
   * with, never changes a run. The same listener is there once for a type. Throws `invalid-options`, as do the next four.
   */
  on<TType extends AgentEventType>(
    this: void,
    type: TType,
    listener: (event: AgentEventOf<TType, TTool>) => unknown,
  ): Unsubscribe;
  /** Calls a listener for the next event of a type. */
  once<TType extends AgentEventType>(
    this: void,
    type: TType,
    listener: (event: AgentEventOf<TType, TTool>) => unknown,
  ): Unsubscribe;
  /** Takes a listener away; nothing happens if it is not there. */
  off<TType extends AgentEventType>(
    this: void,
    type: TType,
    listener: (event: AgentEventOf<TType, TTool>) => unknown,
  ): void;
  /** How many listeners `on` and `once` have added for a type. */
  listenerCount(this: void, type: AgentEventType): number;
  /** Takes away the listeners of a type, or of all types; those of `subscribe` stay. */
  removeAllListeners(this: void, type?: AgentEventType): void;
  /** Calls a listener for every event. */
  subscribe(this: void, listener: (event: AgentEvent<TTool>) => unknown): Unsubscribe;
  /**
   * The events of a run, by its id: those that are stored, then those that come, be it in this process or another. Reading ends
   * with the run, or when it is suspended or interrupted unless `follow` is set. However slowly they are read, none that is
   * recorded is left out; transient ones come from this process alone. Throws `invalid-options`; reading rejects with
   * `run-not-found`, `store-failed` or `cancelled`.
   */
  events(this: void, runId: string, options?: EventsOptions): AsyncIterable<AgentEvent<TTool>>;
  /** A stored run as it stands; undefined if there is none of this id. Rejects with `store-failed`. */
  getRun(this: void, runId: string): Promise<RunSnapshot<TTool> | undefined>;
  /** Stored runs, the newest first, by page. Rejects with `store-failed`, and `invalid-options` for a wrong cursor. */
  listRuns(this: void, options?: ListRunsOptions): Promise<RunPage>;
}

/** The part of an engine that observes, with the types of its tools. */
export function observe<TTool extends Tool>(engine: Engine): RunObserver<TTool> {
  return {
    tools: engine.settings.tools as readonly TTool[],
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
    events: (runId, options = {}) =>
      eventsOf(engine, readEventsOptions(runId, options)) as AsyncIterable<AgentEvent<TTool>>,
    getRun: (runId) => engine.getRun(runId) as Promise<RunSnapshot<TTool> | undefined>,
    listRuns: (options) => engine.listRuns(options),
  };
}

function checkListener(listener: unknown): void {
  if (typeof listener !== "function") failOption("listener", listener, "a function");
}
