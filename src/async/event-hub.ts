import { EventEmitter } from "eventemitter3";
import { isThenable } from "./promises.ts";

type Listener = (event: never) => unknown;
type Name = string | symbol;

interface Subscription<TEvent> {
  readonly name: Name;
  readonly listener: Listener;
  readonly isOnce: boolean;
  readonly tell: (event: TEvent) => void;
}

const everything = Symbol("everything");

export class EventHub<TEvent extends { readonly type: string }> {
  readonly #emitter = new EventEmitter();
  readonly #subscriptions = new Map<Name, Map<Listener, Subscription<TEvent>>>();

  constructor(private readonly onError: (error: unknown, event: TEvent) => unknown) {}

  on(type: string, listener: Listener): () => void {
    return this.#add(type, listener, false);
  }

  once(type: string, listener: Listener): () => void {
    return this.#add(type, listener, true);
  }

  subscribe(listener: Listener): () => void {
    return this.#add(everything, listener, false);
  }

  off(type: string, listener: Listener): void {
    const subscription = this.#subscriptions.get(type)?.get(listener);
    if (subscription !== undefined) this.#end(subscription);
  }

  listenerCount(type: string): number {
    return this.#emitter.listenerCount(type);
  }

  removeAllListeners(type?: string): void {
    for (const name of type === undefined ? this.#emitter.eventNames() : [type]) {
      if (name === everything) continue;
      this.#subscriptions.delete(name);
      this.#emitter.off(name);
    }
  }

  emit(event: TEvent): void {
    this.#emitter.emit(event.type, event);
    this.#emitter.emit(everything, event);
  }

  #add(name: Name, listener: Listener, isOnce: boolean): () => void {
    const listeners = this.#subscriptions.get(name) ?? new Map<Listener, Subscription<TEvent>>();
    this.#subscriptions.set(name, listeners);
    const known = listeners.get(listener);
    if (known !== undefined) {
      if (isOnce || !known.isOnce) return () => this.#end(known);
      this.#end(known);
    }
    // The emitter's own `once` calls a listener twice if an earlier listener emits an event of the same type.
    let isOver = false;
    const tell = (event: TEvent) => {
      if (isOver) return;
      isOver = isOnce;
      if (isOnce) this.#end(subscription);
      this.#call(listener, event);
    };
    const subscription: Subscription<TEvent> = { name, listener, isOnce, tell };
    listeners.set(listener, subscription);
    this.#emitter.on(name, tell);
    return () => this.#end(subscription);
  }

  #end(subscription: Subscription<TEvent>): void {
    const { name, listener, tell } = subscription;
    const listeners = this.#subscriptions.get(name);
    if (listeners?.get(listener) !== subscription) return;
    listeners.delete(listener);
    this.#emitter.off(name, tell);
  }

  #call(listener: Listener, event: TEvent): void {
    try {
      const answer = listener(event as never);
      if (isThenable(answer)) answer.then(undefined, (error: unknown) => this.#report(error, event));
    } catch (error) {
      this.#report(error, event);
    }
  }

  #report(error: unknown, event: TEvent): void {
    try {
      const answer: unknown = this.onError(error, event);
      if (isThenable(answer)) answer.then(undefined, () => {});
    } catch {
      // Errors of the error handler are ignored.
    }
  }
}
