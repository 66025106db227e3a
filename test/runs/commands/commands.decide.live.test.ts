import { type AgentEvent, createAgent, createMemoryRunStore, type RunResult } from "planwright";
import { createFakeTool } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { approvalOf, askingTool, requestOf, statuses } from "../../scenario/ask-for-approval.ts";
import { planOf, step } from "../../scenario/plans.ts";
import { checkInvariants, runScenario } from "../../scenario/run-scenario.ts";

const types = (events: readonly AgentEvent[]) => events.map(({ type }) => type);

describe("a decision while the run is executing", () => {
  it("works in the listener that receives the request, without a suspension", async () => {
    const { result, events } = await runScenario(() => ({
      tools: [askingTool("B")],
      plan: planOf("B", "B"),
      act: ({ agent }) => {
        agent.on("approval-request", (event) => {
          if (event.kind === "step") agent.approve(event.runId, event);
        });
      },
    }));
    expect(result.status).toBe("completed");
    expect(types(events)).not.toContain("run-suspend");
  });

  it("can be a rejection there, too", async () => {
    const { result } = await runScenario(() => ({
      tools: [askingTool("B")],
      plan: planOf("B", "B"),
      act: ({ agent }) => {
        agent.on("approval-request", (event) => {
          if (event.kind !== "step") return;
          agent.reject(event.runId, event, { reason: "never" });
        });
      },
    }));
    expect(result.error).toMatchObject({ code: "approval-rejected", details: { reason: "never" } });
    expect(statuses(result)).toEqual(["s1 skipped", "s2 skipped"]);
  });

  it("counts once if it is made twice: the second call reports that nothing waits", async () => {
    const codes: unknown[] = [];
    const { result, events } = await runScenario(() => ({
      tools: [askingTool("B", { effect: "once" })],
      plan: planOf("B"),
      act: ({ agent }) => {
        agent.on("approval-request", (event) => {
          if (event.kind !== "step") return;
          const { runId } = event;
          agent.approve(runId, event);
          agent.reject(runId, event).result.catch(({ code }) => codes.push(code));
        });
      },
    }));
    expect(result.status).toBe("completed");
    expect(codes).toEqual(["run-conflict", "run-conflict"]);
    expect(types(events).filter((type) => type === "approval-end")).toHaveLength(1);
  });

  it("about a step that does not wait is run-conflict, and changes nothing", async () => {
    const codes: unknown[] = [];
    const { result } = await runScenario((clock) => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ returns: 1, afterMs: 100 }], clock }), askingTool("B")],
      plan: { steps: [step("b", "B", { dependsOn: [] }), step("a", "A", { dependsOn: [] })] },
      act: async ({ agent, handle: { runId }, clock, events }) => {
        await clock.advance(10);
        const { hash } = requestOf(events);
        const wrong = [
          agent.approve(runId, { kind: "step", stepId: "b", hash: "0".repeat(64) }),
          agent.approve(runId, { kind: "step", stepId: "a", hash }),
          agent.approve(runId, { kind: "step", stepId: "nothing", hash }),
          agent.approve(runId, { kind: "step", stepId: "b", hash, iteration: 0 }),
          agent.approve(runId, { kind: "plan", hash }),
        ];
        for (const { result } of wrong) result.catch(({ code }) => codes.push(code));
      },
    }));
    expect(result).toMatchObject({ status: "suspended", pending: [{ stepId: "b" }] });
    expect(codes).toEqual(Array.from({ length: 10 }, () => "run-conflict"));
  });

  it("that is refused gives no control over the run, nor its events", async () => {
    const { result } = await runScenario((clock) => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ returns: 1, afterMs: 100 }], clock })],
      plan: planOf("A"),
      act: async ({ agent, handle, clock }) => {
        await clock.advance(10);
        const refused = agent.approve(handle.runId, { kind: "step", stepId: "s1", hash: "0".repeat(64) });
        refused.cancel("mine");
        await expect(refused.events[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "run-conflict" });
      },
    }));
    expect(result.status).toBe("completed");
  });

  it("does not start the step once the run is cancelled", async () => {
    const { result } = await runScenario((clock) => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ returns: 1, afterMs: 100 }], clock }), askingTool("B")],
      plan: { steps: [step("b", "B", { dependsOn: [] }), step("a", "A", { dependsOn: [] })] },
      act: async ({ agent, handle, clock, events }) => {
        await clock.advance(10);
        handle.cancel();
        agent.approve(handle.runId, { kind: "step", stepId: "b", hash: requestOf(events).hash });
      },
    }));
    expect(result.status).toBe("cancelled");
    expect(statuses(result)).toEqual(["b skipped", "a completed"]);
  });
});

describe("a decision in other listeners", () => {
  it("of the suspension itself starts the next execution once this one is closed", async () => {
    const store = createMemoryRunStore();
    const agent = createAgent({ tools: [askingTool("B")], store });
    const events: AgentEvent[] = [];
    const ends: Promise<RunResult>[] = [];
    agent.on("run-suspend", ({ runId, pending: [item] }) => {
      if (item?.kind === "approval") ends.push(agent.approve(runId, item).result);
    });
    agent.subscribe((event) => events.push(event));
    const first = await agent.execute(planOf("B", "B") as never);
    expect(first.status).toBe("suspended");
    for (let execution = 0; execution < 2; execution++) await ends[execution];
    const result = await ends[1];
    expect(result?.status).toBe("completed");
    const recorded = await store.read(first.runId);
    checkInvariants({ events, recorded, result: result as RunResult });
    expect(types(recorded).filter((type) => type === "run-resume")).toHaveLength(2);
  });

  it("of the resumption finds the run executing", async () => {
    const store = createMemoryRunStore();
    const agent = createAgent({ tools: [askingTool("B")], store });
    const plan = { steps: [step("s1", "B", { dependsOn: [] }), step("s2", "B", { dependsOn: [] })] };
    const first = await agent.execute(plan as never);
    const others: Promise<RunResult>[] = [];
    agent.on("run-resume", ({ runId }) => others.push(agent.approve(runId, approvalOf(first, "s2")).result));
    const result = await agent.approve(first.runId, approvalOf(first, "s1")).result;
    expect(result.status).toBe("completed");
    expect(await Promise.all(others)).toEqual([result]);
    expect(types(await store.read(first.runId)).filter((type) => type === "run-resume")).toHaveLength(1);
  });

  it("is overridden by a cancellation", async () => {
    const { result } = await runScenario(() => ({
      tools: [askingTool("B")],
      plan: planOf("B", "B"),
      requestApproval: async () => "approve" as const,
      act: ({ agent, handle }) => {
        agent.on("approval-request", () => handle.cancel("not like this"));
      },
    }));
    expect(result.status).toBe("cancelled");
    expect(statuses(result)).toEqual(["s1 skipped", "s2 skipped"]);
  });

  it("is run-conflict in another agent while the run is executing here", async () => {
    const codes: unknown[] = [];
    const store = createMemoryRunStore();
    const tools = [askingTool("B"), createFakeTool({ name: "A" })];
    const [here, elsewhere] = [createAgent({ tools, store }), createAgent({ tools, store })];
    const refused: Promise<unknown>[] = [];
    here.on("step-start", ({ runId }) => {
      const { result } = elsewhere.approve(runId, { kind: "step", stepId: "b", hash: "0".repeat(64) });
      refused.push(result.catch(({ code }) => codes.push(code)));
    });
    const plan = { steps: [step("b", "B", { dependsOn: [] }), step("a", "A", { dependsOn: [] })] };
    expect(await here.execute(plan as never)).toMatchObject({ status: "suspended" });
    await Promise.all(refused);
    expect(codes).toEqual(["run-conflict"]);
  });

  it("is not lost if it is a rejection that comes as another step fails", async () => {
    const { result, events } = await runScenario(() => ({
      tools: [askingTool("B"), createFakeTool({ name: "F", outcomes: [{ throws: { retryable: false } }] })],
      plan: { steps: [step("b", "B", { dependsOn: [] }), step("f", "F", { dependsOn: [] })] },
      act: ({ agent, handle }) => {
        let hash = "";
        agent.on("approval-request", (event) => {
          if (event.kind === "step") hash = event.hash;
        });
        agent.on("step-end", () => void agent.reject(handle.runId, { kind: "step", stepId: "b", hash: hash }));
      },
    }));
    expect(result).toMatchObject({ status: "failed", error: { code: "approval-rejected" } });
    expect(statuses(result)).toEqual(["b skipped", "f failed"]);
    expect(types(events)).toContain("approval-end");
  });
});
