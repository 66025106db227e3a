import type { AgentEvent, PlanReviseEvent, StepEndEvent, StepRetryEvent, UndoEndEvent } from "../core/events.ts";
import type { Plan } from "../core/plan.ts";
import type { RunResult, RunSnapshot } from "../core/run-result.ts";
import { jsonLines, printable } from "../core/text.ts";
import type { Tool } from "../core/tool.ts";
import { ActiveSteps } from "./active-steps.ts";
import { type CliCall, getExitCode } from "./cli-io.ts";
import type { Colors, Printer } from "./printer.ts";
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
  return getExitCode(run.status, run.error?.code);
}

/** Reports on stderr that another planner is asked, as this is not part of the requested output. */
export function reportFallbacks({ agent, options, err }: CliCall): void {
  if (!options.json) agent.on("plan-fallback", (event) => err.print([renderFallback(event)]));
}

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
        this.startedAtMs.set(nameStep(event), Date.parse(event.timestamp));
        if (!table.isLive) table.print(`  > ${nameStep(event)}`);
        break;
      case "step-retry":
        table.print(describeRetry(event, colors));
        break;
      case "step-end":
        this.showEnd(event);
        break;
      case "step-skip":
        table.print(colors.dim(`  - ${nameStep(event)}: skipped (${printable(event.reason)})`));
        break;
      case "plan-revise":
        table.print(colors.yellow(describeRevision(event)));
        break;
      case "undo-end":
        table.print(describeUndo(event, colors));
        break;
      case "circuit-change":
        table.print(colors.yellow(`  ! ${printable(`${event.tool}: circuit ${event.state}`)}`));
        break;
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
    const tookMs = Date.parse(event.timestamp) - (this.startedAtMs.get(nameStep(event)) ?? Number.NaN);
    const text = renderStepEnd(event, { colors, tool: this.tools.get(event.tool) });
    this.table.print(tookMs >= reportAfterMs ? `${text} ${colors.dim(seconds(tookMs))}` : text);
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

const spinners = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;
const frameMs = 80;

/**
 * Permanent lines and, only on a terminal, further lines below them that are drawn again while something is running.
 */
export class LiveTable {
  private frame = 0;
  private timer: ReturnType<typeof setInterval> | undefined;

  /** `lines` are those to draw now, without colours. */
  constructor(
    private readonly printer: Printer,
    private readonly lines: (spinner: string) => readonly string[],
  ) {}

  /** True if there are lines that are drawn again. */
  get isLive(): boolean {
    return this.printer.isTerminal;
  }

  /** Draws the lines with each frame, and the first ones now, until {@link LiveTable.hide}. */
  show(): void {
    if (!this.isLive) return;
    // However much happens, each frame is drawn once.
    if (!this.printer.hasDrawn) this.printer.draw(this.now());
    this.timer ??= setInterval(() => {
      this.frame = (this.frame + 1) % spinners.length;
      this.printer.draw(this.now());
    }, frameMs);
    // The table alone must not keep the process alive.
    this.timer.unref?.();
  }

  /** Removes the lines. */
  hide(): void {
    if (this.timer === undefined) return;
    clearInterval(this.timer);
    this.timer = undefined;
    this.printer.draw([]);
  }

  /** Writes a permanent line. */
  print(line = ""): void {
    this.printer.print([line], this.timer === undefined ? [] : this.now());
  }

  private now(): readonly string[] {
    return this.lines(spinners[this.frame] ?? "");
  }
}
