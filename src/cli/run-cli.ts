import type { Agent } from "../agent.ts";
import { isAgentError } from "../core/errors.ts";
import type { RunResult } from "../core/run-result.ts";
import type { CliIo, CliOutput } from "./cli-io.ts";
import { type Colors, createColors } from "./colors.ts";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";
import { LiveLine } from "./live-line.ts";
import { type CliOptions, parseArguments } from "./parse-arguments.ts";
import { printableJson } from "./printable.ts";
import { renderError, renderFallback, renderProblem } from "./render-error.ts";
import { renderOutput } from "./render-output.ts";
import { renderPlan } from "./render-plan.ts";
import { createRunReporter } from "./report-run.ts";

interface Call {
  readonly agent: Agent;
  readonly request: string;
  readonly options: CliOptions;
  readonly io: CliIo;
}

/** Runs the command. Resolves to its exit code, and never rejects. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  try {
    const parsed = parseArguments(argv, io);
    if (parsed.type === "exit") return parsed.exitCode;
    const { request, options } = parsed;
    const call = { agent: io.createAgent(options.planner), request, options, io };
    return await (options.planOnly ? showPlan(call) : runRequest(call));
  } catch (thrown) {
    writeLines(io.stderr, renderError(thrown));
    return isAgentError(thrown, "invalid-options") ? exitCodes.usage : exitCodes.failed;
  }
}

/** On stderr, as it is none of the output that was asked for. */
function tellFallbacks({ agent, options, io }: Call, line?: LiveLine): void {
  if (options.json) return;
  agent.on("plan-fallback", (event) => {
    line?.hide();
    writeLines(io.stderr, [renderFallback(event)]);
  });
}

async function showPlan(call: Call): Promise<number> {
  const { agent, request, options, io } = call;
  tellFallbacks(call);
  try {
    const plan = await agent.plan(request, { signal: io.signal });
    const lines = options.json ? [printableJson(plan, 2)] : renderPlan(plan, colorsFor(io, options));
    writeLines(io.stdout, lines);
    return exitCodes.completed;
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    if (options.json) writeLines(io.stdout, [printableJson({ error: thrown }, 2)]);
    writeLines(io.stderr, renderError(thrown));
    return exitCodeOf(thrown.code === "cancelled" ? "cancelled" : "failed", thrown.code);
  }
}

async function runRequest(call: Call): Promise<number> {
  const { agent, request, options, io } = call;
  const line = new LiveLine(io.stdout);
  tellFallbacks(call, line);
  if (!options.json) agent.subscribe(createRunReporter({ line, colors: colorsFor(io, options), tools: agent.tools }));
  const handle = agent.start(request);
  const cancel = () => handle.cancel(String(io.signal.reason));
  if (io.signal.aborted) cancel();
  io.signal.addEventListener("abort", cancel, { once: true });
  try {
    const result = await handle.result;
    line.hide();
    if (options.json) writeLines(io.stdout, [printableJson(result, 2)]);
    else if (result.status === "completed") writeLines(io.stdout, resultLines(result, { agent, options, io }));
    if (result.status !== "completed") writeLines(io.stderr, renderProblem(result));
    return exitCodeOf(result.status, result.error?.code);
  } finally {
    line.hide();
    io.signal.removeEventListener("abort", cancel);
  }
}

function resultLines(result: RunResult, { agent, options, io }: Pick<Call, "agent" | "options" | "io">): string[] {
  const style = colorsFor(io, options);
  const last = result.steps.findLast(({ status }) => status === "completed");
  const tool = agent.tools.find(({ name }) => name === last?.tool);
  const lines = renderOutput(result.output, { tool, style });
  return ["", style.bold("Result"), ...lines.map((text) => `  ${text}`), ...usageLines(result, style)];
}

function usageLines({ usage }: RunResult, style: Colors): string[] {
  if (usage === undefined || usage.inputTokens === 0) return [];
  const { modelCalls, inputTokens, outputTokens } = usage;
  const calls = modelCalls === 1 ? "1 call" : `${modelCalls} calls`;
  return [style.dim(`  (${calls} of the model: ${inputTokens} tokens read, ${outputTokens} written)`)];
}

function colorsFor({ stdout, env }: CliIo, { color }: CliOptions): Colors {
  const isWanted = color && !env.NO_COLOR && env.TERM !== "dumb";
  return createColors(isWanted && (stdout.isTTY === true || Boolean(env.FORCE_COLOR)));
}

function writeLines(output: CliOutput, lines: readonly string[]): void {
  output.write(`${lines.join("\n")}\n`);
}
