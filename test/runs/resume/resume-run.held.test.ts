import { join } from "node:path";
import {
  AgentError,
  type AgentOptions,
  createAgent,
  createMemoryRunStore,
  defineTool,
  type RunStore,
  sensitive,
} from "planwright";
import { createSqliteRunStore } from "planwright/sqlite";
import { createManualClock, type ManualClock } from "planwright/testing";
import { exportRun, toHtml, verifyRun } from "planwright/view";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod/v4";
import { type WorkedAgent, workerKey } from "../../../src/runs/agent-interface.ts";
import { newFolder } from "../../new-folder.ts";
import { keyOf } from "../../scenario/secret-tools.ts";
import { withMethods } from "../../scenario/two-processes.ts";

const leaseMs = 900;

function fileStore(clock: ManualClock): RunStore {
  const store = createSqliteRunStore({ path: join(newFolder(), "runs.db"), now: () => clock.now() });
  onTestFinished(() => store.close());
  return store;
}

const stores: readonly (readonly [string, (clock: ManualClock) => RunStore])[] = [
  ["memory", (clock) => createMemoryRunStore({ now: () => clock.now() })],
  ["a file", fileStore],
];

const secret = "hunter2-Zebra";

/** A tool, and what it was called with. */
function sendTool(inputSchema: z.ZodType = z.object({ to: z.string(), password: sensitive(z.string()) })) {
  const calls: unknown[] = [];
  const execute = (input: unknown) => void calls.push(input);
  const tool = defineTool({
    name: "Send",
    description: "Sends",
    inputSchema,
    effect: "idempotent",
    execute: execute as never,
  });
  return { ...tool, calls };
}

const send = {
  steps: [
    { id: "w", wait: { event: "go" } },
    { id: "s", tool: "Send", input: { to: "Ada", password: secret } },
  ],
};

/** A run that waits, in a store with agents that differ. */
async function waitingRun(createStore: (clock: ManualClock) => RunStore) {
  const clock = createManualClock();
  const store = createStore(clock);
  const agentOf = (options: Partial<AgentOptions> = {}) =>
    createAgent({
      tools: [sendTool()],
      secrets: { keys: [keyOf("new", 3), keyOf("old")] },
      store,
      clock,
      leaseMs,
      ...options,
    });
  const first = agentOf({ secrets: { keys: [keyOf("old")] } });
  expect(await first.execute(send as never, { runId: "r" })).toMatchObject({ status: "suspended" });
  await first.deliver("r", "go", 1, { id: "1", resume: false }).result;
  const held = async () => {
    const { runs } = await first.listRuns({ pending: "mismatch" });
    return runs.map(({ runId, pending }) => [runId, pending?.items[0]?.kind]);
  };
  return { clock, store, agentOf, held };
}

describe.each(stores)("a run in %s that no longer fits", (_name, createStore) => {
  it.each<readonly [string, () => Partial<AgentOptions>, object]>([
    [
      "its schema",
      () => ({ tools: [sendTool(z.object({ to: z.literal("Bob"), password: sensitive(z.string().max(3, secret)) }))] }),
      { tool: "Send", stepId: "s", path: ["steps", 1, "input", "to"] },
    ],
    ["its effect", () => ({ tools: [{ ...sendTool(), effect: "once" }] }), { expected: "idempotent", found: "once" }],
    ["a missing tool", () => ({ tools: [] }), { tool: "Send", message: 'this agent has no tool "Send"' }],
    ["a retired key", () => ({ secrets: { keys: [keyOf("new", 3)] } }), { expected: "old", found: "new" }],
  ])("by %s says so, and continues once a process has it again", async (_what, change, difference) => {
    const { store, agentOf, held } = await waitingRun(createStore);
    const changed = agentOf(change());
    const [resumed] = await changed.resumeAll();
    expect(resumed?.error?.code).toMatch(/^(resume-mismatch|secret-unreadable)$/);
    const { status, pending = [], error } = (await changed.getRun("r")) ?? {};
    expect([status, error]).toEqual(["suspended", undefined]);
    expect(pending).toMatchObject([{ kind: "mismatch", reason: expect.any(String) }]);
    expect(pending[0]).toMatchObject({ differences: expect.arrayContaining([expect.objectContaining(difference)]) });
    expect(await held()).toEqual([["r", "mismatch"]]);
    const recorded = await store.read("r");
    expect(JSON.stringify(recorded)).not.toContain(secret);
    // It is tried no more, unless somebody asks, and nothing is recorded again; nor by another process.
    expect(await changed.resumeAll()).toEqual([]);
    const other = agentOf({ tools: [] });
    expect(await other.resumeAll()).toMatchObject([{ error: { code: expect.any(String) } }]);
    for (const agent of [changed, other])
      await expect(agent.resume("r")).rejects.toMatchObject({ code: expect.stringMatching(/mismatch|unreadable/) });
    expect(await store.read("r")).toEqual(recorded);
    const tool = sendTool();
    expect(await agentOf({ tools: [tool] }).resumeAll()).toMatchObject([{ result: { status: "completed" } }]);
    expect(tool.calls).toEqual([{ to: "Ada", password: secret }]);
    expect(await held()).toEqual([]);
  });

  it("is cancelled by what was posted to it, with no tool and no key", async () => {
    const { agentOf } = await waitingRun(createStore);
    const unfit = agentOf({ tools: [], secrets: { keys: [keyOf("new", 3)] } });
    await unfit.resumeAll();
    expect(await unfit.resumeAll()).toEqual([]);
    await agentOf().cancel("r", "enough", { resume: false });
    expect(await unfit.resumeAll()).toMatchObject([
      { result: { status: "cancelled", error: { details: { reason: "enough" } } } },
    ]);
  });

  it("is not suspended by a command, which is refused", async () => {
    const { store, agentOf } = await waitingRun(createStore);
    const before = await store.read("r");
    const { result } = agentOf({ tools: [] }).deliver("r", "go", 1, { id: "2" });
    await expect(result).rejects.toMatchObject({ code: "resume-mismatch" });
    expect(await store.read("r")).toEqual(before);
  });
});

/** A process that dies when it is told: nothing of it reaches the store any more. */
function mortal(clock: ManualClock, store: RunStore, ...tools: readonly never[]) {
  let isDead = false;
  const guarded = (name: keyof RunStore) => [
    name,
    (...given: unknown[]) => {
      if (isDead) throw new Error("dead");
      return (store[name] as (...given: unknown[]) => unknown)(...given);
    },
  ];
  const names = ["append", "read", "list", "claim", "renew", "release"] as const;
  const reached = withMethods(store, Object.fromEntries(names.map(guarded)));
  const agent = createAgent({ tools, store: reached, clock, leaseMs, onWarning: () => {} });
  const die = async () => {
    isDead = true;
    await clock.advance(2 * leaseMs);
  };
  return { agent, die };
}

describe("a run whose processes die", () => {
  const hangs = (name: string, from = 0) => {
    let calls = 0;
    const execute = () => (calls++ < from ? "done" : new Promise<string>(() => {}));
    return defineTool({ name, description: name, inputSchema: z.object({}), effect: "idempotent", execute }) as never;
  };
  const chain = { steps: Array.from({ length: 6 }, (_, index) => ({ id: `s${index}`, tool: "Hang", input: {} })) };
  const works = () => hangs("Hang", 100);

  it("is given up after as many leases as were allowed have run out, until somebody resumes it", async () => {
    const clock = createManualClock();
    const store = fileStore(clock);
    const first = mortal(clock, store, hangs("Hang"));
    void first.agent.execute(chain as never, { runId: "r" });
    await clock.advance(10);
    await first.die();
    for (let adoptions = 0; adoptions < 2; adoptions++) {
      const next = mortal(clock, store, hangs("Hang"));
      void next.agent.resumeAll({ maxAdoptions: 2 });
      await clock.advance(10);
      expect(await next.agent.getRun("r")).toMatchObject({ status: "running" });
      await next.die();
    }
    const agent = createAgent({ tools: [works()], store, clock, leaseMs });
    expect(await agent.resumeAll({ maxAdoptions: 2 })).toMatchObject([
      { result: { status: "suspended", pending: [{ kind: "given-up", deaths: 3 }] } },
    ]);
    expect((await agent.listRuns({ pending: "given-up" })).runs.map(({ runId }) => runId)).toEqual(["r"]);
    expect(await agent.resumeAll({ maxAdoptions: 2 })).toEqual([]);
    expect(await agent.resume("r")).toMatchObject({ status: "completed" });
  });

  it.each(["resume", "cancel"] as const)(
    "stays given up until somebody asks to %s it, whatever is posted",
    async (verb) => {
      const clock = createManualClock();
      const store = fileStore(clock);
      const ask = (from = 0) => ({ ...(hangs("Ask", from) as object), needsApproval: true }) as never;
      const plan = {
        steps: [
          { id: "b", tool: "Ask", input: {}, dependsOn: [] },
          { id: "a", tool: "Hang", input: {}, dependsOn: [] },
        ],
      };
      const tools = () => [hangs("Hang"), ask()];
      const first = mortal(clock, store, ...tools());
      void first.agent.execute(plan as never, { runId: "r" });
      await clock.advance(10);
      await first.die();
      const agent = createAgent({ tools: tools(), store, clock, leaseMs });
      const next = mortal(clock, store, ...tools());
      void next.agent.resumeAll();
      await clock.advance(10);
      await next.die();
      const [given] = await agent.resumeAll({ maxAdoptions: 1 });
      expect(given?.result?.pending?.map(({ kind }) => kind)).toEqual(["given-up", "approval"]);
      await agent.approve("r", given?.result?.pending?.[1] as never, { resume: false }).result;
      const before = await store.read("r");
      await agent.resumeAll({ maxAdoptions: 1 });
      expect(await store.read("r")).toEqual(before);
      const able = createAgent({
        tools: [works(), ask(1)],
        store,
        clock,
        leaseMs,
      });
      if (verb === "resume") expect(await able.resume("r")).toMatchObject({ status: "completed" });
      else expect(await able.cancel("r")).toMatchObject({ status: "cancelled" });
    },
  );

  it("is not given up while each of them gets further", async () => {
    const clock = createManualClock();
    const store = fileStore(clock);
    const first = mortal(clock, store, hangs("Hang", 1));
    void first.agent.execute(chain as never, { runId: "r" });
    await clock.advance(10);
    await first.die();
    for (let adoptions = 0; adoptions < 4; adoptions++) {
      const next = mortal(clock, store, hangs("Hang", 1));
      void next.agent.resumeAll({ maxAdoptions: 1 });
      await clock.advance(10);
      await next.die();
    }
    const agent = createAgent({ tools: [works()], store, clock, leaseMs });
    expect(await agent.resumeAll({ maxAdoptions: 1 })).toMatchObject([{ result: { status: "completed" } }]);
  });

  it("is not given up though it was taken many times and given back", async () => {
    const clock = createManualClock();
    const store = fileStore(clock);
    const agentOf = (tool: never) => createAgent({ tools: [tool], store, clock, leaseMs, onWarning: () => {} });
    const busy = async (start: (agent: ReturnType<typeof agentOf>) => unknown) => {
      const agent = agentOf(hangs("Hang"));
      void start(agent);
      await clock.advance(10);
      const closing = agent.close({ timeoutMs: 50 });
      await clock.advance(100);
      await closing;
    };
    await busy((agent) => agent.execute(chain as never, { runId: "r" }));
    for (let times = 0; times < 5; times++) await busy((agent) => agent.resumeAll({ maxAdoptions: 1 }));
    expect(await agentOf(works()).resumeAll({ maxAdoptions: 1 })).toMatchObject([{ result: { status: "completed" } }]);
  });
});

describe.each(stores)("a run in %s that workers could not start", (_name, createStore) => {
  const hold = { kind: "mismatch", reason: "the worker lacks Send", differences: [] } as const;
  const plan = { steps: [{ id: "s", tool: "Send", input: { to: "Ada", password: secret } }] };

  async function heldRun(given: { readonly runId?: string; readonly request?: string } = {}) {
    const clock = createManualClock();
    const store = createStore(clock);
    const agentOf = (tools: readonly ReturnType<typeof sendTool>[], through = store) =>
      createAgent({ tools, store: through, clock, leaseMs, evidence: true, secrets: { keys: [keyOf("new")] } });
    const without = agentOf([]) as ReturnType<typeof agentOf> & WorkedAgent;
    const options = { metadata: { user: "ada" } };
    await without[workerKey].refuse({ runId: given.runId ?? "r", request: given.request, options, hold });
    return { store, without, agentOf };
  }

  it("starts when somebody starts it, with what came meanwhile, as if it were new", async () => {
    const { store, without, agentOf } = await heldRun();
    const pending = [{ ...hold, isUnstarted: true }];
    expect(await without.getRun("r")).toMatchObject({
      status: "suspended",
      pending,
      metadata: { user: "ada" },
      steps: [],
    });
    const tool = sendTool();
    const agent = agentOf([tool]);
    const read = async () => JSON.stringify(await store.read("r"));
    const before = await read();
    expect(await agent.resume("r")).toMatchObject({ status: "suspended", pending });
    expect(await agent.resumeAll()).toMatchObject([{ result: { status: "suspended", pending } }]);
    expect(await agent.deliver("r", "go", 1, { id: "1" }).result).toMatchObject({ status: "suspended", pending });
    for (const after of [1, undefined])
      await expect(agent.fork("r", { after }).result).rejects.toMatchObject({ code: "resume-mismatch" });
    expect(await read()).toBe(before);
    const steps = [{ id: "w", wait: { event: "go" } }, ...plan.steps];
    expect(await agent.execute({ steps } as never, { runId: "r" })).toMatchObject({
      status: "completed",
      plan: { steps: [{ id: "w" }, {}] },
    });
    expect(tool.calls).toEqual([{ to: "Ada", password: secret }]);
    const events = await store.read("r");
    expect(events.slice(0, 3).map(({ type }) => type)).toEqual(["run-start", "run-suspend", "run-start"]);
    expect(JSON.stringify(events)).not.toContain(secret);
    expect(await verifyRun(await exportRun({ store, runId: "r" }))).toMatchObject({
      status: "unsigned",
      recordedTo: events.length,
    });
    expect(toHtml(events)).toContain("Send");
  });

  it("is left as it is by who starts it at the same time", async () => {
    const { store, without, agentOf } = await heldRun({ runId: "first" });
    const early = withMethods(store, {
      async claim(runId, lease) {
        await without[workerKey].refuse({ runId: "r", request: undefined, options: {}, hold });
        return store.claim(runId, lease);
      },
    } as Partial<RunStore>);
    const tool = sendTool();
    const racing = agentOf([tool], early).execute(plan as never, { runId: "r" });
    await expect(racing).rejects.toMatchObject({ code: "run-owned-elsewhere" });
    expect(await without.getRun("r")).toMatchObject({ status: "suspended" });
    expect(tool.calls).toEqual([]);
    expect(await agentOf([tool]).execute(plan as never, { runId: "r" })).toMatchObject({ status: "completed" });
  });

  it("can be cancelled, and be refused once its tools are there", async () => {
    const { without } = await heldRun({ request: "Send it" });
    expect(await without.cancel("r", "enough")).toMatchObject({ status: "cancelled", request: "Send it" });
    const { store, agentOf } = await heldRun();
    const agent = agentOf([sendTool()]) as ReturnType<typeof agentOf> & WorkedAgent;
    const error = new AgentError("plan-not-approved", "Not approved", {
      details: { approvedHash: "a", planHash: "b" },
    });
    await agent[workerKey].refuse({ runId: "r", target: { plan: plan as never }, options: {}, error });
    expect(await agent.getRun("r")).toMatchObject({ status: "failed", error: { code: "plan-not-approved" } });
    expect(JSON.stringify(await store.read("r"))).not.toContain(secret);
  });
});
