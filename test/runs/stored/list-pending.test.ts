import {
  type ApprovalItem,
  createAgent,
  createMemoryRunStore,
  defineTool,
  describeCall,
  type RunStore,
  type RunSummary,
  sensitive,
} from "planwright";
import { createSqliteRunStore } from "planwright/sqlite";
import { toHtml } from "planwright/view";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod/v4";

const password = "hunter2-Zebra";
const secrets = { keys: [{ id: "k1", key: new Uint8Array(32).fill(7) }] };
const tools = [
  defineTool({
    name: "Login",
    description: "",
    inputSchema: z.object({ user: z.string().default("ada"), password: sensitive(z.string()) }),
    effect: "idempotent",
    needsApproval: true,
    phrases: [{ phrase: "log in", input: { password } }],
    execute: () => "in",
  }),
  defineTool({ name: "Plain", description: "", inputSchema: z.object({}), effect: "idempotent", execute: () => 1 }),
];
const plain = { id: "p", tool: "Plain", input: {}, dependsOn: [] } as const;
const login = { id: "l", tool: "Login", input: { password }, dependsOn: [] } as const;

function sqlite(): RunStore {
  const store = createSqliteRunStore({ path: ":memory:" });
  onTestFinished(() => store.close());
  return store;
}

describe.each([
  ["memory", () => createMemoryRunStore()],
  ["SQLite", sqlite],
])("listPending with %s", (_name, createStore) => {
  const create = (store: RunStore, options: object = {}) => createAgent({ tools, store, secrets, ...options });

  /** Four suspended runs that wait for a plan, a step, three iterations, and an event; and one that has ended. */
  async function suspended() {
    const store = createStore();
    const asksForPlans = create(store, { needsApproval: ({ kind }: { kind: string }) => kind === "plan" });
    await asksForPlans.execute({ steps: [plain] }, { runId: "plan" });
    const agent = create(store);
    await agent.run("log in", { runId: "step" });
    const loop = { ...login, forEach: "[1, 2, 3]", concurrency: 3 };
    await agent.execute({ steps: [plain, loop] }, { runId: "loop", concurrency: 2 });
    await agent.execute({ steps: [{ id: "w", wait: { event: "paid" } }] }, { runId: "wait" });
    await agent.execute({ steps: [plain] }, { runId: "done" });
    return { store, agent };
  }

  it("has every item that somebody can decide, as getRun shows it, and each can be passed on as it is", async () => {
    const { agent, store } = await suspended();
    const { items, cursor } = await agent.listPending();
    expect(cursor).toBeUndefined();
    expect(items.map(({ runId, item }) => [runId, item.kind])).toEqual([
      ...Array(3).fill(["loop", "approval"]),
      ["step", "approval"],
      ["plan", "plan-approval"],
    ]);
    for (const { runId, request, item, steps } of items) {
      const run = await agent.getRun(runId);
      expect(run?.pending).toContainEqual(item);
      const ofPlan = item.kind === "plan-approval" ? run?.plan?.steps : undefined;
      expect({ request, steps }).toEqual({ request: run?.request, steps: ofPlan });
    }
    expect(items[3]).toMatchObject({
      request: "log in",
      item: { input: { user: "ada", password: "[sensitive]" }, given: { password: "[sensitive]" } },
    });
    expect(items[4]).not.toHaveProperty("request");
    expect(JSON.stringify(items)).not.toContain(password);
    const decided = items.map(
      ({ runId, item }) => agent.approve(runId, item as ApprovalItem, { resume: false }).recorded,
    );
    await Promise.all(decided);
    await agent.resumeAll();
    expect((await agent.listPending()).items).toEqual([]);
    const ended = await Promise.all(["plan", "step", "loop"].map((runId) => agent.getRun(runId)));
    expect(ended.map((run) => run?.status)).toEqual(["completed", "completed", "completed"]);
    expect(JSON.stringify(await store.read("step"))).not.toContain(password);
  });

  it("hides what the agent hides", async () => {
    const { store } = await suspended();
    const redact = (value: unknown, { kind }: { kind: string }) => (kind === "request" ? "hidden" : value);
    const { items } = await create(store, { redact }).listPending();
    expect(items.map(({ request }) => request)).toEqual([undefined, undefined, undefined, "hidden", undefined]);
  });

  it("has pages of runs, each with all its items, also while runs are decided", async () => {
    const { agent } = await suspended();
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const page = await agent.listPending({ limit: 1, cursor });
      pages.push(page.items.map(({ runId }) => runId));
      for (const { runId, item } of page.items) await agent.reject(runId, item as ApprovalItem).result.catch(() => {});
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(pages.filter((page) => page.length > 0)).toEqual([["loop", "loop", "loop"], ["step"], ["plan"]]);
  });

  it("leaves out a run whose record is damaged, and refuses what no store could list", async () => {
    const { store } = await suspended();
    const read: RunStore["read"] = (runId, options) => (runId === "step" ? ([5] as never) : store.read(runId, options));
    const damaged: RunStore = Object.assign(Object.create(store), { read });
    const { items } = await create(damaged).listPending();
    expect([...new Set(items.map(({ runId }) => runId))]).toEqual(["loop", "plan"]);
    await expect(create(store).listPending({ limit: 0 })).rejects.toMatchObject({ code: "invalid-options" });
    for (const unknown of [{ page: 1 }, { status: "failed" }, { pending: "wait" }, []])
      await expect(create(store).listPending(unknown as never)).rejects.toMatchObject({ code: "invalid-options" });
    const unreachable: RunStore = Object.assign(Object.create(store), { read: () => Promise.reject(new Error("no")) });
    await expect(create(unreachable).listPending()).rejects.toMatchObject({ code: "store-failed" });
  });

  const outcomes = [
    defineTool({
      name: "Send",
      description: "",
      inputSchema: z.object({ to: z.string(), euros: z.number(), urgent: z.boolean().default(false) }),
      phrases: ["send {euros} euros to {to}"],
      execute: () => Promise.reject(Object.assign(new Error("lost"), { outcome: "unknown" })),
    }),
  ];

  it("has every kind, in words, with the request and the metadata of the run", async () => {
    const store = createStore();
    const agent = createAgent({ tools: outcomes, store });
    const asking = createAgent({ tools: outcomes, store, needsApproval: ({ kind }) => kind === "plan" });
    const metadata = { user: 7 };
    const request = "send 20 euros to Ada";
    await agent.run(request, { runId: "lost", metadata });
    await asking.execute(await asking.plan(request), { runId: "plan", metadata });
    const wait = { id: "w", wait: { forMs: 1_000 } };
    const many = Array.from({ length: 11 }, (_, at) => ({ id: `s${at}`, tool: "Send", input: { to: "B", euros: at } }));
    await asking.execute({ steps: [wait, ...many] } as never, { runId: "many" });
    const held = (await store.read("lost")).map((event) => ({ ...event, runId: event.type }));
    for (const [runId, item] of [
      ["unfit", { kind: "mismatch", reason: "another tool", differences: [] }],
      ["gone", { kind: "given-up", reason: "3 have died", deaths: 3 }],
    ] as const) {
      const events = held.map((event) => ({
        ...event,
        runId,
        ...(event.type === "run-suspend" && { pending: [item] }),
      }));
      await store.append(runId, events as never, { sequence: 1 });
    }
    const { items: found } = await agent.listPending();
    const items = ["gone", "unfit", "many", "plan", "lost"].map((id) => found.find(({ runId }) => runId === id));
    expect(found).toHaveLength(5);
    const known = { request, metadata };
    expect(items).toMatchObject([
      { runId: "gone", item: { kind: "given-up" }, text: "3 have died", ...known },
      { runId: "unfit", item: { kind: "mismatch" }, text: "another tool", ...known },
      { runId: "many", item: { kind: "plan-approval" }, metadata: {} },
      {
        runId: "plan",
        item: { kind: "plan-approval" },
        text: "send 20 euros to Ada (urgent: no, by default)",
        ...known,
      },
      {
        runId: "lost",
        item: { kind: "outcome", stepId: "s1" },
        text: "send 20 euros to Ada (urgent: no, by default): it is not known whether this took effect",
        ...known,
      },
    ]);
    expect(items[2]?.text).toMatch(/^wait for 1 second\nsend 0 euros to B .*\n2 more$/s);
    expect(items[2]).not.toHaveProperty("request");
    const kindsOf = async (kinds: never) => (await agent.listPending({ kinds })).items.map(({ item }) => item.kind);
    expect(await kindsOf("outcome" as never)).toEqual(["outcome"]);
    expect((await kindsOf(["approval", "mismatch"] as never)).sort()).toEqual([
      "mismatch",
      "plan-approval",
      "plan-approval",
    ]);
    expect(await kindsOf([] as never)).toEqual([]);
    await expect(kindsOf("wait" as never)).rejects.toThrow(
      /"kinds" must be one of approval, plan-approval, outcome, question, mismatch/,
    );
    const { runs } = await agent.listRuns();
    expect(runs.map(({ runId, request: shown }) => [runId, shown]).sort()).toEqual([
      ["gone", request],
      ["lost", request],
      ["many", undefined],
      ["plan", request],
      ["unfit", request],
    ]);
    expect(await agent.getRun("plan")).toMatchObject({ request, plan: { request } });
    // What a run was started with stays what it is.
    await expect(agent.run(request, { runId: "plan" })).rejects.toMatchObject({ code: "run-conflict" });
  });

  it("says of an approval what its input has beyond what was given, and parses nothing", async () => {
    const store = createStore();
    let count = 0;
    let parsed = 0;
    const counting = z
      .object({ to: z.string(), order: z.number().default(() => ++count), note: z.string().optional() })
      .refine(async () => ++parsed > 0)
      .transform((value) => ({ ...value, note: "made" }));
    const tool = defineTool({
      ...{ name: "Order", description: "", inputSchema: counting, needsApproval: true },
      phrases: ["order for {to}"],
      execute: () => 1,
    });
    const agent = createAgent({ tools: [tool], store });
    await agent.execute({ steps: [{ id: "s1", tool: "Order", input: { to: "Ada" } }] }, { runId: "order" });
    const before = parsed;
    const { items } = await agent.listPending();
    const [{ item, text } = { item: undefined, text: "" }] = items;
    const { order } = (item as { input?: { order?: number } }).input ?? {};
    expect(text).toBe(`order for Ada (order: ${order}, by default)`);
    expect((await agent.listPending()).items[0]?.text).toBe(text);
    expect(describeCall(item as never, { tools: [tool] })).toBe(text);
    expect(
      toHtml((await agent.getRun("order")) as never, { describeCall: (call) => describeCall(call, { tools: [tool] }) }),
    ).toContain(text);
    expect(parsed).toBe(before);
    const redact = (value: unknown, { kind }: { kind: string }) => (kind === "input" ? "hidden" : value);
    const hidden = await createAgent({ tools: [tool], store, redact }).listPending();
    expect(hidden.items[0]?.text).toBe("order");
  });

  it("says a plan in a line for each step, with its conditions, which no text imitates", async () => {
    const store = createStore();
    const asking = createAgent({ tools: outcomes, store, needsApproval: ({ kind }) => kind === "plan" });
    const steps = [
      { id: "a", tool: "Send", input: { to: "B\nsend 5 euros to C, then D", euros: 1, urgent: true }, when: "1 == 1" },
      {
        id: "b",
        tool: "Send",
        input: { to: "${item}", euros: 2, urgent: true },
        forEach: '["x",\n"y"]',
        concurrency: 2,
      },
      { id: "c", wait: { event: "paid" } },
    ];
    await asking.execute({ steps } as never, { runId: "plan" });
    const [item] = (await asking.listPending()).items;
    expect(item?.text.split("\n")).toEqual([
      "send, to: B\\nsend 5 euros to C, then D, euros: 1, urgent: true, if 1 == 1",
      'send, to: each item, euros: 2, urgent: true, for each ["x",\\n"y"], 2 at a time',
      'wait for the event "paid", without a time limit',
    ]);
    expect(item?.steps).toHaveLength(3);
  });

  it("says nothing that the agent hides, and does without the tools", async () => {
    const store = createStore();
    await createAgent({ tools: outcomes, store }).run("send 20 euros to Ada", { runId: "lost" });
    const redact = (value: unknown, { kind }: { kind: string }) => (kind === "input" ? "hidden" : value);
    const textsOf = async (options: object) =>
      (await createAgent({ tools: [], store, ...options }).listPending()).items.map(({ text }) => text);
    expect(await textsOf({})).toEqual(["send, euros: 20, to: Ada: it is not known whether this took effect"]);
    expect(await textsOf({ tools: outcomes, redact })).toEqual(["send: it is not known whether this took effect"]);
  });
});

it("reads no more of 100 000 runs than a page", async () => {
  const store = createMemoryRunStore();
  await createAgent({ tools, store, secrets }).run("log in", { runId: "0" });
  const [run] = (await store.list()).runs;
  const events = await store.read("0");
  const read: string[] = [];
  const large: RunStore = {
    ...store,
    read(runId) {
      read.push(runId);
      return events.map((event) => ({ ...event, runId }));
    },
    list({ limit = 0, cursor = "100000" } = {}) {
      const runs = Array.from({ length: limit }, (_, at) => ({ ...(run as RunSummary), runId: String(+cursor - at) }));
      return { runs, cursor: String(+cursor - limit) };
    },
  };
  const agent = createAgent({ tools, store: large, secrets });
  const first = await agent.listPending({ limit: 3 });
  expect(first.items.map(({ runId }) => runId)).toEqual(["100000", "99999", "99998"]);
  const second = await agent.listPending({ limit: 3, cursor: first.cursor });
  expect(second.items.map(({ runId }) => runId)).toEqual(["99997", "99996", "99995"]);
  expect(read).toHaveLength(6);
});
