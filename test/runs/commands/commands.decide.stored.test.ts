import {
  type Agent,
  createAgent,
  createMemoryRunStore,
  createOrchestrator,
  defineTool,
  type RunStore,
  sensitive,
} from "planwright";
import { createFakeTool, createManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { askingTool } from "../../scenario/ask-for-approval.ts";
import { keyOf, password } from "../../scenario/secret-tools.ts";
import { withMethods } from "../../scenario/two-processes.ts";

const runId = "r";
const leave = { resume: false } as const;
const turn = () => new Promise((resolve) => setImmediate(resolve));

const ask = () => askingTool("Ask");
const asks = (id: string) => ({ id, tool: "Ask", input: {}, dependsOn: [] });

async function itemsOf(agent: Agent): Promise<never[]> {
  return ((await agent.getRun(runId))?.pending ?? []) as never[];
}

async function until(check: () => Promise<boolean>): Promise<void> {
  while (!(await check())) await turn();
}

describe("of two people who decide one after the other", () => {
  it.each([
    ["approve", "reject", "approved", "plan"],
    ["reject", "approve", "rejected", "plan"],
    ["approve", "reject", "approved", "step"],
    ["reject", "approve", "rejected", "step"],
  ] as const)("the first counts: %s, then %s (%#)", async (first, second, status, kind) => {
    const store = createMemoryRunStore();
    const tools = [kind === "step" ? ask() : createFakeTool({ name: "Ask" })];
    const create = () => createAgent({ tools, store, needsApproval: (question) => question.kind === kind });
    const [mia, max] = [create(), create()];
    await mia.execute({ steps: [asks("a")] }, { runId });
    const [item] = await itemsOf(mia);
    await mia[first](runId, item as never, { ...leave, by: "Mia" }).recorded;
    expect((await max.listPending()).items).toEqual([]);
    const decidedAt = (await max.getRun(runId))?.approvals?.[0]?.decidedAt;
    const subject = kind === "plan" ? "plan" : 'step "a"';
    for (const resume of [false, true]) {
      const refused = max[second](runId, item as never, { resume: resume as false, by: "Max" });
      await expect(refused.recorded).rejects.toMatchObject({
        code: "run-conflict",
        message: expect.stringContaining(`${subject} was ${status} by Mia at ${decidedAt}.`),
        details: { runId, decided: { status, by: "Mia", decidedAt } },
      });
    }
    await max[first](runId, item as never, { ...leave, by: "Max" }).recorded;
    const [resumed] = await max.resumeAll();
    expect(resumed?.result).toMatchObject({
      status: first === "approve" ? "completed" : "failed",
      approvals: [{ by: "Mia", status }],
    });
  });

  it("the other is refused for a settled step, too", async () => {
    const store = createMemoryRunStore();
    const tools = [
      createFakeTool({ name: "Pay", effect: "once", timeoutMs: 5, outcomes: [{ hangs: "until-aborted" }] }),
    ];
    const create = () => createAgent({ tools, store });
    const [mia, max] = [create(), create()];
    await mia.execute({ steps: [{ id: "pay", tool: "Pay", input: {} }] }, { runId });
    await mia.settle(runId, "pay", { ...leave, output: "paid" }).recorded;
    const other = max.settle(runId, "pay", { ...leave, failed: "declined" });
    await expect(other.recorded).rejects.toMatchObject({ code: "run-conflict" });
    expect(await max.resumeAll()).toMatchObject([{ result: { status: "completed", output: "paid" } }]);
  });
});

describe("a decision about one of several questions", () => {
  it("leaves the others in the inbox, and what it is about can go on", async () => {
    const store = createMemoryRunStore();
    const tool = ask();
    const create = () => createAgent({ tools: [tool], store });
    const [worker, web] = [create(), create()];
    await worker.execute({ steps: [asks("a"), asks("b"), asks("c")] }, { runId, concurrency: 3 });
    const [a, b, c] = await itemsOf(web);
    // Three people at once, about three steps.
    await Promise.all([
      create().approve(runId, a as never, leave).recorded,
      create().approve(runId, b as never, leave).recorded,
    ]);
    expect((await web.listPending()).items.map(({ item }) => item)).toEqual([c]);
    expect(await worker.resumeAll()).toMatchObject([{ result: { status: "suspended", pending: [c] } }]);
    expect(tool.calls).toHaveLength(2);
    // What is left waits for somebody again.
    expect((await store.list({ resumable: true })).runs).toEqual([]);
    await web.approve(runId, c as never, leave).recorded;
    expect((await store.list({ resumable: true })).runs).toHaveLength(1);
    expect(await worker.resumeAll()).toMatchObject([{ result: { status: "completed" } }]);
  });

  it("with another input counts as well, in a process without the tool that can check it", async () => {
    const store = createMemoryRunStore();
    const tool = ask();
    const worker = createAgent({ tools: [tool], store });
    await worker.execute({ steps: [asks("a")] }, { runId });
    const [item] = await itemsOf(worker);
    const web = () => createOrchestrator({ tools: [], store });
    const input = { more: 1 } as never;
    await web().approve(runId, item as never, { ...leave, by: "Mia", input }).recorded;
    await web().approve(runId, item as never, { ...leave, by: "Mia", input }).recorded;
    for (const other of [web(), createAgent({ tools: [tool], store })]) {
      const decided = { status: "approved", by: "Mia" };
      for (const refused of [
        other.reject(runId, item as never, leave),
        other.approve(runId, item as never, leave),
        other.approve(runId, item as never, { ...leave, input: { more: 2 } as never }),
      ])
        await expect(refused.recorded).rejects.toMatchObject({ code: "run-conflict", details: { decided } });
    }
    expect(await worker.resumeAll()).toMatchObject([{ result: { status: "completed", approvals: [{ by: "Mia" }] } }]);
    expect(tool.calls.map((call) => call.input)).toEqual([{ more: 1 }]);
  });
});

/** A run that is active in one process, where a slow step runs beside one that waits for approval. */
async function active() {
  const clock = createManualClock();
  const memory = createMemoryRunStore({ now: () => clock.now() });
  const store: RunStore = withMethods(memory, { isVolatile: false });
  const tools = [ask(), createFakeTool({ name: "Slow", outcomes: [{ returns: 1, afterMs: 5_000 }], clock })];
  const create = (reach = store) => createAgent({ tools, store: reach, clock, leaseMs: 900, onWarning: () => {} });
  let isDead = false;
  const never = () => new Promise<never>(() => {});
  const owner = create(
    withMethods(store, {
      append: (...given) => (isDead ? never() : store.append(...given)),
      renew: (...given) => (isDead ? never() : store.renew(...given)),
    }),
  );
  const die = () => {
    isDead = true;
  };
  const steps = [{ id: "slow", tool: "Slow", input: {}, dependsOn: [] }, asks("a")];
  const handle = owner.start({ steps }, { runId, concurrency: 2 });
  let item: unknown;
  await until(async () => {
    item = (await memory.read(runId)).find(({ type }) => type === "approval-request");
    return item !== undefined;
  });
  return { clock, store, create, owner, die, handle, item: item as never };
}

describe("a decision about a run that another process runs", () => {
  it("is recorded once that process has recorded it; the opposite one is refused", async () => {
    const { clock, store, create, handle, item } = await active();
    const isDecided = async () => (await store.read(runId)).some(({ type }) => type === "approval-end");
    let isTold = false;
    const first = create().approve(runId, item, { ...leave, by: "Mia" });
    first.recorded.then(() => {
      isTold = true;
    });
    const seen = await clock.runUntil(
      (async () => {
        await until(isDecided);
        await first.recorded;
        return isDecided();
      })(),
    );
    expect([seen, isTold]).toEqual([true, true]);
    const second = create().reject(runId, item, { ...leave, by: "Max" });
    const told = await clock.runUntil(second.recorded.catch((error) => error));
    expect(told).toMatchObject({ code: "run-conflict", details: { decided: { by: "Mia", status: "approved" } } });
    expect(await clock.runUntil(handle.result)).toMatchObject({ status: "completed" });
  });

  it("is recorded by the one who decides once that process has died", async () => {
    const { clock, store, create, die, item } = await active();
    die();
    await clock.runUntil(create().approve(runId, item, { ...leave, by: "Mia" }).recorded);
    const events = await store.read(runId);
    expect(events.slice(-4).map(({ type }) => type)).toEqual(["run-resume", "step-end", "approval-end", "run-suspend"]);
    const again = create().reject(runId, item, { ...leave, by: "Max" });
    await expect(again.recorded).rejects.toMatchObject({ code: "run-conflict", details: { decided: { by: "Mia" } } });
    const [resumed] = await clock.runUntil(create().resumeAll());
    expect(resumed?.result).toMatchObject({ status: "completed", steps: [{ attempts: 2 }, { attempts: 1 }] });
  });

  it("is told as it is recorded if that process is just ending the run", async () => {
    const { clock, store, create, owner, handle, item } = await active();
    const cancelling = owner.cancel(runId, "enough");
    const told = await clock.runUntil(
      create()
        .approve(runId, item, leave)
        .recorded.catch(({ code }) => code),
    );
    const isRecorded = (await store.read(runId)).some(({ type }) => type === "approval-end");
    expect(told).toBe(isRecorded ? undefined : "run-conflict");
    expect(await clock.runUntil(cancelling)).toMatchObject({ status: "cancelled" });
    expect(await handle.result).toMatchObject({ status: "cancelled" });
    const late = clock.runUntil(create().reject(runId, item, leave).recorded);
    await expect(late).rejects.toMatchObject({ code: "run-conflict" });
  });
});

describe("a client without the keys of a run", () => {
  it("decides once, and shows no secret", async () => {
    const store = createMemoryRunStore();
    const login = defineTool({
      name: "Login",
      description: "Logs in",
      inputSchema: z.object({ password: sensitive(z.string()) }),
      needsApproval: true,
      execute: () => "in",
    });
    const worker = createAgent({ tools: [login], store, secrets: { keys: [keyOf("k1")] } });
    await worker.execute({ steps: [{ id: "l", tool: "Login", input: { password } }] }, { runId });
    const web = () => createOrchestrator({ tools: [], store });
    const [{ item } = { item: undefined }] = (await web().listPending()).items;
    await web().approve(runId, item as never, { ...leave, by: "Mia" }).recorded;
    await expect(web().reject(runId, item as never, leave).recorded).rejects.toMatchObject({
      code: "run-conflict",
      details: { decided: { by: "Mia" } },
    });
    expect((await web().listPending()).items).toEqual([]);
    expect(JSON.stringify(await store.read(runId))).not.toContain(password);
    expect(await worker.resumeAll()).toMatchObject([{ result: { status: "completed", output: "in" } }]);
  });
});
