import type { CallVerdict, CircuitState } from "../../async/circuit-breaker.ts";
import { type Admission, CallGate } from "../../core/call-gate.ts";
import { AgentError } from "../../core/errors.ts";
import { describeStepRef } from "../../core/step.ts";
import type { Tool } from "../../core/tool.ts";
import type { Run } from "../run/run.ts";
import { type AttemptResult, refOfTask, type StepCall } from "../run/step-call.ts";

function gateOf({ host: { gates, settings } }: Run, tool: Tool): CallGate | undefined {
  if (!hasLimits(tool)) return undefined;
  const gate = gates.get(tool) ?? new CallGate(tool, settings.clock, (retryAfterMs) => circuitOpen(tool, retryAfterMs));
  gates.set(tool, gate);
  return gate;
}

function hasLimits({ concurrency, rateLimit, circuitBreaker }: Tool): boolean {
  return concurrency !== undefined || rateLimit !== undefined || circuitBreaker !== undefined;
}

export function isLimited({ settings }: Run, tool: Tool): boolean {
  return settings.stored.budget !== undefined || hasLimits(tool);
}

type LimitError = AgentError<"circuit-open" | "limit-exceeded">;

export interface AdmittedCall {
  readonly type: "admitted";
  leave(result?: AttemptResult): Promise<void> | void;
}

type Admitted = AdmittedCall | { readonly type: "refused"; readonly error: LimitError } | { readonly type: "aborted" };

export const unlimited: AdmittedCall = { type: "admitted", leave: () => {} };

export async function admit(run: Run, call: StepCall, { isFirst = false } = {}): Promise<Admitted> {
  const gate = gateOf(run, call.tool);
  const early = overBudget(run, call);
  if (early !== undefined) return { type: "refused", error: early };
  if (gate === undefined) return count(run, call, undefined);
  const source = isFirst ? run.openWaiting() : run.openSource();
  try {
    const admission = await gate.enter(source);
    if (admission === undefined) return { type: "aborted" };
    await reportCircuit(run, call, admission.change);
    // Other calls may have used up the budget, or a listener may have cancelled the run on the circuit event.
    const error = overBudget(run, call);
    if (!source.aborted && error === undefined) return count(run, call, admission);
    admission.leave("abandoned");
    return error === undefined ? { type: "aborted" } : { type: "refused", error };
  } catch (thrown) {
    return { type: "refused", error: thrown as LimitError };
  } finally {
    run.closeSource(source);
  }
}

function count(run: Run, call: StepCall, admission: Admission | undefined): AdmittedCall {
  if (isCounted(run, call)) run.counters.toolCalls++;
  return {
    type: "admitted",
    leave: async (result) => {
      if (result === undefined && isCounted(run, call)) run.counters.toolCalls--;
      if (admission !== undefined) await reportCircuit(run, call, admission.leave(verdictOf(result)));
    },
  };
}

/** The budget must never prevent undo calls. */
function isCounted({ settings }: Run, { undone }: StepCall): boolean {
  return undone === undefined && settings.stored.budget !== undefined;
}

async function reportCircuit(run: Run, { tool }: StepCall, state: CircuitState | undefined): Promise<void> {
  if (state !== undefined) await run.emit({ type: "circuit-change", tool: tool.name, state });
}

function verdictOf(result: AttemptResult | undefined): CallVerdict {
  if (result === undefined) return "abandoned";
  if (result.type === "completed" || result.reason === "invalid-output") return "succeeded";
  if (result.reason === "aborted" || result.reason === "refused") return "abandoned";
  return result.error.retryable === false ? "succeeded" : "failed";
}

function overBudget(run: Run, call: StepCall): AgentError<"limit-exceeded"> | undefined {
  const max = run.settings.stored.budget?.toolCalls;
  if (max === undefined || !isCounted(run, call)) return undefined;
  const used = run.counters.toolCalls + 1;
  if (used <= max) return undefined;
  const ref = refOfTask(call);
  const message = `Step "${describeStepRef(ref)}" would make tool call ${used} of the run; the budget is ${max}.`;
  return new AgentError("limit-exceeded", message, { details: { limit: "toolCalls", max, used, ...ref } });
}

function circuitOpen({ name: tool }: Tool, retryAfterMs: number): AgentError<"circuit-open"> {
  const message = `${tool} failed too often and is not called; try again in ${retryAfterMs} ms.`;
  return new AgentError("circuit-open", message, { details: { tool, retryAfterMs }, retryable: true });
}
