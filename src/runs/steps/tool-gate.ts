import type { Clock } from "../../async/clock.ts";
import { CallGate } from "../../core/call-gate.ts";
import { AgentError } from "../../core/errors.ts";
import type { Tool } from "../../core/tool.ts";

function circuitOpen({ name: tool }: Tool, retryAfterMs: number): AgentError<"circuit-open"> {
  const message = `${tool} has failed too often and is not called now; it may be in ${retryAfterMs} ms.`;
  return new AgentError("circuit-open", message, { details: { tool, retryAfterMs }, retryable: true });
}

/** The gates of tools that have limits, for all runs of an agent. */
export class ToolGates {
  private readonly gates = new Map<Tool, CallGate>();

  constructor(private readonly clock: Clock) {}

  /** The gate of a tool; undefined if it has no limits. */
  of(tool: Tool): CallGate | undefined {
    if (!hasLimits(tool)) return undefined;
    const gate =
      this.gates.get(tool) ?? new CallGate(tool, this.clock, (retryAfterMs) => circuitOpen(tool, retryAfterMs));
    this.gates.set(tool, gate);
    return gate;
  }
}

/** Whether a tool has limits over all runs. */
export function hasLimits({ concurrency, rateLimit, circuitBreaker }: Tool): boolean {
  return concurrency !== undefined || rateLimit !== undefined || circuitBreaker !== undefined;
}
