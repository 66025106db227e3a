import {
  type Agent,
  type AgentEvent,
  createAgent,
  createMemoryRunStore,
  defineTool,
  type RunHandle,
  type RunStore,
} from "planwright";
import { createFakeTool } from "planwright/testing";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod/v4";

const inputSchema = z.object({});
const step = (id: string, tool: string, dependsOn: string[] = []) => ({ id, tool, input: {}, dependsOn });
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A store over a network: each answer takes a turn. Once it is armed, the call with that number fails. */
function remote(store: RunStore) {
  let [calls, failing, posted] = [0, 0, 0];
  const ask =
    (name: "append" | "read" | "list" | "claim" | "renew" | "release" | "post") =>
    async (...given: unknown[]) => {
      const isFailing = ++calls === failing;
      await turn();
      if (isFailing) throw new Error("the network is down");
      const answer = await (store[name] as (...all: unknown[]) => unknown)(...given);
      if (name === "post" && (answer as { number?: number }).number !== undefined) posted++;
      return answer as never;
    };
  const methods = { append: ask("append"), read: ask("read"), list: ask("list"), post: ask("post") };
  const leases = { claim: ask("claim"), renew: ask("renew"), release: ask("release") };
  const over: RunStore = { ...methods, ...leases, delete: (...given) => store.delete(...given) };
  const arm = (number: number) => {
    [calls, failing, posted] = [0, number, 0];
  };
  return { store: over, arm, calls: () => calls, posted: () => posted };
}

interface World {
  /** The store, which never fails. */
  readonly memory: RunStore;
  /** Another process, which never fails. */
  readonly other: Agent;
  /** The agent whose handles are looked at. */
  readonly agent: Agent;
}

/** What a handle is for: `begin` comes before the store may fail, and `isRecorded` looks for what the handle is for. */
interface Case {
  readonly begin?: (world: World) => Promise<unknown>;
  readonly act: (world: World) => RunHandle | Promise<RunHandle>;
  readonly isRecorded: (events: readonly AgentEvent[], posted: number) => boolean;
}

const tools = (slow: Promise<unknown>) => [
  defineTool({ name: "Plain", description: "", inputSchema, effect: "idempotent", execute: () => 1 }),
  defineTool({
    name: "Ask",
    description: "",
    inputSchema,
    effect: "idempotent",
    needsApproval: true,
    execute: () => 1,
  }),
  defineTool({ name: "Slow", description: "", inputSchema, effect: "idempotent", execute: () => slow.then(() => 1) }),
  defineTool({
    name: "Lose",
    description: "",
    inputSchema,
    effect: "once",
    execute: () => Promise.reject(new Error("?")),
  }),
];

const runId = "r";
const hash = "0".repeat(64);
const asking = { steps: [step("a", "Ask")] };
const alongside = { steps: [step("slow", "Slow"), step("a", "Ask")] };
const waiting = { steps: [{ id: "w", wait: { event: "paid" } }] };
const has = (type: AgentEvent["type"]) => (events: readonly AgentEvent[]) =>
  events.some((event) => event.type === type);

async function itemOf(agent: Agent) {
  for (;;) {
    const pending = (await agent.getRun(runId))?.pending ?? [];
    const item = pending.find(({ kind }) => kind === "approval" || kind === "plan-approval");
    if (item !== undefined) return item as Extract<typeof item, { hash: string }>;
    await turn();
  }
}

/** The question about the step, as soon as it is recorded: the run may go on with others. */
async function askedIn(memory: RunStore) {
  for (;;) {
    const events = await memory.read(runId);
    const asked = events.find((event) => event.type === "approval-request");
    if (asked !== undefined) return asked;
    await turn();
  }
}

const isDecided = has("approval-end");
const cases: Readonly<Record<string, Case>> = {
  start: { act: ({ agent }) => agent.start({ steps: [step("p", "Plain")] }), isRecorded: has("run-start") },
  "start with an id": { act: ({ agent }) => agent.start(asking, { runId }), isRecorded: has("run-start") },
  fork: {
    begin: ({ other }) => other.execute(asking, { runId: "from" }),
    act: ({ agent }) => agent.fork("from", { runId }),
    isRecorded: has("run-resume"),
  },
  approve: {
    begin: ({ other }) => other.execute(asking, { runId }),
    act: async ({ agent, other }) => agent.approve(runId, await itemOf(other)),
    isRecorded: isDecided,
  },
  "approve with another input": {
    begin: ({ other }) => other.execute(asking, { runId }),
    act: async ({ agent, other }) => agent.approve(runId, await itemOf(other), { input: {} }),
    isRecorded: isDecided,
  },
  reject: {
    begin: ({ other }) => other.execute(asking, { runId }),
    act: async ({ agent, other }) => agent.reject(runId, await itemOf(other)),
    isRecorded: isDecided,
  },
  "approve, to be resumed later": {
    begin: ({ other }) => other.execute(asking, { runId }),
    act: async ({ agent, other }) => agent.approve(runId, await itemOf(other), { resume: false }),
    isRecorded: isDecided,
  },
  "approve in a run that is active elsewhere": {
    begin: async ({ other, memory }) => {
      other.start(alongside, { runId, concurrency: 2 });
      await askedIn(memory);
    },
    act: async ({ agent, memory }) => agent.approve(runId, await askedIn(memory)),
    isRecorded: (events, posted) => posted > 0 || isDecided(events),
  },
  "approve in a run that is active here": {
    begin: async ({ agent, memory }) => {
      agent.start(alongside, { runId, concurrency: 2 });
      await askedIn(memory);
    },
    act: async ({ agent, memory }) => agent.approve(runId, await askedIn(memory)),
    isRecorded: isDecided,
  },
  settle: {
    begin: async ({ other }) => {
      await other.execute({ steps: [step("l", "Lose")] }, { runId });
      await other.resume(runId);
    },
    act: ({ agent }) => agent.settle(runId, "l", { output: 1 }),
    isRecorded: has("run-settle"),
  },
  "deliver to a run that is active here": {
    begin: async ({ agent, memory }) => {
      agent.start({ steps: [step("slow", "Slow"), { ...waiting.steps[0], dependsOn: ["slow"] }] } as never, { runId });
      while ((await memory.read(runId)).length < 2) await turn();
    },
    act: ({ agent }) => agent.deliver(runId, "paid", 1, { id: "1" }),
    isRecorded: has("run-deliver"),
  },
  deliver: {
    begin: ({ other }) => other.execute(waiting, { runId }),
    act: ({ agent }) => agent.deliver(runId, "paid", 1, { id: "1" }),
    isRecorded: has("run-deliver"),
  },
};

async function play({ begin, act, isRecorded }: Case, failing: number) {
  let finish = () => {};
  const slow = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const memory = createMemoryRunStore();
  const { store, arm, calls, posted } = remote(memory);
  const create = (one: RunStore) =>
    createAgent({ tools: tools(slow), store: one, abortGraceMs: 1, onWarning: () => {} });
  const world: World = { memory, other: create(memory), agent: create(store) };
  await begin?.(world);
  arm(failing);
  const handle = await act(world);
  const look = async () => isRecorded(await memory.read(handle.runId), posted());
  const refusal = await handle.recorded.then(
    () => undefined,
    (error) => error,
  );
  const atOnce = await look();
  finish();
  const result = await handle.result.catch((error) => error);
  return { refusal, atOnce, later: await look(), result, hasFailed: calls() >= failing };
}

describe.each(Object.entries(cases))("recorded, of %s", (_name, one) => {
  it("resolves if, and only if, the store has it, whichever call to the store fails", async () => {
    const whole = await play(one, 0);
    expect(whole).toMatchObject({ refusal: undefined, atOnce: true, later: true });
    const seen: boolean[] = [];
    for (let failing = 1; failing < 100; failing++) {
      const played = await play(one, failing);
      if (!played.hasFailed) break;
      const isRefused = played.refusal !== undefined;
      expect({ failing, ...played }).toMatchObject({ atOnce: !isRefused, later: !isRefused });
      if (isRefused) expect(played.refusal).toMatchObject({ code: "store-failed" });
      seen.push(isRefused);
    }
    expect(seen).toContain(true);
  });
});

/** An agent whose first code is loaded, as in a process that has served before, or not; and its store over a network. */
function world() {
  const memory = createMemoryRunStore();
  const { store } = remote(memory);
  const create = () => createAgent({ tools: tools(Promise.resolve()), store, onWarning: () => {} });
  return { memory, agent: create(), create };
}

describe("recorded", () => {
  it("resolves for a run that is stored, or is active here", async () => {
    const { agent } = world();
    const first = agent.start(asking, { runId });
    await agent.start(asking, { runId }).recorded;
    expect(await agent.getRun(runId)).toBeDefined();
    await first.result;
    await agent.start(asking, { runId }).recorded;
    const item = await itemOf(agent);
    await agent.approve(runId, item).result;
    await agent.approve(runId, item).recorded;
    await agent.approve(runId, item, { resume: false }).recorded;
  });

  it("resolves for a run that is recorded and then fails", async () => {
    const { agent } = world();
    const handle = agent.start({ steps: [step("l", "Lose")] }, { throwOnFailure: true });
    await handle.recorded;
    await expect(handle.result).rejects.toMatchObject({ code: "tool-failed" });
  });

  it.each<[string, (agent: Agent) => RunHandle | Promise<RunHandle>]>([
    ["run-conflict", (agent) => agent.start({ steps: [step("p", "Plain")] }, { runId })],
    ["plan-not-approved", (agent) => agent.start(asking, { approvedHash: hash })],
    ["invalid-plan", (agent) => agent.start({ steps: [{ id: "p", tool: "Plain", input: { more: 1 } }] } as never)],
    ["run-conflict", (agent) => agent.approve(runId, { kind: "step", stepId: "a", hash })],
    ["run-not-found", (agent) => agent.approve("none", { kind: "step", stepId: "a", hash })],
    ["run-not-found", (agent) => agent.reject("none", { kind: "plan", hash }, { resume: false })],
    ["invalid-tool-input", async (agent) => agent.approve(runId, await itemOf(agent), { input: { more: 1 } as never })],
    ["run-conflict", (agent) => agent.settle(runId, "a", { retry: true })],
    ["run-not-found", (agent) => agent.deliver("none", "paid", 1, { id: "1" })],
    ["invalid-options", (agent) => agent.deliver(runId, "paid", 1n, { id: "1" })],
    ["run-not-found", (agent) => agent.fork("none")],
    ["invalid-options", (agent) => agent.fork(runId, { after: 99 })],
  ])("rejects with the refusal %s, as the result does, and nothing is recorded (%#)", async (code, act) => {
    const { agent, memory } = world();
    await agent.execute(asking, { runId });
    const before = JSON.stringify(await memory.read(runId));
    const handle = await act(agent);
    await expect(handle.recorded).rejects.toMatchObject({ code });
    await expect(handle.result).rejects.toMatchObject({ code });
    expect(JSON.stringify(await memory.read(runId))).toBe(before);
    if (handle.runId !== runId) expect(await agent.getRun(handle.runId)).toBeUndefined();
  });

  it("is never an unhandled rejection, and closing refuses what comes later", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const { agent } = world();
    await agent.execute(asking, { runId });
    agent.start(asking, { approvedHash: hash });
    agent.approve("none", { kind: "plan", hash });
    await agent.close();
    const handle = agent.start(asking);
    agent.deliver(runId, "paid", 1, { id: "1" });
    await turn();
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    await expect(handle.recorded).rejects.toMatchObject({ code: "interrupted" });
  });
});

describe("looking for a run", () => {
  it.each<[string, (agent: Agent) => RunHandle | { runId: string }]>([
    ["start", (agent) => agent.start(asking)],
    ["start with an id", (agent) => agent.start(asking, { runId: "own" })],
    ["start of a request", (agent) => agent.start("do something")],
    ["execute", (agent) => [{ runId: "own" }, agent.execute(asking, { runId: "own" })][0] as { runId: string }],
    ["run", (agent) => [{ runId: "own" }, agent.run("do something", { runId: "own" })][0] as { runId: string }],
    ["fork", (agent) => agent.fork(runId)],
  ])("finds a run at once after %s, however long the store takes", async (_name, begin) => {
    const { agent, create } = world();
    await create().execute(asking, { runId });
    const begun = begin(agent);
    expect(await agent.getRun(begun.runId)).toMatchObject({ runId: begun.runId });
    const listing = world();
    await listing.create().execute(asking, { runId });
    const listed = begin(listing.agent);
    expect((await listing.agent.listRuns()).runs).toContainEqual(expect.objectContaining({ runId: listed.runId }));
  });

  it("waits for one that starts and is forked", async () => {
    const { agent } = world();
    const { runId: from } = agent.start(asking);
    expect(await agent.fork(from).result).toMatchObject({ forkedFrom: { runId: from } });
  });

  it("finds the first run of a process, whose code is still being loaded", async () => {
    vi.resetModules();
    const fresh = await import("planwright");
    const agent = fresh.createAgent({ tools: tools(Promise.resolve()), store: remote(createMemoryRunStore()).store });
    const handle = agent.start(asking);
    expect(await agent.getRun(handle.runId)).toMatchObject({ runId: handle.runId });
  });

  it("shows a decision at once, and finds no run that was refused", async () => {
    const { agent, create } = world();
    await create().execute(asking, { runId });
    const item = await itemOf(create());
    agent.approve(runId, item);
    expect((await agent.getRun(runId))?.status).not.toBe("suspended");
    const { runId: refused } = agent.start(asking, { approvedHash: hash });
    expect(await agent.getRun(refused)).toBeUndefined();
  });
});

const plan = { steps: [{ id: "s1", tool: "A", input: {} }] } as const;
const create = () =>
  createAgent({ tools: [createFakeTool({ name: "A", outcomes: [{ returns: 1 }] })], onWarning: () => {} });

describe("a handle", () => {
  it("exists at once, with events that can be read as they come", async () => {
    const handle = create().start(plan);
    expect(handle.runId).toMatch(/^run_/);
    const types: string[] = [];
    for await (const event of handle.events) types.push(event.type);
    expect(types).toEqual(["run-start", "step-start", "step-end", "run-end"]);
    expect((await handle.result).status).toBe("completed");
  });

  it("keeps its events until they are read", async () => {
    const handle = create().start(plan);
    await handle.result;
    const types: string[] = [];
    for await (const event of handle.events) types.push(event.type);
    expect(types).toHaveLength(4);
    expect(handle.events.dropped).toBe(0);
  });

  it("keeps at most 1000 unread events, and counts the ones it drops", async () => {
    const steps = Array.from({ length: 600 }, (_, index) => ({ id: `s${index}`, tool: "A" as const, input: {} }));
    const handle = create().start({ steps });
    await handle.result;
    const read: string[] = [];
    for await (const event of handle.events) read.push(event.type);
    expect(read).toHaveLength(1_000);
    expect(handle.events.dropped).toBe(2 + 2 * 600 - 1_000);
  });

  it("never causes an unhandled rejection if nobody reads its result", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const handle = create().start(plan, { approvedHash: "0".repeat(64) });
    const types: string[] = [];
    const reading = async () => {
      for await (const event of handle.events) types.push(event.type);
    };
    await expect(reading()).rejects.toMatchObject({ code: "plan-not-approved" });
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    expect(types).toEqual([]);
    await expect(handle.result).rejects.toMatchObject({ code: "plan-not-approved" });
  });
});
