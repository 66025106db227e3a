import { AgentError } from "../../core/errors.ts";
import type { StepOutcome, WaitDue } from "../../core/events.ts";
import type { JsonObject } from "../../core/json.ts";
import type { WaitStep } from "../../core/plan.ts";
import { inputOf, timeOfInstant, waitToolName } from "../../core/step.ts";
import { isWaitOver, type StepState } from "../../core/step-state.ts";
import type { StepExpressions } from "../../plan/expressions/step-expressions.ts";
import { resolveInput } from "../../plan/references.ts";
import type { Run } from "../run.ts";
import { opened } from "../secrets/run-secrets.ts";
import { isTrue, namedValue, type StepEnd } from "./step.ts";
import { dataOf, invalidInput } from "./step-call.ts";

/**
 * Starts the wait of a step, or ends it if it is over; else the step is `waiting`, and asked again when it may be over.
 * Never rejects.
 */
export async function runWait(run: Run, step: WaitStep, expressions: StepExpressions | undefined): Promise<StepEnd> {
  const { id: stepId } = step;
  if (stateOf(run, step).wait === undefined) {
    try {
      if (expressions?.when !== undefined && !isTrue(run, expressions)) return await skip(run, stepId);
      await run.emit({ type: "wait-start", stepId, ...dueOf(run, step) });
    } catch (thrown) {
      return end(run, step, { status: "failed", error: dataOf(run, thrown as AgentError) });
    }
    if (run.recorder.failure !== undefined) return "failed";
  }
  const state = stateOf(run, step);
  // Another one may have failed meanwhile.
  if (!isWaitOver(state, run.sharedNow()) || !run.canStart()) return "waiting";
  return end(run, step, outcomeOf(run, step, state));
}

function stateOf({ state }: Run, { id }: WaitStep): StepState {
  return state.steps.get(id) as StepState;
}

async function skip(run: Run, stepId: string): Promise<StepEnd> {
  await run.emit({ type: "step-skip", stepId, tool: waitToolName, reason: "condition" });
  return run.recorder.failure === undefined ? "done" : "failed";
}

/**
 * The time or event that a step waits for from now on. Throws `invalid-reference`, and `invalid-tool-input` for what is
 * not an instant.
 */
function dueOf(run: Run, step: WaitStep): WaitDue {
  const { wait } = step;
  const inMs = (ms: number) => new Date(run.sharedNow() + ms).toISOString();
  if ("forMs" in wait) return { until: inMs(wait.forMs) };
  if ("event" in wait) {
    return { event: wait.event, ...(wait.timeoutMs !== undefined && { until: inMs(wait.timeoutMs) }) };
  }
  const { until } = resolveInput(step, (name) => opened(run, namedValue(run, name, undefined)));
  const atMs = timeOfInstant(until);
  if (atMs !== undefined) return { until: new Date(atMs).toISOString() };
  const message = 'an instant with its zone is needed, such as "2026-03-01T08:00:00Z"';
  throw invalidInput({ step }, [{ path: ["until"], message }]);
}

function outcomeOf(run: Run, { id: stepId, wait }: WaitStep, { wait: due }: StepState): StepOutcome {
  if (due?.received !== undefined) return { status: "completed", output: due.received.value };
  if (due?.event === undefined) return { status: "completed", output: due?.until ?? null };
  const timeoutMs = ("timeoutMs" in wait && wait.timeoutMs) || 0;
  const message = `Step "${stepId}" has waited ${timeoutMs} ms for the event "${due.event}", which nobody delivered.`;
  const error = new AgentError("timeout", message, { details: { scope: "step", stepId, timeoutMs }, retryable: false });
  return { status: "failed", error: dataOf(run, error) };
}

async function end(run: Run, step: WaitStep, outcome: StepOutcome): Promise<StepEnd> {
  const { id: stepId, reasoning } = step;
  const { until } = stateOf(run, step).wait ?? {};
  const input: JsonObject = "until" in step.wait && until !== undefined ? { until } : inputOf(step);
  const base = { stepId, tool: waitToolName };
  await run.emitTogether(
    { type: "step-start", ...base, input, effect: "pure", ...(reasoning && { reasoning }) },
    { type: "step-end", ...base, attempts: 0, outcome },
  );
  if (run.recorder.failure !== undefined) return "failed";
  return outcome.status === "completed" ? "done" : "failed";
}
