import { EventEmitter } from "eventemitter3";
import { isThenable } from "./thenable.ts";

/** Removes a listener. Calling it again does nothing, also if the same function listens anew. */
export type Unsubscribe = () => void;

interface TypedEvent {
  readonly type: string;
}

type Listener = (event: never) => unknown;

const everything = Symbol("everything");

/**
 * Tells events to listeners. Each listener is called in its own try, and a promise it returns is caught: whatever fails
 * goes to `onError`, and the others hear the event all the same.
 */
export class EventHub<TEvent extends TypedEvent> {
  private readonly emitter = new EventEmitter<string | symbol>();
  private readonly wrapped = new Map<string | symbol, Map<Listener, (event: TEvent) => void>>();

  constructor(private readonly onError: (error: unknown, event: TEvent) => unknown) {}

  /** Calls the listener for each event of the type, or for each event. The same listener is added once. */
  on(type: string | undefined, listener: Listener): Unsubscribe {
    const key = type ?? everything;
    const ofType = this.wrapped.get(key) ?? new Map<Listener, (event: TEvent) => void>();
    if (!ofType.has(listener)) {
      const guarded = (event: TEvent) => this.call(listener, event);
      ofType.set(listener, guarded);
      this.wrapped.set(key, ofType);
      this.emitter.on(key, guarded);
    }
    const subscribed = this.wrapped.get(key)?.get(listener);
    return () => {
      if (this.wrapped.get(key)?.get(listener) === subscribed) this.off(type, listener);
    };
  }

  /** Removes a listener; nothing happens if it is not there. */
  off(type: string | undefined, listener: Listener): void {
    const key = type ?? everything;
    const guarded = this.wrapped.get(key)?.get(listener);
    if (guarded === undefined) return;
    this.wrapped.get(key)?.delete(listener);
    this.emitter.off(key, guarded);
  }

  /** Tells an event. Never throws. */
  emit(event: TEvent): void {
    this.emitter.emit(event.type, event);
    this.emitter.emit(everything, event);
  }

  private call(listener: Listener, event: TEvent): void {
    try {
      const answer = listener(event as never);
      if (isThenable(answer)) answer.then(undefined, (error: unknown) => this.report(error, event));
    } catch (error) {
      this.report(error, event);
    }
  }

  private report(error: unknown, event: TEvent): void {
    // The last one to be told of errors may fail itself, at once or later: there is nobody left to tell.
    try {
      const answer: unknown = this.onError(error, event);
      if (isThenable(answer)) answer.then(undefined, () => {});
    } catch {}
  }
}
