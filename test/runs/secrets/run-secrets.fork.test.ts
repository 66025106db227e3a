import { type AgentEvent, createAgent, createMemoryRunStore, hashPlan } from "planwright";
import { createScriptedPlanner } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { approvalOf } from "../../scenario/ask-for-approval.ts";
import { expectHidden, keyOf, password, secretPlan, secretTools, token } from "../../scenario/secret-tools.ts";

const secrets = { keys: [keyOf("k1")] };

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
