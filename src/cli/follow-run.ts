import type { Plan } from "../core/plan.ts";
import type { RunResult } from "../core/run-result.ts";
import { type CliCall, reportFallbacks } from "./cli-call.ts";
import { exitCodeOf } from "./exit-codes.ts";
import { LiveLine } from "./live-line.ts";
import { jsonLines } from "./printable.ts";
import { renderHint, renderProblem } from "./render-error.ts";
import { renderResult } from "./render-result.ts";
import { createRunReporter } from "./report-run.ts";

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
  const { agent, options, io, out, err } = call;
  const { colors } = out;
  const line = new LiveLine(out);
  reportFallbacks(call, line);
  if (!options.json) agent.subscribe(createRunReporter({ line, colors, tools: agent.tools, plan }));
  const isKept = options.db !== undefined;
  const stopListening = isKept && io.onTerminate(() => void agent.close({ timeoutMs: closeTimeoutMs }));
  try {
    const result = await go();
    line.hide();
    if (options.json) out.print(jsonLines(result));
    else if (result.status === "completed") out.print(renderResult(result, { tools: agent.tools, colors }));
    if (result.status !== "completed") err.print([...renderProblem(result), ...renderHint(result, options)]);
    return exitCodeOf(result.status, result.error?.code);
  } finally {
    line.hide();
    if (stopListening) stopListening();
  }
}
