import { type Agent, type AgentOptions, createAgent, createMemoryRunStore, type RunStore, type Tool } from "planwright";
import { createFakeTool, type FakeTool } from "planwright/testing";
import { eventTexts } from "./ask-for-approval.ts";
import { step } from "./plans.ts";

/** A tool that returns a value. */
export const returning = (name: string, value: unknown) => createFakeTool({ name, outcomes: [{ returns: value }] });

/** Of which the second refers to the first. */
export const threeSteps = {
  steps: [step("s1", "A"), step("s2", "B", { input: { of: { $ref: "s1.value" } } }), step("s3", "C")],
};

/** Their tools. */
export const threeTools = () => [returning("A", { value: 1 }), returning("B", 2), returning("C", 3)] as const;

/** A stored run to fork. */
export interface World {
  readonly store: RunStore;
  readonly agent: Agent;
  readonly tools: readonly FakeTool[];
}

/** An agent that has run three steps as run `source`. */
export async function withSource(
  options: Partial<AgentOptions> = {},
  tools: readonly FakeTool[] = threeTools(),
): Promise<World> {
  const store = options.store ?? createMemoryRunStore();
  const agent = agentOf(tools, { store, ...options });
  await agent.execute(threeSteps, { runId: "source", metadata: { for: "ann" } });
  return { store, agent, tools };
}

/** Another agent. */
export function agentOf(tools: readonly Tool[], options: Partial<AgentOptions>): Agent {
  return createAgent({ ...options, tools });
}

/** The number of an event of a run, such as `step-end s1`. */
export async function numberOf(store: RunStore, event: string, runId = "source"): Promise<number> {
  return eventTexts(await store.read(runId)).indexOf(event) + 1;
}

/** How often each tool was called. */
export const callsOf = (tools: readonly FakeTool[]) => tools.map(({ calls }) => calls.length);
