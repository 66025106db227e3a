import { type ApprovalItem, createAgent, createMemoryRunStore, defineTool, type RunStore, sensitive } from "planwright";
import { createSqliteRunStore } from "planwright/sqlite";
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
      expect({ request, steps }).toEqual({ request: run?.request, steps: run?.plan?.steps });
    }
    expect(items[3]).toMatchObject({
      request: "log in",
      item: { input: { user: "ada", password: "[sensitive]" }, given: { password: "[sensitive]" } },
      steps: [{ input: { password: "[sensitive]" } }],
    });
    expect(items[4]).not.toHaveProperty("request");
    expect(JSON.stringify(items)).not.toContain(password);
    const decided = items.map(({ runId, item }) => agent.approve(runId, item as ApprovalItem, { resume: false }).recorded);
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
});
