import { type Clock, letExit } from "./clock.ts";

/** Proxies close an idle connection, many after 30 or 60 seconds. */
const commentMs = 15_000;

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
          // No comment is added while the last one is unread.
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
      // A generator returns only when its pending wait is over.
      Promise.resolve(iterator.return?.()).catch(() => {});
    },
  });
}
