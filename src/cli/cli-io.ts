import type { Agent, AgentOptions } from "../agent.ts";

/** Where text goes. */
export interface CliOutput {
  write(text: string): unknown;
  /** Whether a person is looking at it. */
  readonly isTTY?: boolean;
  /** How wide a line is on a terminal. */
  readonly columns?: number;
}

/** All that the command knows of the outside world. */
export interface CliIo {
  /** For the plan, the steps and the result. */
  readonly stdout: CliOutput;
  /** For what went wrong. */
  readonly stderr: CliOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  readonly version: string;
  /** Calls a listener when the process is told to end, which it then does not do by itself. The answer takes it away. */
  onTerminate(listener: () => void): () => void;
  /** Makes the agent, once it is known what it is for. Rejects with what opening a database does. */
  createAgent(choice: AgentChoice, warnings?: AgentWarnings): Promise<CliAgent>;
}

/** Where an agent's warnings go: a library's own would reach the terminal as they are. */
export type AgentWarnings = Required<Pick<AgentOptions, "onWarning" | "onListenerError">>;

/** What was chosen of an agent. */
export interface AgentChoice {
  readonly planner: PlannerChoice;
  /** The file that keeps todos and runs; undefined if they go with the process. */
  readonly db: string | undefined;
}

/** An agent, and what is left to do when it has done all. */
export interface CliAgent {
  readonly agent: Agent;
  /** Closes its database. */
  close(): void;
}

/** Who plans: rules, or a model in Ollama with the rules behind it. `host` is where it runs, if that was said. */
export type PlannerChoice =
  | { readonly type: "rules" }
  | { readonly type: "ollama"; readonly model: string; readonly host: string | undefined };
