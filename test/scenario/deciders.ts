import { type Agent, createAgent, type RunResult, type RunStore } from "planwright";
import { createFakeTool } from "planwright/testing";

export type Verdict = "approve" | "reject";

export interface Asked {
  readonly runId: string;
  readonly item: NonNullable<RunResult["pending"]>[number];
  readonly verdict: Verdict;
  readonly by: string;
}

/** The answer to one who decides; the code of a refusal, and the decision that came before. */
export interface Told {
  readonly code?: string;
  readonly decided?: { readonly status: string; readonly by?: string };
}

/** One of those who decide, in this process or another. */
export type Decide = (asked: Asked) => Promise<Told>;

export function deciderOf(agent: Agent): Decide {
  return ({ runId, item, verdict, by }) =>
    agent[verdict](runId, item as never, { by, resume: false }).recorded.then(
      () => ({}),
      ({ code, details }) => ({ code, decided: details?.decided }),
    );
}

export function askingAgent(store: RunStore): Agent {
  const tools = [createFakeTool({ name: "Pay", effect: "once", outcomes: [{ returns: "paid" }] })];
  return createAgent({ tools, store, needsApproval: ({ kind }) => kind === "plan", onWarning: () => {} });
}
