import { createFakeTool, type FakeTool } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { planOf, step } from "../../scenario/plans.ts";
import { runScenario } from "../../scenario/run-scenario.ts";

describe("the steps of a plan", () => {
  it("run one after another and emit their events", async () => {
    const { result, events } = await runScenario(() => ({
      tools: [
        createFakeTool({ name: "A", outcomes: [{ returns: 1 }] }),
        createFakeTool({ name: "B", outcomes: [{ returns: { b: 2 } }] }),
      ],
      plan: planOf("A", "B"),
    }));
    expect(result.status).toBe("completed");
    expect(result.output).toEqual({ b: 2 });
    expect(events.map(({ type }) => type)).toEqual([
      "run-start",
      "step-start",
      "step-end",
      "step-start",
      "step-end",
      "run-end",
    ]);
    expect(result.steps).toMatchObject([
      { stepId: "s1", tool: "A", status: "completed", attempts: 1, output: 1 },
      { stepId: "s2", tool: "B", status: "completed", attempts: 1, output: { b: 2 } },
    ]);
  });

  it("get earlier outputs by reference, with their types, and as text", async () => {
    const { result } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ returns: { value: 25, list: [1, "${s1}"] } }] })],
      plan: {
        steps: [
          step("s1", "A"),
          step("s2", "A", {
            input: {
              number: { $ref: "s1.value" },
              text: "is ${s1.value}: ${s1.list}",
              item: { $ref: "s1.list[1]" },
              price: "$${s1.value}",
            },
          }),
        ],
      },
    }));
    expect(result.steps[1]?.input).toEqual({ number: 25, text: 'is 25: [1,"${s1}"]', item: "${s1}", price: "$25" });
  });

  it("fail, before their tool is called, when a reference leads nowhere", async () => {
    const { result } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ returns: { value: 1 } }] })],
      plan: { steps: [step("s1", "A"), step("s2", "A", { input: { x: { $ref: "s1.valu" } } })] },
    }));
    expect(result.status).toBe("failed");
    expect(result.error).toMatchObject({ code: "invalid-reference", details: { available: ["value"] } });
    expect(result.steps[1]).toMatchObject({ status: "failed", attempts: 0, input: { x: { $ref: "s1.valu" } } });
  });

  it("are skipped after a failure, each with its reason", async () => {
    const { result, events } = await runScenario(() => ({
      tools: [
        createFakeTool({ name: "A" }),
        createFakeTool({ name: "Bad", outcomes: [{ throws: Object.assign(new Error("no"), { retryable: false }) }] }),
      ],
      plan: {
        steps: [
          step("s1", "Bad"),
          step("s2", "A"),
          step("s3", "A", { dependsOn: [] }),
          step("s4", "A", { dependsOn: ["s2"] }),
        ],
      },
    }));
    expect(result.status).toBe("failed");
    expect(result.output).toBeUndefined();
    const skips = events.flatMap((event) => (event.type === "step-skip" ? [[event.stepId, event.reason]] : []));
    expect(skips).toEqual([
      ["s2", "dependency-failed"],
      ["s3", "run-ended"],
      ["s4", "dependency-failed"],
    ]);
    expect(result.steps.map(({ status }) => status)).toEqual(["failed", "skipped", "skipped", "skipped"]);
  });

  it("keep the order of the plan even if later ones were ready earlier", async () => {
    const { events } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A" })],
      plan: { steps: [step("s1", "A"), step("s2", "A"), step("s3", "A", { dependsOn: [] })] },
    }));
    expect(events.flatMap((event) => (event.type === "step-start" ? [event.stepId] : []))).toEqual(["s1", "s2", "s3"]);
  });

  it("run side by side up to the concurrency, as soon as their dependencies are done", async () => {
    const { result, events, clock } = await runScenario((clock) => ({
      tools: [createFakeTool({ name: "Wait", outcomes: [{ returns: 1, afterMs: 10 }], clock })],
      plan: {
        steps: [
          ...["a", "b", "c", "d"].map((id) => step(id, "Wait", { dependsOn: [] })),
          step("end", "Wait", { dependsOn: ["a", "b", "c", "d"] }),
        ],
      },
      options: { concurrency: 2 },
    }));
    expect(result.status).toBe("completed");
    expect(clock.now() - Date.parse(events[0]?.timestamp ?? "")).toBe(30);
    let running = 0;
    let most = 0;
    for (const { type } of events) {
      running += type === "step-start" ? 1 : type === "step-end" ? -1 : 0;
      most = Math.max(most, running);
    }
    expect(most).toBe(2);
  });

  it("receive metadata, resources, attempt and a stable key", async () => {
    const tools: FakeTool[] = [];
    const resources = { db: {} };
    await runScenario(() => {
      const tool = createFakeTool({ name: "A", outcomes: [{ throws: new Error("once more") }, { returns: 1 }] });
      tools.push(tool);
      return { tools: [tool], plan: planOf("A"), options: { runId: "r1", metadata: { user: "ada" }, resources } };
    });
    const calls = tools[0]?.calls ?? [];
    expect(
      calls.map(({ context }) => [context.attempt, context.idempotencyKey, context.stepId, context.runId]),
    ).toEqual([
      [1, "r1/s1", "s1", "r1"],
      [2, "r1/s1", "s1", "r1"],
    ]);
    expect(calls[0]?.context.metadata).toEqual({ user: "ada" });
    expect(calls[0]?.context.resources).toBe(resources);
  });

  it("report progress while they run, never recorded and never after their end", async () => {
    let late: (() => void) | undefined;
    const { events, recorded, warnings } = await runScenario(() => {
      const tool = createFakeTool({ name: "A" });
      return {
        tools: [
          {
            ...tool,
            execute: (_input, context) => {
              context.progress({ done: 0.5 });
              context.progress(10n);
              late = () => context.progress("too late");
              return null;
            },
          },
        ],
        plan: planOf("A", "A"),
      };
    });
    late?.();
    expect(events.flatMap((event) => (event.type === "step-progress" ? [event.value] : []))).toEqual([
      { done: 0.5 },
      { done: 0.5 },
    ]);
    expect(recorded.some(({ type }) => type === "step-progress")).toBe(false);
    expect(warnings[0]).toMatchObject({ code: "invalid-progress", stepId: "s1" });
  });
});
