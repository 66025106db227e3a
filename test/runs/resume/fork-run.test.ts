import { describe, expect, it } from "vitest";
import { type Agent, type AgentOptions, createAgent } from "../../../src/agent.ts";
import type { AgentEvent } from "../../../src/core/events.ts";
import type { RunStore } from "../../../src/core/run-store.ts";
import type { Tool } from "../../../src/core/tool.ts";
import { createMemoryRunStore } from "../../../src/stores/memory-run-store.ts";
import { createFakeTool, type FakeTool } from "../../../src/testing/fake-tool.ts";
import { eventTexts, statuses } from "../../scenario/ask-for-approval.ts";
import { checkStartsAndEnds } from "../../scenario/check-starts-and-ends.ts";
import { step } from "../../scenario/plans.ts";

const returning = (name: string, value: unknown) => createFakeTool({ name, outcomes: [{ returns: value }] });

const threeSteps = {
  steps: [step("s1", "A"), step("s2", "B", { input: { of: { $ref: "s1.value" } } }), step("s3", "C")],
};

const threeTools = () => [returning("A", { value: 1 }), returning("B", 2), returning("C", 3)] as const;

interface World {
  readonly store: RunStore;
  readonly agent: Agent;
  readonly tools: readonly FakeTool[];
}

/** An agent that has run three steps as run `source`. */
async function withSource(
  options: Partial<AgentOptions> = {},
  tools: readonly FakeTool[] = threeTools(),
): Promise<World> {
  const store = options.store ?? createMemoryRunStore();
  const agent = agentOf(tools, { store, ...options });
  await agent.execute(threeSteps, { runId: "source", metadata: { for: "ann" } });
  return { store, agent, tools };
}

function agentOf(tools: readonly Tool[], options: Partial<AgentOptions>): Agent {
  return createAgent({ ...options, tools });
}

/** The number of an event of a run, such as `step-end s1`. */
async function numberOf(store: RunStore, event: string, runId = "source"): Promise<number> {
  return eventTexts(await store.read(runId)).indexOf(event) + 1;
}

const callsOf = (tools: readonly FakeTool[]) => tools.map(({ calls }) => calls.length);

describe("a fork", () => {
  it("keeps what has ended, and runs the rest with keys of its own", async () => {
    const { agent, store, tools } = await withSource();
    const before = await store.read("source");
    const after = await numberOf(store, "step-end s1");
    const handle = agent.fork("source", { after, runId: "fork" });
    const result = await handle.result;
    expect(result).toMatchObject({
      runId: "fork",
      status: "completed",
      output: 3,
      forkedFrom: { runId: "source", after },
    });
    expect(callsOf(tools)).toEqual([1, 2, 2]);
    expect(tools[1]?.calls[1]).toMatchObject({ input: { of: 1 }, context: { attempt: 1, idempotencyKey: "fork/s2" } });
    expect(await store.read("source")).toEqual(before);
    const events: AgentEvent[] = [];
    for await (const event of handle.events) events.push(event);
    expect(eventTexts(events)).toEqual([
      "run-resume",
      "step-start s2",
      "step-end s2",
      "step-start s3",
      "step-end s3",
      "run-end",
    ]);
    const recorded = await store.read("fork");
    expect(recorded.slice(after)).toEqual(events);
    checkStartsAndEnds(recorded);
    expect(await agent.getRun("fork")).toMatchObject({
      metadata: { for: "ann" },
      forkedFrom: { runId: "source", after },
    });
  });
});
