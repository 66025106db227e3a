import type { Attributes, Meter } from "@opentelemetry/api";
import { attribute } from "./names.ts";

/** A number with what it is of. */
interface Total {
  readonly attributes: Attributes;
  value: number;
}

/**
 * What each step changes, but is only read when metrics are collected: with an SDK, to record it each time takes as long as
 * a good part of the step.
 */
export class Totals {
  private readonly steps = new Map<string, Total>();
  private readonly last = new Map<string, Total>();

  constructor(meter: Meter) {
    const steps = meter.createObservableCounter("planwright.steps", {
      description: "Steps, by tool and how they ended",
      unit: "{step}",
    });
    const last = meter.createObservableGauge("planwright.last.duration", {
      description: "Duration of the latest planning of a planner, or step of a tool",
      unit: "s",
    });
    steps.addCallback((result) => {
      for (const { value, attributes } of this.steps.values()) result.observe(value, attributes);
    });
    last.addCallback((result) => {
      for (const { value, attributes } of this.last.values()) result.observe(value, attributes);
    });
  }

  /** Counts a step that has ended. */
  countStep(tool: string, status: string): void {
    const make = () => ({ [attribute.tool]: tool, [attribute.stepStatus]: status });
    entryOf(this.steps, `${status} ${tool}`, make).value += 1;
  }

  /** Keeps the duration of the latest step of a tool, in seconds. */
  setStep(tool: string, seconds: number): void {
    const make = () => ({ [attribute.operation]: "execute_tool", [attribute.tool]: tool });
    entryOf(this.last, `tool ${tool}`, make).value = seconds;
  }

  /** Keeps the duration of the latest planning of a planner, in seconds. */
  setPlanning(planner: string, seconds: number): void {
    const make = () => ({ [attribute.operation]: "plan", [attribute.planner]: planner });
    entryOf(this.last, `planner ${planner}`, make).value = seconds;
  }
}

function entryOf(totals: Map<string, Total>, key: string, attributes: () => Attributes): Total {
  let total = totals.get(key);
  if (total === undefined) {
    total = { attributes: attributes(), value: 0 };
    totals.set(key, total);
  }
  return total;
}

const known = new WeakMap<Meter, Totals>();

/** The totals of a meter: those of several observers are one, or the one would replace the other. */
export function totalsOf(meter: Meter): Totals {
  const totals = known.get(meter) ?? new Totals(meter);
  known.set(meter, totals);
  return totals;
}
