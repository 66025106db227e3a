import type { AgentError, AgentErrorData } from "../core/errors.ts";
import type { EventInit } from "../core/events.ts";
import { toJson } from "../core/json.ts";
import type { ModelUsage } from "../core/model-usage.ts";
import type { Plan } from "../core/plan.ts";
import type { PlanningEvent } from "../core/planner.ts";
import { dataOf } from "./keep-cause.ts";
import { ModelMeter } from "./model-meter.ts";
import type { EngineSettings } from "./options.ts";
import { reportWarning } from "./report-warning.ts";
import type { Run } from "./run.ts";
import type { RunSettings } from "./run-options.ts";

const planningTypes: ReadonlySet<string> = new Set<PlanningEvent["type"]>(["plan-fallback", "plan-delta"]);

/** Whose planning it is, and how it is told. */
export interface PlanReporter {
  readonly runId: string;
  /** What the run has used of models before. */
  readonly spent: ModelUsage | undefined;
  readonly emit: (event: EventInit) => void | Promise<void>;
  /** Why there is no plan, as it is told. */
  readonly dataOf: (error: AgentError) => AgentErrorData;
  /** A plan as it is told. @default as it is */
  readonly sealPlan?: ((plan: Plan) => Promise<Plan>) | undefined;
}

/** What a planner uses and tells while it plans. Once that has ended nothing is told: a planner may be left behind. */
export class Planning {
  readonly meter: ModelMeter;
  private hasEnded = false;

  constructor(
    private readonly engine: EngineSettings,
    private readonly reporter: PlanReporter,
    { stored }: RunSettings,
  ) {
    this.meter = new ModelMeter(stored.budget, reporter.spent);
  }

  /** Tells a frozen copy, which nobody else can change. Throws for what is no event of planning. */
  tell(event: PlanningEvent): void | Promise<void> {
    if (this.hasEnded) return undefined;
    const json = toJson(event);
    const copy = (json.ok ? json.value : undefined) as PlanningEvent | null | undefined;
    if (copy && planningTypes.has(copy.type)) return this.reporter.emit({ ...copy });
    const what = json.ok ? `the event "${copy?.type}"` : `what is not JSON: ${json.issue.message}`;
    throw new TypeError(`A planner tells ${[...planningTypes].join(" and ")}, not ${what}.`);
  }

  /** Ends it, and gives what was used, as an event carries it. */
  end(): { usage?: ModelUsage } {
    this.hasEnded = true;
    this.meter.close();
    const { usage } = this.meter;
    if (usage === undefined) return {};
    const overrun = this.meter.describeOverrun();
    if (overrun !== undefined) {
      const message = `${overrun}: a prompt was longer than its estimate, or an answer than its limit.`;
      reportWarning(this.engine, { code: "budget-overrun", message, runId: this.reporter.runId });
    }
    return { usage };
  }
}

/** Planning as part of a run. */
export function reporterOf(run: Run): PlanReporter {
  const { runId, state, secrets } = run;
  return {
    runId,
    spent: state.usage,
    emit: (event) => run.emit(event),
    dataOf: (error) => dataOf(run, error),
    sealPlan: secrets && ((plan: Plan) => secrets.sealPlan(plan)),
  };
}
