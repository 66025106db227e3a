import type { Agent } from "../agent.ts";
import type { CliAgent, CliIo } from "./cli-io.ts";
import type { CliOptions } from "./parse-arguments.ts";
import { Printer } from "./printer.ts";
import { renderFallback } from "./render-error.ts";

/** What a command works with once its arguments are parsed. */
export interface CliCall {
  readonly agent: Agent;
  readonly store: CliAgent["store"];
  readonly options: CliOptions;
  readonly io: CliIo;
  /** For the plan, the steps and the result. */
  readonly out: Printer;
  /** For what went wrong. */
  readonly err: Printer;
}

/** Prints to stdout, in colours if they are wanted. */
export function createOutPrinter({ stdout, env }: CliIo, options: CliOptions): Printer {
  const canDraw = env.TERM !== "dumb";
  const isWanted = options.color && !env.NO_COLOR && canDraw;
  const isColored = isWanted && (stdout.isTTY === true || Boolean(env.FORCE_COLOR));
  return new Printer(stdout, { isColored, canDraw });
}

/** Reports on stderr that another planner is asked, as this is not part of the requested output. */
export function reportFallbacks({ agent, options, err }: CliCall): void {
  if (!options.json) agent.on("plan-fallback", (event) => err.print([renderFallback(event)]));
}
