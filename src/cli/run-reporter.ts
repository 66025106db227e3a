import type { AgentEvent, PlanReviseEvent, StepEndEvent, StepRetryEvent, UndoEndEvent } from "../core/events.ts";
import type { Plan } from "../core/plan.ts";
import { printable } from "../core/text.ts";
import type { Tool } from "../core/tool.ts";
import { ActiveSteps } from "./active-steps.ts";
import type { CliCall } from "./cli-call.ts";
import { LiveTable } from "./live-table.ts";
import type { Colors } from "./printer.ts";
import { nameOf, renderStepEnd, renderTitledPlan } from "./render-run.ts";

/** The duration of shorter steps is not shown. */
const reportAfterMs = 1_000;

/**
 * Reports a run as it progresses: its plan, then each step as it starts, retries and ends. On a terminal, what is running
 * or waiting is in a table below that; elsewhere every line is permanent.
 */
export class RunReporter {
  private readonly active: ActiveSteps;
  private readonly table: LiveTable;
  private readonly colors: Colors;
  private readonly tools: ReadonlyMap<string, Tool>;
  private readonly startedAtMs = new Map<string, number>();
  private isPlanShown = false;

  /** `plan` is the plan of a resumed run. */
  constructor(
    { agent, io, out }: Pick<CliCall, "agent" | "io" | "out">,
    private readonly plan?: Plan,
  ) {
    this.active = new ActiveSteps(() => io.now());
    this.table = new LiveTable(out, (spinner) => this.active.lines(spinner));
    this.colors = out.colors;
    this.tools = new Map(agent.tools.map((tool) => [tool.name, tool]));
  }

  /** Reports an event. */
  report(event: AgentEvent): void {
    this.active.follow(event);
    this.show(event);
    if (event.type === "run-suspend" || event.type === "run-end") this.table.hide();
    else this.table.show();
  }

  /** Removes the table. */
  hide(): void {
    this.table.hide();
  }

  private show(event: AgentEvent): void {
    const { table, colors } = this;
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
        this.startedAtMs.set(nameOf(event), Date.parse(event.timestamp));
        if (!table.isLive) table.print(`  > ${nameOf(event)}`);
        break;
      case "step-retry":
        table.print(describeRetry(event, colors));
        break;
      case "step-end":
        this.showEnd(event);
        break;
      default: {
        const notice = describeNotice(event, colors);
        if (notice !== undefined) table.print(notice);
      }
    }
  }

  private showPlan(plan: Plan): void {
    this.isPlanShown = true;
    const options = { tools: [...this.tools.values()], colors: this.colors };
    for (const text of renderTitledPlan(plan, options)) this.table.print(text);
    this.table.print();
    this.table.print(this.colors.bold("Run"));
  }

  private showEnd(event: StepEndEvent): void {
    const { colors } = this;
    const tookMs = Date.parse(event.timestamp) - (this.startedAtMs.get(nameOf(event)) ?? Number.NaN);
    const text = renderStepEnd(event, { colors, tool: this.tools.get(event.tool) });
    this.table.print(tookMs >= reportAfterMs ? `${text} ${colors.dim(seconds(tookMs))}` : text);
  }
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

function describeRevision({ outcome, cause }: PlanReviseEvent): string {
  if (outcome.status === "completed")
    return `${printable(cause.message)} Planned again: ${outcome.plan.steps.length} steps`;
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
