import { type AgentErrorLike, isAgentError } from "../core/errors.ts";
import type { RunResult } from "../core/run-result.ts";
import { printable } from "./printable.ts";

/** What went wrong as lines to read; what can not be planned comes with what can be. */
export function renderError(error: unknown): string[] {
  if (isAgentError(error, "cannot-plan")) return renderRefusal(error);
  const { message } = error as { message?: unknown };
  return [`planwright: ${printable(typeof message === "string" ? message : String(error))}`];
}

/** Why a run did not complete, as lines to read. */
export function renderProblem({ error, pending = [] }: Pick<RunResult, "error" | "pending">): string[] {
  if (error !== undefined) return renderError(error);
  const steps = pending.map(({ stepId }) => printable(stepId)).join(", ");
  return [`planwright: the run is suspended: it is not known whether ${steps} took effect`];
}

function renderRefusal({ details }: AgentErrorLike<"cannot-plan">): string[] {
  const { reason, capabilities } = details;
  const first = `planwright: the request can not be planned: ${printable(reason)}`;
  if (capabilities.length === 0) return [first];
  return [first, "What can be done, for example:", ...capabilities.map((example) => `  ${printable(example)}`)];
}
