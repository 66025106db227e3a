import { toByteStream } from "../../async/byte-stream.ts";
import { type Clock, systemClock } from "../../async/clock.ts";
import type { AgentEvent } from "../../core/events.ts";
import { isRecord } from "../../core/json.ts";
import { checkOption, type OptionTable, readOptions } from "../../core/option-tables.ts";
import type { PostedMessage } from "./read-ui-messages.ts";
import { type Chunk, RunChunks } from "./run-chunks.ts";

/** Agent, reduced to the method used here. @inline */
interface EventSource {
  /** Returns the events of a run. */
  events(runId: string, options: { readonly signal: AbortSignal }): AsyncIterable<AgentEvent>;
}

/** Options of {@link toUIMessageStream}. @inline */
interface UIMessageStreamOptions {
  /** Answer or decision to which the stream replies; earlier chunks are omitted. @default the whole run */
  readonly since?: PostedMessage | undefined;
  /** Clock that times the comments. @default the system's */
  readonly clock?: Clock | undefined;
}

const streamOptions = {
  since: { isValid: isRecord, expected: "the result of readUIMessages" },
  clock: { type: "clock", default: systemClock },
} satisfies OptionTable<UIMessageStreamOptions>;

/**
 * Streams a run to `useChat` of the AI SDK 6 and 7: the body of a response of type `text/event-stream` with the header
 * `x-vercel-ai-ui-message-stream: v1`. The stream ends when the run ends or is suspended. The plan is `data-plan`, each
 * step a dynamic tool, a retry a transient `data-step`; at the end, the run in words is text. Questions come last, one
 * at a time: an approval of the tool `plan` or of a step, or the tool `ask_question`.
 *
 * For a line that answers a question, the stream shows the run that asked. Values are those of `agent.events`. After 15
 * seconds without a chunk, the stream sends a comment. It fails if the events cannot be read. Throws `invalid-options`.
 *
 * {@includeCode ../../../examples/39-ui-stream.ts}
 * @group Events
 */
export function toUIMessageStream(
  agent: EventSource,
  runId: string,
  options: UIMessageStreamOptions = {},
): ReadableStream<Uint8Array> {
  const { clock, since } = readOptions(streamOptions, options);
  checkOption({ methods: ["events"], expected: "an agent" }, agent, "agent");
  checkOption({ type: "short-text" }, runId, "runId");
  const controller = new AbortController();
  const chunks = readChunks((id) => agent.events(id, { signal: controller.signal }), { runId, since });
  return toByteStream(chunks, { clock, toText, onCancel: () => controller.abort() });
}

function toText(chunk: Chunk | undefined): string {
  return `data: ${chunk === undefined ? "[DONE]" : JSON.stringify(chunk)}\n\n`;
}

async function* readChunks(
  eventsOf: (runId: string) => AsyncIterable<AgentEvent>,
  { runId, since }: { readonly runId: string; readonly since: PostedMessage | undefined },
): AsyncGenerator<Chunk | undefined, undefined> {
  const asked = since?.type === "answer" ? since.stepId : since?.type === "decision" ? since.item.hash : undefined;
  yield { type: "start", ...(asked === undefined && { messageId: runId }) };
  let run = new RunChunks(runId, asked);
  for await (const event of eventsOf(runId)) yield* run.read(event);
  const { answered, last } = run;
  if (answered && last?.type === "run-end" && last.outcome.status === "completed") {
    run = new RunChunks(answered.runId, answered.stepId);
    for await (const event of eventsOf(answered.runId)) yield* run.read(event);
  }
  yield* run.end();
  yield undefined;
}
