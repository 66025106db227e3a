import { PrometheusExporter, PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import { createAgent, createFallbackPlanner, createLlmPlanner, defineTool } from "planwright";
import { createMetrics } from "planwright/metrics";
import { createTelemetry } from "planwright/otel";
import { createManualClock, createScriptedModel, createScriptedPlanner } from "planwright/testing";
import { expect, it } from "vitest";
import { z } from "zod/v4";

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
const quoted = defineTool({
  name: "Quote",
  description: "Waits for a person",
  inputSchema: z.object({}),
  effect: "once",
  needsApproval: true,
  execute: () => "sent",
});
const tools = [act, quoted] as const;
const plan = (...steps: readonly object[]) => ({
  steps: steps.map((step, index) => ({ id: `s${index + 1}`, tool: "Act", input: {}, dependsOn: [], ...step })),
});

/** Runs of each outcome, with a planner, a model, a failure, and one that waits for a person. */
async function useAgent(observer: object, name: string) {
  const model = createScriptedModel(['{"steps":[{"do":"Act"}]}'], { provider: 'a "b"\\c', modelId: "d\ne" });
  const planner = createFallbackPlanner([
    createScriptedPlanner([plan({})]),
    createLlmPlanner({ model, name, minCertainty: 0 }),
  ]);
  const agent = createAgent({ tools, planner, observers: [observer] });
  await agent.run("act");
  await agent.run("act").catch(() => {});
  await agent.execute(plan({}, { input: { fails: true } }) as never);
  await agent.execute(plan({ tool: "Quote" }) as never);
  await agent.close();
}

/** Lines of the text format without what each exporter adds of itself, and without the values of durations. */
function pointsOf(text: string): readonly string[] {
  return text
    .split("\n")
    .filter((line) => line !== "" && !/^(#|target_info)/.test(line))
    .map((line) =>
      line
        .replace(/otel_scope_\w+="[^"]*",?/g, "")
        .replace(/,\}/, "}")
        .replace("{}", ""),
    )
    .map((line) => (/duration/.test(line) && !/_count/.test(line) ? line.replace(/ \S+$/, "") : line))
    .sort();
}

it("has the names, labels and numbers that OpenTelemetry's exporter for Prometheus prints", async () => {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const meterProvider = new MeterProvider({ readers: [exporter] });
  const metrics = createMetrics();
  await useAgent(metrics, "model");
  await useAgent(createTelemetry({ meterProvider }), "model");
  const { resourceMetrics } = await exporter.collect();
  const theirs = pointsOf(new PrometheusSerializer().serialize(resourceMetrics));
  const ours = pointsOf(metrics.toPrometheus());
  expect(ours).toEqual(theirs);
  expect(ours.length).toBeGreaterThan(100);
  const heads = (text: string) =>
    text.split("\n").filter((line) => line.startsWith("# TYPE") && !line.includes("target_info"));
  expect(heads(metrics.toPrometheus()).sort()).toEqual(
    heads(new PrometheusSerializer().serialize(resourceMetrics)).sort(),
  );
});

it("a snapshot is data: totals, levels, and values by bucket", async () => {
  const clock = createManualClock();
  const slow = defineTool({
    name: "Slow",
    description: "Takes its time",
    inputSchema: z.object({ ms: z.number() }),
    effect: "idempotent",
    execute: ({ ms }) => clock.advance(ms),
  });
  const metrics = createMetrics({ name: "shop", clock });
  const agent = createAgent({ tools: [slow], clock, observers: [metrics] });
  for (const ms of [10, 30, 20_000]) await agent.execute({ steps: [{ id: "s1", tool: "Slow", input: { ms } }] });
  const all = metrics.snapshot();
  const find = (name: string) => all.find((metric) => metric.name === name);
  expect(find("planwright.runs")).toEqual({
    name: "planwright.runs",
    type: "counter",
    description: "Executions of runs, by how they ended",
    unit: "{run}",
    points: [{ attributes: { "gen_ai.agent.name": "shop", "planwright.run.status": "completed" }, value: 3 }],
  });
  expect(find("planwright.approvals.waiting")).toMatchObject({ type: "gauge", points: [] });
  const [point] = find("gen_ai.execute_tool.duration")?.points ?? [];
  expect(point).toMatchObject({ attributes: { "gen_ai.tool.name": "Slow" }, value: 20.04, count: 3 });
  expect(point?.buckets?.map(({ count }) => count)).toEqual([1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3]);
  expect(JSON.parse(JSON.stringify(all))).toEqual(all);
  expect(metrics.toPrometheus()).toContain(
    'gen_ai_execute_tool_duration_bucket{gen_ai_tool_name="Slow",le="+Inf"} 3\n',
  );
});

it("before the first event there is nothing to print", () => {
  expect(createMetrics().toPrometheus()).toBe("");
});

it("options are checked", () => {
  expect(() => createMetrics({ names: "x" } as object)).toThrow(/names/);
  expect(() => createMetrics({ clock: 3 as never })).toThrow(/clock/);
});
