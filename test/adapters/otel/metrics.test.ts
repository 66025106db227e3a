import { InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { createAgent, defineTool } from "planwright";
import { createTelemetry } from "planwright/otel";
import { afterEach, expect, it } from "vitest";
import { z } from "zod/v4";

const exporter = new InMemoryMetricExporter(1);
const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1_000_000 });
const meterProvider = new MeterProvider({ readers: [reader] });
afterEach(() => exporter.reset());

const act = defineTool({
  name: "Act",
  description: "Acts",
  inputSchema: z.object({ fails: z.boolean().default(false) }),
  effect: "idempotent",
  retry: { maxAttempts: 1 },
  execute: ({ fails }) => {
    if (fails) throw new Error("no");
    return "done";
  },
});
const step = (id: string, input: object = {}) => ({ id, tool: "Act" as const, input });
const newAgent = () => createAgent({ tools: [act], observers: [createTelemetry({ meterProvider })] });

/** The points of a metric, as the next export has them. */
async function points(name: string) {
  exporter.reset();
  await reader.forceFlush();
  const metrics = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics: all }) => all));
  const { dataPoints = [] } = metrics.find(({ descriptor }) => descriptor.name === name) ?? {};
  return dataPoints.map(({ attributes, value }) => [attributes, value] as const);
}

it("steps of all observers of a meter are one sum, by tool and how they ended", async () => {
  const [one, other] = [newAgent(), newAgent()];
  await one.execute({ steps: [step("s1"), step("s2")] });
  await other.execute({ steps: [step("s1"), step("s2", { fails: true })] });
  const completed = { "gen_ai.tool.name": "Act", "planwright.step.status": "completed" };
  const failed = { "gen_ai.tool.name": "Act", "planwright.step.status": "failed" };
  expect(await points("planwright.steps")).toEqual([
    [completed, 3],
    [failed, 1],
  ]);
  await one.execute({ steps: [step("s1")] });
  expect(await points("planwright.steps")).toContainEqual([completed, 4]);
});

it("the duration of the latest step of a tool and planning of a planner is kept", async () => {
  await newAgent().execute({ steps: [step("s1")] });
  const planner = { name: "p", plan: () => ({ steps: [{ ...step("s1"), dependsOn: [] }] }) };
  await createAgent({ tools: [act], planner, observers: [createTelemetry({ meterProvider })] }).plan("act");
  expect(await points("planwright.last.duration")).toEqual([
    [{ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "Act" }, expect.any(Number)],
    [{ "gen_ai.operation.name": "plan", "planwright.planner": "p" }, expect.any(Number)],
  ]);
});
