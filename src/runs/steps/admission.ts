import type { CallVerdict } from "../../async/circuit-breaker.ts";
import type { Admission } from "../../core/call-gate.ts";
import { AgentError } from "../../core/errors.ts";
import { describeStepRef } from "../../core/step.ts";
import type { Run } from "../run.ts";
import type { AttemptResult } from "./run-attempt.ts";
import { refOfTask, type StepCall } from "./step-call.ts";
import { hasLimits } from "./tool-gate.ts";

/** A limit that forbids a call. */
type LimitError = AgentError<"circuit-open" | "limit-exceeded">;

/** Whether a call may be made. An undefined admission needs no {@link leave}. */
export type Admitted =
  | { readonly type: "admitted"; readonly admission: Admission | undefined }
  | { readonly type: "refused"; readonly error: LimitError }
  /** The run was aborted while it waited for its turn. */
  | { readonly type: "aborted" };

/** Whether a call has limits that {@link admit} must check. */
export function isLimited({ settings }: Run, { tool }: StepCall): boolean {
  return settings.stored.budget !== undefined || hasLimits(tool);
}

/**
 * Waits for a call's turn at its tool (a first call only while steps may start), and counts it against the run's
 * budget. Never rejects.
 */
export async function admit(run: Run, call: StepCall, { isFirst = false } = {}): Promise<Admitted> {
  const gate = run.host.gates.of(call.tool);
  const early = overBudget(run, call);
  // Refused at once: waiting for its turn would be useless.
  if (early !== undefined) return { type: "refused", error: early };
  if (gate === undefined) return count(run, call, undefined);
  const source = isFirst ? run.openWaiting() : run.openSource();
  try {
    const admission = await gate.enter(source);
    if (admission === undefined) return { type: "aborted" };
    await reportCircuit(run, call, admission.change);
    // Meanwhile other calls may have used up the budget, or a listener has cancelled on the circuit event.
    const error = overBudget(run, call);
    if (!source.aborted && error === undefined) return count(run, call, admission);
    admission.leave("abandoned");
    return error === undefined ? { type: "aborted" } : { type: "refused", error };
  } catch (thrown) {
    return { type: "refused", error: thrown as LimitError };
  } finally {
    run.release(source);
  }
}

function count(run: Run, call: StepCall, admission: Admission | undefined): Admitted {
  if (isCounted(run, call)) run.counters.addToolCall();
  return { type: "admitted", admission };
}

/** Undo calls are not counted, so that the budget never prevents them. */
function isCounted({ settings }: Run, { undone }: StepCall): boolean {
  return undone === undefined && settings.stored.budget !== undefined;
}

/** Releases an admission from {@link admit}, with the attempt's verdict on the tool. */
export async function leave(
  run: Run,
  call: StepCall,
  { admission, result }: { admission: Admission; result: AttemptResult | undefined },
): Promise<void> {
  await reportCircuit(run, call, admission.leave(verdictOf(result)));
}

/** Releases an admission for which no call was made, as if it had never been requested. */
export async function giveBack(
  run: Run,
  call: StepCall,
  { admission }: Extract<Admitted, { type: "admitted" }>,
): Promise<void> {
  if (isCounted(run, call)) run.counters.removeToolCall();
  if (admission !== undefined) await leave(run, call, { admission, result: undefined });
}

async function reportCircuit(run: Run, { tool }: StepCall, state: Admission["change"]): Promise<void> {
  if (state !== undefined) await run.emit({ type: "circuit-change", tool: tool.name, state });
}

/** An error that is not retryable is an answer: the tool works. */
function verdictOf(result: AttemptResult | undefined): CallVerdict {
  if (result === undefined) return "abandoned";
  if (result.type === "completed" || result.reason === "invalid-output") return "succeeded";
  if (result.reason === "aborted" || result.reason === "refused") return "abandoned";
  return result.error.retryable === false ? "succeeded" : "failed";
}

function overBudget(run: Run, call: StepCall): AgentError<"limit-exceeded"> | undefined {
  const max = run.settings.stored.budget?.toolCalls;
  if (max === undefined || !isCounted(run, call)) return undefined;
  const used = run.counters.toolCallCount + 1;
  if (used <= max) return undefined;
  const ref = refOfTask(call);
  const message = `Step "${describeStepRef(ref)}" would be tool call number ${used} of the run; its budget is ${max}.`;
  return new AgentError("limit-exceeded", message, { details: { limit: "toolCalls", max, used, ...ref } });
}
