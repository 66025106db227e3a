import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { createAgent } from "../../src/agent.ts";
import { defineTool } from "../../src/core/tool.ts";
import { createMemoryRunStore } from "../../src/stores/memory-run-store.ts";
import { createFakeTool } from "../../src/testing/fake-tool.ts";
import { createScriptedPlanner } from "../../src/testing/scripted-planner.ts";
import { planOf, step } from "./plans.ts";
import { runScenario } from "./run-scenario.ts";

const log: string[] = [];
const tool = (name: string, rest: object = {}) =>
  defineTool({
    name,
    description: "x",
    inputSchema: z.looseObject({}),
    execute: async (input: unknown) => {
      log.push(`${name} ${JSON.stringify(input)}`);
      return { did: name };
    },
    async undo({ output }: { output: unknown }, context: { idempotencyKey: string }) {
      log.push(`undo ${name} ${JSON.stringify(output)} ${context.idempotencyKey}`);
    },
    ...rest,
  });

describe("smoke", () => {
  it("undoes", async () => {
    const { result, events } = await runScenario(() => ({
      tools: [tool("A"), tool("B"), createFakeTool({ name: "C", outcomes: [{ throws: new Error("no") }] })],
      plan: planOf("A", "B", "C"),
      options: { undoOnFailure: true },
    }));
    expect(result.steps.map(({ status }) => status)).toEqual(["undone", "undone", "failed"]);
    expect(result.notUndone).toBeUndefined();
    console.log(events.map((e) => e.type).join(" "), log);
  });
  it("suspends and goes on in another agent", async () => {
    const store = createMemoryRunStore();
    const make = () => createAgent({ tools: [tool("A"), tool("B", { needsApproval: true }), tool("C")], store });
    const first = make();
    const result = await first.execute(planOf("A", "B", "C") as never);
    expect(result.status).toBe("suspended");
    expect(result.steps.map(({ status }) => status)).toEqual(["completed", "waiting", "pending"]);
    const [pending] = result.pending ?? [];
    if (pending?.kind !== "approval") throw new Error("x");
    const handle = make().approve(result.runId, pending.stepId, { inputHash: pending.inputHash });
    const end = await handle.result;
    expect(end.status).toBe("completed");
    expect(end.steps.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
  });
  it("decides from a listener", async () => {
    const agent = createAgent({ tools: [tool("A"), tool("B", { needsApproval: true })] });
    agent.on("approval-request", (event) => {
      if (event.kind === "step") agent.approve(event.runId, event.stepId, { inputHash: event.inputHash });
    });
    const end = await agent.execute(planOf("A", "B", "B") as never);
    expect(end.status).toBe("completed");
  });
  it("asks inline and rejects", async () => {
    const { result } = await runScenario(() => ({
      tools: [tool("A"), tool("B", { needsApproval: true })],
      plan: planOf("A", "B", "A"),
      approve: async () => "reject" as const,
    }));
    expect(result.error?.code).toBe("approval-rejected");
    expect(result.steps.map(({ status }) => status)).toEqual(["completed", "skipped", "skipped"]);
  });
  it("replans", async () => {
    const planner = {
      ...createScriptedPlanner([planOf("A", "C", "A") as never]),
      replan: async () => ({ steps: [step("n1", "B", { input: { of: { $ref: "s1.did" } } })] as never }),
    };
    const { result } = await runScenario(() => ({
      tools: [tool("A"), tool("B"), createFakeTool({ name: "C", outcomes: [{ throws: new Error("no") }] })],
      planner: { ...planner, ...createScriptedPlanner([planOf("A", "C", "A") as never]), replan: planner.replan },
      request: "x",
      options: { maxReplans: 1 },
    }));
    expect(result.status).toBe("completed");
    expect(result.steps.map(({ stepId, status }) => `${stepId} ${status}`)).toEqual([
      "s1 completed",
      "s2 failed",
      "n1 completed",
    ]);
  });
  it("opens the circuit", async () => {
    const { result, events } = await runScenario(() => ({
      tools: [
        {
          ...createFakeTool({ name: "C", outcomes: [{ throws: new Error("no") }] }),
          circuitBreaker: { maxFailures: 2 },
        } as never,
      ],
      plan: { steps: [step("a", "C", { dependsOn: [] }), step("b", "C", { dependsOn: [] })] },
      options: { onStepFailure: "continue" },
    }));
    console.log(JSON.stringify(events.map((e) => [e.type, "state" in e && e.state])), JSON.stringify(result.error));
  });
});
