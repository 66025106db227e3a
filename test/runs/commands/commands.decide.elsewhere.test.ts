import {
  type AgentEvent,
  type AgentOptions,
  createAgent,
  createMemoryRunStore,
  defineTool,
  type PlanInput,
  type RunOptions,
  type RunStore,
  type Tool,
  type ToolEffect,
} from "planwright";
import { createFakeTool, createManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { answerLater } from "../../scenario/answer-later.ts";
import { approvalOf, askingTool, statuses } from "../../scenario/ask-for-approval.ts";
import { planOf, step } from "../../scenario/plans.ts";
import { runScenario } from "../../scenario/run-scenario.ts";

interface Setup {
  tools?: readonly Tool[];
  plan?: PlanInput;
  options?: RunOptions;
  store?: RunStore;
}

/** A run that is suspended, and another agent with the same store. */
async function suspended({ tools = [askingTool("B")], plan = planOf("B"), options, store }: Setup = {}) {
  const shared = store ?? createMemoryRunStore();
  const other = (others: Partial<AgentOptions> = {}) => createAgent({ tools, store: shared, ...others });
  const result = await other().execute(plan as never, options);
  expect(result.status).toBe("suspended");
  return { result, runId: result.runId, other, store: shared };
}

describe("a run that resumes in another agent", () => {
  it("has its context, metadata and options, and the tools' resources as passed again", async () => {
    const tool = askingTool("B");
    const options = { context: "at home", metadata: { user: "u1" }, concurrency: 3, resources: { db: 1 } };
    const { result, runId, other, store } = await suspended({ tools: [tool], options });
    const stored = JSON.stringify(await store.read(runId));
    expect(stored).not.toContain('"db"');
    const resources = { db: 2 };
    const end = await other().approve(runId, approvalOf(result, "s1"), { resources }).result;
    expect(end.status).toBe("completed");
    expect(tool.calls[0]?.context).toMatchObject({ runId, metadata: { user: "u1" }, idempotencyKey: `${runId}/s1` });
    expect(tool.calls[0]?.context.resources).toBe(resources);
    expect(await other().getRun(runId)).toMatchObject({ status: "completed", metadata: { user: "u1" } });
  });

  it("keeps what is done, with outputs that went through JSON", async () => {
    const { result } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ returns: { at: new Date(0) } }] }), askingTool("B")],
      plan: {
        steps: [
          step("a", "A"),
          step("b", "B", { input: { of: { $ref: "a.at" } } }),
          step("c", "A", { input: { of: { $ref: "a.at" } } }),
        ],
      },
      executions: [({ another, runId, result }) => another().approve(runId, approvalOf(result, "b"))],
    }));
    expect(result.status).toBe("completed");
    const at = "1970-01-01T00:00:00.000Z";
    expect(result.steps).toMatchObject([{ attempts: 1 }, { input: { of: at } }, { input: { of: at } }]);
  });

  it("keeps its options: concurrency, failures, budget", async () => {
    const failing = createFakeTool({ name: "F", outcomes: [{ throws: { retryable: false } }] });
    const plan = {
      steps: [
        step("b", "B", { dependsOn: [] }),
        ...["f1", "f2", "f3"].map((id) => step(id, "F", { dependsOn: ["b"] })),
      ],
    };
    const options = { onStepFailure: "continue", budget: { toolCalls: 2 } } as const;
    const { result, runId, other } = await suspended({ tools: [askingTool("B"), failing], plan, options });
    const end = await other().approve(runId, approvalOf(result, "b")).result;
    expect(end.steps.map(({ error }) => error?.code)).toEqual([
      undefined,
      "tool-failed",
      "limit-exceeded",
      "limit-exceeded",
    ]);
  });

  it("has a new deadline", async () => {
    const { result, clock } = await runScenario((clock) => ({
      tools: [
        createFakeTool({ name: "A", outcomes: [{ returns: 1, afterMs: 80 }], clock }),
        askingTool("B", { outcomes: [{ returns: 1, afterMs: 80 }], clock }),
        createFakeTool({ name: "C", outcomes: [{ hangs: "until-aborted" }] }),
      ],
      plan: planOf("A", "B", "C"),
      options: { timeoutMs: 100 },
      executions: [({ another, runId, result }) => another().approve(runId, approvalOf(result, "s2"))],
    }));
    expect(result).toMatchObject({ status: "failed", error: { code: "timeout", details: { scope: "run" } } });
    expect(statuses(result)).toEqual(["s1 completed", "s2 completed", "s3 failed"]);
    expect(clock.now() - createManualClock().now()).toBe(180);
  });

  it("accepts its own signal and throwOnFailure", async () => {
    const hanging = askingTool("B", { outcomes: [{ hangs: "until-aborted" }] });
    const { result, runId, other } = await suspended({ tools: [hanging] });
    const controller = new AbortController();
    const options = { signal: controller.signal, throwOnFailure: true };
    const agent = other();
    agent.on("step-start", () => controller.abort("stop"));
    await expect(agent.approve(runId, approvalOf(result, "s1"), options).result).rejects.toMatchObject({
      code: "cancelled",
      details: { reason: "stop" },
    });
    expect(await agent.getRun(runId)).toMatchObject({ status: "cancelled" });
  });

  it("can be cancelled by its handle, even before its record is read", async () => {
    const { result } = await runScenario(() => ({
      isResumable: false,
      tools: [askingTool("B")],
      plan: planOf("B"),
      executions: [
        ({ another, runId, result }) => {
          const handle = another().approve(runId, approvalOf(result, "s1"));
          handle.cancel("no, wait");
          return handle;
        },
      ],
    }));
    expect(result).toMatchObject({ status: "cancelled", error: { details: { reason: "no, wait" } } });
    expect(statuses(result)).toEqual(["s1 skipped"]);
  });

  it("emits its events from the new execution on", async () => {
    const { result, runId, other } = await suspended();
    const handle = other().approve(runId, approvalOf(result, "s1"));
    const types: string[] = [];
    for await (const { type } of handle.events) types.push(type);
    expect(types).toEqual(["run-resume", "approval-end", "step-start", "step-end", "run-end"]);
  });

  it("refuses invalid options", async () => {
    const { result, runId, other } = await suspended();
    const approval = approvalOf(result, "s1");
    for (const wrong of [{ concurrency: 2 }, { signal: 1 }])
      expect(() => other().approve(runId, approval, wrong as never)).toThrow(
        expect.objectContaining({ code: "invalid-options" }),
      );
  });

  it("waits for nothing once it has ended, and returns its end for a repeated decision", async () => {
    const { result, runId, other } = await suspended();
    const approval = approvalOf(result, "s1");
    const end = await other().reject(runId, approval).result;
    const decidedAt = end.approvals?.[0]?.decidedAt;
    await expect(other().approve(runId, approval).result).rejects.toMatchObject({
      code: "run-conflict",
      message: `Run "${runId}" is not waiting for this decision: step "s1" was rejected at ${decidedAt}.`,
      details: { runId, decided: { status: "rejected", decidedAt } },
    });
    expect(await other().reject(runId, approval).result).toEqual(end);
  });
});

describe("the same run id, while a run is suspended", () => {
  it("returns the suspended result, then joins the active run, then returns how it ended", async () => {
    const tool = askingTool("B", { outcomes: [{ returns: 1 }] });
    const plan = planOf("B") as never;
    const { result, other } = await suspended({ tools: [tool], options: { runId: "r" } });
    const agent = other();
    expect(await agent.execute(plan, { runId: "r" })).toEqual(result);
    await expect(agent.execute(planOf("B", "B") as never, { runId: "r" })).rejects.toMatchObject({
      code: "run-conflict",
    });
    const joined: Promise<unknown>[] = [];
    agent.on("step-start", () => joined.push(agent.start(plan, { runId: "r" }).result));
    const end = await agent.approve("r", approvalOf(result, "s1")).result;
    expect(await Promise.all(joined)).toEqual([end]);
    expect(await other().execute(plan, { runId: "r" })).toEqual(end);
    expect(tool.calls).toHaveLength(1);
  });

  it("is listed and read as suspended, with its pending items", async () => {
    const { result, runId, other } = await suspended();
    const agent = other();
    const { pending } = result;
    expect(await agent.getRun(runId)).toMatchObject({ status: "suspended", pending, steps: [{ status: "waiting" }] });
    expect(await agent.listRuns({ status: "suspended" })).toMatchObject({ runs: [{ runId }] });
    await agent.approve(runId, approvalOf(result, "s1")).result;
    expect(await agent.getRun(runId)).not.toHaveProperty("pending");
    expect(await agent.listRuns({ status: "suspended" })).toEqual({ runs: [] });
  });
});

interface Shapes {
  a?: z.ZodType;
  b?: z.ZodType;
  effect?: ToolEffect;
}

const number = z.object({ x: z.number() });

/** Two tools that accept what their schemas state. */
function shapedTools({ a = number, b = number, effect = "idempotent" }: Shapes = {}): readonly Tool[] {
  const make = <TName extends string>(name: TName, inputSchema: z.ZodType) =>
    defineTool({ name, description: "x", inputSchema, effect, execute: () => null });
  return [make("A", a), { ...make("B", b), needsApproval: () => true }];
}

const shaped = { steps: [step("a", "A", { input: { x: 1 } }), step("b", "B", { input: { x: 1 } })] };

describe("the tools of another agent", () => {
  const strict = z.object({ x: z.string() });
  const wider = z.object({ x: z.number(), y: z.string().optional() });

  it.each([
    ["a missing tool", shapedTools().slice(1), "A"],
    ["another effect", shapedTools({ effect: "once" }), "effect"],
    ["an input that no longer fits", shapedTools({ b: strict }), 'step "b" (B) is no longer valid: steps.1.input.x: '],
    ["another schema", shapedTools({ b: strict }), 'the schemas of "B" have changed'],
  ])("that differ by %s cause resume-mismatch, and the run keeps waiting", async (_how, tools, reason) => {
    const { result, runId, other, store } = await suspended({ tools: shapedTools(), plan: shaped });
    const before = await store.read(runId);
    const handle = other({ tools }).approve(runId, approvalOf(result, "b"));
    await expect(handle.result).rejects.toMatchObject({
      code: "resume-mismatch",
      details: { runId, reasons: expect.arrayContaining([expect.stringContaining(reason)]) },
    });
    expect(await store.read(runId)).toEqual(before);
    expect(await other().approve(runId, approvalOf(result, "b")).result).toMatchObject({ status: "completed" });
  });

  it("that differ for completed steps only are named, and the run resumes", async () => {
    const { result, events } = await runScenario(() => ({
      tools: shapedTools(),
      plan: shaped,
      executions: [
        ({ another, runId, result }) =>
          another({ tools: shapedTools({ a: strict, b: wider }) }).approve(runId, approvalOf(result, "b")),
      ],
    }));
    expect(result.status).toBe("completed");
    expect(events.find(({ type }) => type === "run-resume")).toMatchObject({ changedTools: ["A", "B"] });
  });

  it("that do not differ are not named", async () => {
    const { events } = await runScenario(() => ({
      tools: shapedTools(),
      plan: shaped,
      executions: [
        ({ another, runId, result }) => another({ tools: shapedTools() }).approve(runId, approvalOf(result, "b")),
      ],
    }));
    expect(events.find(({ type }) => type === "run-resume")).not.toHaveProperty("changedTools");
  });
});

/** A store that cannot record events of one type. */
function failAt(store: RunStore, type: AgentEvent["type"]): RunStore {
  return Object.assign(Object.create(store) as RunStore, {
    append: (...[runId, events, options]: Parameters<RunStore["append"]>) => {
      if (events.some((event) => event.type === type)) throw new Error("disk full");
      return store.append(runId, events, options);
    },
  });
}

describe.each([
  ["at once", (store: RunStore) => store],
  ["later", answerLater],
])("a store that fails, answering %s,", (_when, wrap) => {
  it("when the run is resumed leaves it waiting as before, and no event is emitted", async () => {
    const { result, runId, other, store } = await suspended();
    const agent = other({ store: wrap(failAt(store, "run-resume")) });
    const events: AgentEvent[] = [];
    agent.subscribe((event) => events.push(event));
    const handle = agent.approve(runId, approvalOf(result, "s1"));
    await expect(handle.result).rejects.toMatchObject({ code: "store-failed", details: { operation: "append" } });
    expect(events).toEqual([]);
    expect(await other().approve(runId, approvalOf(result, "s1")).result).toMatchObject({ status: "completed" });
  });

  it("when the decision is recorded leaves it waiting as before, and no event is emitted", async () => {
    const tool = askingTool("B");
    const { result, runId, other, store } = await suspended({ tools: [tool] });
    const agent = other({ store: wrap(failAt(store, "approval-end")) });
    const events: AgentEvent[] = [];
    agent.subscribe((event) => events.push(event));
    const { result: end } = agent.approve(runId, approvalOf(result, "s1"));
    await expect(end).rejects.toMatchObject({ code: "store-failed" });
    expect(tool.calls).toEqual([]);
    expect(events).toEqual([]);
    expect((await other().approve(runId, approvalOf(result, "s1")).result).status).toBe("completed");
  });

  it("when it is read makes the call reject", async () => {
    const { result, runId, other, store } = await suspended();
    const broken = Object.assign(Object.create(store) as RunStore, {
      read: () => {
        throw new Error("gone");
      },
    });
    const handle = other({ store: wrap(broken) }).approve(runId, approvalOf(result, "s1"));
    await expect(handle.result).rejects.toMatchObject({ code: "store-failed", details: { operation: "read" } });
  });
});
