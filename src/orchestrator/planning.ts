import type { EventInit } from "../core/events.ts";
import type { ModelUsage } from "../core/model-usage.ts";
import type { PlanningEvent } from "../core/planner.ts";
import { ModelMeter } from "./model-meter.ts";
import type { EngineSettings } from "./options.ts";
import type { Run } from "./run.ts";
import type { RunSettings } from "./run-options.ts";

/** Whose planning it is, and how it is told. */
export interface PlanTeller {
  readonly runId: string;
  /** What the run has used of models before. */
  readonly spent: ModelUsage | undefined;
  readonly emit: (event: EventInit) => void | Promise<void>;
}

/** What a planner uses and tells while it plans. Once that has ended nothing is told: a planner may be left behind. */
export class Planning {
  readonly meter: ModelMeter;
  private hasEnded = false;

  constructor(
    private readonly engine: EngineSettings,
    private readonly teller: PlanTeller,
    { stored }: RunSettings,
  ) {
    this.meter = new ModelMeter(stored.budget, teller.spent);
  }

  tell(event: PlanningEvent): void | Promise<void> {
    return this.hasEnded ? undefined : this.teller.emit(event);
  }

  /** Ends it, and gives what was used, as an event carries it. */
  end(): { usage?: ModelUsage } {
    this.hasEnded = true;
    const { usage } = this.meter;
    const overrun = this.meter.describeOverrun();
    if (overrun !== undefined) {
      const message = `${overrun}: the estimate of a prompt was too low.`;
      this.engine.onWarning({ code: "budget-overrun", message, runId: this.teller.runId });
    }
    return usage === undefined ? {} : { usage };
  }
}

/** Planning as part of a run. */
export function tellerOf(run: Run): PlanTeller {
  return { runId: run.runId, spent: run.state.usage, emit: (event) => run.emit(event) };
}
