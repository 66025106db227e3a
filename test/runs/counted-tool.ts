import { createAgent, createMemoryRunStore } from "planwright";
import { createFakeTool, createScriptedPlanner } from "planwright/testing";

export const plan = { steps: [{ id: "s1", tool: "A", input: {} }] } as const;
export const otherPlan = { steps: [{ id: "s1", tool: "A", input: { more: 1 } }] } as const;

/** A tool whose calls are counted, and agents that share a store. */
export function createCounted() {
  const tool = createFakeTool({ name: "A", outcomes: [{ returns: 1 }] });
  const store = createMemoryRunStore();
  const create = () => createAgent({ tools: [tool], store, planner: createScriptedPlanner([plan, plan, plan]) });
  return { tool, store, create, agent: create() };
}
