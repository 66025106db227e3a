import { settleOrAbort } from "../../async/timeout.ts";

interface Loading<T> {
  readonly value: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

/**
 * Loads a value once for all callers, and keeps it. The next caller restarts a load that failed; one that nobody waits
 * for any more is aborted.
 */
export class SharedLoad<T> {
  private loaded: { readonly value: T } | undefined;
  private loading: Loading<T> | undefined;

  constructor(private readonly load: (signal: AbortSignal) => Promise<T>) {}

  /** Rejects as the load does, or with the signal's reason. */
  async get(signal: AbortSignal): Promise<T> {
    if (this.loaded !== undefined) return this.loaded.value;
    this.loading ??= this.begin();
    const { loading } = this;
    loading.waiting++;
    try {
      const value = await settleOrAbort(loading.value, signal);
      this.loaded = { value };
      return value;
    } finally {
      loading.waiting--;
      if (loading.waiting === 0) {
        loading.controller.abort();
        if (this.loading === loading) this.loading = undefined;
      }
    }
  }

  private begin(): Loading<T> {
    const controller = new AbortController();
    return { value: this.load(controller.signal), controller, waiting: 0 };
  }
}
