import { AgentError, createTodoStore, escapeTemplate, type Planner } from "planwright";
import { plannerConformance } from "planwright/testing";

/** Knows one sentence: "buy" and a list. */
const shopper: Planner = {
  name: "shopper",
  plan({ request, signal }) {
    signal.throwIfAborted();
    const things = /^buy (.+)$/i.exec(request)?.[1]?.split(/,| and /);
    if (things === undefined) {
      const details = { reason: "not-understood", examples: ["buy milk and bread"] } as const;
      throw new AgentError("cannot-plan", "I can only buy.", { details });
    }
    const steps = things.map((thing, index) => ({
      id: `s${index + 1}`,
      tool: "TodoStore",
      // Typed text is never a reference.
      input: { operation: "add", title: escapeTemplate(thing.trim()), list: "shopping" },
      dependsOn: index === 0 ? [] : [`s${index}`],
    }));
    return { steps };
  },
};

const cases = plannerConformance({
  createPlanner: () => shopper,
  tools: [createTodoStore()],
  requests: ["buy milk", "Buy bread, butter and jam"],
  refusals: ["what is the time?"],
});

// In a test: for (const { name, run } of cases) it(name, run);
for (const { name, run } of cases) {
  await run();
  console.log("ok:", name);
}
