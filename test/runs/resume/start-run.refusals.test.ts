import {
  type AgentEvent,
  type AgentWarning,
  createAgent,
  createMemoryRunStore,
  createOrchestrator,
  defineTool,
  type PlanInput,
  type RunOptions,
} from "planwright";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod/v4";
import { planOf, step } from "../../scenario/plans.ts";

const counter = defineTool({
  name: "Counter",
  description: "Counts",
  inputSchema: z.object({ by: z.number().optional() }),
  effect: "idempotent",
  execute: () => 1,
});

function setUp() {
  const warnings: AgentWarning[] = [];
  const store = createMemoryRunStore();
  const options = { tools: [counter], store, onWarning: (warning: AgentWarning) => void warnings.push(warning) };
  const start = (plan: unknown, runOptions?: RunOptions) =>
    createAgent(options).start(plan as never, runOptions as never);
  const orchestrate = (plan: unknown) => createOrchestrator(options).start(plan as never);
  return { warnings, store, start, orchestrate, agent: createAgent(options) };
}

async function read(events: AsyncIterable<AgentEvent>): Promise<readonly AgentEvent[]> {
  const read: AgentEvent[] = [];
  for await (const event of events) read.push(event);
  return read;
}

const unhandled = vi.fn();
beforeEach(() => {
  unhandled.mockClear();
  process.on("unhandledRejection", unhandled);
});
afterEach(async () => {
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

describe("start throws at once", () => {
  it.each<[string, unknown, string]>([
    ["no steps", { steps: [] }, "invalid-shape"],
    ["anything that is not a plan", 42, "invalid-shape"],
    ["an unknown tool", planOf("Nope"), "unknown-tool"],
    ["a duplicate id", { steps: [step("a", "Counter"), step("a", "Counter")] }, "duplicate-id"],
  ])("for %s", async (_what, plan, code) => {
    const { start, orchestrate, warnings, store } = setUp();
    const refused = expect.objectContaining({
      code: "invalid-plan",
      message: expect.stringContaining(`The plan is invalid: ${code} at steps`),
      details: { issues: [expect.objectContaining({ code })] },
    });
    expect(() => start(plan)).toThrow(refused);
    expect(() => start(plan, { runId: "r" })).toThrow(refused);
    expect(() => orchestrate(plan)).toThrow(refused);
    expect(warnings).toEqual([]);
    expect((await store.list()).runs).toEqual([]);
  });

  it("for a tool that is not allowed, and invalid options", () => {
    const { start } = setUp();
    expect(() => start(planOf("Counter"), { tools: [] })).toThrow(expect.objectContaining({ code: "invalid-plan" }));
    expect(() => start(planOf("Counter"), { tools: ["Nope"] })).toThrow(
      expect.objectContaining({ code: "unknown-tool" }),
    );
    expect(() => start(planOf("Counter"), { concurrency: 0 })).toThrow(
      expect.objectContaining({ code: "invalid-options" }),
    );
  });
});

describe("arguments of the wrong kind", () => {
  const options = {
    code: "invalid-options",
    message: expect.stringContaining('such as { runId: "pay-7" }; received text'),
  };
  const plan = {
    code: "invalid-plan",
    message: expect.stringContaining(
      "invalid-shape: a plan must be an object with steps; to run a request, call `agent.run`",
    ),
  };

  it("say that an id is an option of a run", async () => {
    const { agent, start, store } = setUp();
    await expect(agent.run("count", "pay-7" as never)).rejects.toMatchObject(options);
    await expect(agent.execute(planOf("Counter"), "pay-7" as never)).rejects.toMatchObject(options);
    expect(() => start(planOf("Counter"), "pay-7" as never)).toThrow(expect.objectContaining(options));
    await expect(agent.plan("count", "UTC" as never)).rejects.toMatchObject({
      code: "invalid-options",
      message: 'Option "options" must be an object such as { timeZone: "UTC" }; received text.',
    });
    expect((await store.list()).runs).toEqual([]);
  });

  it("say that a request goes to run", async () => {
    const { agent, orchestrate, store } = setUp();
    const text = "count" as never;
    await expect(agent.execute(text)).rejects.toMatchObject(plan);
    await expect(agent.execute(text, { runId: "r" })).rejects.toMatchObject(plan);
    const orchestrator = createOrchestrator({ tools: [counter], store });
    await expect(orchestrator.execute(text)).rejects.toMatchObject(plan);
    await expect(orchestrator.dryRun(text)).rejects.toMatchObject(plan);
    expect(() => orchestrate(text)).toThrow(expect.objectContaining(plan));
    expect((await store.list()).runs).toEqual([]);
  });

  it("say that a plan goes to execute", async () => {
    const { agent } = setUp();
    const error = { code: "invalid-request", message: expect.stringContaining("To run a plan, call `execute`") };
    expect(await agent.run(planOf("Counter") as never)).toMatchObject({ status: "failed", error });
  });
});

type Around = ReturnType<typeof setUp>;
type Refusal = [what: string, code: string, refuse: (around: Around) => ReturnType<Around["start"]>];
const wrongInput: PlanInput = { steps: [step("a", "Counter", { input: { by: "much" } })] };

const refusals: readonly Refusal[] = [
  ["an input that does not fit its schema", "invalid-plan", ({ start }) => start(wrongInput)],
  [
    "another hash than was approved",
    "plan-not-approved",
    ({ start }) => start(planOf("Counter"), { approvedHash: "0".repeat(64) }),
  ],
  [
    "the id of a run of another plan",
    "run-conflict",
    ({ start }) => start(planOf("Counter", "Counter"), { runId: "taken" }),
  ],
  [
    "a run that another process owns",
    "run-owned-elsewhere",
    ({ start, store }) => {
      store.claim("owned", { owner: "other", ttlMs: 60_000 });
      return start(planOf("Counter"), { runId: "owned" });
    },
  ],
];

describe("start returns a handle, and refuses later,", () => {
  it.each(refusals)("%s: its result and its events reject, with a warning", async (_what, code, refuse) => {
    const around = setUp();
    await around.agent.execute(planOf("Counter") as never, { runId: "taken" });
    const stored = (await around.store.list()).runs;
    const { result, events, runId } = refuse(around);
    const refused = expect.objectContaining({ code });
    await expect(read(events)).rejects.toEqual(refused);
    await expect(result).rejects.toEqual(refused);
    // Later readers get the same.
    await expect(read(events)).rejects.toEqual(refused);
    expect(around.warnings).toEqual([
      { code: "start-refused", runId, message: expect.stringContaining(`Run "${runId}" was not started: `) },
    ]);
    expect((await around.store.list()).runs).toEqual(stored);
  });

  it.each(refusals)("%s: nothing is unhandled if nobody reads its result", async (_what, _code, refuse) => {
    const around = setUp();
    await around.agent.execute(planOf("Counter") as never, { runId: "taken" });
    refuse(around);
    await expect.poll(() => around.warnings).toHaveLength(1);
  });

  it("but not for a run that has failed: its events end, without a warning", async () => {
    const { start, warnings } = setUp();
    const { result, events } = start(planOf("Counter"), { throwOnFailure: true, signal: AbortSignal.abort() });
    expect((await read(events)).at(-1)).toMatchObject({ type: "run-end", outcome: { status: "cancelled" } });
    await expect(result).rejects.toMatchObject({ code: "cancelled" });
    expect(warnings).toEqual([]);
  });
});

describe("a decision that is refused", () => {
  it("rejects the events of its handle, too", async () => {
    const { agent } = setUp();
    const hash = "0".repeat(64);
    for (const { events, result } of [
      agent.approve("nobody", { kind: "plan", hash }),
      agent.reject("nobody", { kind: "plan", hash }),
      agent.settle("nobody", "s1", { retry: true }),
    ]) {
      await expect(read(events)).rejects.toMatchObject({ code: "run-not-found" });
      await expect(result).rejects.toMatchObject({ code: "run-not-found" });
    }
  });
});
