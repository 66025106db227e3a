import { createAgent } from "planwright";
import { collectEvents, createFakeTool } from "planwright/testing";
import { describe, expect, it } from "vitest";

const plan = { steps: [{ id: "s1", tool: "Fake" as const, input: {} }] };

describe("collectEvents", () => {
  it("collects every event until it is stopped", async () => {
    const agent = createAgent({ tools: [createFakeTool({ name: "Fake" })] });
    await agent.execute(plan);
    const collected = collectEvents(agent);
    expect(collected.events).toEqual([]);
    const { runId } = await agent.execute(plan);
    expect(collected.types()).toEqual(["run-start", "step-start", "step-end", "run-end"]);
    expect(collected.events.every((event) => event.runId === runId)).toBe(true);
    collected.stop();
    await agent.execute(plan);
    expect(collected.events).toHaveLength(4);
  });
});
