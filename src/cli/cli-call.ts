import type { Agent } from "../agent.ts";
import type { CliIo, CliOutput } from "./cli-io.ts";
import { type Colors, createColors } from "./colors.ts";
import type { LiveLine } from "./live-line.ts";
import type { CliOptions } from "./parse-arguments.ts";
import { renderFallback } from "./render-error.ts";

/** What the command works with, once it is known what to do. */
export interface CliCall {
  readonly agent: Agent;
  readonly options: CliOptions;
  readonly io: CliIo;
}

/** The colours that are wanted where the output goes. */
export function colorsFor({ io: { stdout, env }, options }: CliCall): Colors {
  const isWanted = options.color && !env.NO_COLOR && env.TERM !== "dumb";
  return createColors(isWanted && (stdout.isTTY === true || Boolean(env.FORCE_COLOR)));
}

/** Writes lines, each with its end. */
export function writeLines(output: CliOutput, lines: readonly string[]): void {
  output.write(`${lines.join("\n")}\n`);
}

/** Tells when another planner is asked: on stderr, as it is none of the output that was asked for. */
export function tellFallbacks({ agent, options, io }: CliCall, line?: LiveLine): void {
  if (options.json) return;
  agent.on("plan-fallback", (event) => {
    line?.hide();
    writeLines(io.stderr, [renderFallback(event)]);
  });
}
