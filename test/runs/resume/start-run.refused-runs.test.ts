import { AgentError, createAgent, createMemoryRunStore, defineTool, type RunStore, sensitive } from "planwright";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { invalidPlan } from "../../../src/plan/validate-plan.ts";
import { type WorkedAgent, workerKey } from "../../../src/runs/agent-interface.ts";
import type { Refusal } from "../../../src/runs/resume/refuse-run.ts";
import { cancelledBy } from "../../../src/runs/run/run-errors.ts";

const plan = {
  steps: [
    { id: "a", tool: "Save", input: { text: "one" } },
    { id: "b", tool: "Save", input: { text: "two" } },
  ],
} as const;
const refused = invalidPlan("The plan is invalid", [{ code: "invalid-input", path: [], message: "no" }]);

function setUp({ store = createMemoryRunStore() }: { store?: RunStore } = {}) {
  const calls: string[] = [];
  const save = defineTool({
    name: "Save",
    description: "Saves a text",
    inputSchema: z.object({ text: z.string(), key: sensitive(z.string()).optional() }),
    effect: "idempotent",
    execute: ({ text }) => void calls.push(text),
  });
  const agent = createAgent({
    tools: [save],
    store,
    secrets: { keys: [{ id: "k1", key: new Uint8Array(32).fill(1) }] },
    onWarning: () => {},
  });
  const refuse = (refusal: Partial<Refusal>) =>
    (agent as object as WorkedAgent)[workerKey].refuse({
      ...{ runId: "r", target: { plan }, options: {}, error: refused },
      ...refusal,
    });
  return { agent, store, calls, refuse };
}

describe("a run that is refused", () => {
  it("is recorded as failed, with its plan and options, and told to listeners", async () => {
    const { agent, store, refuse } = setUp();
    const told: string[] = [];
    agent.subscribe(({ type }) => told.push(type));
    const result = await refuse({ options: { metadata: { user: "ada" }, maxReplans: 3 } });
    expect(result).toMatchObject({ status: "failed", error: { code: "invalid-plan" } });
    expect((await store.read("r")).map(({ type }) => type)).toEqual(told);
    expect(told).toEqual(["run-start", "step-skip", "step-skip", "run-end"]);
    const [summary] = (await agent.listRuns({ status: "failed", metadata: { user: "ada" } })).runs;
    expect(summary?.runId).toBe("r");
    await agent.close();
  });

  it("is never run: neither resumed, nor started again with its id, under which another plan is a conflict", async () => {
    const { agent, calls, refuse } = setUp();
    await refuse({ error: refused });
    await refuse({ runId: "options", error: optionsError, options: { approvedHash: 5 } as never });
    for (const runId of ["r", "options"]) {
      expect(await agent.resume(runId)).toMatchObject({ status: "failed" });
      expect(await agent.start(plan, { runId }).result).toMatchObject({ status: "failed" });
    }
    const other = { steps: [plan.steps[0]] } as const;
    await expect(agent.start(other, { runId: "r" }).result).rejects.toMatchObject({ code: "run-conflict" });
    await expect(refuse({})).rejects.toMatchObject({ code: "run-conflict" });
    expect(calls).toEqual([]);
  });

  it("keeps no secret in its record, and nothing of what is no plan", async () => {
    const { store, refuse } = setUp();
    const secret = { steps: [{ id: "a", tool: "Save", input: { text: 5, key: "hunter2" } }] };
    await refuse({ target: { plan: secret as never } });
    expect(JSON.stringify(await store.read("r"))).not.toContain("hunter2");
    await refuse({ runId: "odd", target: { plan: { steps: [{ id: 5 }] } as never } });
    const [start] = await store.read("odd");
    expect(start).toMatchObject({ type: "run-start", request: "" });
  });
});

const optionsError = new AgentError("invalid-options", "no", {
  details: { option: "approvedHash", received: "5", expected: "a text" },
});

describe("a run that is cancelled before it started", () => {
  it("ends cancelled although a process is about to start it, which finds that", async () => {
    const memory = createMemoryRunStore();
    const other = setUp({ store: memory });
    // Right before the other process records its first event, which it has claimed the run for.
    const store: RunStore = new Proxy(memory, {
      get(target, key) {
        const value = Reflect.get(target, key);
        if (key !== "append") return typeof value === "function" ? value.bind(target) : value;
        return async (...args: Parameters<RunStore["append"]>) => {
          if ((await memory.read("r")).length === 0) await other.refuse({ error: cancelledBy("too late") });
          return memory.append(...args);
        };
      },
    });
    const { agent, calls } = setUp({ store });
    const result = await agent.start(plan, { runId: "r" }).result;
    expect(result).toMatchObject({ status: "cancelled", error: { details: { reason: "too late" } } });
    expect(calls).toEqual([]);
    expect((await memory.read("r")).map(({ type }) => type)).toEqual([
      "run-start",
      "step-skip",
      "step-skip",
      "run-end",
    ]);
  });

  it("is a conflict once the run has started", async () => {
    const { agent, refuse } = setUp();
    await agent.start(plan, { runId: "r" }).result;
    await expect(refuse({ error: cancelledBy("too late") })).rejects.toMatchObject({ code: "run-conflict" });
    expect(await agent.getRun("r")).toMatchObject({ status: "completed" });
  });
});
