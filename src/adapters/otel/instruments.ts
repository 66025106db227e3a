import type { Counter, Histogram, Meter, UpDownCounter } from "@opentelemetry/api";

/** In seconds, as the conventions advise for `gen_ai.client.operation.duration`. */
const durationBuckets = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
/** As they advise for `gen_ai.client.token.usage`. */
const tokenBuckets = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
];

/** What is measured. */
export interface Instruments {
  readonly tokens: Histogram;
  readonly modelDuration: Histogram;
  readonly runDuration: Histogram;
  readonly toolDuration: Histogram;
  readonly planDuration: Histogram;
  readonly queueDuration: Histogram;
  readonly runs: Counter;
  readonly plans: Counter;
  readonly retries: Counter;
  readonly openCircuits: UpDownCounter;
  readonly approvals: UpDownCounter;
}

/** Creates the instruments, those of the conventions under their names. */
export function instrumentsOf(meter: Meter): Instruments {
  const histogram = (name: string, description: string, unit: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(name, { description, unit, advice: { explicitBucketBoundaries } });
  const duration = (name: string, description: string) => histogram(name, description, "s", durationBuckets);
  const counter = (name: string, description: string, unit: string) => meter.createCounter(name, { description, unit });
  const level = (name: string, description: string, unit: string) =>
    meter.createUpDownCounter(name, { description, unit });
  return {
    tokens: histogram("gen_ai.client.token.usage", "Tokens of an attempt to call a model", "{token}", tokenBuckets),
    modelDuration: duration("gen_ai.client.operation.duration", "Duration of an attempt to call a model"),
    runDuration: duration("gen_ai.invoke_agent.duration", "Duration of an execution of a run"),
    toolDuration: duration("gen_ai.execute_tool.duration", "Duration of a step, with all its attempts"),
    planDuration: duration("planwright.plan.duration", "Duration of a planning"),
    queueDuration: duration("planwright.step.queue.duration", "Time from when a step could start until it started"),
    runs: counter("planwright.runs", "Executions of runs, by how they ended", "{run}"),
    plans: counter("planwright.plans", "Plannings, by planner and how they ended", "{plan}"),
    retries: counter("planwright.retries", "Failed attempts that were repeated, by tool", "{attempt}"),
    openCircuits: level("planwright.circuits.open", "Tools whose circuit breaker is open", "{tool}"),
    approvals: level("planwright.approvals.waiting", "Questions that wait for an answer", "{question}"),
  };
}
