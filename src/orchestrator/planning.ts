import type { AgentError, AgentErrorData } from "../core/errors.ts";
import type { EventInit } from "../core/events.ts";
import { toJson } from "../core/json.ts";
import type { ModelUsage } from "../core/model-usage.ts";
import type { Plan } from "../core/plan.ts";
import type { PlanningEvent } from "../core/planner.ts";
import { ModelMeter } from "./model-meter.ts";
import type { EngineSettings } from "./options.ts";
import { reportWarning } from "./report-warning.ts";
import type { Run } from "./run.ts";
import type { RunSettings } from "./run-options.ts";
import { dataOf } from "./step-errors.ts";

const planningTypes: ReadonlySet<string> = new Set<PlanningEvent["type"]>(["plan-fallback", "plan-delta"]);

/** The run that is planned, and how planning is reported. */
export interface PlanReporter {
  readonly runId: string;
  /** What the run has already used of models. */
  readonly spent: ModelUsage | undefined;
  readonly emit: (event: EventInit) => void | Promise<void>;
  /** Why there is no plan, as it is reported. */
  readonly dataOf: (error: AgentError) => AgentErrorData;
  /** A plan as it is reported. @default unchanged */
  readonly sealPlan?: ((plan: Plan) => Promise<Plan>) | undefined;
}

/**
 * What a planner uses and reports while it plans. After that nothing is emitted: the planner may have been abandoned.
 */
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

  /** Emits a frozen copy, which nobody else can change. Throws for anything that is not a planning event. */
  emit(event: PlanningEvent): void | Promise<void> {
    if (this.hasEnded) return undefined;
    const json = toJson(event);
    const copy = (json.ok ? json.value : undefined) as PlanningEvent | null | undefined;
    if (copy && planningTypes.has(copy.type)) return this.reporter.emit({ ...copy });
    const what = json.ok ? `the event "${copy?.type}"` : `a value that is not JSON: ${json.issue.message}`;
    throw new TypeError(`A planner reports ${[...planningTypes].join(" and ")}, not ${what}.`);
  }

  /** Ends planning, and returns what was used, as an event contains it. */
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
