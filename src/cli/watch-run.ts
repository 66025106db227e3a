import { AgentError, isAgentError } from "../core/errors.ts";
import type { CliCall } from "./cli-call.ts";
import { reportResult } from "./follow-run.ts";
import { RunReporter } from "./run-reporter.ts";
import { requireRun } from "./stored-runs.ts";

/** How often the database is read. */
const pollMs = 500;

/**
 * Reports a run, usually of another process, from its first event until it ends or somebody has to decide something,
 * then its result, and resolves to the exit code. Nothing changes the run.
 */
export async function watchRun(call: CliCall, runId: string): Promise<number> {
  const { agent, options, io } = call;
  await requireRun(call, runId);
  const reporter = new RunReporter(call);
  try {
    for await (const event of agent.events(runId, { signal: io.signal, pollMs })) {
      if (!options.json) reporter.report(event);
    }
  } catch (thrown) {
    throw isAgentError(thrown, "cancelled") ? stoppedWatching(runId, thrown.details.reason) : thrown;
  } finally {
    reporter.hide();
  }
  return reportResult(call, await requireRun(call, runId));
}

function stoppedWatching(runId: string, reason: string): AgentError<"cancelled"> {
  const message = `Stopped watching run "${runId}": ${reason}. The run is not affected.`;
  return new AgentError("cancelled", message, { details: { reason } });
}
