import { type Clock, letExit } from "./clock.ts";

/** Proxies close a connection on which nothing is sent, many after 30 or 60 seconds. */
const commentMs = 15_000;

/** The body of a `text/event-stream` response: an item is read when the one before it was taken. */
export function toByteStream<TItem>(
  items: AsyncIterable<TItem>,
  { clock, toText, onCancel }: { readonly clock: Clock; toText(item: TItem): string; onCancel?(): void },
): ReadableStream<Uint8Array> {
  const iterator = items[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let isCancelled = false;
  let timer: unknown;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const startTimer = () => {
        timer = clock.setTimeout(() => {
          // Adds no comment while the last one is unread.
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(":\n\n"));
          startTimer();
        }, commentMs);
        letExit(timer);
      };
      startTimer();
      try {
        const { done, value } = await iterator.next();
        if (isCancelled) return;
        if (done) controller.close();
        else controller.enqueue(encoder.encode(toText(value)));
      } finally {
        clock.clearTimeout(timer);
      }
    },
    cancel() {
      isCancelled = true;
      onCancel?.();
      clock.clearTimeout(timer);
      // A generator returns only once what it waits for has come.
      Promise.resolve(iterator.return?.()).catch(() => {});
    },
  });
}
