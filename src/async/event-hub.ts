import { isThenable } from "./thenable.ts";

/** Removes a listener. Calling it again does nothing, also if the same function listens anew. */
export type Unsubscribe = () => void;

interface TypedEvent {
  readonly type: string;
}

type Listener = (event: never) => unknown;

/** Those who listen to one type, in the order in which they came. */
interface Listeners {
  /** Each with a mark of its own, by which an old subscription is told from a newer one of the same listener. */
  readonly marks: Map<Listener, object>;
  /** Whom an event is told: made anew when somebody has come or gone. */
  inOrder: readonly Listener[] | undefined;
}

/**
 * Tells events to listeners. Each listener is called in its own try, and a promise it returns is caught: whatever fails
 * goes to `onError`, and the others hear the event all the same. Who comes while an event is told hears the next one.
 */
export class EventHub<TEvent extends TypedEvent> {
  private readonly byType = new Map<string, Listeners>();
  private readonly ofEverything = noListeners();

  constructor(private readonly onError: (error: unknown, event: TEvent) => unknown) {}

  /** Calls the listener for each event of the type, or for each event. The same listener is added once. */
  on(type: string | undefined, listener: Listener): Unsubscribe {
    const listeners = this.listenersOf(type);
    const mark = listeners.marks.get(listener) ?? {};
    listeners.marks.set(listener, mark);
    listeners.inOrder = undefined;
    return () => {
      if (listeners.marks.get(listener) === mark) this.off(type, listener);
    };
  }

  /** Removes a listener; nothing happens if it is not there. */
  off(type: string | undefined, listener: Listener): void {
    const listeners = type === undefined ? this.ofEverything : this.byType.get(type);
    if (listeners?.marks.delete(listener)) listeners.inOrder = undefined;
  }

  /** Tells an event. Never throws. */
  emit(event: TEvent): void {
    const listeners = this.byType.get(event.type);
    if (listeners !== undefined) this.tell(listeners, event);
    this.tell(this.ofEverything, event);
  }

  private listenersOf(type: string | undefined): Listeners {
    if (type === undefined) return this.ofEverything;
    const listeners = this.byType.get(type) ?? noListeners();
    this.byType.set(type, listeners);
    return listeners;
  }

  private tell(listeners: Listeners, event: TEvent): void {
    listeners.inOrder ??= [...listeners.marks.keys()];
    for (const listener of listeners.inOrder) this.call(listener, event);
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

function noListeners(): Listeners {
  return { marks: new Map(), inOrder: undefined };
}
