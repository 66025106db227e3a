import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { metrics, trace } from "@opentelemetry/api";
import { PrometheusExporter } from "@opentelemetry/exporter-prometheus";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { createAgent, createCalculator, createTodoStore } from "planwright";
import { createTelemetry } from "planwright/otel";

// An app registers its own SDK: here, spans are kept in memory, and Prometheus reads the metrics.
const spans = new InMemorySpanExporter();
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }));
const prometheus = new PrometheusExporter({ port: 9464, host: "127.0.0.1" });
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [prometheus] }));

const agent = createAgent({
  tools: [createCalculator(), createTodoStore()],
  observers: [createTelemetry({ content: "inputs" })],
});
await agent.run("Calculate 100 / 4 and add the result as a todo");

for (const { name, attributes } of spans.getFinishedSpans()) {
  console.log(name, attributes["openinference.span.kind"], attributes["input.value"]);
}
const { stdout } = await promisify(execFile)("curl", ["-s", "http://127.0.0.1:9464/metrics"]);
for (const line of stdout.split("\n")) if (/^planwright_(runs|steps)_total/.test(line)) console.log(line);
await prometheus.shutdown();
