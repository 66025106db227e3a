import { toByteStream } from "../../async/byte-stream.ts";
import { type Clock, systemClock } from "../../async/clock.ts";
import { type AgentEvent, type EventHandlers, handleEvent, type PendingItem } from "../../core/events.ts";
import { isRecord } from "../../core/json.ts";
import { checkOption, type OptionTable, readOptions } from "../../core/option-tables.ts";
import type { Plan } from "../../core/plan.ts";
import { type StepRef, waitToolName } from "../../core/step.ts";
import { askingTool, type PostedMessage, planStep } from "./read-ui-messages.ts";

/** Agent, reduced to the method used here. @inline */
interface EventSource {
  /** Returns the events of a run. */
  events(runId: string, options: { readonly signal: AbortSignal }): AsyncIterable<AgentEvent>;
}

/** Options of {@link toUIMessageStream}. @inline */
interface UIMessageStreamOptions {
  /** Answer or decision to which the stream replies; earlier chunks are omitted. @default none: all chunks */
  readonly since?: PostedMessage | undefined;
  /** Clock for the 15 seconds after which the stream sends a comment. @default the system's */
  readonly clock?: Clock | undefined;
}

const streamOptions = {
  since: { isValid: isRecord, expected: "the result of readUIMessages" },
  clock: { type: "clock", default: systemClock },
} satisfies OptionTable<UIMessageStreamOptions>;

/**
 * Streams a run to `useChat` of the AI SDK 6 and 7: the body of a response of type `text/event-stream` with the header
 * `x-vercel-ai-ui-message-stream: v1`. The stream ends when the run ends or is suspended. It has the plan as
 * `data-plan`, each step as a dynamic tool, a retry as a transient `data-step` and, at the end, the run in words as
 * text. Questions come last, one at a time: an approval of the tool `plan` or of a step, or the tool `ask_question`.
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

interface Chunk {
  readonly type: string;
  readonly toolCallId?: string;
  readonly [key: string]: unknown;
}

type Place = Partial<StepRef>;
type AskedItem = Extract<PendingItem, { kind: "approval" | "plan-approval" | "question" }>;

const notDone = "Not executed: the run continued without this call, or ended.";

class RunChunks {
  /** Question, asked by another run, that this line of a dialogue answered or declined. */
  answered: { readonly runId: string; readonly stepId: string } | undefined;
  last: Extract<AgentEvent, { type: "run-suspend" | "run-end" }> | undefined;
  #plan: Plan | undefined;
  #isNew: boolean;
  readonly #calls = new Map<string, Chunk>();
  readonly #sent = new Set<string>();

  /** With `asked` (a hash or a step id), only events after the suspension that asks this question give chunks. */
  constructor(
    private readonly runId: string,
    private readonly asked: string | undefined,
  ) {
    this.#isNew = asked === undefined;
  }

  read(event: AgentEvent): readonly Chunk[] {
    const chunks = handleEvent(this.#handlers, event) ?? [];
    if (this.#isNew) return chunks.flatMap((chunk) => this.#withCall(chunk));
    const isReached = (item: PendingItem) =>
      isAsked(item) && (item.kind === "question" ? item.stepId : item.hash) === this.asked;
    this.#isNew = event.type === "run-suspend" && event.pending.some(isReached);
    return [];
  }

  end(): readonly Chunk[] {
    const { last, runId } = this;
    const outcome = last?.type === "run-end" ? last.outcome : undefined;
    const item = last?.type === "run-suspend" ? last.pending.find(isAsked) : undefined;
    const text = last?.text ?? (outcome?.status === "completed" ? undefined : outcome?.error.message);
    const id = `${runId}/${last?.sequence}`;
    return [
      // Adds a step without tools unless a question follows: `useChat` posts again once the last step's tools are done.
      ...(item ? [] : [{ type: "start-step" }]),
      ...(text
        ? [
            { type: "text-start", id },
            { type: "text-delta", id, delta: text },
            { type: "text-end", id },
          ]
        : []),
      ...(item ? this.#ask(item) : []),
      { type: "finish", finishReason: item ? "tool-calls" : outcome?.status === "completed" ? "stop" : "other" },
    ];
  }

  readonly #handlers: EventHandlers<readonly Chunk[]> = {
    "run-start": ({ plan }) => (plan ? this.#showPlan(plan) : []),
    "plan-end": ({ outcome }) => {
      if (outcome.status === "answer" || outcome.status === "decline") this.answered = outcome;
      return outcome.status === "completed" ? this.#showPlan(outcome.plan) : [];
    },
    "plan-revise": ({ outcome }) => (outcome.status === "completed" ? this.#showPlan(outcome.plan) : []),
    "approval-end": (event) => {
      const place = event.kind === "plan" ? {} : event;
      if (event.outcome.status === "rejected") return [this.#chunk("tool-output-denied", place)];
      if (event.outcome.status === "withdrawn")
        return [this.#chunk("tool-output-error", place, { errorText: notDone })];
      return event.kind === "plan" ? [this.#chunk("tool-output-available", place, { output: { approved: true } })] : [];
    },
    "step-start": (event) => (event.tool === waitToolName ? [] : [this.#callTool(event)]),
    "step-progress": (event) => [
      this.#chunk("tool-output-available", event, { output: event.value, preliminary: true }),
    ],
    "step-retry": ({ stepId, iteration, attempt, delayMs, error: { message } }) => [
      { type: "data-step", data: { stepId, iteration, attempt, delayMs, error: message }, transient: true },
    ],
    "step-end": (event) => {
      const { tool, outcome } = event;
      const isAnswer = tool === waitToolName && outcome.status === "completed";
      return [this.#result(event, isAnswer ? { output: { answer: outcome.output } } : outcome)];
    },
    "run-settle": (event) => (event.outcome.status === "retry" ? [] : [this.#result(event, event.outcome)]),
    "step-skip": (event) =>
      event.reason === "approval-rejected" ? [] : [this.#chunk("tool-output-error", event, { errorText: notDone })],
    "run-suspend": (event) => {
      for (const item of event.pending) if (isAsked(item)) this.#ask(item);
      this.last = event;
      return [];
    },
    "run-end": (event) => {
      this.last = event;
      return [];
    },
  };

  #showPlan(plan: Plan): readonly Chunk[] {
    this.#plan = plan;
    return [{ type: "data-plan", id: "plan", data: plan }];
  }

  #ask(item: AskedItem): readonly Chunk[] {
    if (item.kind === "question") {
      const { kind: _kind, id: _id, stepId: _stepId, ...input } = item;
      return [this.#call(item, { toolName: askingTool, input })];
    }
    const isStep = item.kind === "approval";
    const call = isStep ? this.#callTool(item) : this.#call({}, { toolName: "plan", input: this.#plan });
    return [call, this.#chunk("tool-approval-request", isStep ? item : {}, { approvalId: item.hash })];
  }

  #callTool(step: Place & { readonly tool: string; readonly input: unknown; readonly reasoning?: string }): Chunk {
    const { tool: toolName, input, reasoning: title } = step;
    return this.#call(step, { toolName, input, title });
  }

  #call(place: Place, fields: object): Chunk {
    const call = this.#chunk("tool-input-available", place, { ...fields, dynamic: true });
    this.#calls.set(call.toolCallId, call);
    return call;
  }

  #result(
    place: Place,
    { output, error }: { readonly output?: unknown; readonly error?: { readonly message: string } },
  ): Chunk {
    return error
      ? this.#chunk("tool-output-error", place, { errorText: error.message })
      : this.#chunk("tool-output-available", place, { output });
  }

  #chunk(type: string, { stepId = planStep, iteration }: Place, fields?: object) {
    const toolCallId = `${this.runId}/${stepId}${iteration === undefined ? "" : `[${iteration}]`}`;
    return { type, toolCallId, ...fields };
  }

  #withCall(chunk: Chunk): readonly Chunk[] {
    const { type, toolCallId: id } = chunk;
    if (id === undefined) return [chunk];
    const call = this.#calls.get(id);
    const isFirst = type !== "tool-input-available" && !this.#sent.has(id);
    this.#sent.add(id);
    return call === undefined ? [] : isFirst ? [call, chunk] : [chunk];
  }
}

function isAsked(item: PendingItem): item is AskedItem {
  return item.kind === "approval" || item.kind === "plan-approval" || item.kind === "question";
}
