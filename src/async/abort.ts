export interface Abortable {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

const none: readonly never[] = [];

/** Creates its `AbortSignal` only on first read: a signal costs more than a step, and most tools never read theirs. */
export class AbortSource implements Abortable {
  aborted = false;
  reason: unknown;
  #listeners: readonly (() => void)[] = none;
  #controller: AbortController | undefined;

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.aborted) this.#controller.abort(this.reason);
    }
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.#controller?.abort(reason);
    for (const listener of this.#listeners) listener();
  }

  addEventListener(_type: "abort", listener: () => void): void {
    // Spreading an empty list allocates room for 17 items.
    this.#listeners = this.#listeners.length === 0 ? [listener] : [...this.#listeners, listener];
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    this.#listeners = this.#listeners.filter((other) => other !== listener);
  }
}

export const sourceKey = Symbol("source");

/** A `signal` that is created when first read. It is an own property, so that `{ ...object }` copies it. */
export const lazySignal: PropertyDescriptor & ThisType<{ readonly [sourceKey]: AbortSource }> = {
  get() {
    return this[sourceKey].signal;
  },
  set(value) {
    Object.defineProperty(this, "signal", { value, writable: true, enumerable: true, configurable: true });
  },
  enumerable: true,
  configurable: true,
};

export class AbortScope<TReason> {
  reason: TReason | undefined;
  readonly #sources = new Set<AbortSource>();

  abort(reason: TReason): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    for (const source of [...this.#sources]) source.abort(reason);
  }

  reset(): void {
    this.reason = undefined;
  }

  open(): AbortSource {
    const source = new AbortSource();
    if (this.reason !== undefined) source.abort(this.reason);
    this.#sources.add(source);
    return source;
  }

  isOpen(source: AbortSource): boolean {
    return this.#sources.has(source);
  }

  close(source: AbortSource): void {
    this.#sources.delete(source);
  }
}

const listenersOf = new WeakMap<Abortable, ReturnType<typeof listen>>();

/** All callbacks of a signal share one listener, because Node warns about more than ten. */
export function onAbort(signal: Abortable, callback: () => void): () => void {
  const shared = listenersOf.get(signal) ?? listen(signal);
  shared.callbacks.add(callback);
  return () => {
    shared.callbacks.delete(callback);
    if (shared.callbacks.size > 0 || listenersOf.get(signal) !== shared) return;
    listenersOf.delete(signal);
    signal.removeEventListener("abort", shared.listener);
  };
}

function listen(signal: Abortable) {
  const callbacks = new Set<() => void>();
  const listener = () => {
    for (const callback of [...callbacks]) callback();
  };
  const shared = { callbacks, listener };
  listenersOf.set(signal, shared);
  signal.addEventListener("abort", listener);
  return shared;
}
