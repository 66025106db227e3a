import { createAgent, createMemoryRunStore, type RunStore } from "planwright";
import { createFakeTool } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { answerLater } from "../scenario/answer-later.ts";
import { planOf } from "../scenario/plans.ts";
import { withMethods } from "../scenario/two-processes.ts";

const tool = createFakeTool({ name: "A" });

function agentWith(methods: object, wrap: (store: RunStore) => RunStore) {
  return createAgent({ tools: [tool], store: wrap(withMethods(createMemoryRunStore(), methods as Partial<RunStore>)) });
}

describe.each([
  ["at once", (store: RunStore) => store],
  ["later", answerLater],
])("a store whose invalid answer comes %s", (_when, wrap) => {
  it.each([undefined, null, {}, { fence: "1" }, { fence: Number.NaN }])(
    "fails the run if claim returns %j, and nothing runs",
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

  it.each([null, { runs: 5 }, { runs: [{ runId: "r" }] }, { runs: [], cursor: 1 }])(
    "fails listing and resumeAll if list returns %j",
    async (page) => {
      const agent = agentWith({ list: () => page }, wrap);
      const failure = { code: "store-failed", details: { operation: "list" } };
      await expect(agent.listRuns()).rejects.toMatchObject(failure);
      await expect(agent.resumeAll()).rejects.toMatchObject(failure);
    },
  );

  it("fails resumeAll if its pages go round in a circle", async () => {
    const agent = agentWith({ list: () => ({ runs: [], cursor: "same" }) }, wrap);
    await expect(agent.resumeAll()).rejects.toMatchObject({ code: "store-failed", details: { operation: "list" } });
  });

  it.each([null, "events", [null], [5]])("fails reading and resuming if read returns %j", async (events) => {
    const agent = agentWith({ read: () => events }, wrap);
    const failure = { code: "store-failed", details: { operation: "read", problem: "corrupt", runId: "r" } };
    await expect(agent.getRun("r")).rejects.toMatchObject(failure);
    await expect(agent.resume("r")).rejects.toMatchObject(failure);
  });
});
