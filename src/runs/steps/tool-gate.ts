import type { Abortable } from "../../async/abort-source.ts";
import { type CallVerdict, CircuitBreaker, type CircuitState } from "../../async/circuit-breaker.ts";
import type { Clock } from "../../async/clock.ts";
import { RateLimit } from "../../async/rate-limit.ts";
import { Semaphore } from "../../async/semaphore.ts";
import { circuitBreakerOptions } from "../../core/check-tool.ts";
import { AgentError } from "../../core/errors.ts";
import { readOptions } from "../../core/options.ts";
import type { Tool } from "../../core/tool.ts";

/** A call that a {@link ToolGate} let through. */
export interface Admission {
  /** The state of the circuit if letting this call through changed it. */
  readonly change: CircuitState | undefined;
  /** Gives the place back, once; returns the circuit's new state if the verdict changed it. */
  leave(verdict: CallVerdict): CircuitState | undefined;
}

/**
 * The limits of one tool, shared by all runs of an agent: calls at a time, calls in a time, and its circuit breaker.
 */
export class ToolGate {
  private readonly places: Semaphore | undefined;
  private readonly rate: RateLimit | undefined;
  private readonly breaker: CircuitBreaker | undefined;

  constructor(
    private readonly tool: Tool,
    clock: Clock,
  ) {
    const { concurrency, rateLimit, circuitBreaker } = tool;
    if (concurrency !== undefined) this.places = new Semaphore(concurrency);
    if (rateLimit !== undefined) this.rate = new RateLimit(rateLimit, clock);
    if (circuitBreaker !== undefined) {
      this.breaker = new CircuitBreaker(readOptions(circuitBreakerOptions, circuitBreaker), clock);
    }
  }

  /**
   * Waits for a turn, unless the circuit is open, and then checks it again: a call that waited while it opened is
   * refused. Undefined if the signal aborted first. Rejects with `circuit-open`.
   */
  async enter(signal: Abortable): Promise<Admission | undefined> {
    const refusal = this.breaker?.refusal();
    if (refusal !== undefined) throw circuitOpen(this.tool, refusal.retryAfterMs);
    if ((await this.places?.acquire(signal)) === false) return undefined;
    try {
      const hasTurn = (await this.rate?.acquire(signal)) !== false && !signal.aborted;
      if (hasTurn) return this.admit();
    } catch (thrown) {
      this.places?.release();
      throw thrown;
    }
    this.places?.release();
    return undefined;
  }

  private admit(): Admission {
    const permit = this.breaker?.enter();
    if (permit?.allowed === false) throw circuitOpen(this.tool, permit.retryAfterMs);
    return {
      change: permit?.change,
      leave: (verdict) => {
        this.places?.release();
        return permit?.[verdict]();
      },
    };
  }
}

function circuitOpen({ name: tool }: Tool, retryAfterMs: number): AgentError<"circuit-open"> {
  const message = `${tool} has failed too often and is not called now; it may be in ${retryAfterMs} ms.`;
  return new AgentError("circuit-open", message, { details: { tool, retryAfterMs }, retryable: true });
}

/** The gates of tools that have limits, for all runs of an agent. */
export class ToolGates {
  private readonly gates = new Map<Tool, ToolGate>();

  constructor(private readonly clock: Clock) {}

  /** The gate of a tool; undefined if it has no limits. */
  of(tool: Tool): ToolGate | undefined {
    if (!hasLimits(tool)) return undefined;
    const gate = this.gates.get(tool) ?? new ToolGate(tool, this.clock);
    this.gates.set(tool, gate);
    return gate;
  }
}

/** Whether a tool has limits over all runs. */
export function hasLimits({ concurrency, rateLimit, circuitBreaker }: Tool): boolean {
  return concurrency !== undefined || rateLimit !== undefined || circuitBreaker !== undefined;
}
