import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { createRunLog } from "planwright/log";
import { createTelemetry } from "planwright/otel";

const ignore = () => undefined;

/** What observes runs: each gives its observers, and may tell what is still to be done after a round, and what it has done. */
export const observers = {
  none: () => ({}),
  "an empty list": () => ({ observers: [] }),
  "an observer that does nothing": () => ({ observers: [{ event: ignore, within: (_call, proceed) => proceed() }] }),
  "log, to a logger that does nothing": () => {
    const logger = { child: () => logger, debug: ignore, info: ignore, warn: ignore, error: ignore };
    return { observers: [createRunLog(logger)] };
  },
  "otel without an SDK": () => ({ observers: [createTelemetry()] }),
  "otel with an SDK: spans in batches, metrics": () => withSdk({}),
  "the same, with inputs and outputs": () => withSdk({ content: "all" }),
};

/**
 * An SDK as apps set it up, which exports to nowhere but loses nothing. Its contexts follow all that is asynchronous in the
 * process, observed or not.
 */
function withSdk(options) {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const counts = { spans: 0 };
  const exporter = {
    export(spans, done) {
      counts.spans += spans.length;
      done({ code: 0 });
    },
    shutdown: async () => undefined,
  };
  const processor = new BatchSpanProcessor(exporter, { maxQueueSize: 1_000_000 });
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [processor] });
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.DELTA);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter });
  const meterProvider = new MeterProvider({ readers: [reader] });
  return {
    observers: [createTelemetry({ tracerProvider, meterProvider, ...options })],
    counts,
    async finish() {
      await processor.forceFlush();
      await reader.forceFlush();
      metricExporter.reset();
    },
  };
}
