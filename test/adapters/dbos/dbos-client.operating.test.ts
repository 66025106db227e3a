import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { DataPointType, MeterProvider, MetricReader } from "@opentelemetry/sdk-metrics";
import ts from "typescript";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildChild } from "../../kills/start-child.ts";
import { usePostgres } from "../postgres/postgres-server.ts";
import { newRuns, openQueue, useWorkers } from "./worker-processes.ts";

const server = usePostgres();
const startWorker = useWorkers();
let prompt: ReturnType<typeof buildChild> | undefined;
beforeAll(() => {
  prompt = buildChild("examples/deploy/operate.ts", ["@dbos-inc/dbos-sdk", "pg"]);
});
afterAll(() => prompt?.remove());

const page = readFileSync("docs/production.md", "utf8");
/** The sections for operators. */
const operating = page.slice(page.indexOf("\n## When a run is stuck"), page.indexOf("\n## In your own job runner"));
const fragments = [...operating.matchAll(/<!-- fragment -->\n\n```ts\n(.*?)\n```/gs)].map(([, code = ""]) => code);
const isOfMetrics = (code: string) => code.includes("meter.");

const planOf = (tool: string, id = "s0") => ({ steps: [{ id, tool, input: {} }] });
const waiting = { steps: [{ id: "s0", wait: { event: "paid" } }] };

/** Runs in every state that the page is about, with its ids, and a worker. */
async function stuckRuns() {
  const { databaseUrl, client, effects } = await newRuns(server);
  const slow = { databaseUrl, stepMs: 120_000, maxAdoptions: 1 };
  const first = startWorker(slow);
  await first.ready;
  await client.submit(planOf("Once", "send"), { runId: "r3" });
  await client.submit(planOf("Work"), { runId: "r5" });
  // Whichever worker has the run dies, until it is given up.
  for (const [calls, start] of [[1, () => first] as const, [2, () => startWorker(slow)] as const]) {
    const worker = start();
    await expect.poll(async () => (await effects()).get("r5/s0")).toBe(calls);
    worker.signal("SIGKILL");
    await worker.ended;
  }
  await startWorker({ ...slow, stepMs: 20 }).ready;
  for (const runId of ["r1", "r2", "r6", "r8"]) await client.submit(planOf("Ask"), { runId });
  await client.submit(waiting, { runId: "r4" });
  await client.submit(planOf("Work"), { runId: "r7" });
  for (const runId of ["r1", "r2", "r3", "r4", "r6", "r7", "r8"]) await client.result(runId);
  await expect.poll(async () => (await client.getRun("r5"))?.status).toBe("suspended");
  // Another job of it does not resume it: somebody has to ask for that.
  const queue = await openQueue(databaseUrl);
  await expect.poll(async () => (await queue.find("r5"))?.state).toBe("done");
  await queue.wake("r5");
  await expect.poll(async () => (await queue.find("r5"))?.state).toBe("done");
  return { databaseUrl, client };
}

it("every command of the page for operators does what it says", async () => {
  const { databaseUrl, client } = await stuckRuns();
  await checkMetrics(client);

  const child = spawn(process.execPath, [prompt?.script ?? ""], { env: { ...process.env, DATABASE_URL: databaseUrl } });
  let said = "";
  child.stdout.on("data", (data) => {
    said += String(data);
  });
  child.stderr.on("data", (data) => {
    said += String(data);
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const commands = fragments.filter((code) => !isOfMetrics(code)).flatMap((code) => code.split("\n"));
  for (const command of ["", ...commands]) {
    const before = said.length;
    child.stdin.write(`${command}\n`);
    await expect.poll(() => said.slice(before)).toMatch(/planwright> $/);
  }
  child.stdin.end();
  expect([await ended, said]).toEqual([0, expect.not.stringContaining("Uncaught")]);
  expect(said).toMatch(/'r5',\s+'given-up: /);

  const expected = { r1: "completed", r2: "failed", r3: "completed", r4: "completed", r5: "completed" };
  for (const [runId, status] of Object.entries({ ...expected, r6: "cancelled", r8: "cancelled" }))
    await expect.poll(async () => [runId, (await client.getRun(runId))?.status]).toEqual([runId, status]);
  expect((await client.getRun("r3"))?.output).toBe("sent by hand");
  expect(await client.getRun("r7")).toBeUndefined();
  expect(await server.query(databaseUrl, "select 1 from dbos.workflow_status where workflow_uuid = 'r7'")).toEqual([]);
});

class Reader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** Runs the code of the page that registers gauges, and reads them. */
async function checkMetrics(client: object): Promise<void> {
  const reader = new Reader();
  const provider = new MeterProvider({ readers: [reader] });
  const [code = ""] = fragments.filter(isOfMetrics);
  const { outputText } = ts.transpileModule(code, { compilerOptions: { target: ts.ScriptTarget.ESNext } });
  new Function("client", "meter", outputText)(client, provider.getMeter("planwright"));
  const { resourceMetrics, errors } = await reader.collect();
  expect(errors).toEqual([]);
  const read = resourceMetrics.scopeMetrics.flatMap(({ metrics }) =>
    metrics.map(({ descriptor, dataPointType, dataPoints }) => {
      expect(dataPointType).toBe(DataPointType.GAUGE);
      return [descriptor.name, dataPoints[0]?.value];
    }),
  );
  expect(Object.fromEntries(read)).toEqual({
    "planwright.queue.waiting": 0,
    "planwright.queue.oldest": 0,
    "planwright.queue.approvals": 4,
    "planwright.queue.stuck": 1,
  });
  await provider.shutdown();
}

it("metrics that the page names exist, and are those that it registers", () => {
  const source = readFileSync("src/adapters/otel/metrics.ts", "utf8");
  const registered = ["waiting", "oldest", "approvals", "stuck"].map((name) => `planwright.queue.${name}`);
  const ours = [...source.matchAll(/"((?:planwright|gen_ai)\.[a-z._]+)"/g)].map(([, name = ""]) => name);
  const known = [...ours, ...registered].map((name) => name.replaceAll(".", "_"));
  const named = [...page.matchAll(/`?\b((?:planwright|gen_ai)_[a-z_]+)/g)].map(([, name = ""]) => name);
  const metrics = named.filter((name) => name !== "planwright_run_status");
  expect(metrics.length).toBeGreaterThan(8);
  for (const name of metrics) expect(known).toContain(name.replace(/_(total|seconds)$/, ""));
});
