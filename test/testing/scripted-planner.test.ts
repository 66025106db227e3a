import { createAgent } from "planwright";
import { createFakeTool, createScriptedPlanner } from "planwright/testing";
import { describe, expect, it } from "vitest";

const draft = { steps: [{ id: "s1", tool: "Fake", input: {}, dependsOn: [] }] };

describe("createScriptedPlanner", () => {
  it("answers with plans, errors and functions in order, and records its requests", async () => {
    const planner = createScriptedPlanner([
      draft,
      new Error("no plan today"),
      async ({ request }) => ({ steps: [{ id: request, tool: "Fake", input: {} }] }),
    ]);
    const agent = createAgent({ tools: [createFakeTool({ name: "Fake" })], planner });
    expect((await agent.plan("first")).steps[0]?.id).toBe("s1");
    await expect(agent.plan("second")).rejects.toMatchObject({ code: "planning-failed" });
    expect((await agent.plan("third")).steps[0]?.id).toBe("third");
    expect(planner.requests.map(({ request }) => request)).toEqual(["first", "second", "third"]);
  });

  it("reports a request without an answer", async () => {
    const agent = createAgent({ tools: [createFakeTool({ name: "Fake" })], planner: createScriptedPlanner([]) });
    await expect(agent.plan("first")).rejects.toThrow("The script has 0 answers; this is request 1.");
  });
});
