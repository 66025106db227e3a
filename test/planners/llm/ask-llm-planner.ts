import {
  createLlmPlanner,
  type DefinedTool,
  defineTool,
  isAgentError,
  type LlmPlannerOptions,
  type PlanDraft,
  type PlanRequest,
  type PlanStep,
} from "planwright";
import { createScriptedModel, type ScriptedAnswer } from "planwright/testing";
import { vi } from "vitest";
import { z } from "zod/v4";
import { createExpressions, languageKey } from "../../../src/plan/expressions.ts";

/** Writes a text down: it has an effect, and no phrases. */
export const note = defineTool({
  name: "Note",
  description: "Takes a note",
  inputSchema: z.object({
    title: z.string(),
    count: z.number().optional(),
    priority: z.enum(["low", "high"]).optional(),
    tags: z.array(z.string()).optional(),
  }),
  effect: "idempotent",
  outputSchema: z.object({ id: z.string(), title: z.string() }),
  execute: ({ title }) => ({ id: "n1", title }),
});

/** Adds, without an effect. */
export const sum = defineTool({
  name: "Sum",
  description: "Adds numbers",
  inputSchema: z.object({ a: z.number(), b: z.number().default(0) }),
  outputSchema: z.object({ value: z.number() }),
  effect: "pure",
  execute: ({ a, b }) => ({ value: a + b }),
});

export const remove = vi.fn((_input: { readonly what: string }) => null);

/** Must not happen without a person's word. */
export const wipe = defineTool({
  name: "Wipe",
  description: "Deletes for ever",
  inputSchema: z.strictObject({ what: z.string() }),
  effect: "once",
  needsApproval: true,
  execute: (input) => remove(input),
});

export const tools: readonly DefinedTool[] = [note, sum, wipe];

/** Sunday, 22 November 2026, noon UTC. */
export const nowMs = Date.UTC(2026, 10, 22, 12);

export function requestOf(request: string, options: Partial<PlanRequest> = {}): PlanRequest {
  const signal = new AbortController().signal;
  // As an agent asks, which has a language for expressions.
  const asked = { request, tools, maxSteps: 100, nowMs, timeZone: "UTC", signal, [languageKey]: createExpressions() };
  return { ...asked, ...options };
}

/** An answer that a planner reads. */
export function answerOf(...steps: readonly object[]): string {
  return JSON.stringify({ steps });
}

/** A call of the tool Note. */
export function noteOf(title: string, more: object = {}): string {
  return answerOf({ do: "Note", title, ...more });
}

export const unclear = answerOf({ do: "unclear" });

/** What is planned, with what the model was asked. */
export async function planWith(
  answers: readonly ScriptedAnswer[],
  request: PlanRequest | string,
  options: Partial<LlmPlannerOptions> = {},
) {
  const model = createScriptedModel(answers);
  const planner = createLlmPlanner({ model, ...options });
  const plan = await planner.plan(typeof request === "string" ? requestOf(request) : request);
  return { ...(plan as PlanDraft & { steps: readonly PlanStep[] }), requests: model.requests };
}

/** What planning fails with. */
export async function failureOf(...asked: Parameters<typeof planWith>) {
  const thrown = await planWith(...asked).then(
    ({ steps }) => new Error(`planned: ${JSON.stringify(steps)}`),
    (error: unknown) => error,
  );
  if (!isAgentError(thrown)) throw thrown;
  return thrown;
}
