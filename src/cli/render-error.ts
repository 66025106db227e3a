import { type AgentErrorLike, isAgentError } from "../core/errors.ts";
import { printable } from "./printable.ts";

/** What went wrong as lines to read; what can not be planned comes with what can be. */
export function renderError(error: unknown): string[] {
  if (isAgentError(error, "cannot-plan")) return renderRefusal(error);
  const { message } = error as { message?: unknown };
  return [`planwright: ${printable(typeof message === "string" ? message : String(error))}`];
}

function renderRefusal({ details }: AgentErrorLike<"cannot-plan">): string[] {
  const { reason, capabilities } = details;
  const first = `planwright: the request can not be planned: ${printable(reason)}`;
  if (capabilities.length === 0) return [first];
  return [first, "What can be done, for example:", ...capabilities.map((example) => `  ${printable(example)}`)];
}
