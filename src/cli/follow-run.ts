import type { AgentEvent, StepEndEvent, StepRetryEvent, UndoEndEvent } from "../core/events.ts";
import type { Plan } from "../core/plan.ts";
import type { PlanReviseEvent } from "../core/plan-events.ts";
import type { RunResult } from "../core/run-result.ts";
import type { Tool } from "../core/tool.ts";
import { type CliCall, reportFallbacks } from "./cli-call.ts";
import { exitCodeOf } from "./cli-io.ts";
import { jsonLines, printable, printableJson } from "./printable.ts";
import { type Colors, LiveLine } from "./printer.ts";
import { renderHint, renderProblem } from "./render-error.ts";
import { renderResult } from "./render-output.ts";
import { nameOf, renderStepEnd, renderTitledPlan } from "./render-run.ts";

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

/** What {@link createRunReporter} needs. */
interface RunReporterOptions {
  readonly line: LiveLine;
  readonly colors: Colors;
  readonly tools: readonly Tool[];
  /** The plan of a resumed run. */
  readonly plan?: Plan | undefined;
}

/** The duration of shorter steps is not shown. */
const reportAfterMs = 1_000;

/**
 * A listener that reports a run as it progresses: the plan, then each step as it starts, retries and ends. On a
 * terminal the line of the running step is rewritten; elsewhere every line is permanent.
 */
function createRunReporter({ line, colors, tools, plan }: RunReporterOptions): (event: AgentEvent) => void {
  const toolsByName = new Map(tools.map((tool) => [tool.name, tool]));
  const startedAtMs = new Map<string, number>();

  const showPlan = (shown: Plan) => {
    for (const text of renderTitledPlan(shown, colors)) line.print(text);
    line.print();
    line.print(colors.bold("Run"));
  };

  const end = (event: StepEndEvent) => {
    line.hide();
    const tookMs = Date.parse(event.timestamp) - (startedAtMs.get(nameOf(event)) ?? Number.NaN);
    const text = renderStepEnd(event, { colors, tool: toolsByName.get(event.tool) });
    line.print(tookMs >= reportAfterMs ? `${text} ${colors.dim(seconds(tookMs))}` : text);
  };

  return (event) => {
    switch (event.type) {
      case "plan-start":
        line.show("planning");
        break;
      case "plan-delta":
        line.show(`planning: ${printable(event.step.id)} ${printable(event.step.tool)}`);
        break;
      case "plan-end":
        line.hide();
        if (event.outcome.status === "completed") showPlan(event.outcome.plan);
        break;
      case "run-resume":
        if (plan !== undefined) showPlan(plan);
        break;
      case "step-start":
        startedAtMs.set(nameOf(event), Date.parse(event.timestamp));
        if (!line.isLive) line.print(`  > ${nameOf(event)}`);
        line.show(nameOf(event));
        break;
      case "step-progress":
        line.show(`${nameOf(event)}: ${printableJson(event.value)}`);
        break;
      case "step-retry":
        line.print(describeRetry(event, colors));
        line.show(`${nameOf(event)}: waiting for attempt ${event.attempt + 1}`);
        break;
      case "step-end":
        end(event);
        break;
      case "run-suspend":
      case "run-end":
        line.hide();
        break;
      default: {
        const notice = describeNotice(event, colors);
        if (notice !== undefined) line.print(notice);
      }
    }
  };
}

/** The line of an event that has one of its own; other events show in the lines that follow. */
function describeNotice(event: AgentEvent, colors: Colors): string | undefined {
  switch (event.type) {
    case "step-skip":
      return colors.dim(`  - ${nameOf(event)}: skipped (${printable(event.reason)})`);
    case "plan-revise":
      return colors.yellow(describeRevision(event));
    case "undo-end":
      return describeUndo(event, colors);
    case "circuit-change":
      return colors.yellow(`  ! ${printable(`${event.tool}: circuit ${event.state}`)}`);
    default:
      return undefined;
  }
}

function describeRevision({ outcome }: PlanReviseEvent): string {
  if (outcome.status === "completed") return `Planned again: ${outcome.plan.steps.length} steps`;
  return `Could not plan again: ${printable(outcome.error.message)}`;
}

function describeUndo(event: UndoEndEvent, colors: Colors): string {
  if (event.outcome.status === "completed") return `  ${colors.green("↶")} ${nameOf(event)}: undone`;
  return `  ${colors.red("✖")} ${nameOf(event)}: not undone, ${printable(event.outcome.error.message)}`;
}

function describeRetry(event: StepRetryEvent, colors: Colors): string {
  const { attempt, delayMs, error } = event;
  const text = `attempt ${attempt} failed: ${printable(error.message)}; next in ${seconds(delayMs)}`;
  return `  ${colors.yellow("↻")} ${nameOf(event)}: ${text}`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
