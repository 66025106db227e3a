import type { Agent } from "../agent.ts";
import type { CliIo } from "./cli-io.ts";
import type { LiveLine } from "./live-line.ts";
import type { CliOptions } from "./parse-arguments.ts";
import { Printer } from "./printer.ts";
import { renderFallback } from "./render-error.ts";

/** What the command works with, once it is known what to do. */
export interface CliCall {
  readonly agent: Agent;
  readonly options: CliOptions;
  readonly io: CliIo;
  /** For the plan, the steps and the result. */
  readonly out: Printer;
  /** For what went wrong. */
  readonly err: Printer;
}

/** Prints to stdout, in colours where they are wanted. */
export function createOutPrinter({ stdout, env }: CliIo, options: CliOptions): Printer {
  const isWanted = options.color && !env.NO_COLOR && env.TERM !== "dumb";
  return new Printer(stdout, { isColored: isWanted && (stdout.isTTY === true || Boolean(env.FORCE_COLOR)) });
}

/** Tells when another planner is asked: on stderr, as it is none of the output that was asked for. */
export function reportFallbacks({ agent, options, err }: CliCall, line?: LiveLine): void {
  if (options.json) return;
  agent.on("plan-fallback", (event) => {
    line?.hide();
    err.print([renderFallback(event)]);
  });
}
