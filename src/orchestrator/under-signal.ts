import { AbortSource } from "../async/abort-source.ts";
import { onAbort } from "../async/on-abort.ts";
import { cancelledBy } from "./run-errors.ts";

/** Does work that belongs to no run, with a source that aborts with `cancelled` as soon as the caller's signal does. */
export async function underSignal<T>(
  signal: AbortSignal | undefined,
  work: (source: AbortSource) => Promise<T>,
): Promise<T> {
  const source = new AbortSource();
  const abort = () => source.abort(cancelledBy(signal?.reason));
  if (signal?.aborted) abort();
  const stopListening = signal && onAbort(signal, abort);
  try {
    return await work(source);
  } finally {
    stopListening?.();
  }
}
