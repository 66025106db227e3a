import { type Clock, letExit, systemClock } from "../../async/clock.ts";
import { type AgentEvent, isRecorded } from "../../core/events.ts";
import { failOption, type OptionTable, readOptions } from "../../core/option-tables.ts";

/** Options of {@link toEventStream}. @inline */
interface EventStreamOptions {
  /** @default the system's */
  readonly clock?: Clock | undefined;
}

const streamOptions = {
  clock: { type: "clock", default: systemClock },
} satisfies OptionTable<EventStreamOptions>;

/** Proxies close a connection on which nothing is sent, many after 30 or 60 seconds. */
const commentMs = 15_000;

/**
 * Turns the events of a run into the body of a `text/event-stream` response, for `EventSource` in a browser. Each event has
 * its type as `event` and its JSON as `data`; a recorded one also has its `sequence` as `id`, which a reconnecting browser
 * sends as `Last-Event-ID`: pass that on as `after`. If nothing happens for 15 seconds, the stream has a comment.
 *
 * An event is read when the one before it was taken; `agent.events` keeps at most 1,000 new ones for a reader that stops.
 * Cancelling the stream stops reading events. If reading fails, so does the stream. Throws `invalid-options`.
 *
 * ```ts
 * const after = Number(request.headers.get("last-event-id") ?? 0);
 * const events = agent.events(runId, { after, follow: true, signal: request.signal });
 * return new Response(toEventStream(events), { headers: { "content-type": "text/event-stream" } });
 * ```
 * @group Events
 */
export function toEventStream(
  events: AsyncIterable<AgentEvent>,
  options: EventStreamOptions = {},
): ReadableStream<Uint8Array> {
  const { clock } = readOptions(streamOptions, options);
  if (typeof events?.[Symbol.asyncIterator] !== "function")
    failOption("events", events, "an async iterable, such as agent.events(runId)");
  const iterator = events[Symbol.asyncIterator]();
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
      clock.clearTimeout(timer);
      // A generator returns only once what it waits for has come.
      Promise.resolve(iterator.return?.()).catch(() => {});
    },
  });
}

function toText(event: AgentEvent): string {
  const id = isRecorded(event) ? `id: ${event.sequence}\n` : "";
  return `${id}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
