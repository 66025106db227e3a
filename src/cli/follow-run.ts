import type { AgentEvent, PlanReviseEvent, StepEndEvent, StepRetryEvent, UndoEndEvent } from "../core/events.ts";
import type { Plan } from "../core/plan.ts";
import type { RunResult, RunSnapshot } from "../core/run-result.ts";
import { jsonLines, printable } from "../core/text.ts";
import type { Tool } from "../core/tool.ts";
import { type CliCall, getExitCode } from "./cli-io.ts";
import type { Colors } from "./printer.ts";
import {
  nameStep,
  renderFallback,
  renderHint,
  renderProblem,
  renderResult,
  renderStepEnd,
  renderTitledPlan,
} from "./render-run.ts";

/** The time that steps have to end when the process is asked to end: supervisors kill it after ten seconds. */
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
    return reportResult(call, await go());
  } finally {
    if (stopListening) stopListening();
  }
}

/** Prints the result of a run, or why there is none, and returns the exit code. */
export function reportResult({ agent, options, out, err }: CliCall, run: RunResult | RunSnapshot): number {
  if (options.json) out.print(jsonLines(run));
  else if (run.status === "completed") out.print(renderResult(run, { tools: agent.tools, colors: out.colors }));
  if (run.status !== "completed") err.print([...renderProblem(run), ...renderHint(run, options)]);
  return getExitCode(run.status, run.error?.code);
}

/** Reports on stderr that another planner is asked, as this is not part of the requested output. */
export function reportFallbacks({ agent, options, err }: CliCall): void {
  if (!options.json) agent.on("plan-fallback", (event) => err.print([renderFallback(event)]));
}

/** The duration of shorter steps is not shown. */
const reportAfterMs = 1_000;

/** Reports a run as it progresses: its plan, then each step as it starts, retries and ends. */
export class RunReporter {
  private readonly colors: Colors;
  private readonly tools: ReadonlyMap<string, Tool>;
  private readonly startedAtMs = new Map<string, number>();
  private isPlanShown = false;

  /** `plan` is the plan of a resumed run. */
  constructor(
    private readonly call: Pick<CliCall, "agent" | "out">,
    private readonly plan?: Plan,
  ) {
    this.colors = call.out.colors;
    this.tools = new Map(call.agent.tools.map((tool) => [tool.name, tool]));
  }

  /** Reports an event. */
  report(event: AgentEvent): void {
    const { colors } = this;
    switch (event.type) {
      case "run-start":
        if (event.plan !== undefined) this.showPlan(event.plan);
        break;
      case "plan-end":
        if (event.outcome.status === "completed") this.showPlan(event.outcome.plan);
        break;
      case "run-resume":
        if (this.plan !== undefined && !this.isPlanShown) this.showPlan(this.plan);
        break;
      case "step-start":
        this.startedAtMs.set(nameStep(event), Date.parse(event.timestamp));
        this.print(`  > ${nameStep(event)}`);
        break;
      case "step-retry":
        this.print(describeRetry(event, colors));
        break;
      case "step-end":
        this.showEnd(event);
        break;
      case "step-skip":
        this.print(colors.dim(`  - ${nameStep(event)}: skipped (${printable(event.reason)})`));
        break;
      case "plan-revise":
        this.print(colors.yellow(describeRevision(event)));
        break;
      case "undo-end":
        this.print(describeUndo(event, colors));
        break;
      case "circuit-change":
        this.print(colors.yellow(`  ! ${printable(`${event.tool}: circuit ${event.state}`)}`));
        break;
    }
  }

  private print(...lines: readonly string[]): void {
    this.call.out.print(lines);
  }

  private showPlan(plan: Plan): void {
    this.isPlanShown = true;
    const options = { tools: [...this.tools.values()], colors: this.colors };
    this.print(...renderTitledPlan(plan, options), "", this.colors.bold("Run"));
  }

  private showEnd(event: StepEndEvent): void {
    const { colors } = this;
    const tookMs = Date.parse(event.timestamp) - (this.startedAtMs.get(nameStep(event)) ?? Number.NaN);
    const text = renderStepEnd(event, { colors, tool: this.tools.get(event.tool) });
    this.print(tookMs >= reportAfterMs ? `${text} ${colors.dim(seconds(tookMs))}` : text);
  }
}

function describeRevision({ outcome, cause }: PlanReviseEvent): string {
  if (outcome.status === "completed")
    return `${printable(cause.message)} Planned again: ${outcome.plan.steps.length} steps`;
  return `Could not plan again: ${printable(outcome.error.message)}`;
}

function describeUndo(event: UndoEndEvent, colors: Colors): string {
  if (event.outcome.status === "completed") return `  ${colors.green("↶")} ${nameStep(event)}: undone`;
  return `  ${colors.red("✖")} ${nameStep(event)}: not undone, ${printable(event.outcome.error.message)}`;
}

function describeRetry(event: StepRetryEvent, colors: Colors): string {
  const { attempt, delayMs, error } = event;
  const text = `attempt ${attempt} failed: ${printable(error.message)}; next in ${seconds(delayMs)}`;
  return `  ${colors.yellow("↻")} ${nameStep(event)}: ${text}`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
