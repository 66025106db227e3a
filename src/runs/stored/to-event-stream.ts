import { toByteStream } from "../../async/byte-stream.ts";
import { type Clock, systemClock } from "../../async/clock.ts";
import { type AgentEvent, isRecorded } from "../../core/events.ts";
import { failOption, type OptionTable, readOptions } from "../../core/option-tables.ts";

/** Options of {@link toEventStream}. @inline */
interface EventStreamOptions {
  /** Clock for the comments. @default the system's */
  readonly clock?: Clock | undefined;
}

const streamOptions = { clock: { type: "clock", default: systemClock } } satisfies OptionTable<EventStreamOptions>;

/**
 * Turns the events of a run into the body of a `text/event-stream` response, for `EventSource` in a browser. Each event
 * has its type as `event` and its JSON as `data`. A recorded event has its `sequence` as `id`, which a browser sends as
 * `Last-Event-ID` when it reconnects: pass that on as `after`. After 15 seconds without an event, a comment is sent. If
 * reading fails, so does the stream; cancelling it stops reading. Throws `invalid-options`.
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
  return toByteStream(events, { clock, toText });
}

function toText(event: AgentEvent): string {
  const id = isRecorded(event) ? `id: ${event.sequence}\n` : "";
  return `${id}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
