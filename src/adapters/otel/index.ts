/** @module planwright/otel */

import { type MeterProvider, metrics, type TracerProvider, trace } from "@opentelemetry/api";
import type { Observer } from "../../core/observer.ts";
import { type OptionTable, readOptions } from "../../core/option-tables.ts";
import { schemaUrl, scope, type TelemetryContent } from "./attributes.ts";
import { Metrics } from "./metrics.ts";
import { Traces } from "./spans.ts";

/** Options of {@link createTelemetry}. */
export interface TelemetryOptions {
  /**
   * Run data in spans: `inputs` adds requests and inputs of steps. `all` also adds outputs and error messages. Values
   * of sensitive fields are always hidden. @default "none"
   */
  content?: TelemetryContent | undefined;
  /**
   * `linked` gives each execution of a run its own trace, or its caller's, with a link to the previous execution.
   * `one` gives a run a single trace, which few backends show if the run waits for days. @default "linked"
   */
  traces?: "linked" | "one" | undefined;
  /** Name of the agent. @default "planwright" */
  name?: string | undefined;
  /** Tracer provider of OpenTelemetry. @default the global one */
  tracerProvider?: TracerProvider | undefined;
  /** Meter provider of OpenTelemetry. @default the global one */
  meterProvider?: MeterProvider | undefined;
}

const telemetryOptions = {
  content: { oneOf: ["none", "inputs", "all"], default: "none" },
  traces: { oneOf: ["linked", "one"], default: "linked" },
  name: { type: "text", default: "planwright" },
  tracerProvider: { methods: ["getTracer"], expected: "a tracer provider" },
  meterProvider: { methods: ["getMeter"], expected: "a meter provider" },
} satisfies OptionTable<TelemetryOptions>;

/**
 * Creates an observer that records runs as spans and metrics, by OpenTelemetry's conventions for generative AI. It does
 * little until the application registers an SDK. Throws `invalid-options`.
 *
 * {@includeCode ../../../examples/27-telemetry.ts}
 */
export function createTelemetry(options: TelemetryOptions = {}): Required<Observer> {
  const settings = readOptions(telemetryOptions, options);
  const { content, traces, name, tracerProvider = trace, meterProvider = metrics } = settings;
  const tracer = tracerProvider.getTracer(scope, undefined, { schemaUrl });
  const spans = new Traces({ tracer, content, traces, name });
  const counts = new Metrics(meterProvider.getMeter(scope, undefined, { schemaUrl }), name, () => performance.now());
  return {
    event: (event) => {
      try {
        spans.event(event);
      } finally {
        counts.event(event);
      }
    },
    within: (call, proceed) => spans.within(call, proceed),
    traceparent: () => spans.traceparent(),
  };
}
