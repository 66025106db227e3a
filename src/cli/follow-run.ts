import { type AgentEvent, type EventHandlers, handleEvent, type StepStartEvent } from "../core/events.ts";
import type { Plan } from "../core/plan.ts";
import type { RunResult, RunSnapshot } from "../core/run-result.ts";
import { jsonLines, printable } from "../core/text.ts";
import { type CliCall, getExitCode } from "./cli-io.ts";
import {
  nameStep,
  renderFallback,
  renderHint,
  renderProblem,
  renderResult,
  renderStepEnd,
  renderTitledPlan,
} from "./render-run.ts";

/** Shorter than the ten seconds after which supervisors kill a process that they asked to end. */
export const closeTimeoutMs = 5_000;

export async function followRun(
  call: CliCall,
  { plan, go }: { readonly plan?: Plan | undefined; readonly go: () => Promise<RunResult> },
): Promise<{ readonly exitCode: number; readonly run: RunResult }> {
  const { agent, options, io } = call;
  reportFallbacks(call);
  const unsubscribe = options.json ? undefined : agent.subscribe(createReporter(call, plan));
  const closeAgent = () => void agent.close({ timeoutMs: closeTimeoutMs });
  const stopListening = options.db === undefined ? undefined : io.onTerminate(closeAgent);
  try {
    const run = await go();
    return { exitCode: reportResult(call, run), run };
  } finally {
    unsubscribe?.();
    stopListening?.();
  }
}

export function reportResult({ tools, options, out, err }: CliCall, run: RunResult | RunSnapshot): number {
  if (options.json) out.print(jsonLines(run));
  else if (run.status === "completed") out.print(renderResult(run, { tools, colors: out.colors }));
  if (run.status !== "completed") err.print([...renderProblem(run, { tools }), ...renderHint(run, options)]);
  return getExitCode(run.status, run.error);
}

export function reportFallbacks({ agent, options, err }: CliCall): void {
  if (!options.json) agent.on("plan-fallback", (event) => err.print([renderFallback(event)]));
}

const reportAfterMs = 1_000;

export function createReporter(
  { tools, out }: Pick<CliCall, "tools" | "out">,
  resumed?: Plan,
): (event: AgentEvent) => void {
  const { colors } = out;
  const started = new Map<string, StepStartEvent>();
  let isPlanShown = false;
  const showPlan = (plan: Plan | undefined) => {
    if (plan === undefined) return [];
    isPlanShown = true;
    return [...renderTitledPlan(plan, { tools, colors }), "", colors.bold("Run")];
  };
  const handlers: EventHandlers<readonly string[]> = {
    "run-start": ({ plan }) => showPlan(plan),
    "plan-end": ({ outcome }) => showPlan(outcome.status === "completed" ? outcome.plan : undefined),
    "run-resume": () => showPlan(isPlanShown ? undefined : resumed),
    "plan-revise": ({ outcome, cause }) => {
      const text =
        outcome.status === "completed"
          ? `Planned again (steps: ${outcome.plan.steps.length}): ${printable(cause.message)}`
          : `Could not plan again: ${printable(outcome.error.message)}`;
      return [colors.yellow(text)];
    },
    "step-start": (event) => {
      started.set(nameStep(event), event);
      return [`  > ${nameStep(event)}`];
    },
    "step-retry": (event) => {
      const { attempt, delayMs, error } = event;
      const text = `attempt ${attempt} failed: ${printable(error.message)}; next in ${seconds(delayMs)}`;
      return [`  ${colors.yellow("↻")} ${nameStep(event)}: ${text}`];
    },
    "step-end": (event) => {
      const { timestamp = "", input } = started.get(nameStep(event)) ?? {};
      const tookMs = Date.parse(event.timestamp) - Date.parse(timestamp);
      const text = renderStepEnd({ ...event, input }, { colors, tools });
      return [tookMs >= reportAfterMs ? `${text} ${colors.dim(seconds(tookMs))}` : text];
    },
    "step-skip": (event) => [colors.dim(`  - ${nameStep(event)}: skipped (${printable(event.reason)})`)],
    "undo-end": (event) => {
      if (event.outcome.status === "completed") return [`  ${colors.green("↶")} ${nameStep(event)}: undone`];
      return [`  ${colors.red("✖")} ${nameStep(event)}: not undone, ${printable(event.outcome.error.message)}`];
    },
    "circuit-change": ({ tool, state }) => [colors.yellow(`  ! ${printable(`${tool}: circuit ${state}`)}`)],
  };
  return (event) => out.print(handleEvent(handlers, event) ?? []);
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
