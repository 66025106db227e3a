import { AgentError, type Proposal } from "../core/errors.ts";
import { type JsonValue, mapLeaves } from "../core/json.ts";
import type { PlanInput } from "../core/plan.ts";
import { escapeTemplate } from "../core/text.ts";

/**
 * Turns a chosen proposal into a plan for `agent.execute(plan)`. `answer` is the value that the proposal asks for, in
 * the type of its field, not in words: a date is `"2026-01-31"`, and `"friday"` stays text. Throws `invalid-options`
 * if the answer is missing, is not one of the choices, or was not asked for.
 * {@includeCode ../../examples/34-proposals.ts} @group Plans
 */
export function toPlan({ steps, asks }: Proposal, answer?: JsonValue): PlanInput {
  const { stepId, field, choices } = asks ?? {};
  const isKnown =
    asks === undefined ? answer === undefined : answer !== undefined && (choices?.includes(answer as never) ?? true);
  if (!isKnown) {
    const expected =
      asks === undefined ? "no answer" : `an answer to "${asks.text}" (${choices?.join(", ") ?? asks.type})`;
    const received = answer === undefined ? "none" : JSON.stringify(answer).slice(0, 200);
    const details = { option: "answer", received, expected };
    throw new AgentError("invalid-options", `The proposal takes ${expected}; received ${received}.`, { details });
  }
  if (field === undefined) return { steps };
  const value = mapLeaves(answer, (leaf) => (typeof leaf === "string" ? escapeTemplate(leaf) : leaf));
  return {
    steps: steps.map((step) => (step.id === stepId ? { ...step, input: { ...step.input, [field]: value } } : step)),
  } as PlanInput;
}
