import { Writable } from "node:stream";
import { InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import pino from "pino";
import {
  type AgentEvent,
  type ApprovalItem,
  createAgent,
  createMemoryRunStore,
  type Planner,
  type RunResult,
} from "planwright";
import { createRunLog } from "planwright/log";
import { exportRun, toHtml, toMermaid } from "planwright/view";
import { expect, it } from "vitest";
import { expectHidden, keyOf, password, secretPlan, secretTools, token } from "../../scenario/secret-tools.ts";
import { recordSpans } from "../../scenario/span-recorder.ts";

/** Everything that observers write in a run of an agent, as text. */
function observe() {
  const { observer, spans } = recordSpans({ content: "all" });
  const exporter = new InMemoryMetricExporter(0);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1_000_000 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const measuring = recordSpans({ content: "all", meterProvider }).observer;
  const lines: string[] = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  const write = (...args: unknown[]) => lines.push(JSON.stringify(args));
  const plain = { debug: write, info: write, warn: write, error: write };
  return {
    observers: [observer, measuring, createRunLog(pino({ level: "trace" }, stream)), createRunLog(plain)],
    async written() {
      await reader.forceFlush();
      const told = spans.map(({ name, attributes, events, status, links }) => ({
        ...{ name, attributes, status, events },
        links: links.map(({ attributes: some }) => some),
      }));
      const metrics = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
      await meterProvider.shutdown();
      return { spans: JSON.stringify(told), metrics: JSON.stringify(metrics), lines: lines.join("\n") };
    },
  };
}

/** A run that asks, resumes, fails twice, quotes its secrets in errors and their causes, plans again, and undoes. */
async function play(secrets: object) {
  const { tools } = secretTools({
    needsApproval: true,
    use: ({ header, url }) => {
      throw new Error(`${url} said no to ${header} of ${password}`, { cause: new Error(`${password} ${token}`) });
    },
  });
  const planner: Planner = {
    name: "p",
    plan: () => secretPlan,
    replan: () => ({
      steps: [{ ...secretPlan.steps[1], id: "again", dependsOn: ["in"] }] as never,
    }),
  };
  const { observers, written } = observe();
  const store = createMemoryRunStore();
  const retry = { maxAttempts: 2, minDelayMs: 0 };
  const agent = createAgent({ tools, planner, store, retry, observers, evidence: true, ...secrets });
  const options = { runId: "r1", undoOnFailure: true, maxReplans: 1 };
  const suspended: RunResult = await agent.run("log in", options);
  const result = await agent.approve("r1", suspended.pending?.[0] as ApprovalItem, { by: "ann", comment: "go" }).result;
  expect(result).toMatchObject({ status: "failed", error: { code: "tool-failed" } });
  const events: AgentEvent[] = [];
  for await (const event of agent.events("r1")) events.push(event);
  const snapshot = await agent.getRun("r1");
  if (snapshot === undefined) throw new Error("There is no run.");
  return { events, suspended, result, snapshot, store, ...(await written()) };
}

it.each([
  ["stored as [sensitive]", {}],
  ["sealed in the store", { secrets: { keys: [keyOf("k1")] } }],
])("no export of a run has a byte of its secrets, %s", async (_how, secrets) => {
  const { events, suspended, result, snapshot, store, spans, metrics, lines } = await play(secrets);
  // What is looked through is not empty, and tells of the errors.
  expect(spans).toContain("said no to");
  expect(metrics).toContain("gen_ai.execute_tool.duration");
  expect(lines).toContain("said no to");
  const raw: AgentEvent[] = [...(await store.read("r1"))];
  const drawn = [events, raw, suspended, result, snapshot];
  const pages = [...drawn.map((run) => toHtml(run)), toHtml(drawn)];
  expect(pages[0]).toContain("said no to");
  const charts = drawn.map((run) => toMermaid(run));
  const document = JSON.stringify(await exportRun({ store, runId: "r1" }));
  for (const text of [...pages, ...charts, spans, metrics, lines, document]) expectHidden(text);
});
