import type { Agent } from "../agent.ts";

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
  /** Makes the agent, once there is a request. */
  createAgent(planner: PlannerChoice): Agent;
}

/** Who plans: rules, or a model in Ollama with the rules behind it. `host` is where it runs, if that was said. */
export type PlannerChoice =
  | { readonly type: "rules" }
  | { readonly type: "ollama"; readonly model: string; readonly host: string | undefined };
