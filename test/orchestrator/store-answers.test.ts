import { describe, expect, it } from "vitest";
import { createAgent } from "../../src/agent.ts";
import type { RunStore } from "../../src/core/run-store.ts";
import { createMemoryRunStore } from "../../src/stores/memory-run-store.ts";
import { createFakeTool } from "../../src/testing/fake-tool.ts";
import { planOf } from "../scenarios/plans.ts";
import { answerLater } from "../scenarios/run-scenario.ts";
import { withMethods } from "../scenarios/two-processes.ts";

const tool = createFakeTool({ name: "A" });

function agentWith(methods: object, wrap: (store: RunStore) => RunStore) {
  return createAgent({ tools: [tool], store: wrap(withMethods(createMemoryRunStore(), methods as Partial<RunStore>)) });
}

describe.each([
  ["at once", (store: RunStore) => store],
  ["later", answerLater],
])("a store that answers %s", (_when, wrap) => {
  it.each([undefined, null, {}, { fence: "1" }, { fence: Number.NaN }])(
    "claims with %j: nothing is run",
    async (claim) => {
      const before = tool.calls.length;
      const agent = agentWith({ claim: () => claim }, wrap);
      const result = await agent.run(planOf("A") as never);
      expect(result).toMatchObject({
        status: "failed",
        error: { code: "store-failed", details: { operation: "claim" } },
      });
      expect(tool.calls).toHaveLength(before);
    },
  );

  it.each([null, { runs: 5 }, { runs: [{ runId: "r" }] }, { runs: [], cursor: 1 }])("lists %j", async (page) => {
    const agent = agentWith({ list: () => page }, wrap);
    const failure = { code: "store-failed", details: { operation: "list" } };
    await expect(agent.listRuns()).rejects.toMatchObject(failure);
    await expect(agent.resumeAll()).rejects.toMatchObject(failure);
  });

  it("leads from page to page in a circle", async () => {
    const agent = agentWith({ list: () => ({ runs: [], cursor: "same" }) }, wrap);
    await expect(agent.resumeAll()).rejects.toMatchObject({ code: "store-failed", details: { operation: "list" } });
  });

  it.each([null, "events", [null], [5]])("reads %j", async (events) => {
    const agent = agentWith({ read: () => events }, wrap);
    const failure = { code: "store-failed", details: { operation: "read", problem: "corrupt", runId: "r" } };
    await expect(agent.getRun("r")).rejects.toMatchObject(failure);
    await expect(agent.resume("r")).rejects.toMatchObject(failure);
  });
});
