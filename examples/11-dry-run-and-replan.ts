import { createAgent, type Planner } from "planwright";
import { createFakeTool } from "planwright/testing";

const final = Object.assign(new Error("No seats left"), { retryable: false });
const tools = [
  createFakeTool({ name: "Find", effect: "pure", outcomes: [{ returns: { hotel: "Grand" } }] }),
  createFakeTool({ name: "Train", outcomes: [{ throws: final }] }),
  createFakeTool({ name: "Bus", outcomes: [{ returns: "seat 12" }] }),
] as const;

const input = { to: "${find.hotel}, Oslo" };
const planner: Planner = {
  name: "travel",
  plan: () => ({
    steps: [
      { id: "find", tool: "Find", input: { city: "Oslo" }, dependsOn: [] },
      { id: "train", tool: "Train", input, dependsOn: ["find"] },
    ],
  }),
  replan({ error, steps }) {
    console.log(error.message);
    for (const { stepId, status } of steps) console.log("  ", stepId, status);
    // Completed steps are kept, and the new steps may refer to them.
    return { steps: [{ id: "bus", tool: "Bus", input, dependsOn: ["find"] }] };
  },
};
const agent = createAgent({ tools, planner });

const { steps } = await agent.dryRun("Get me to Oslo");
for (const { stepId, effect, open, canUndo } of steps) console.log(stepId, { effect, open, canUndo });

// The bus has an effect and was not in the first plan: unless it is named here, it needs approval.
const result = await agent.run("Get me to Oslo", { maxReplans: 1, replanTools: ["Bus"] });
for (const { stepId, status, input } of result.steps) console.log(stepId, status, input);
console.log(result.status, result.output);
