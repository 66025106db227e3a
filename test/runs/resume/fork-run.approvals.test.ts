import type { RunResult } from "planwright";
import { createFaultyRunStore } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { approvalOf, askingTool, eventTexts, planHashOf, statuses } from "../../scenario/ask-for-approval.ts";
import { agentOf, callsOf, numberOf, threeTools, withSource } from "../../scenario/fork-source.ts";

describe("an approval", () => {
  const asking = () => [askingTool("A", { outcomes: [{ returns: { value: 1 } }] }), ...threeTools().slice(1)];

  it("that is waited for is asked again, and decided for each run", async () => {
    const { agent, store } = await withSource({ approvalTtlMs: 1_000 }, asking());
    const suspended = await agent.fork("source", { runId: "fork" }).result;
    expect(suspended.status).toBe("suspended");
    const [source, fork] = [await agent.getRun("source"), await agent.getRun("fork")];
    expect(fork?.pending).toHaveLength(1);
    expect(eventTexts(await store.read("fork")).slice(3)).toEqual([
      "run-resume",
      "approval-end s1",
      "approval-request s1",
      "run-suspend",
    ]);
    expect((await agent.approve("fork", approvalOf(suspended, "s1")).result).status).toBe("completed");
    expect(await agent.getRun("source")).toEqual(source);
  });

  it("that was not used yet does not count, and one that was used stays", async () => {
    const { agent, store, tools } = await withSource({}, asking());
    const source = (await agent.getRun("source")) as RunResult;
    await agent.approve("source", approvalOf(source, "s1"), { by: "ann" }).result;
    const unused = await agent.fork("source", { after: await numberOf(store, "approval-end s1"), runId: "f1" }).result;
    expect(statuses(unused)).toEqual(["s1 waiting", "s2 pending", "s3 pending"]);
    const started = await agent.fork("source", { after: await numberOf(store, "step-start s1"), runId: "f2" }).result;
    expect(statuses(started)).toEqual(["s1 waiting", "s2 pending", "s3 pending"]);
    expect(callsOf(tools)).toEqual([1, 1, 1]);
    const used = await agent.fork("source", { after: await numberOf(store, "step-end s1"), runId: "f3" }).result;
    expect(used).toMatchObject({ status: "completed", approvals: [{ stepId: "s1", by: "ann" }] });
  });

  it("of a plan counts for one run", async () => {
    const { agent, store } = await withSource({ needsApproval: ({ kind }) => kind === "plan" });
    const source = (await agent.getRun("source")) as RunResult;
    await agent.approve("source", { kind: "plan-approval", hash: planHashOf(source) }).result;
    const fork = await agent.fork("source", { after: await numberOf(store, "step-end s1"), runId: "fork" }).result;
    expect(fork.pending).toMatchObject([{ kind: "plan-approval", hash: planHashOf(source) }]);
    const done = await agent.fork("source", { after: await numberOf(store, "step-end s3"), runId: "done" }).result;
    expect(done.status).toBe("completed");
  });

  it("does not count either if the process dies before the fork has started", async () => {
    const { agent, store, tools } = await withSource({}, asking());
    await agent.approve("source", approvalOf((await agent.getRun("source")) as RunResult, "s1")).result;
    const dying = createFaultyRunStore(store, { failAppends: [2] });
    const other = agentOf(tools, { store: dying });
    const fork = other.fork("source", { after: await numberOf(store, "approval-end s1"), runId: "fork" });
    await expect(fork.result).rejects.toMatchObject({ code: "store-failed" });
    expect(await agent.resume("fork")).toMatchObject({ status: "suspended", pending: [{ stepId: "s1" }] });
    expect(callsOf(tools)).toEqual([1, 1, 1]);
  });
});
