import type { Abortable } from "./abort.ts";

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

/** Like p-timeout, but without a timer, which would double the memory of a waiting step. */
export function settleOrAbort<T>(promise: Promise<T>, signal: Abortable): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      signal.removeEventListener("abort", stop);
      reject(signal.reason);
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop);
    promise.then(
      (value) => {
        signal.removeEventListener("abort", stop);
        resolve(value);
      },
      (thrown) => {
        signal.removeEventListener("abort", stop);
        reject(thrown);
      },
    );
  });
}

export async function inParallel<T>(
  items: readonly T[],
  width: number,
  use: (item: T, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < items.length) {
      const index = next++;
      await use(items[index] as T, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, work));
}

let pendingCount = 0;

/** Number of pending tasks that do not depend on a clock, such as loading code. A manual clock waits for them. */
export function pendingWork(): number {
  return pendingCount;
}

export async function countPending<T>(work: Promise<T>): Promise<T> {
  pendingCount++;
  try {
    return await work;
  } finally {
    pendingCount--;
  }
}

export function loadOnce<T>(load: () => Promise<T>) {
  let loading: Promise<T> | undefined;
  return {
    get(): Promise<T> {
      loading ??= load().catch((thrown) => {
        loading = undefined;
        throw thrown;
      });
      return loading;
    },
    async loaded(): Promise<T | undefined> {
      return loading?.catch(() => undefined);
    },
  };
}
