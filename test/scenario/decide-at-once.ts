import type { RunStore } from "planwright";
import { expect } from "vitest";
import { type Asked, askingAgent, type Decide, type Verdict } from "./deciders.ts";

const verdicts: readonly Verdict[] = ["approve", "reject", "approve"];

/**
 * Has several people decide about the same plan at once, for each of many runs, and checks that one verdict counts: it is
 * recorded once, all who said the same are told so, and all others who was faster.
 */
export async function decideAtOnce(store: RunStore, deciders: readonly Decide[], count = 200): Promise<void> {
  const agent = askingAgent(store);
  const won: Record<string, string> = {};
  for (let round = 0; round < count; round++) {
    const runId = `r${round}`;
    const { pending = [] } = await agent.execute({ steps: [{ id: "pay", tool: "Pay", input: {} }] }, { runId });
    const item = pending[0] as Asked["item"];
    // Each in turn is asked first.
    const asked = deciders.map((decide, index) => ({ decide, verdict: verdicts[index] as Verdict, by: `p${index}` }));
    for (let turns = round % deciders.length; turns > 0; turns--) asked.push(asked.shift() as (typeof asked)[number]);
    const told = await Promise.all(asked.map(({ decide, ...rest }) => decide({ runId, item, ...rest })));
    const outcomes = (await store.read(runId)).flatMap((event) => (event.type === "approval-end" ? event.outcome : []));
    expect(outcomes).toHaveLength(1);
    const [{ status, by }] = outcomes as [{ readonly status: string; readonly by: string }];
    won[runId] = status;
    for (const [index, { verdict }] of asked.entries()) {
      const isSame = status === (verdict === "approve" ? "approved" : "rejected");
      const refused = { code: "run-conflict", decided: { status, by } };
      expect(told[index]).toMatchObject(isSame ? {} : refused);
      expect(told[index]?.code).toBe(isSame ? undefined : "run-conflict");
    }
    expect((await agent.getRun(runId))?.pending).toEqual([]);
  }
  expect((await agent.listPending()).items).toEqual([]);
  const resumed = await agent.resumeAll();
  expect(resumed).toHaveLength(count);
  for (const { runId, result } of resumed)
    expect(result?.status).toBe(won[runId] === "approved" ? "completed" : "failed");
}
