import { createAgent } from "planwright";
import { createFakeTool } from "planwright/testing";
import { describe, expect, it, vi } from "vitest";

const plan = { steps: [{ id: "s1", tool: "A", input: {} }] } as const;
const create = () =>
  createAgent({ tools: [createFakeTool({ name: "A", outcomes: [{ returns: 1 }] })], onWarning: () => {} });

describe("a handle", () => {
  it("exists at once, with events that can be read as they come", async () => {
    const handle = create().start(plan);
    expect(handle.runId).toMatch(/^run_/);
    const types: string[] = [];
    for await (const event of handle.events) types.push(event.type);
    expect(types).toEqual(["run-start", "step-start", "step-end", "run-end"]);
    expect((await handle.result).status).toBe("completed");
  });

  it("keeps its events until they are read", async () => {
    const handle = create().start(plan);
    await handle.result;
    const types: string[] = [];
    for await (const event of handle.events) types.push(event.type);
    expect(types).toHaveLength(4);
    expect(handle.events.dropped).toBe(0);
  });

  it("keeps at most 1000 unread events, and counts the ones it drops", async () => {
    const steps = Array.from({ length: 600 }, (_, index) => ({ id: `s${index}`, tool: "A" as const, input: {} }));
    const handle = create().start({ steps });
    await handle.result;
    const read: string[] = [];
    for await (const event of handle.events) read.push(event.type);
    expect(read).toHaveLength(1_000);
    expect(handle.events.dropped).toBe(2 + 2 * 600 - 1_000);
  });

  it("never causes an unhandled rejection if nobody reads its result", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const handle = create().start(plan, { approvedHash: "0".repeat(64) });
    const types: string[] = [];
    const reading = async () => {
      for await (const event of handle.events) types.push(event.type);
    };
    await expect(reading()).rejects.toMatchObject({ code: "plan-not-approved" });
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    expect(types).toEqual([]);
    await expect(handle.result).rejects.toMatchObject({ code: "plan-not-approved" });
  });
});
