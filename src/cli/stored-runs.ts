import { AgentError } from "../core/errors.ts";
import type { RunSnapshot } from "../core/run-result.ts";
import type { RunSummary } from "../core/run-summary.ts";
import { jsonLines } from "../core/text.ts";
import type { PruneOptions } from "../runs/retention.ts";
import type { CliCall } from "./cli-call.ts";
import { exitCodes } from "./cli-io.ts";
import { followRun } from "./follow-run.ts";
import type { AnyRunCommand } from "./read-command.ts";
import { renderRun, renderRunLine } from "./render-run.ts";

const pageSize = 1_000;

/** Lists the stored runs, the newest first. */
export async function listRuns(call: CliCall): Promise<number> {
  const { agent, options, out } = call;
  const runs: RunSummary[] = [];
  let cursor: string | undefined;
  do {
    const page = await agent.listRuns({ limit: pageSize, cursor });
    if (options.json) runs.push(...page.runs);
    else if (page.runs.length > 0) out.print(page.runs.map((run) => renderRunLine(run, out.colors)));
    else if (cursor === undefined) out.print(["No runs."]);
    cursor = page.cursor;
  } while (cursor !== undefined);
  if (options.json) out.print(jsonLines({ runs }));
  return exitCodes.completed;
}

/** Shows the current state of a run. The exit code does not depend on that state. */
export async function showRun(call: CliCall, runId: string): Promise<number> {
  const { agent, options, out } = call;
  const run = await requireRun(call, runId);
  const rendered = { tools: agent.tools, colors: out.colors, db: options.db };
  out.print(options.json ? jsonLines(run) : renderRun(run, rendered));
  return exitCodes.completed;
}

/** Resumes a run and reports it while it runs. If the run has ended, only its result is reported. */
export async function resumeRun(call: CliCall, runId: string): Promise<number> {
  const { agent, io } = call;
  const { plan } = await requireRun(call, runId);
  return followRun(call, { plan, go: () => agent.resume(runId, { signal: io.signal }) });
}

/** Deletes a run. */
export async function deleteRun(call: CliCall, runId: string): Promise<number> {
  await requireRun(call, runId);
  await call.agent.deleteRun(runId);
  return reportDeleted(call, 1);
}

/** Deletes the selected runs. */
export async function pruneRuns(call: CliCall, selection: PruneOptions): Promise<number> {
  const { deleted } = await call.agent.prune({ ...selection, signal: call.io.signal });
  return reportDeleted(call, deleted);
}

function reportDeleted({ options, out }: CliCall, deleted: number): number {
  out.print(options.json ? jsonLines({ deleted }) : [`Deleted ${deleted} ${deleted === 1 ? "run" : "runs"}.`]);
  return exitCodes.completed;
}

/** The current state of a run. Rejects with `run-not-found`, and where it might be. */
export async function requireRun(call: CliCall, runId: string): Promise<RunSnapshot> {
  const run = await call.agent.getRun(runId);
  if (run === undefined) throw runNotFound(call, runId);
  return run;
}

/** The error for a run that does not exist. */
export function runNotFound({ options }: Pick<CliCall, "options">, runId: string): AgentError<"run-not-found"> {
  return new AgentError("run-not-found", describeNoRun(runId, options.db), { details: { runId } });
}

/** Says that a database has no such run, and how to find those that it has. */
function describeNoRun(runId: string, db: string | undefined): string {
  return `There is no run "${runId}" in "${db}". To list the runs: planwright runs --db ${db}`;
}

/** What to do about a request that cannot be planned, if it was meant to be a command about a run. */
export function describeNoCommand({ type, runId }: AnyRunCommand, db: string | undefined): string {
  if (db !== undefined) return describeNoRun(runId, db);
  return `To ${type} a stored run: planwright ${type} ${runId} --db ./todo.db`;
}
