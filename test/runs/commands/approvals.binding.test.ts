import { type ApprovalItem, createAgent, createMemoryRunStore, defineTool, hashPlan } from "planwright";
import { createFakeTool, createScriptedPlanner } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { planOf, step } from "../../scenario/plans.ts";

/** A run that waits for approval of its steps `s1` and `s2`, by a policy that another agent may lack. */
async function suspended() {
  const store = createMemoryRunStore();
  const tool = createFakeTool({ name: "Pay" });
  const first = createAgent({ tools: [tool], store, needsApproval: ({ kind }) => kind === "step" });
  const plan = { steps: [step("s1", "Pay", { dependsOn: [] }), step("s2", "Pay", { dependsOn: [] })] };
  const { runId, pending = [] } = await first.execute(plan as never);
  const items = pending.flatMap((item) => (item.kind === "approval" ? [item] : []));
  return { tool, runId, item: items[0] as ApprovalItem, office: createAgent({ tools: [tool], store }) };
}

describe("a question binds an agent that would not have asked", () => {
  it("in that a rejected step does not run", async () => {
    const { tool, runId, item, office } = await suspended();
    const result = await office.reject(runId, item).result;
    expect(result).toMatchObject({ status: "failed", error: { code: "approval-rejected" } });
    expect(tool.calls).toHaveLength(0);
  });

  it("in that a waiting step does not run when another one is approved", async () => {
    const { tool, runId, item, office } = await suspended();
    const result = await office.approve(runId, item).result;
    expect(result.status).toBe("suspended");
    expect(result.pending).toMatchObject([{ kind: "approval", stepId: "s2" }]);
    expect(tool.calls.map(({ context }) => context.stepId)).toEqual(["s1"]);
  });

  it("in that an accepted plan is not asked about again in a later execution", async () => {
    const store = createMemoryRunStore();
    const asked: string[] = [];
    const agent = createAgent({
      tools: [createFakeTool({ name: "Pay" })],
      store,
      needsApproval: ({ kind }) => {
        asked.push(kind);
        return kind === "step" || asked.filter((one) => one === "plan").length > 1;
      },
    });
    const { runId, pending } = await agent.execute(planOf("Pay") as never);
    const [item] = pending ?? [];
    expect((await agent.approve(runId, item as ApprovalItem).result).status).toBe("completed");
    expect(asked).toEqual(["plan", "step"]);
  });
});

describe("the approved values are what runs", () => {
  it("even if approvers change the objects they receive", async () => {
    const seen: unknown[] = [];
    const tool = defineTool({
      name: "Pay",
      description: "Pays",
      inputSchema: z.looseObject({ amount: z.number() }),
      effect: "idempotent",
      needsApproval: (input) => {
        Object.assign(input, { amount: 1_000_000 });
        return true;
      },
      execute: (input) => void seen.push(input),
    });
    const agent = createAgent({ tools: [tool], requestApproval: async () => "approve" });
    await agent.execute({ steps: [{ id: "s1", tool: "Pay", input: { amount: 1 } }] });
    expect(seen).toEqual([{ amount: 1 }]);
  });
});

describe("approvedHash with a request", () => {
  const draft = { steps: [step("s1", "Pay", { dependsOn: [] })] };

  it("lets only that plan run", async () => {
    const tool = createFakeTool({ name: "Pay" });
    const planner = () => createScriptedPlanner([draft as never]);
    const refused = await createAgent({ tools: [tool], planner: planner() }).run("pay", {
      approvedHash: "0".repeat(64),
    });
    expect(refused).toMatchObject({ status: "failed", error: { code: "plan-not-approved" } });
    expect(refused.steps).toMatchObject([{ status: "skipped" }]);
    const approvedHash = await hashPlan({ request: "pay", ...draft } as never);
    const run = await createAgent({ tools: [tool], planner: planner() }).run("pay", { approvedHash });
    expect(run.status).toBe("completed");
    expect(tool.calls).toHaveLength(1);
  });
});

describe("a run id", () => {
  it("belongs to the given plan, even after it was revised", async () => {
    const failing = createFakeTool({
      name: "A",
      outcomes: [{ throws: Object.assign(new Error("no"), { retryable: false }) }],
    });
    const planner = {
      name: "again",
      plan: () => planOf("A") as never,
      replan: () => ({ steps: [step("n1", "B", { dependsOn: [] })] }) as never,
    };
    const agent = createAgent({ tools: [failing, createFakeTool({ name: "B" })], planner });
    const options = { runId: "r1", maxReplans: 1, replanTools: ["B" as const] };
    expect((await agent.execute(planOf("A") as never, options)).status).toBe("completed");
    expect((await agent.execute(planOf("A") as never, options)).status).toBe("completed");
    expect(failing.calls).toHaveLength(1);
  });
});
