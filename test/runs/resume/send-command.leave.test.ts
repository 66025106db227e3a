import { createAgent, createMemoryRunStore, createOrchestrator, type RunStore } from "planwright";
import { createFakeTool } from "planwright/testing";
import { describe, expect, it } from "vitest";
import type { FakeToolOptions } from "../../../src/testing/fake-tool.ts";
import { withMethods } from "../../scenario/two-processes.ts";

const runId = "r";
const asks = { steps: [{ id: "ask", tool: "Ask", input: {} }] };

function toolsOf(options: Partial<FakeToolOptions> = {}) {
  return [createFakeTool({ name: "Ask", ...options, needsApproval: true } as FakeToolOptions)];
}

/** A run that waits for approval, in a store that other processes share. */
async function suspend(options: Partial<FakeToolOptions> = {}) {
  const store = createMemoryRunStore();
  const tools = toolsOf(options);
  const worker = createAgent({ tools, store });
  const { pending = [] } = await worker.execute(asks, { runId });
  return { store, tools, worker, item: pending[0] as never };
}

/** A process that decides and has no tools. */
function webOf(store: RunStore) {
  return createOrchestrator({ tools: [], store });
}

const typesOf = async (store: RunStore) => (await store.read(runId)).map(({ type }) => type);

describe("a decision with resume: false", () => {
  it("runs nothing here, is recorded at once, and whoever resumes the run acts on it", async () => {
    const { store, tools, worker, item } = await suspend();
    const before = await typesOf(store);
    const handle = webOf(store).approve(runId, item, { resume: false, by: "ada" });
    expect(await handle.result).toMatchObject({ status: "suspended", pending: [] });
    const recorded = ["run-resume", "approval-end", "run-suspend"];
    expect(await typesOf(store)).toEqual([...before, ...recorded]);
    const told: string[] = [];
    for await (const { type } of handle.events) told.push(type);
    expect(told).toEqual(recorded);
    expect(tools[0]?.calls).toEqual([]);
    expect((await store.list({ resumable: true })).runs).toMatchObject([{ runId, pending: { count: 0 } }]);
    const [resumed] = await worker.resumeAll();
    expect(resumed?.result).toMatchObject({ status: "completed", approvals: [{ by: "ada", status: "approved" }] });
  });

  it("is taken once if it is left twice", async () => {
    const { store, tools, worker, item } = await suspend();
    const web = webOf(store);
    await web.approve(runId, item, { resume: false }).result;
    await web.approve(runId, item, { resume: false }).result;
    await worker.resumeAll();
    expect(tools[0]?.calls).toHaveLength(1);
    expect(await web.approve(runId, item, { resume: false }).result).toMatchObject({ status: "completed" });
  });

  it("is acted on by the next execution, also if its store tells of messages while that is being opened", async () => {
    const { store, tools, item } = await suspend();
    // Without its tool, another input cannot be checked.
    await webOf(store).approve(runId, item, { resume: false, input: {} as never }).result;
    let tell: (runId?: string) => void = () => {};
    const telling = withMethods(store, {
      watchPosted: (listener) => {
        tell = listener;
        return () => {};
      },
      append: async (...given) => {
        tell();
        await new Promise(setImmediate);
        return store.append(...given);
      },
    });
    const agent = createAgent({ tools, store: telling });
    expect(await agent.resume(runId)).toMatchObject({ status: "completed" });
    expect((await typesOf(store)).filter((type) => type === "run-suspend")).toHaveLength(1);
  });

  it("is refused at once if the run does not wait for it", async () => {
    const { store, worker, item } = await suspend();
    const web = webOf(store);
    const other = { ...(item as object), hash: "0".repeat(64) } as never;
    await expect(web.approve(runId, other, { resume: false }).result).rejects.toMatchObject({ code: "run-conflict" });
    await expect(web.approve("no", item, { resume: false }).result).rejects.toMatchObject({ code: "run-not-found" });
    await worker.cancel(runId);
    await expect(web.approve(runId, item, { resume: false }).result).rejects.toMatchObject({ code: "run-conflict" });
  });

  it("may reject and cancel, too", async () => {
    for (const isCancel of [false, true]) {
      const { store, worker, item } = await suspend();
      const web = webOf(store);
      if (isCancel) expect(await web.cancel(runId, "no", { resume: false })).toMatchObject({ status: "suspended" });
      else await web.reject(runId, item, { resume: false, reason: "no" }).result;
      const [resumed] = await worker.resumeAll();
      expect(resumed?.result).toMatchObject({ status: isCancel ? "cancelled" : "failed" });
      expect(await web.cancel(runId, "no", { resume: false })).toMatchObject({
        status: isCancel ? "cancelled" : "failed",
      });
    }
  });

  it("settles a step in doubt", async () => {
    const store = createMemoryRunStore();
    const tools = [
      createFakeTool({
        name: "Pay",
        effect: "once",
        timeoutMs: 10,
        outcomes: [{ hangs: "until-aborted" }],
      } as FakeToolOptions),
    ];
    const worker = createAgent({ tools, store });
    const plan = { steps: [{ id: "pay", tool: "Pay", input: {} }] };
    const { status } = await worker.execute(plan, { runId });
    expect(status).toBe("suspended");
    const web = webOf(store);
    expect(await web.settle(runId, "pay", { output: { ok: true }, resume: false }).result).toMatchObject({
      status: "suspended",
    });
    await expect(web.settle(runId, "no", { output: 1, resume: false }).result).rejects.toMatchObject({
      code: "run-conflict",
    });
    const [resumed] = await worker.resumeAll();
    expect(resumed?.result).toMatchObject({ status: "completed", output: { ok: true } });
  });

  it("is simply taken where the run is active", async () => {
    const tools = [...toolsOf(), createFakeTool({ name: "Slow", outcomes: [{ hangs: "until-aborted" }] })];
    const agent = createAgent({ tools, store: createMemoryRunStore() });
    const steps = [
      { id: "slow", tool: "Slow", input: {}, dependsOn: [] },
      { id: "ask", tool: "Ask", input: {}, dependsOn: [] },
    ];
    const handle = agent.start({ steps }, { runId, concurrency: 2 });
    for await (const event of handle.events) {
      if (event.type === "approval-request") void agent.approve(runId, event as never, { resume: false });
      if (event.type === "step-end") break;
    }
    expect(tools[0]?.calls).toHaveLength(1);
    handle.cancel();
    await handle.result;
  });

  it("says that a run continues elsewhere", async () => {
    const store = createMemoryRunStore();
    const tools = [createFakeTool({ name: "Slow", outcomes: [{ hangs: "until-aborted" }] })];
    const worker = createAgent({ tools, store });
    const handle = worker.start({ steps: [{ id: "slow", tool: "Slow", input: {} }] }, { runId });
    for await (const { type } of handle.events) if (type === "step-start") break;
    const left = await webOf(store).cancel(runId, "enough", { resume: false });
    expect(left).toMatchObject({ status: "interrupted", error: { code: "interrupted" } });
    handle.cancel();
    await handle.result;
  });

  it("that nobody can act on is warned about once, however often the run is looked at", async () => {
    const { store, tools } = await suspend();
    const warnings: string[] = [];
    const worker = createAgent({ tools, store, onWarning: ({ code }) => warnings.push(code) });
    await store.post(runId, { type: "nope" });
    await webOf(store).deliver(runId, "unknown", 1, { id: "1", resume: false }).result;
    for (let look = 0; look < 3; look++) await worker.resumeAll();
    expect(warnings).toEqual(["message-refused"]);
    expect(await store.list({ resumable: true })).toEqual({ runs: [] });
  });
});
