interface Waiting {
  readonly callbacks: Set<() => void>;
  readonly tell: () => void;
}

const waitingFor = new WeakMap<AbortSignal, Waiting>();

/**
 * Calls back when a signal aborts, until the returned function is called. All callbacks of one signal share one
 * listener: an app passes its one shutdown signal to hundreds of runs, and Node warns of more than ten listeners.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const waiting = waitingFor.get(signal) ?? listen(signal);
  waiting.callbacks.add(callback);
  return () => {
    waiting.callbacks.delete(callback);
    if (waiting.callbacks.size > 0 || waitingFor.get(signal) !== waiting) return;
    waitingFor.delete(signal);
    signal.removeEventListener("abort", waiting.tell);
  };
}

function listen(signal: AbortSignal): Waiting {
  const callbacks = new Set<() => void>();
  const tell = () => {
    for (const callback of [...callbacks]) callback();
  };
  const waiting = { callbacks, tell };
  waitingFor.set(signal, waiting);
  signal.addEventListener("abort", tell, { once: true });
  return waiting;
}
