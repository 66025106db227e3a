import type { Plan } from "../core/plan.ts";
import type { RunResult, RunSnapshot } from "../core/run-result.ts";
import { jsonLines } from "../core/text.ts";
import { type CliCall, reportFallbacks } from "./cli-call.ts";
import { exitCodeOf } from "./cli-io.ts";
import { renderHint, renderProblem } from "./render-error.ts";
import { renderResult } from "./render-output.ts";
import { RunReporter } from "./run-reporter.ts";

/** How long steps may take to end when the process is asked to end: supervisors kill it after ten seconds. */
const closeTimeoutMs = 5_000;

/**
 * Reports a run as it progresses, then its result, and resolves to the exit code. When the process is asked to end, a
 * stored run is left to be resumed. `plan` is the plan of a resumed run.
 */
export async function followRun(
  call: CliCall,
  { plan, go }: { readonly plan?: Plan | undefined; readonly go: () => Promise<RunResult> },
): Promise<number> {
  const { agent, options, io } = call;
  const reporter = new RunReporter(call, plan);
  reportFallbacks(call);
  if (!options.json) agent.subscribe((event) => reporter.report(event));
  const isKept = options.db !== undefined;
  const stopListening = isKept && io.onTerminate(() => void agent.close({ timeoutMs: closeTimeoutMs }));
  try {
    const result = await go();
    reporter.hide();
    return reportResult(call, result);
  } finally {
    reporter.hide();
    if (stopListening) stopListening();
  }
}

/** Prints the result of a run, or why there is none, and returns the exit code. */
export function reportResult({ agent, options, out, err }: CliCall, run: RunResult | RunSnapshot): number {
  if (options.json) out.print(jsonLines(run));
  else if (run.status === "completed") out.print(renderResult(run, { tools: agent.tools, colors: out.colors }));
  if (run.status !== "completed") err.print([...renderProblem(run), ...renderHint(run, options)]);
  return exitCodeOf(run.status, run.error?.code);
}
