import { createManualClock, createScriptedPlanner } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { planOf } from "../scenario/plans.ts";

import { both, plan, setUp } from "./closable-agent.ts";

const interrupted = expect.objectContaining({ code: "interrupted" });

describe("an agent that was closed", () => {
  it("accepts no more runs", async () => {
    const { agent, clock, store } = await setUp({
      tools: both({ returns: 1 }),
      planner: createScriptedPlanner([plan]),
    });
    const { runId } = await clock.runUntil(agent.execute(plan));
    await agent.close();
    await agent.close({ timeoutMs: 5 });
    const calls: readonly (() => Promise<unknown>)[] = [
      () => agent.execute(plan),
      () => agent.run("Do it"),
      () => agent.plan("Do it"),
      () => agent.start(plan).result,
      () => agent.resume(runId),
      () => agent.resumeAll(),
      () => agent.settle(runId, "s1", { retry: true }).result,
      () => agent.approve(runId, { kind: "step", stepId: "s1", hash: "0".repeat(64) }).result,
      () => agent.reject(runId, { kind: "plan", hash: "0".repeat(64) }).result,
    ];
    for (const call of calls) await expect(call()).rejects.toEqual(interrupted);
    expect((await store.list()).runs).toHaveLength(1);
    // Reading is allowed.
    expect(await agent.getRun(runId)).toMatchObject({ status: "completed" });
    expect((await agent.listRuns()).runs).toHaveLength(1);
  });

  it("closes for all callers at the same time", async () => {
    const { agent, clock } = await setUp({ tools: both({ hangs: "until-aborted" }) });
    const { result } = agent.start(plan);
    await clock.advance(10);
    const closing = Promise.all([agent.close({ timeoutMs: 100 }), agent.close({ timeoutMs: 5 })]);
    await clock.runUntil(closing);
    // Half of the time is for its grace and the store.
    expect(clock.now() - createManualClock().now()).toBe(60);
    expect((await result).status).toBe("interrupted");
  });

  it("closes at once if it never had a run", async () => {
    const { agent } = await setUp({ tools: both({ returns: 1 }) });
    await agent.close();
    await expect(agent.execute(plan)).rejects.toEqual(interrupted);
  });

  it("does not throw for runs that were interrupted, even if failures do", async () => {
    const { agent, clock } = await setUp({ tools: both({ hangs: "until-aborted" }) });
    const { result } = agent.start(plan, { throwOnFailure: true });
    await clock.advance(10);
    await clock.runUntil(agent.close({ timeoutMs: 1 }));
    expect((await result).status).toBe("interrupted");
  });

  it("leaves a run cancelled that is cancelled while it closes", async () => {
    const { agent, clock } = await setUp({ tools: both({ hangs: "until-aborted" }) });
    const { result, cancel } = agent.start(plan);
    await clock.advance(10);
    const closing = agent.close({ timeoutMs: 100 });
    cancel("enough");
    await clock.runUntil(closing);
    expect(await result).toMatchObject({ status: "cancelled", error: { details: { reason: "enough" } } });
  });

  it.each([[{ timeoutMs: -1 }], [{ timeoutMs: "1" }], [{ timeout: 1 }]])("refuses %j", async (options) => {
    const { agent } = await setUp({ tools: both({ returns: 1 }) });
    await expect(agent.close(options as never)).rejects.toMatchObject({ code: "invalid-options" });
    // That did not close it.
    expect(await agent.execute(planOf("B") as never)).toMatchObject({ status: "completed" });
  });
});
