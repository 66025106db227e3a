import { type AgentEvent, type EventHandlers, handleEvent, type PendingItem } from "../../core/events.ts";
import type { JsonObject } from "../../core/json.ts";
import { defined } from "../../core/option-tables.ts";
import type { Plan } from "../../core/plan.ts";
import { type QuestionItem, questionOf, toQuestionItem } from "../../core/question.ts";
import { type StepRef, waitToolName } from "../../core/step.ts";
import { askingTool, type CallPlace, planTool, toCallId } from "./call-id.ts";
import type { PostedMessage } from "./read-ui-messages.ts";

interface CallChunk {
  readonly type: "tool-input-available";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly dynamic: true;
  readonly title?: string;
}

interface ResultChunk {
  readonly type:
    | "tool-output-available"
    | "tool-output-error"
    | "tool-output-denied"
    | "tool-approval-request"
    | "start-step";
  readonly toolCallId: string;
  readonly [key: string]: unknown;
}

/** A chunk of the UI message stream of the AI SDK, version 6 or 7. */
export type UIChunk = CallChunk | ResultChunk | { readonly type: string; readonly [key: string]: unknown };

type ShownCall = StepRef & { readonly tool: string; readonly input: unknown; readonly reasoning?: unknown };
type AskedItem = Extract<PendingItem, { kind: "approval" | "plan-approval" | "question" }>;
type LastEvent = Extract<AgentEvent, { type: "run-suspend" | "run-end" }>;

const notDone = "It was not done: the run went on without it, or ended.";

/** Turns the events of a run into chunks; those before the event that `since` posted are only taken note of. */
export class RunChunks {
  /** The question of another run that this run, a line of a dialogue, has answered or declined. */
  answered: { readonly runId: string; readonly stepId: string } | undefined;
  /** The last end or suspension so far. */
  last: LastEvent | undefined;
  private plan: Plan | undefined;
  private isNew: boolean;
  private readonly calls = new Map<string, CallChunk>();
  private readonly sent = new Set<string>();
  private readonly hashes = new Map<string, string>();

  constructor(
    private readonly runId: string,
    private readonly since: PostedMessage | undefined,
  ) {
    this.isNew = since === undefined || since.type === "line";
  }

  read(event: AgentEvent): readonly UIChunk[] {
    this.isNew ||= this.isPosted(event);
    const chunks = handleEvent(this.handlers, event) ?? [];
    return this.isNew ? this.withCalls(chunks) : [];
  }

  end(): readonly UIChunk[] {
    const { last, runId } = this;
    const asked = last?.type === "run-suspend" ? last.pending.find(isAsked) : undefined;
    const { text = "", outcome } = { ...last } as { readonly text?: string; readonly outcome?: { status: string } };
    const id = `${runId}/${last?.sequence}`;
    const words = ["start", "delta", "end"].map((part) => ({
      type: `text-${part}`,
      id,
      ...(part === "delta" && { delta: text }),
    }));
    const error = last?.type === "run-end" && last.outcome.status !== "completed" ? last.outcome.error : undefined;
    return this.withCalls([
      // Nothing is asked: `useChat` must not post the message again, as it does if its last step is complete.
      ...(asked === undefined ? [{ type: "start-step" }] : []),
      ...(text === "" ? [] : words),
      ...(asked === undefined ? [] : this.ask(asked)),
      ...(error !== undefined && text === "" ? [{ type: "error", errorText: error.message }] : []),
      { type: "finish", finishReason: asked ? "tool-calls" : (finishReasons.get(outcome?.status) ?? "other") },
    ]);
  }

  private readonly handlers: EventHandlers<readonly UIChunk[]> = {
    "run-start": ({ plan }) => this.showPlan(plan),
    "plan-end": ({ outcome }) => {
      if (outcome.status === "answer" || outcome.status === "decline") this.answered = outcome;
      return outcome.status === "completed" ? this.showPlan(outcome.plan) : [];
    },
    "plan-revise": ({ outcome }) => (outcome.status === "completed" ? this.showPlan(outcome.plan) : []),
    "approval-request": (event) => {
      const { toolCallId } = event.kind === "plan" ? this.callPlan() : this.call(event);
      this.hashes.set(toolCallId, event.hash);
      return [];
    },
    "approval-end": (event) => {
      const toolCallId = this.idOf(event.kind === "plan" ? {} : event);
      const { status, ...note } = event.outcome;
      if (status === "rejected") return [{ type: "tool-output-denied", toolCallId }];
      if (status === "withdrawn") return [{ type: "tool-output-error", toolCallId, errorText: notDone }];
      if (event.kind === "step") return [];
      return [{ type: "tool-output-available", toolCallId, output: { approved: true, ...note } }];
    },
    "step-start": (event) => {
      const { stepId } = event;
      const input = event.input as JsonObject;
      const question = event.tool === waitToolName ? questionOf({ input, wait: {} }) : undefined;
      const { runId } = this;
      return [question ? this.callQuestion(toQuestionItem({ runId, stepId }, question, undefined)) : this.call(event)];
    },
    "step-progress": (event) => [{ ...this.output(event, event.value), preliminary: true }],
    "step-retry": ({ stepId, iteration, attempt, delayMs, error }) => {
      const data = defined({ stepId, iteration, status: "retry", attempt, delayMs, error: error.message });
      return [{ type: "data-step", data, transient: true }];
    },
    "step-end": (event) => this.result(event, event.outcome),
    "run-settle": (event) => (event.outcome.status === "retry" ? [] : this.result(event, event.outcome)),
    "step-skip": (event) => {
      const toolCallId = this.idOf(event);
      if (event.reason === "approval-rejected" || !this.calls.has(toolCallId)) return [];
      return [{ type: "tool-output-error", toolCallId, errorText: notDone }];
    },
    "run-suspend": (event) => {
      for (const item of event.pending) if (item.kind === "question") this.callQuestion(item);
      this.last = event;
      return [];
    },
    "run-end": (event) => {
      this.last = event;
      return [];
    },
  };

  private isPosted(event: AgentEvent): boolean {
    const { since } = this;
    if (since?.type === "answer") return event.type === "run-deliver" && event.stepId === since.stepId;
    if (since?.type !== "decision" || event.type !== "approval-end") return false;
    return this.hashes.get(this.idOf(event.kind === "plan" ? {} : event)) === since.item.hash;
  }

  private showPlan(plan: Plan | undefined): readonly UIChunk[] {
    this.plan = plan ?? this.plan;
    return plan === undefined ? [] : [{ type: "data-plan", id: "plan", data: plan }];
  }

  /** A result needs its call in the same message, which an earlier message may have. */
  private withCalls(chunks: readonly UIChunk[]): readonly UIChunk[] {
    return chunks.flatMap((chunk) => {
      const { toolCallId } = chunk as Partial<CallChunk>;
      if (toolCallId === undefined) return [chunk];
      const call = this.sent.has(toolCallId) ? undefined : this.calls.get(toolCallId);
      this.sent.add(toolCallId);
      return call === undefined || call === chunk ? [chunk] : [call, chunk];
    });
  }

  private ask(item: AskedItem): readonly UIChunk[] {
    if (item.kind === "question") return [this.callQuestion(item)];
    const call = item.kind === "plan-approval" ? this.callPlan() : this.call(item);
    return [call, { type: "tool-approval-request", toolCallId: call.toolCallId, approvalId: item.hash }];
  }

  private callPlan(): CallChunk {
    return this.remember({ ...this.callOf({}), toolName: planTool, input: this.plan });
  }

  private callQuestion({ kind: _kind, id: _id, stepId, ...input }: QuestionItem): CallChunk {
    return this.remember({ ...this.callOf({ stepId }), toolName: askingTool, input });
  }

  private call({ tool: toolName, input, reasoning, ...place }: ShownCall): CallChunk {
    const title = typeof reasoning === "string" ? { title: reasoning } : {};
    return this.remember({ ...this.callOf(place), toolName, input, ...title });
  }

  private callOf(place: CallPlace) {
    return { type: "tool-input-available", toolCallId: this.idOf(place), dynamic: true } as const;
  }

  private remember(call: CallChunk): CallChunk {
    this.calls.set(call.toolCallId, call);
    return call;
  }

  private idOf(place: CallPlace): string {
    return toCallId(this.runId, place);
  }

  private output(place: StepRef, value: unknown): ResultChunk {
    const toolCallId = this.idOf(place);
    const isAnswer = this.calls.get(toolCallId)?.toolName === askingTool;
    return { type: "tool-output-available", toolCallId, output: isAnswer ? { answer: value } : value };
  }

  private result(
    place: StepRef,
    outcome: { readonly status: string; readonly output?: unknown; readonly error?: { readonly message: string } },
  ): readonly UIChunk[] {
    if (outcome.error === undefined) return [this.output(place, outcome.output)];
    return [{ type: "tool-output-error", toolCallId: this.idOf(place), errorText: outcome.error.message }];
  }
}

const finishReasons: ReadonlyMap<string | undefined, string> = new Map([
  ["completed", "stop"],
  ["failed", "error"],
]);

function isAsked(item: PendingItem): item is AskedItem {
  return item.kind === "approval" || item.kind === "plan-approval" || item.kind === "question";
}
