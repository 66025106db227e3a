import {
  type Agent,
  type AgentEvent,
  type AgentOptions,
  createAgent,
  createMemoryRunStore,
  type Tool,
} from "planwright";
import { createFakeTool, createManualClock, type FakeOutcome, type ManualClock } from "planwright/testing";
import { expect } from "vitest";
import { indexTools } from "../../src/core/define-tool.ts";
import { toolFingerprint } from "../../src/core/tool-schemas.ts";
import { planOf } from "../scenario/plans.ts";
import { checkInvariants } from "../scenario/run-scenario.ts";

/** Options of {@link setUp}. */
export interface Setup extends Partial<Omit<AgentOptions, "tools">> {
  tools: (clock: ManualClock) => readonly Tool[];
}

/** An agent that is to be closed, and others with the same store that resume its runs. */
export async function setUp({ tools, store = createMemoryRunStore(), ...options }: Setup) {
  const clock = createManualClock();
  await Promise.all([...indexTools(tools(clock)).values()].map(toolFingerprint));
  const events: AgentEvent[] = [];
  let ids = 0;
  const open = (others: Partial<AgentOptions> = {}): Agent => {
    const base = { tools: tools(clock), store, clock, random: () => 1, createId: () => `${++ids}` };
    const agent = createAgent({ ...base, ...options, ...others });
    agent.subscribe((event) => events.push(event));
    return agent;
  };
  const check = async (runId: string) => {
    const recorded = await store.read(runId);
    const snapshot = await open().getRun(runId);
    const { metadata: _, updatedAt: _updatedAt, ...result } = snapshot as never as Record<string, unknown>;
    checkInvariants({ events, recorded, result: result as never });
    expect(clock.pendingTimers).toBe(0);
  };
  return { agent: open(), open, clock, events, check, store };
}

export const tool =
  (name: string, outcome: FakeOutcome, effect: "idempotent" | "once" = "idempotent") =>
  (clock: ManualClock) =>
    createFakeTool({ name, outcomes: [outcome], effect, clock });
export const both = (outcome: FakeOutcome) => (clock: ManualClock) => [
  tool("A", outcome)(clock),
  createFakeTool({ name: "B" }),
];
export const plan = planOf("A", "B") as never;
