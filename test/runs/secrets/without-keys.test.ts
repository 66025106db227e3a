import {
  createAgent,
  createMemoryRunStore,
  createOrchestrator,
  defineTool,
  hashPlan,
  type PlanInput,
  sensitive,
} from "planwright";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { hiddenText } from "../../../src/core/json.ts";
import { keyOf, password } from "../../scenario/secret-tools.ts";

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
