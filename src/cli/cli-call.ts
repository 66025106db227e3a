import type { Agent } from "../agent.ts";
import type { CliIo } from "./cli-io.ts";
import type { CliOptions } from "./parse-arguments.ts";
import { type LiveLine, Printer } from "./printer.ts";
import { renderFallback } from "./render-error.ts";

/** What a command works with once its arguments are parsed. */
export interface CliCall {
  readonly agent: Agent;
  readonly options: CliOptions;
  readonly io: CliIo;
  /** For the plan, the steps and the result. */
  readonly out: Printer;
  /** For what went wrong. */
  readonly err: Printer;
}

/** Prints to stdout, in colours if they are wanted. */
export function createOutPrinter({ stdout, env }: CliIo, options: CliOptions): Printer {
  const isWanted = options.color && !env.NO_COLOR && env.TERM !== "dumb";
  return new Printer(stdout, { isColored: isWanted && (stdout.isTTY === true || Boolean(env.FORCE_COLOR)) });
}

/** Reports on stderr that another planner is asked, as this is not part of the requested output. */
export function reportFallbacks({ agent, options, err }: CliCall, line?: LiveLine): void {
  if (options.json) return;
  agent.on("plan-fallback", (event) => {
    line?.hide();
    err.print([renderFallback(event)]);
  });
}
