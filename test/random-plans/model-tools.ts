import { type Clock, defineTool, type Tool, type ToolContext } from "planwright";
import { z } from "zod/v4";
import type { Behaviour, ToolDraft } from "./model-case.ts";
import { ModelError } from "./model-error.ts";
import type { ModelStep } from "./model-plan.ts";

/** A call of a tool. */
export interface Call {
  readonly tool: string;
  readonly stepId: string;
  /** `s1`, `s1[0]`, `s1/undo` … */
  readonly key: string;
  readonly isUndo: boolean;
  readonly attempt: number;
  readonly input: unknown;
  readonly idempotencyKey: string;
  /** The index of the agent that made it. */
  readonly agent: number;
  readonly startMs: number;
  abortedMs: number | undefined;
  /** How it settled, if it has. */
  settled: "returned" | "threw" | "threw-retryable" | undefined;
  /** What it returned. */
  output?: unknown;
}

/** Receives the calls of the tools before they do anything. */
export interface CallListener {
  readonly clock: Clock;
  stepOf(id: string): ModelStep | undefined;
  onCall(call: Call): void;
}

const inputSchema = z.strictObject({
  flag: z.number(),
  values: z.array(z.unknown()).optional(),
  text: z.string().optional(),
  item: z.unknown().optional(),
  index: z.string().optional(),
});

const changedSchema = inputSchema.extend({ added: z.string() });

const outputSchema = z.strictObject({ n: z.number(), list: z.array(z.number()), by: z.string() });

/** The tools of a case for one agent: `T0`, `T1` … */
export function createModelTools(drafts: readonly ToolDraft[], agent: number, listener: CallListener): readonly Tool[] {
  const called = new Map<string, number>();
  return drafts.map((draft, index) => createModelTool(draft, { name: `T${index}`, agent, listener, called }));
}

interface Owner {
  readonly name: string;
  readonly agent: number;
  readonly listener: CallListener;
  /** Calls by this agent, by key: the behaviour of a call depends on that, as attempts count over all processes. */
  readonly called: Map<string, number>;
}

function createModelTool(draft: ToolDraft, owner: Owner): Tool {
  const { name } = owner;
  const { effect, maxAttempts, timeoutMs, concurrency, rateLimit, circuitBreaker, approval } = draft;
  const options = {
    name,
    description: "Does as its case says",
    inputSchema: draft.isChanged ? changedSchema : inputSchema,
    effect: effect === "by-input" ? ({ flag }: { flag: number }) => effectOf(draft, flag) : effect,
    retry: { maxAttempts },
    timeoutMs,
    concurrency,
    rateLimit,
    circuitBreaker,
    needsApproval: approval === "odd" ? ({ flag }: { flag: number }) => flag % 2 === 1 : approval === "always",
    ...(draft.hasUndo && {
      undo: ({ input }: { input: unknown }, context: ToolContext) => perform(owner, { input, context, isUndo: true }),
    }),
  };
  const execute = (input: unknown, context: ToolContext) => perform(owner, { input, context, isUndo: false });
  return draft.hasOutputSchema
    ? defineTool({ ...options, outputSchema, execute: execute as () => Promise<z.infer<typeof outputSchema>> })
    : defineTool({ ...options, execute });
}

/** The effect of a step, by the flag in its input. */
export function effectOf({ effect }: ToolDraft, flag: number): "pure" | "idempotent" | "once" {
  if (effect !== "by-input") return effect;
  return flag % 3 === 0 ? "pure" : flag % 3 === 1 ? "idempotent" : "once";
}

/** Whether a step must be approved, by the flag in its input. */
export function needsApproval({ approval }: ToolDraft, flag: number): boolean {
  return approval === "always" || (approval === "odd" && flag % 2 === 1);
}

interface Performance {
  readonly input: unknown;
  readonly context: ToolContext;
  readonly isUndo: boolean;
}

async function perform(
  { name, agent, listener, called }: Owner,
  { input, context, isUndo }: Performance,
): Promise<unknown> {
  const { signal, stepId, iteration, attempt, idempotencyKey } = context;
  const { clock } = listener;
  const place = iteration === undefined ? stepId : `${stepId}[${iteration}]`;
  const key = isUndo ? `${place}/undo` : place;
  const number = (called.get(key) ?? 0) + 1;
  called.set(key, number);
  const call: Call = {
    tool: name,
    stepId,
    key,
    isUndo,
    attempt,
    input,
    idempotencyKey,
    agent,
    startMs: clock.now(),
    abortedMs: undefined,
    settled: undefined,
  };
  signal.addEventListener("abort", () => (call.abortedMs = clock.now()), { once: true });
  listener.onCall(call);
  const step = listener.stepOf(stepId);
  const script = (isUndo ? step?.undoScript : step?.script) ?? [];
  const behaviour = script[Math.min(script.length - 1, number - 1 + (iteration ?? 0))];
  try {
    if (behaviour !== undefined) await behave(behaviour, signal, clock);
    call.output = outputOf(step, { place, number, iteration });
    call.settled = "returned";
    return call.output;
  } catch (thrown) {
    const isRetryable = thrown instanceof ModelError && thrown.retryable === true;
    call.settled = isRetryable ? "threw-retryable" : "threw";
    throw thrown;
  }
}

interface Source {
  readonly place: string;
  readonly number: number;
  readonly iteration: number | undefined;
}

function outputOf(step: ModelStep | undefined, { place, number, iteration = 0 }: Source): unknown {
  const list = Array.from({ length: step?.listLength ?? 0 }, (_, item) => item + 1);
  return { n: ((step?.flag ?? 0) + 3 * iteration) % 10, list, by: `${place}#${number}` };
}

async function behave(behaviour: Behaviour, signal: AbortSignal, clock: Clock): Promise<void> {
  const { does, afterMs } = behaviour;
  if (does === "stuck") return new Promise(() => {});
  if (does === "hang" || does === "finish") await aborted(signal);
  if (does === "hang") throw signal.reason;
  if (afterMs > 0) await new Promise<void>((resolve) => clock.setTimeout(resolve, afterMs));
  if (does === "throw") throw new ModelError(behaviour);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
