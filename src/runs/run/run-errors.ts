import { toErrorData } from "../../core/error-data.ts";
import {
  AgentError,
  type AgentErrorDetails,
  fromErrorData,
  isAgentError,
  type RunDifference,
} from "../../core/errors.ts";
import type { RunResult } from "../../core/run-result.ts";
import type { Hold } from "../../core/run-summary.ts";
import type { ResumeOptions } from "./run-options.ts";
import type { StoreError } from "./run-recorder.ts";

export const noReason = "no reason given";

export function cancelledBy(reason: unknown): AgentError<"cancelled"> {
  const text = reason === undefined ? noReason : toErrorData(reason).message;
  return new AgentError("cancelled", `Cancelled: ${text}`, { details: { reason: text }, cause: reason });
}

export function interruptedBy(reason: string): AgentError<"interrupted"> {
  return new AgentError("interrupted", `Interrupted: ${reason}. The run can be resumed later.`, {
    details: { reason },
    retryable: true,
  });
}

export function agentClosed(): AgentError<"interrupted"> {
  return interruptedBy("the agent was closed and accepts no more runs");
}

export function runTimeout(timeoutMs: number): AgentError<"timeout"> {
  return new AgentError("timeout", `The run took longer than its timeoutMs of ${timeoutMs} ms.`, {
    details: { scope: "run", timeoutMs },
    retryable: false,
  });
}

export function runConflict(runId: string): AgentError<"run-conflict"> {
  const message = `Run "${runId}" has another request, plan or thread. Use a new runId, or repeat the original call.`;
  return new AgentError("run-conflict", message, { details: { runId } });
}

export function missingTool(tool: string): RunDifference {
  return { message: `this agent has no tool "${tool}"`, tool };
}

export type MismatchError = AgentError<"resume-mismatch" | "secret-unreadable">;

export function isMismatch(thrown: unknown): thrown is MismatchError {
  return isAgentError(thrown, "resume-mismatch") || isAgentError(thrown, "secret-unreadable");
}

export function givenUp(deaths: number): Hold {
  const reason = `${deaths} processes in a row died while executing the run, without recording anything new`;
  return { kind: "given-up", reason, deaths };
}

export function mismatchOf({ details }: MismatchError): Hold {
  const differences = "differences" in details ? details.differences : [missingKey(details)];
  return { kind: "mismatch", reason: differences.map(({ message }) => message).join("; "), differences };
}

function missingKey({ keyId, available }: AgentErrorDetails["secret-unreadable"]): RunDifference {
  const isMissing = keyId !== "" && !available.includes(keyId);
  const message = isMissing
    ? `its secrets need the key "${keyId}", which is no longer available`
    : "its secrets cannot be read";
  return { message, expected: keyId, ...(available.length > 0 && { found: available.join(", ") }) };
}

export function resumeMismatch(runId: string, differences: readonly RunDifference[]): AgentError<"resume-mismatch"> {
  const reasons = differences.map(({ message }) => message);
  const message = `Run "${runId}" cannot be resumed by this agent: ${reasons.join("; ")}.`;
  return new AgentError("resume-mismatch", message, { details: { runId, reasons, differences } });
}

export function runElsewhere(runId: string, cause?: StoreError): AgentError<"run-owned-elsewhere"> {
  const message =
    `Run "${runId}" was started elsewhere and has not ended; its result is not known here. ` +
    `If its process has died, resume it: agent.resume("${runId}").`;
  return new AgentError("run-owned-elsewhere", message, { details: { runId }, cause });
}

export function runActiveHere(runId: string, cause: unknown): AgentError<"run-owned-elsewhere"> {
  const message = `Run "${runId}" is active in this process: cancel it, or wait until it ends, before you delete it.`;
  return new AgentError("run-owned-elsewhere", message, { details: { runId }, cause });
}

export function notWaiting(
  runId: string,
  reason: string,
  problem = "is not waiting for this",
  decided?: Decided,
): AgentError<"run-conflict"> {
  const message = `Run "${runId}" ${problem}: ${reason}.`;
  return new AgentError("run-conflict", message, { details: { runId, ...(decided && { decided }) } });
}

export type Decided = NonNullable<AgentErrorDetails["run-conflict"]["decided"]>;

const thrownKey = Symbol("thrown");

export function withThrown(result: RunResult, thrown: unknown): RunResult {
  return thrown === undefined ? result : Object.defineProperty(result, thrownKey, { value: thrown });
}

export function returnOrThrow(
  result: RunResult,
  { throwOnFailure = false }: Pick<ResumeOptions, "throwOnFailure">,
): RunResult {
  const { status, error } = result;
  if (!throwOnFailure || (status !== "failed" && status !== "cancelled")) return result;
  const { [thrownKey]: thrown } = result as { readonly [thrownKey]?: unknown };
  throw fromErrorData(thrown === undefined ? error : { ...error, cause: thrown });
}
