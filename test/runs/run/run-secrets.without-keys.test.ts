import {
  type AgentEvent,
  createAgent,
  createMemoryRunStore,
  createOrchestrator,
  defineTool,
  hashPlan,
  type PlanInput,
  sensitive,
} from "planwright";
import { createScriptedPlanner } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { hiddenText } from "../../../src/core/json.ts";
import { approvalOf } from "../../scenario/ask-for-approval.ts";
import { expectHidden, keyOf, password, secretPlan, secretTools, token } from "../../scenario/secret-tools.ts";

const runId = "r";
const secrets = { keys: [keyOf("k1")] };
const lost = { keys: [keyOf("k2", 2)] };

const planOf = (last: object) => ({ steps: [{ id: "in", tool: "Login", input: { password } }, last] }) as PlanInput;

/** A suspended run with a secret, the processes that share its store, and what was undone. */
async function suspend(last: object, options: object = {}) {
  const store = createMemoryRunStore();
  const undone: unknown[] = [];
  const tools = [
    defineTool({
      name: "Login",
      description: "Logs in",
      inputSchema: z.object({ password: sensitive(z.string()) }),
      effect: "idempotent",
      execute: () => "ok",
      undo: async ({ input }) => void undone.push(input),
    }),
    defineTool({
      name: "Ask",
      description: "Asks",
      inputSchema: z.object({ n: z.number().default(0) }),
      effect: "idempotent",
      needsApproval: true,
      execute: ({ n }) => n,
    }),
  ];
  const agentWith = (given: typeof secrets) => createAgent({ tools, store, secrets: given });
  const { pending = [] } = await agentWith(secrets).execute(planOf(last), { runId, ...options });
  return { store, agentWith, undone, web: createOrchestrator({ tools: [], store }), item: pending[0] as never };
}

const ask = { id: "ask", tool: "Ask", input: {} };
const leave = { resume: false } as const;

describe("a process without the key of a run", () => {
  it.each(["approve", "reject"] as const)("can %s, and the one with the key acts on it", async (verb) => {
    const { web, agentWith, item } = await suspend(ask);
    await web[verb](runId, item, { ...leave, by: "ada", comment: "as agreed" }).result;
    const [resumed] = await agentWith(secrets).resumeAll();
    const status = verb === "approve" ? "completed" : "failed";
    expect(resumed?.result).toMatchObject({ status, approvals: [{ by: "ada", comment: "as agreed" }] });
  });

  it("can deliver an event", async () => {
    const { web, agentWith } = await suspend({ id: "w", wait: { event: "paid" } });
    await web.deliver(runId, "paid", 5, { ...leave, id: "1" }).result;
    const [resumed] = await agentWith(secrets).resumeAll();
    expect(resumed?.result).toMatchObject({ status: "completed", output: 5 });
  });

  it("needs it to change an input, which may have a secret", async () => {
    const { web, store, agentWith, item } = await suspend(ask);
    const changed = { ...leave, input: { n: 1 } };
    await expect(web.approve(runId, item, changed).result).rejects.toMatchObject({ code: "secret-unreadable" });
    // With the key it needs no tools.
    await createOrchestrator({ tools: [], store, secrets }).approve(runId, item, changed).result;
    const [resumed] = await agentWith(secrets).resumeAll();
    expect(resumed?.result).toMatchObject({ status: "completed", output: 1 });
  });

  it.each([false, true])("cancels a run, with an approved hash: %s", async (isApproved) => {
    const { agentWith } = await suspend(ask, isApproved ? { approvedHash: await hashPlan(planOf(ask)) } : {});
    const cancelled = await agentWith(lost).cancel(runId, "enough");
    expect(cancelled).toMatchObject({ status: "cancelled", error: { details: { reason: "enough" } } });
    expect(cancelled.steps[0]?.input).toEqual({ password: hiddenText });
  });

  it("leaves a cancellation to the one that has it", async () => {
    const { agentWith, web, undone } = await suspend(ask, { undoOnFailure: true });
    await web.cancel(runId, "enough", leave);
    // It cannot undo the step, and does not end the run without that.
    expect(await agentWith(lost).resumeAll()).toMatchObject([{ error: { code: "secret-unreadable" } }]);
    expect(undone).toEqual([]);
    const [resumed] = await agentWith(secrets).resumeAll();
    expect(resumed?.result).toMatchObject({ status: "cancelled", error: { details: { reason: "enough" } } });
    expect(undone).toEqual([{ password }]);
  });

  it("does not cancel one that would be undone without its inputs", async () => {
    const { agentWith, undone } = await suspend(ask, { undoOnFailure: true });
    await expect(agentWith(lost).cancel(runId)).rejects.toMatchObject({ code: "secret-unreadable" });
    expect(await agentWith(secrets).cancel(runId)).toMatchObject({ status: "cancelled" });
    expect(undone).toEqual([{ password }]);
  });
});

/** The sealed texts in a value. */
function sealedIn(events: readonly AgentEvent[]): ReadonlySet<string> {
  return new Set(JSON.stringify(events).match(/(?<="\$sealed":")[^"]+/g));
}

describe("a fork of a run with secrets", () => {
  it("has them sealed for itself, at every event", async () => {
    const store = createMemoryRunStore();
    const { tools, calls } = secretTools();
    const agent = createAgent({ tools, store, secrets });
    await agent.execute(secretPlan, { runId: "source" });
    const source = await store.read("source");
    for (let after = 1; after <= source.length; after++) {
      const runId = `fork${after}`;
      const result = await agent.fork("source", { after, runId }).result;
      expect(result.status).toBe("completed");
      const recorded = await store.read(runId);
      expectHidden(recorded);
      const own = sealedIn(recorded);
      // At least the password in the plan.
      expect(own.size).toBeGreaterThan(0);
      expect([...sealedIn(source)].filter((text) => own.has(text))).toEqual([]);
      await store.delete(runId);
    }
    for (const login of calls.logins) expect(login).toEqual({ user: "ann", password });
    for (const used of calls.fetches) expect(used).toMatchObject({ header: `Bearer ${token}` });
    expect(calls.fetches.length).toBeGreaterThan(2);
  });

  it("can be read once the source is gone, also by another process", async () => {
    const store = createMemoryRunStore();
    const { tools } = secretTools({ needsApproval: true });
    const agent = createAgent({ tools, store, secrets });
    const asked = await agent.execute(secretPlan, { runId: "source" });
    const changed = { input: { user: "bob", password: "swordfish-9" } };
    await agent.approve("source", approvalOf(asked, "in"), changed).result;
    await agent.fork("source", { after: (await store.read("source")).length - 1, runId: "fork" }).result;
    await agent.deleteRun("source");
    const another = createAgent({ tools: secretTools({ needsApproval: true }).tools, store, secrets });
    const again = await another.fork("fork", { after: 3, runId: "fork2" }).result;
    expect((await another.approve("fork2", approvalOf(again, "in")).result).status).toBe("completed");
    expect(JSON.stringify(await store.read("fork2"))).not.toContain("swordfish-9");
  });

  it("is refused without the key, and stores nothing", async () => {
    const store = createMemoryRunStore();
    const { tools } = secretTools();
    await createAgent({ tools, store, secrets }).execute(secretPlan, { runId: "source" });
    const other = createAgent({ tools, store, secrets: { keys: [keyOf("k2", 9)] } });
    await expect(other.fork("source", { after: 3, runId: "fork" }).result).rejects.toMatchObject({
      code: "secret-unreadable",
    });
    expect(await store.read("fork")).toEqual([]);
  });

  it("keeps the hash of the plan that its caller approved of, if it has the plan", async () => {
    const store = createMemoryRunStore();
    const { tools } = secretTools();
    const agent = createAgent({ tools, store, secrets, planner: createScriptedPlanner([secretPlan]) });
    const plan = await agent.plan("log in");
    const planner = createScriptedPlanner([plan, plan]);
    const running = createAgent({ tools, store, secrets, planner });
    await running.run("log in", { runId: "source", approvedHash: await hashPlan(plan) });
    const forked = await running.fork("source", { after: 3, runId: "fork" }).result;
    expect(forked.status).toBe("completed");
    const hashOf = async (runId: string) => {
      const [start] = await store.read(runId);
      return start?.type === "run-start" ? start.options.approvedHash : undefined;
    };
    expect(await hashOf("fork")).toMatch(/^[0-9a-f]{64}$/);
    expect(await hashOf("fork")).not.toBe(await hashOf("source"));
    await expect(running.fork("source", { after: 2 }).result).rejects.toMatchObject({
      code: "invalid-options",
      message: expect.stringContaining('"after"'),
    });
  });
});
