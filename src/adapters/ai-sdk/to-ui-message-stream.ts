import { toByteStream } from "../../async/byte-stream.ts";
import { type Clock, systemClock } from "../../async/clock.ts";
import type { AgentEvent } from "../../core/events.ts";
import { isRecord } from "../../core/json.ts";
import { checkOption, type OptionTable, readOptions } from "../../core/option-tables.ts";
import type { PostedMessage } from "./read-ui-messages.ts";
import { RunChunks, type UIChunk } from "./run-chunks.ts";

/** The part of an agent that is used here. @inline */
interface EventSource {
  /** As of an agent. */
  events(
    runId: string,
    options?: { readonly after?: number; readonly follow?: boolean; readonly signal?: AbortSignal },
  ): AsyncIterable<AgentEvent>;
}

/** Options of {@link toUIMessageStream}. @inline */
interface UIMessageStreamOptions {
  /**
   * The answer or decision of `readUIMessages` that the stream replies to: the page has the message up to there, and
   * gets the rest. @default the whole run
   */
  readonly since?: PostedMessage | undefined;
  /** @default the system's */
  readonly clock?: Clock | undefined;
}

const streamOptions = {
  since: { isValid: isRecord, expected: "the result of readUIMessages" },
  clock: { type: "clock", default: systemClock },
} satisfies OptionTable<UIMessageStreamOptions>;

/**
 * A run as the UI message stream of the AI SDK 6 and 7, which `useChat` reads: the body of a response of type
 * `text/event-stream` with the header `x-vercel-ai-ui-message-stream: v1`. It ends when the run ends or is suspended. The
 * plan is `data-plan`, each step a dynamic tool. What is asked comes last, one thing at a time: an approval of the tool
 * `plan` or of a step, or the tool `ask_question`. The run in words is text, a retry a transient `data-step`.
 *
 * A line that answers a question is shown as what the run that asked did since. Values are those of `agent.events`. If
 * nothing happens for 15 seconds, the stream has a comment. If reading fails, so does the stream. Throws `invalid-options`.
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
  const events: EventSource["events"] = (id, rest) => agent.events(id, { signal: controller.signal, ...rest });
  const chunks = readChunks({ events }, runId, since);
  const iterator = {
    next: () => chunks.next(),
    return: () => {
      controller.abort();
      return chunks.return(undefined);
    },
  };
  return toByteStream({ [Symbol.asyncIterator]: () => iterator }, { clock, toText });
}

function toText(chunk: UIChunk | undefined): string {
  return `data: ${chunk === undefined ? "[DONE]" : JSON.stringify(chunk)}\n\n`;
}

async function* readChunks(
  agent: EventSource,
  runId: string,
  since: PostedMessage | undefined,
): AsyncGenerator<UIChunk | undefined, undefined> {
  const isReply = since !== undefined && since.type !== "line";
  yield { type: "start", ...(isReply ? {} : { messageId: runId }) };
  const run = new RunChunks(runId, since);
  let after = 0;
  for await (const event of agent.events(runId)) {
    after = event.sequence;
    yield* run.read(event);
    if (run.answered !== undefined) break;
  }
  yield* run.answered === undefined ? run.end() : readAnswered(agent, { run, runId, after }, run.answered);
  yield undefined;
}

/** The line ends after the run that asked, or without it if its answer was refused. */
async function* readAnswered(
  agent: EventSource,
  line: { readonly run: RunChunks; readonly runId: string; readonly after: number },
  answered: { readonly runId: string; readonly stepId: string },
): AsyncGenerator<UIChunk> {
  const asking = new RunChunks(answered.runId, { type: "answer", ...answered, answer: null });
  const controller = new AbortController();
  const { signal } = controller;
  const lineEnd = readToEnd(agent.events(line.runId, { after: line.after }), line.run).finally(() =>
    controller.abort(),
  );
  // Awaited below, unless the reader leaves.
  lineEnd.catch(() => {});
  let after = 0;
  try {
    for await (const event of agent.events(answered.runId, { follow: true, signal })) {
      after = event.sequence;
      yield* asking.read(event);
    }
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  }
  await lineEnd;
  const { last } = line.run;
  if (last?.type === "run-end" && last.outcome.status !== "completed") return yield* line.run.end();
  for await (const event of agent.events(answered.runId, { after })) yield* asking.read(event);
  yield* asking.end();
}

async function readToEnd(events: AsyncIterable<AgentEvent>, run: RunChunks): Promise<void> {
  for await (const event of events) run.read(event);
}
