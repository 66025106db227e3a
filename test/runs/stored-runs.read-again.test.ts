import { type AgentEvent, createAgent, createMemoryRunStore, type RunStore } from "planwright";
import { createFakeTool, createManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";

const runId = "r";

/** The first events of a run of three steps: all except the last step, which was cut off. */
async function recordHalf(nowMs: number, toolName = "A"): Promise<readonly AgentEvent[]> {
  const store = createMemoryRunStore();
  const tool = createFakeTool({ name: toolName });
  const steps = ["s1", "s2", "s3"].map((id) => ({ id, tool: toolName, input: {} }));
  await createAgent({ tools: [tool], store, clock: createManualClock({ nowMs }) }).execute({ steps }, { runId });
  const events = await store.read(runId);
  return events.slice(0, -2);
}

/** A store that calls the current one, with some methods changed. */
function storeOver(now: () => RunStore, changes: Partial<RunStore> = {}): RunStore {
  return {
    append: (...args) => now().append(...args),
    read: (...args) => now().read(...args),
    list: (...args) => now().list(...args),
    claim: (...args) => now().claim(...args),
    renew: (...args) => now().renew(...args),
    release: (...args) => now().release(...args),
    post: (...args) => now().post(...args),
    delete: (...args) => now().delete(...args),
    ...changes,
  };
}

describe("the record of a resumed run", () => {
  it("is read once; after the lease only new events are read", async () => {
    const memory = createMemoryRunStore();
    const half = await recordHalf(Date.UTC(2026));
    await memory.append(runId, half, { sequence: 1 });
    const found: number[] = [];
    const store = storeOver(() => memory, {
      read: async (...args) => {
        const events = await memory.read(...args);
        found.push(events.length);
        return events;
      },
    });
    const result = await createAgent({ tools: [createFakeTool({ name: "A" })], store }).resume(runId);
    expect({ status: result.status, found }).toEqual({ status: "completed", found: [half.length, 1, 1] });
  });

  it("is read again in full if the run was deleted and its id reused", async () => {
    const clock = { nowMs: Date.UTC(2026) };
    const first = createMemoryRunStore();
    await first.append(runId, await recordHalf(clock.nowMs), { sequence: 1 });
    const second = createMemoryRunStore();
    await second.append(runId, await recordHalf(clock.nowMs + 1, "B"), { sequence: 1 });
    let now = first;
    const store = storeOver(() => now, {
      claim: (...args) => {
        now = second;
        return second.claim(...args);
      },
    });
    const tools = ["A", "B"].map((name) => createFakeTool({ name }));
    const agent = createAgent({ tools, store });
    const { steps } = await agent.resume(runId);
    expect(steps.map(({ tool, status }) => `${tool} ${status}`)).toEqual(["B completed", "B completed", "B completed"]);
  });

  it("is read again in full if the run was deleted and another with its id has got equally far", async () => {
    const nowMs = Date.UTC(2026);
    const [first, second] = [createMemoryRunStore(), createMemoryRunStore()];
    await first.append(runId, await recordHalf(nowMs), { sequence: 1 });
    await second.append(runId, await recordHalf(nowMs, "B"), { sequence: 1 });
    let now = first;
    const store = storeOver(() => now, {
      claim: (...args) => {
        now = second;
        return second.claim(...args);
      },
    });
    const agent = createAgent({ tools: ["A", "B"].map((name) => createFakeTool({ name })), store });
    const { steps } = await agent.resume(runId);
    expect(steps.map(({ tool, status }) => `${tool} ${status}`)).toEqual(["B completed", "B completed", "B completed"]);
  });

  it("is refused if the run was deleted meanwhile, and nothing is recorded under its id", async () => {
    const memory = createMemoryRunStore();
    await memory.append(runId, await recordHalf(Date.UTC(2026)), { sequence: 1 });
    const store = storeOver(() => memory, {
      claim: async (...args) => {
        await memory.delete(runId);
        return memory.claim(...args);
      },
    });
    const resumed = createAgent({ tools: [createFakeTool({ name: "A" })], store }).resume(runId);
    await expect(resumed).rejects.toMatchObject({ code: "run-not-found", details: { runId } });
    expect(await memory.read(runId)).toEqual([]);
  });

  it("is refused if the new events are damaged", async () => {
    const memory = createMemoryRunStore();
    await memory.append(runId, await recordHalf(Date.UTC(2026)), { sequence: 1 });
    let reads = 0;
    const store = storeOver(() => memory, {
      read: async (...args) => [...(await memory.read(...args)), ...(++reads === 3 ? [{} as AgentEvent] : [])],
    });
    const resumed = createAgent({ tools: [createFakeTool({ name: "A" })], store }).resume(runId);
    await expect(resumed).rejects.toMatchObject({ code: "store-failed", details: { problem: "corrupt" } });
  });
});
