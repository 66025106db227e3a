import { isAgentError } from "../core/errors.ts";
import type { AgentEvent } from "../core/events.ts";
import type { PlanStep } from "../core/plan.ts";
import type { RunSnapshot } from "../core/run-result.ts";
import { printable, printableJson } from "../core/text.ts";
import type { CliCall } from "./cli-call.ts";
import { exitCodes } from "./cli-io.ts";
import { saveFile } from "./files.ts";
import { requireRun, runNotFound } from "./stored-runs.ts";

/** The page lists no more runs than that. */
const maxRuns = 1_000;
const pageSize = 100;

/** Draws a run as an HTML page. */
export async function drawRun(call: CliCall, runId: string, file: string): Promise<number> {
  const events: AgentEvent[] = [];
  for await (const event of readRecorded(call, runId)) events.push(event);
  // Imported here and below, as nothing else needs it.
  const { toHtml } = await import("../view/index.ts");
  await saveFile(call, file, toHtml(events));
  call.out.print([`Wrote ${printable(file)}.`]);
  return exitCodes.completed;
}

/** Draws the newest runs as an HTML page that lists them. */
export async function drawRuns(call: CliCall, file: string): Promise<number> {
  const { agent, out } = call;
  const runs: RunSnapshot[] = [];
  let [total, damaged] = [0, 0];
  let cursor: string | undefined;
  do {
    const page = await agent.listRuns({ limit: maxRuns, cursor });
    if (cursor === undefined) {
      for (const { runId } of page.runs) {
        const run = await readWhole(call, runId);
        if (run === "damaged") damaged += 1;
        else if (run !== undefined) runs.push(withoutValues(run));
      }
    }
    total += page.runs.length;
    cursor = page.cursor;
  } while (cursor !== undefined);
  const { toHtml } = await import("../view/index.ts");
  await saveFile(call, file, toHtml(runs));
  const leftOut = total > maxRuns ? ` It lists the newest ${maxRuns} runs; ${total - maxRuns} are left out.` : "";
  const lost = damaged > 0 ? ` It leaves out ${damaged} whose data is damaged.` : "";
  out.print([`Wrote ${printable(file)}.${leftOut}${lost}`]);
  return exitCodes.completed;
}

/** One damaged run does not hide the others. */
async function readWhole({ agent }: CliCall, runId: string): Promise<RunSnapshot | "damaged" | undefined> {
  try {
    return await agent.getRun(runId);
  } catch (thrown) {
    if (isAgentError(thrown, "store-failed") && thrown.details.problem === "corrupt") return "damaged";
    throw thrown;
  }
}

/** What the page of many runs does not show, and what can be large. */
function withoutValues({ plan, steps, output: _output, ...run }: RunSnapshot): RunSnapshot {
  const short = steps.map((step) =>
    step.status === "completed" ? { ...step, input: {}, output: null } : { ...step, input: {} },
  );
  const shortPlan = plan && { ...plan, steps: plan.steps.map(withoutInput) };
  return { ...run, steps: short, ...(shortPlan && { plan: shortPlan }) };
}

function withoutInput({ id, tool, wait }: PlanStep): PlanStep {
  return tool === undefined ? { id, wait } : { id, tool, input: {} };
}

/** Prints a run as the text of a Mermaid flowchart. */
export async function printMermaid(call: CliCall, runId: string): Promise<number> {
  const run = await requireRun(call, runId);
  const { toMermaid } = await import("../view/index.ts");
  call.out.print(toMermaid(run).trimEnd().split("\n"));
  return exitCodes.completed;
}

/** Prints each recorded event as a line of JSON. */
export async function printEvents(call: CliCall, runId: string): Promise<number> {
  for await (const event of readRecorded(call, runId)) {
    call.out.print([printableJson(event)]);
    await call.out.flush();
  }
  return exitCodes.completed;
}

/** The events that are recorded now: those of a run that has not ended are not waited for. */
async function* readRecorded(call: CliCall, runId: string): AsyncGenerator<AgentEvent, undefined> {
  const { agent, store, io } = call;
  let known = 0;
  try {
    for await (const event of agent.events(runId, { signal: io.signal })) {
      yield event;
      if (store === undefined || event.sequence < known) continue;
      const next = await store.read(runId, { after: event.sequence, limit: pageSize });
      if (next.length === 0) return;
      known = event.sequence + next.length;
    }
  } catch (thrown) {
    throw isAgentError(thrown, "run-not-found") ? runNotFound(call, runId) : thrown;
  }
}
