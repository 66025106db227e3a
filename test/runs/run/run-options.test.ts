import {
  createAgent,
  createMemoryRunStore,
  createOrchestrator,
  defineTool,
  hashPlan,
  type RunOptions,
} from "planwright";
import { collectEvents, createFakeTool, createManualClock, createScriptedPlanner } from "planwright/testing";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod/v4";
import { secretTools } from "../../scenario/secret-tools.ts";

const tool = createFakeTool({ name: "A", outcomes: [{ returns: 1 }] });
const tools = [tool];
const plan = { steps: [{ id: "s1", tool: "A", input: {} }] } as const;
/** A schema of another library whose output alone is marked. */
const withSecretOutput = {
  "~standard": {
    version: 1,
    vendor: "other",
    validate: (value: unknown) => ({ value: { token: value } }),
    jsonSchema: {
      input: () => ({ type: "string" }),
      output: () => ({ type: "object", properties: { token: { type: "string", sensitive: true } } }),
    },
  },
};

describe("the options of an agent", () => {
  it.each([
    ["tools", { tools: "A" }],
    ["A.description", { tools: [{ name: "A" }] }],
    ["tools[1]", { tools: [tool, null] }],
    ["tools", { tools: [tool, createFakeTool({ name: "A" })] }],
    ["store", { tools, store: {} }],
    ["events.paid", { tools, events: { paid: withSecretOutput } }],
    ["planner", { tools, planner: {} }],
    ["planner.name", { tools, planner: { plan: () => plan } }],
    ["planner.replan", { tools, planner: { ...createScriptedPlanner([plan]), replan: true } }],
    ["clock", { tools, clock: {} }],
    ["clock.monotonic", { tools, clock: { ...createManualClock(), monotonic: 5 } }],
    ["retry.maxAttempts", { tools, retry: { maxAttempts: 0 } }],
    ["retry.attempts", { tools, retry: { attempts: 3 } }],
    ["stepTimeoutMs", { tools, stepTimeoutMs: 0 }],
    ["approvalTtlMs", { tools, approvalTtlMs: 0 }],
    ["approvalTtlMs", { tools, approvalTtlMs: 1e15 }],
    ["stepTimeoutMs", { tools, stepTimeoutMs: 3_000_000_000 }],
    ["abortGraceMs", { tools, abortGraceMs: -1 }],
    ["maxSteps", { tools, maxSteps: 1.5 }],
    ["maxOutputBytes", { tools, maxOutputBytes: "1 MB" }],
    ["onWarning", { tools, onWarning: true }],
    ["needsApproval", { tools, needsApproval: true }],
    ["requestApproval", { tools, requestApproval: "approve" }],
    ["options.approve", { tools, approve: async () => "approve" }],
    ["options.concurrency", { tools, concurrency: 3 }],
    ["options.onStepFailure", { tools, onStepFailure: "continue" }],
    ["options.budget", { tools, budget: { toolCalls: 1 } }],
    ["options.maxStep", { tools, maxStep: 3 }],
  ])("are checked at once: %s", (option, options) => {
    expect(() => createAgent(options as never)).toThrow(
      expect.objectContaining({ code: "invalid-options", details: expect.objectContaining({ option }) }),
    );
  });

  it("name the received value and a valid one", () => {
    expect(() => createAgent({ tools, maxSteps: 0 })).toThrow(
      'Option "maxSteps" must be a whole number of at least 1; received 0.',
    );
    expect(() => createAgent({ tools: [tool, tool] })).toThrow('Two tools are named "A"; names must be unique.');
  });
});

describe("the options of a run", () => {
  const agent = createAgent({ tools, store: createMemoryRunStore() });

  it.each([
    ["options.step", { step: 1 }],
    ["concurrency", { concurrency: 0 }],
    ["concurrency", { concurrency: Number.POSITIVE_INFINITY }],
    ["timeoutMs", { timeoutMs: -5 }],
    ["context", { context: 5 }],
    ["timeZone", { timeZone: "Mars/Base" }],
    ["signal", { signal: true }],
    ["throwOnFailure", { throwOnFailure: "yes" }],
    ["tools", { tools: "A" }],
    ["metadata.when", { metadata: { when: 1n } }],
    ["metadata", { metadata: ["list"] }],
    ["approvedHash", { approvedHash: 5 }],
    ["concurrency", { concurrency: 1.5 }],
    ["concurrency", { concurrency: "4" }],
    ["onStepFailure", { onStepFailure: "go on" }],
    ["onStepFailure", { onStepFailure: null }],
    ["onStepFailure", { onStepFailure: true }],
    ["undoOnFailure", { undoOnFailure: "yes" }],
    ["undoOnFailure", { undoOnFailure: 1 }],
    ["maxReplans", { maxReplans: -1 }],
    ["maxReplans", { maxReplans: 0.5 }],
    ["maxReplans", { maxReplans: 101 }],
    ["replanTools", { replanTools: "A" }],
    ["replanTools", { replanTools: null }],
    ["budget", { budget: 10 }],
    ["budget", { budget: null }],
    ["budget.calls", { budget: { calls: 10 } }],
    ["budget.toolCalls", { budget: { toolCalls: 0 } }],
    ["budget.toolCalls", { budget: { toolCalls: 2.5 } }],
    ["budget.toolCalls", { budget: { toolCalls: Number.POSITIVE_INFINITY } }],
    ["options.requestApproval", { requestApproval: () => "approve" }],
    ["options.needsApproval", { needsApproval: () => true }],
  ])("are checked before anything starts: %s", async (option, options) => {
    await expect(agent.execute(plan, options as never)).rejects.toMatchObject({
      code: "invalid-options",
      details: { option },
    });
    expect((await agent.listRuns()).runs).toEqual([]);
  });

  it("say that metadata is a JSON object", async () => {
    await expect(agent.execute(plan, { metadata: ["list"] as never })).rejects.toMatchObject({
      details: { expected: "a JSON object" },
    });
  });

  it("are distinguished from those of an agent", () => {
    const message = 'Unknown option "maxReplans". It is an option of a run: execute(plan, { maxReplans }).';
    const misplaced = { tools, maxReplans: 2 };
    expect(() => createAgent(misplaced)).toThrow(message);
    expect(() => createOrchestrator(misplaced as never)).toThrow(message);
    expect(() => createAgent({ tools, ...{ nope: 1 } })).toThrow('Unknown option "nope". The options are tools, ');
  });

  it("are stored if they are not the default", async () => {
    const storedOf = async (options: RunOptions<typeof tool>) => {
      const fresh = createAgent({ tools });
      const heard = collectEvents(fresh);
      await fresh.execute(plan, { timeZone: "UTC", ...options });
      const [start] = heard.events;
      return start?.type === "run-start" ? start.options : undefined;
    };
    const basic = { maxSteps: 1_000, concurrency: 1, timeZone: "UTC" };
    const defaults = {
      onStepFailure: "stop",
      undoOnFailure: false,
      maxReplans: 0,
      replanTools: [] as [],
      budget: {},
    } as const;
    expect(await storedOf({})).toEqual(basic);
    expect(await storedOf({ ...defaults, timeoutMs: Number.POSITIVE_INFINITY })).toEqual(basic);
    const all = {
      onStepFailure: "continue",
      undoOnFailure: true,
      budget: { toolCalls: 9 },
      replanTools: ["A"] as ["A"],
    } as const;
    expect(await storedOf({ ...all, concurrency: 4 })).toEqual({ ...basic, ...all, concurrency: 4 });
  });

  it("allow replans only with a planner that can replan", async () => {
    const store = createMemoryRunStore();
    const planner = { ...createScriptedPlanner([plan]), replan: async () => plan };
    const approvedHash = await hashPlan(plan);
    const orchestrator = createOrchestrator({ tools, store });
    const able = createAgent({ tools, store, planner });
    const refused = [
      [() => orchestrator.execute(plan, { maxReplans: 1 }), "there is no planner"],
      [() => agent.execute(plan, { maxReplans: 1 }), 'the planner "rules" has no replan method'],
      [() => agent.run("a", { maxReplans: 1 }), 'the planner "rules" has no replan method'],
      [() => able.execute(plan, { maxReplans: 1, approvedHash }), "approvedHash allows no other plan"],
    ] as const;
    for (const [call, why] of refused)
      await expect(call()).rejects.toMatchObject({
        code: "invalid-options",
        message: `Option "maxReplans" must be 0 or left out: ${why}; received 1.`,
      });
    expect(() => agent.start("a", { maxReplans: 1 })).toThrow("has no replan method");
    expect((await orchestrator.execute(plan, { maxReplans: 0 })).status).toBe("completed");
    expect((await able.execute(plan, { maxReplans: 3, runId: "able" })).status).toBe("completed");
    expect((await store.read("able"))[0]).toMatchObject({ options: { maxReplans: 3 } });
  });

  it("are not all options of plan()", async () => {
    await expect(agent.plan("a", { concurrency: 2 } as never)).rejects.toMatchObject({
      code: "invalid-options",
      message: expect.stringContaining("The options are context, tools, maxSteps, timeZone, budget, thread, signal."),
    });
  });

  it("may only name tools that exist", async () => {
    await expect(agent.execute(plan, { tools: ["B"] as never })).rejects.toMatchObject({
      code: "unknown-tool",
      details: { tool: "B", available: ["A"] },
    });
    for (const name of [{ toString: null }, 3, null, Symbol("B")])
      await expect(agent.execute(plan, { tools: [name] as never })).rejects.toMatchObject({ code: "unknown-tool" });
  });

  it("can approve one plan and no other", async () => {
    const fresh = createAgent({ tools });
    const approvedHash = await hashPlan(plan);
    expect(approvedHash).toMatch(/^[0-9a-f]{64}$/);
    expect((await fresh.execute(plan, { approvedHash })).status).toBe("completed");
    const changed = { steps: [{ id: "s1", tool: "A", input: { more: 1 } }] } as const;
    await expect(fresh.execute(changed, { approvedHash })).rejects.toMatchObject({
      code: "plan-not-approved",
      details: { approvedHash },
    });
    expect((await fresh.listRuns()).runs).toHaveLength(1);
  });

  it("also limit a plan that was made here: its tools and number of steps are checked again", async () => {
    const both = createAgent({
      tools: [tool, createFakeTool({ name: "B" })],
      planner: createScriptedPlanner([{ steps: [...plan.steps, { id: "s2", tool: "B", input: {} }] }]),
    });
    const made = await both.plan("anything");
    expect((await both.execute(made)).plan).toBe(made);
    const refused = { code: "invalid-plan" };
    await expect(both.execute(made, { tools: ["A"] })).rejects.toMatchObject(refused);
    await expect(both.execute(made, { maxSteps: 1 })).rejects.toMatchObject(refused);
    await expect(createAgent({ tools }).execute(made)).rejects.toMatchObject(refused);
  });

  it("allow at most maxSteps steps", async () => {
    const many = { steps: ["s1", "s2"].map((id) => ({ id, tool: "A" as const, input: {} })) };
    await expect(agent.execute(many, { maxSteps: 1 })).rejects.toMatchObject({
      code: "invalid-plan",
      details: { issues: [{ code: "too-many-steps" }] },
    });
  });
});

describe("the limits of a tool", () => {
  const define = (limits: object) =>
    defineTool({
      name: "A",
      description: "Limited",
      inputSchema: z.object({}),
      effect: "idempotent",
      execute: () => 1,
      ...limits,
    });

  it.each([
    ["concurrency", { concurrency: 0 }],
    ["concurrency", { concurrency: 2.5 }],
    ["concurrency", { concurrency: Number.POSITIVE_INFINITY }],
    ["concurrency", { concurrency: "1" }],
    ["rateLimit", { rateLimit: 5 }],
    ["rateLimit", { rateLimit: null }],
    ["rateLimit.limit", { rateLimit: {} }],
    ["rateLimit.limit", { rateLimit: { limit: 0, intervalMs: 1 } }],
    ["rateLimit.limit", { rateLimit: { limit: 1.5, intervalMs: 1 } }],
    ["rateLimit.limit", { rateLimit: { limit: 1_000_001, intervalMs: 1 } }],
    ["rateLimit.intervalMs", { rateLimit: { limit: 1 } }],
    ["rateLimit.intervalMs", { rateLimit: { limit: 1, intervalMs: 0 } }],
    ["rateLimit.intervalMs", { rateLimit: { limit: 1, intervalMs: Number.POSITIVE_INFINITY } }],
    ["rateLimit.perSecond", { rateLimit: { limit: 1, perSecond: 1 } }],
    ["circuitBreaker", { circuitBreaker: true }],
    ["circuitBreaker.maxFailures", { circuitBreaker: { maxFailures: 0 } }],
    ["circuitBreaker.maxFailures", { circuitBreaker: { maxFailures: Number.NaN } }],
    ["circuitBreaker.windowMs", { circuitBreaker: { windowMs: 0 } }],
    ["circuitBreaker.windowMs", { circuitBreaker: { windowMs: 3_000_000_000 } }],
    ["circuitBreaker.resetAfterMs", { circuitBreaker: { resetAfterMs: 0 } }],
    ["circuitBreaker.resetAfterMs", { circuitBreaker: { resetAfterMs: Number.POSITIVE_INFINITY } }],
    ["circuitBreaker.threshold", { circuitBreaker: { threshold: 5 } }],
    ["needsApproval", { needsApproval: "always" }],
    ["undo", { undo: true }],
  ])("are checked at once: %s", (option, limits) => {
    expect(() => define(limits)).toThrow(
      expect.objectContaining({
        code: "invalid-options",
        details: expect.objectContaining({ option: `A.${option}` }),
      }),
    );
  });

  it("may be undefined, and a circuit's window may be infinite", () => {
    const limits = { concurrency: undefined, rateLimit: undefined, circuitBreaker: undefined };
    expect(define(limits)).toMatchObject({ name: "A" });
    const circuitBreaker = { windowMs: Number.POSITIVE_INFINITY, maxFailures: undefined };
    expect(define({ circuitBreaker })).toMatchObject({ circuitBreaker });
  });
});

describe("an orchestrator", () => {
  it("runs plans, emits their events and lists them", async () => {
    const orchestrator = createOrchestrator({ tools, store: createMemoryRunStore() });
    const heard = vi.fn();
    orchestrator.on("run-end", heard);
    const result = await orchestrator.execute(plan, { metadata: { by: "test" } });
    expect(await orchestrator.start(plan, { runId: result.runId }).result).toEqual(result);
    expect(heard).toHaveBeenCalledTimes(1);
    expect(await orchestrator.getRun(result.runId)).toMatchObject({ status: "completed", metadata: { by: "test" } });
    expect((await orchestrator.listRuns({ status: "completed" })).runs).toMatchObject([{ runId: result.runId }]);
    await expect(orchestrator.listRuns({ limit: 0 })).rejects.toMatchObject({ code: "invalid-options" });
    expect(orchestrator.tools).toEqual(tools);
  });

  it("has no planner and requires a store", async () => {
    expect(() => createOrchestrator({ tools, planner: {} } as never)).toThrow(
      expect.objectContaining({ code: "invalid-options" }),
    );
    expect(() => createOrchestrator({ tools } as never)).toThrow(expect.objectContaining({ code: "invalid-options" }));
    const orchestrator = createOrchestrator({ tools, store: createMemoryRunStore() });
    await expect(orchestrator.execute("text" as never)).rejects.toMatchObject({ code: "invalid-plan" });
  });
});

const key = new Uint8Array(32);

describe("secrets and redact", () => {
  it.each([
    ["secrets", []],
    ["secrets.other", { other: 1, keys: [] }],
    ["secrets.keys", {}],
    ["secrets.keys", { keys: [] }],
    ["secrets.keys[0]", { keys: [1] }],
    ["secrets.keys[0].id", { keys: [{ id: "a b", key }] }],
    ["secrets.keys[0].id", { keys: [{ id: 1, key }] }],
    [
      "secrets.keys[1].id",
      {
        keys: [
          { id: "a", key },
          { id: "a", key },
        ],
      },
    ],
    ["secrets.keys[0].key", { keys: [{ id: "a", key: new Uint8Array(16) }] }],
    ["secrets.keys[0].key", { keys: [{ id: "a", key: "c2hvcnQ=" }] }],
    ["secrets.keys[0].key", { keys: [{ id: "a", key: 1 }] }],
  ])("are refused: %s of %j", (option, secrets) => {
    const create = () => createAgent({ tools: secretTools().tools, secrets: secrets as never });
    expect(create).toThrow(
      expect.objectContaining({ code: "invalid-options", details: expect.objectContaining({ option }) }),
    );
  });

  it("never reveal a key that was refused", () => {
    const secrets = { keys: [{ id: "a", key: "not-quite-a-key" }] };
    expect(() => createAgent({ tools: [], secrets })).toThrow(/^((?!not-quite).)*$/);
  });

  it("accept only a function", () => {
    expect(() => createAgent({ tools: [], redact: "x" as never })).toThrow(/"redact" must be a function/);
  });
});
