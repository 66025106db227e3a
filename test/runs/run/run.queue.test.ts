import {
  AgentError,
  type ApprovalItem,
  createAgent,
  createMemoryRunStore,
  defineTool,
  type RunStore,
} from "planwright";
import { createFakeTool, createFaultyRunStore, createManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod/v4";
import { askingTool, eventTexts, statuses } from "../../scenario/ask-for-approval.ts";
import { step } from "../../scenario/plans.ts";
import { withMethods } from "../../scenario/two-processes.ts";

/** A run with a tool at work, `s1`, and two steps that wait for approval, in a store whose answers can be held up. */
async function atWork(methods: Partial<RunStore> = {}) {
  const clock = createManualClock();
  const memory = createMemoryRunStore({ now: () => clock.now() });
  const store = createFaultyRunStore(withMethods(memory, methods));
  const slow = createFakeTool({ name: "Slow", outcomes: [{ hangs: "until-aborted" }] });
  const asking = askingTool("Ask");
  const agent = createAgent({ tools: [slow, asking], store, clock, leaseMs: 900 });
  const [s1, s2, s3] = [step("s1", "Slow"), step("s2", "Ask"), step("s3", "Ask")];
  const steps = [s1, s2, s3].map((one) => ({ ...one, dependsOn: [] }));
  const asked: ApprovalItem[] = [];
  agent.on("approval-request", (event) => void asked.push(event));
  const { runId, result } = agent.start({ steps }, { concurrency: 3 });
  await clock.advance(0);
  // Their hashes are made in threads, so that either may be asked first.
  const [first, second] = ["s2", "s3"].map((id) => asked.find((item) => item.kind === "step" && item.stepId === id));
  if (first === undefined || second === undefined) throw new Error("Nothing was asked.");
  const recorded = async () => eventTexts(await memory.read(runId));
  const isAborted = () => slow.calls[0]?.context.signal.aborted;
  return { agent, clock, store, runId, result, first, second, asking, recorded, isAborted };
}

describe("while the store does not answer", () => {
  it("a cancellation reaches the tools at once, though a decision is being recorded", async () => {
    const { agent, clock, store, runId, result, first, asking, recorded, isAborted } = await atWork();
    store.hold();
    const approving = agent.approve(runId, first).result;
    await clock.advance(0);
    const cancelling = agent.cancel(runId, "enough");
    await clock.advance(0);
    expect(isAborted()).toBe(true);
    expect(await recorded()).not.toContain("approval-end s2");
    store.letGo();
    const ends = await clock.runUntil(Promise.all([result, approving, cancelling]));
    expect(ends.map(({ status }) => status)).toEqual(["cancelled", "cancelled", "cancelled"]);
    expect(asking.calls).toEqual([]);
    expect(await recorded()).toContain("approval-end s2");
  });

  it("a lost lease stops the run at once, though a decision is being recorded", async () => {
    let isLost = false;
    const { agent, clock, store, runId, result, first, asking, isAborted } = await atWork({
      renew: () => {
        if (isLost) throw new AgentError("run-owned-elsewhere", "Another process has it.", { details: { runId: "r" } });
        return {};
      },
    });
    store.hold();
    const approving = agent.approve(runId, first).result;
    await clock.advance(0);
    isLost = true;
    await clock.advance(300);
    expect(isAborted()).toBe(true);
    store.letGo();
    const lost = { status: "failed", error: { code: "run-owned-elsewhere" } };
    expect(await clock.runUntil(Promise.all([result, approving]))).toMatchObject([lost, lost]);
    expect(asking.calls).toEqual([]);
  });

  it("two decisions at once are recorded one after the other, and each of them once", async () => {
    const { agent, clock, store, runId, result, first, second, recorded } = await atWork();
    store.hold();
    const handles = [
      agent.approve(runId, first),
      agent.reject(runId, first),
      agent.approve(runId, second),
      agent.approve(runId, second),
    ];
    const ends = Promise.allSettled(handles.map((handle) => handle.result));
    await clock.advance(0);
    store.letGo();
    await clock.advance(0);
    agent.cancel(runId).catch(() => {});
    expect(await clock.runUntil(ends)).toMatchObject([
      { value: { status: "cancelled" } },
      { reason: { code: "run-conflict" } },
      { value: { status: "cancelled" } },
      { value: { status: "cancelled" } },
    ]);
    expect(statuses(await result)).toEqual(["s1 cancelled", "s2 completed", "s3 completed"]);
    expect((await recorded()).filter((text) => text.startsWith("approval-end"))).toEqual([
      "approval-end s2",
      "approval-end s3",
    ]);
  });
});

describe("an input that its schema checks slowly", () => {
  it("keeps its place before a rejection, and before its question expires", async () => {
    const clock = createManualClock();
    let finish = () => {};
    const checked = new Promise<boolean>((resolve) => {
      finish = () => resolve(true);
    });
    const calls: number[] = [];
    const ask = defineTool({
      name: "Ask",
      description: "Asks first",
      inputSchema: z.object({ n: z.number().refine((n) => n < 10 || checked) }),
      effect: "idempotent",
      needsApproval: true,
      execute: ({ n }) => {
        calls.push(n);
      },
    });
    const slow = createFakeTool({ name: "Slow", outcomes: [{ returns: 1, afterMs: 300 }], clock });
    const agent = createAgent({ tools: [slow, ask], clock, approvalTtlMs: 80 });
    const asked: ApprovalItem[] = [];
    agent.on("approval-request", (event) => void asked.push(event));
    const steps = [step("s0", "Slow"), step("s1", "Ask", { input: { n: 1 } })];
    const plan = { steps: steps.map((one) => ({ ...one, dependsOn: [] })) };
    const { runId, result } = agent.start(plan as never, { concurrency: 2 });
    await clock.advance(50);
    const [item] = asked as [ApprovalItem];
    agent.approve(runId, item, { input: { n: 10 } });
    const rejected = expect(agent.reject(runId, item).result).rejects.toMatchObject({ code: "run-conflict" });
    await clock.advance(100);
    finish();
    expect((await clock.runUntil(result)).status).toBe("completed");
    await rejected;
    expect(calls).toEqual([10]);
  });
});

describe("a decision of a listener", () => {
  it("that waits for it does not hold up the run", async () => {
    const clock = createManualClock();
    const asking = askingTool("Ask");
    const agent = createAgent({ tools: [asking], clock });
    agent.on("approval-request", async (event) => {
      if (event.kind === "step") await agent.approve(event.runId, event).result;
    });
    // It decides about the second question while the first decision is being emitted.
    const open: ApprovalItem[] = [];
    agent.on("approval-request", (event) => void open.push(event));
    agent.on("approval-end", async ({ runId }) => {
      for (const item of open.splice(0)) await agent.approve(runId, item).result;
    });
    const steps = ["s1", "s2"].map((id) => ({ ...step(id, "Ask"), dependsOn: [] }));
    const result = await clock.runUntil(agent.execute({ steps }, { concurrency: 2 }));
    expect(result.status).toBe("completed");
    expect(asking.calls).toHaveLength(2);
  });

  it("is faster than requestApproval, whose answer no longer counts", async () => {
    const clock = createManualClock();
    let answer: (word: "reject") => void = () => {};
    const asked: ApprovalItem[] = [];
    const requestApproval = (request: ApprovalItem) => {
      asked.push(request);
      return new Promise<"reject">((resolve) => {
        answer = resolve;
      });
    };
    const agent = createAgent({ tools: [askingTool("Ask")], clock, requestApproval });
    const { runId, result } = agent.start({ steps: [step("s1", "Ask")] });
    await clock.advance(0);
    const approving = agent.approve(runId, asked[0] as ApprovalItem);
    answer("reject");
    expect((await clock.runUntil(approving.result)).status).toBe("completed");
    expect((await result).status).toBe("completed");
  });
});
