import { expect, it } from "vitest";
import { createAgent } from "../../src/agent.ts";
import { eventVersion } from "../../src/core/event-version.ts";
import { createMemoryRunStore } from "../../src/stores/memory-run-store.ts";
import { runStart } from "../../src/testing/conformance/run-store-case.ts";
import { createFakeTool } from "../../src/testing/fake-tool.ts";

it("a run that a later version has recorded is left unchanged by every method", async () => {
  const store = createMemoryRunStore();
  const events = [{ ...runStart("r", { request: "Do it" }), version: eventVersion + 1 }];
  await store.append("r", events, { sequence: 1 });
  const agent = createAgent({ tools: [createFakeTool({ name: "Fake" })], store });
  const refusal = { code: "store-failed", details: { runId: "r", problem: "newer-format" } };
  await expect(agent.getRun("r")).rejects.toMatchObject(refusal);
  await expect(agent.resume("r")).rejects.toMatchObject(refusal);
  await expect(agent.run("Do it", { runId: "r" })).rejects.toMatchObject(refusal);
  await expect(agent.resumeAll()).resolves.toMatchObject([{ runId: "r", error: refusal }]);
  expect((await agent.listRuns()).runs).toMatchObject([{ runId: "r", status: "planning" }]);
  expect(await store.read("r")).toEqual(events);
});
