import type { Agent, AgentOptions } from "../agent.ts";
import type { RunStore } from "../core/run-store.ts";
import type { RunStatus } from "../core/run-summary.ts";

/** Where text goes. */
export interface CliOutput {
  write(text: string): unknown;
  /** Whether it is a terminal. */
  readonly isTTY?: boolean;
  /** The size of a terminal, which may change at any time. */
  readonly columns?: number;
  readonly rows?: number;
  /** Whether what was written is still in memory, as its reader is slow, until the stream emits `drain`. */
  readonly writableNeedDrain?: boolean;
  on?(event: "drain" | "error" | "close", listener: () => void): unknown;
  off?(event: "drain" | "error" | "close", listener: () => void): unknown;
}

/** Everything that the command knows about the outside world. */
export interface CliIo {
  /** For the plan, the steps and the result. */
  readonly stdout: CliOutput;
  /** For what went wrong. */
  readonly stderr: CliOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  readonly version: string;
  /** Milliseconds since 1970 UTC, as in the timestamps of events. */
  now(): number;
  /** Calls a listener when the process is asked to end, instead of ending it. Returns a function that removes it. */
  onTerminate(listener: () => void): () => void;
  /** Creates the agent. Rejects with the errors of opening a database. */
  createAgent(choice: AgentChoice, warnings?: AgentWarnings): Promise<CliAgent>;
}

/** Where an agent's warnings go: by default, a library's warnings reach the terminal unchanged. */
export type AgentWarnings = Required<Pick<AgentOptions, "onWarning" | "onListenerError">>;

/** The options that an agent is created with. */
export interface AgentChoice {
  readonly planner: PlannerChoice;
  /** The file that keeps todos and runs; undefined if they end with the process. */
  readonly db: string | undefined;
}

/** An agent, and how to clean up when it is no longer needed. */
export interface CliAgent {
  readonly agent: Agent;
  /** Where its runs are recorded. */
  readonly store?: Pick<RunStore, "read">;
  /** Closes its database. */
  close(): void;
}

/** Who plans: rules, or a model in Ollama with the rules as a fallback. `host` is where it runs, if specified. */
export type PlannerChoice =
  | { readonly type: "rules" }
  | { readonly type: "ollama"; readonly model: string; readonly host: string | undefined };

/** The exit codes of the command. */
export const exitCodes = { completed: 0, failed: 1, usage: 2, cancelled: 130, terminated: 143 } as const;

/** The exit code for how a run ended; `errorCode` is that of its error. */
export function exitCodeOf(status: RunStatus, errorCode?: string): number {
  if (status === "completed") return exitCodes.completed;
  if (status === "cancelled") return exitCodes.cancelled;
  if (status === "interrupted") return exitCodes.terminated;
  return usageErrors.includes(errorCode ?? "") ? exitCodes.usage : exitCodes.failed;
}

const usageErrors = ["cannot-plan", "invalid-request", "invalid-options"];
