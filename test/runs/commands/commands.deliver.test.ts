import {
  createAgent,
  createMemoryRunStore,
  createOrchestrator,
  defineTool,
  type PlanInput,
  sensitive,
} from "planwright";
import { expect, it } from "vitest";
import { z } from "zod/v4";
import { withMethods } from "../../scenario/two-processes.ts";

const runId = "r";
const waiting: PlanInput = { steps: [{ id: "w", wait: { event: "paid" } }] };

async function suspend(options: object = {}, plan: PlanInput = waiting) {
  const store = createMemoryRunStore();
  const agent = createAgent({ tools: [], store, ...options });
  await agent.execute(plan, { runId });
  return { agent, store };
}

it("keeps an event that comes early, resumes with one that comes later, and counts an id once", async () => {
  const steps = ["w", "x"].map((id) => ({ id, wait: { event: "paid" } }));
  const { agent } = await suspend({}, { steps });
  const first = await agent.deliver(runId, "paid", { amount: 1 }, { id: "1" }).result;
  expect(first).toMatchObject({ status: "suspended", pending: [{ kind: "wait", stepId: "x", event: "paid" }] });
  await agent.deliver(runId, "paid", { amount: 9 }, { id: "1" }).result;
  await agent.deliver(runId, "other", null, { id: "2" }).result;
  const second = await agent.deliver(runId, "paid", { amount: 2 }, { id: "3" }).result;
  expect(second).toMatchObject({ status: "completed", output: { amount: 2 } });
  // Whoever delivers again after a lost answer is not refused.
  expect(await agent.deliver(runId, "paid", { amount: 2 }, { id: "3" }).result).toMatchObject({ status: "completed" });
  await expect(agent.deliver(runId, "paid", 3, { id: "4" }).result).rejects.toMatchObject({ code: "run-conflict" });
  await expect(agent.deliver("none", "paid", 3, { id: "4" }).result).rejects.toMatchObject({ code: "run-not-found" });
});

it("hands events of one name to the steps in the order in which they wait", async () => {
  const steps = ["w", "x"].map((id) => ({ id, wait: { event: "paid" }, dependsOn: [] }));
  const { agent } = await suspend({}, { steps });
  await agent.deliver(runId, "paid", 1, { id: "1" }).result;
  const { steps: records } = await agent.deliver(runId, "paid", 2, { id: "2" }).result;
  expect(records).toMatchObject([{ output: 1 }, { output: 2 }]);
});

it("keeps at most 100 events", async () => {
  const { agent } = await suspend();
  for (let id = 0; id < 100; id++) await agent.deliver(runId, "other", id, { id: `${id}` }).result;
  const refused = agent.deliver(runId, "other", 0, { id: "more" }).result;
  await expect(refused).rejects.toMatchObject({ code: "limit-exceeded", details: { limit: "deliveries", max: 100 } });
  expect(await agent.deliver(runId, "paid", 0, { id: "paid" }).result).toMatchObject({ status: "completed" });
});

it("keeps no more however many are delivered at once, to a store that takes its time", async () => {
  const memory = createMemoryRunStore();
  const store = withMethods(memory, {
    append: async (...given) => {
      await new Promise(setImmediate);
      return memory.append(...given);
    },
  });
  let finish = () => {};
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const busy = defineTool({
    name: "busy",
    description: "Is busy.",
    inputSchema: z.object({}),
    effect: "idempotent",
    execute: () => done,
  });
  const agent = createAgent({ tools: [busy], store });
  const run = agent.execute({ steps: [{ id: "a", tool: "busy", input: {} }] }, { runId });
  const events = agent.events(runId, { follow: true });
  for await (const { type } of events) if (type === "step-start") break;
  const delivered = Array.from({ length: 150 }, (_, id) => agent.deliver(runId, "other", id, { id: `${id}` }).result);
  // Those that are taken settle once the run has ended.
  await Promise.race(delivered).catch(() => {});
  finish();
  await run;
  const refused = (await Promise.allSettled(delivered)).filter(({ status }) => status === "rejected");
  expect(refused).toHaveLength(50);
  expect(refused[0]).toMatchObject({ reason: { code: "limit-exceeded", details: { used: 100 } } });
});

it("accepts no more than it can keep while nobody runs it, and then takes all of them", async () => {
  const warnings: unknown[] = [];
  const { agent, store } = await suspend({ onWarning: (warning: unknown) => warnings.push(warning) });
  for (let id = 0; id < 30; id++) await agent.deliver(runId, "other", id, { id: `${id}` }).result;
  const web = createOrchestrator({ tools: [], store });
  const left = Array.from(
    { length: 100 },
    (_, id) => web.deliver(runId, "other", id, { id: `left ${id}`, resume: false }).result,
  );
  const refused = (await Promise.allSettled(left)).filter(({ status }) => status === "rejected");
  expect(refused).toHaveLength(30);
  expect(refused[0]).toMatchObject({ reason: { code: "limit-exceeded", details: { max: 100, used: 100 } } });
  await agent.resumeAll();
  const events = [];
  for await (const { type } of agent.events(runId)) events.push(type);
  expect(events.filter((type) => type === "run-deliver")).toHaveLength(100);
  expect(warnings).toEqual([]);
});

it("takes what was accepted although it keeps as many by then, and what a step waits for", async () => {
  const warnings: unknown[] = [];
  const { agent, store } = await suspend({ onWarning: (warning: unknown) => warnings.push(warning) });
  for (let id = 0; id < 99; id++) await agent.deliver(runId, "other", id, { id: `${id}` }).result;
  const web = createOrchestrator({ tools: [], store });
  const leave = (name: string, id: string) => web.deliver(runId, name, id, { id, resume: false }).result;
  await leave("other", "last");
  // Accepted when the run kept fewer.
  await store.post(runId, { type: "deliver", name: "other", value: 1, id: "accepted", isCounted: true });
  await store.post(runId, { type: "deliver", name: "other", value: 1, id: "refused" });
  await expect(leave("other", "more")).rejects.toMatchObject({ code: "limit-exceeded" });
  await leave("paid", "paid");
  expect((await agent.resumeAll())[0]?.result).toMatchObject({ status: "completed", output: "paid" });
  const ids: string[] = [];
  for await (const event of agent.events(runId)) if (event.type === "run-deliver") ids.push(event.id);
  expect(ids.slice(99)).toEqual(["last", "accepted", "paid"]);
  expect(warnings).toMatchObject([{ code: "message-refused" }]);
});

it("takes values of 1 MiB of JSON, and no larger ones", async () => {
  const { agent } = await suspend();
  const most = "x".repeat(1_048_574);
  await expect(agent.deliver(runId, "paid", `${most}x`, { id: "1" }).result).rejects.toMatchObject({
    code: "invalid-options",
    details: { option: "value" },
  });
  expect(await agent.deliver(runId, "paid", most, { id: "1" }).result).toMatchObject({ status: "completed" });
});

it("checks names and values by the agent's events", async () => {
  const { agent } = await suspend({ events: { paid: z.object({ amount: z.number() }) } });
  const refused = (name: string, value: unknown) =>
    expect(agent.deliver(runId, name, value, { id: "1" }).result).rejects.toThrowErrorMatchingSnapshot();
  await refused("piad", {});
  await refused("paid", { amount: "1" });
  await refused("paid", { amount: 1n });
  const unknown: PlanInput = { steps: [{ id: "w", wait: { event: "sent" } }] };
  await expect(agent.execute(unknown)).rejects.toThrowErrorMatchingSnapshot();
});

it("refuses wrong options at once", () => {
  const agent = createAgent({ tools: [] });
  for (const call of [
    () => agent.deliver("", "paid", 1, { id: "1" }),
    () => agent.deliver(runId, "not a name", 1, { id: "1" }),
    () => agent.deliver(runId, "paid", 1, {} as never),
    () => agent.deliver(runId, "paid", 1, { id: "" }),
    () => createAgent({ tools: [], events: { "not a name": z.string() } }),
    () => createAgent({ tools: [], events: { paid: "text" as never } }),
    () => createAgent({ tools: [], events: { paid: z.object({ card: sensitive(z.string()) }) } }),
  ]) {
    expect(call).toThrowErrorMatchingSnapshot();
  }
});

it("is checked by whoever has the schemas", async () => {
  const { agent, store } = await suspend({ events: { paid: z.string().transform((text) => ({ text })) } });
  const web = createOrchestrator({ tools: [], store });
  await web.deliver(runId, "paid", 5, { id: "1", resume: false }).result;
  expect((await agent.resumeAll())[0]?.result).toMatchObject({ status: "suspended" });
  await web.deliver(runId, "paid", "five", { id: "2", resume: false }).result;
  expect((await agent.resumeAll())[0]?.result).toMatchObject({ status: "completed", output: { text: "five" } });
});

it("is checked once", async () => {
  const events = { paid: z.string().transform((text) => ({ text })) };
  const { agent, store } = await suspend({ events });
  const web = createOrchestrator({ tools: [], store, events });
  await web.deliver(runId, "paid", "five", { id: "1", resume: false }).result;
  expect((await agent.resumeAll())[0]?.result).toMatchObject({ status: "completed", output: { text: "five" } });
});

it.each([{}, { runId: "named" }])(
  "is taken by a run %j that is just being started here, while other steps run",
  async (options) => {
    let finish = () => {};
    const done = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const busy = defineTool({
      name: "busy",
      description: "Is busy.",
      inputSchema: z.object({}),
      effect: "idempotent",
      execute: () => done,
    });
    const agent = createAgent({ tools: [busy] });
    const steps = [...waiting.steps, { id: "b", tool: "busy", input: {}, dependsOn: [] }];
    const run = agent.start({ steps } as PlanInput<typeof busy>, options);
    const delivered = agent.deliver(run.runId, "paid", 7, { id: "1" });
    const seen: string[] = [];
    for await (const { type } of run.events) {
      seen.push(type);
      if (type === "step-end") finish();
    }
    expect(seen).not.toContain("run-suspend");
    expect(await delivered.result).toMatchObject({ status: "completed", steps: [{ output: 7 }, {}] });
  },
);

it("is taken as soon as the run starts, if it was left before", async () => {
  const memory = createMemoryRunStore();
  const message = { type: "deliver", name: "paid", value: 7, id: "1", isChecked: true };
  const store = withMethods(memory, {
    claim: async (...given) => ({ ...(await memory.claim(...given)), posted: [{ number: 1, message }] }),
  });
  const result = await createAgent({ tools: [], store }).execute(waiting, { runId });
  expect(result).toMatchObject({ status: "completed", output: 7 });
});

it("with resume: false is left for whoever has the run next", async () => {
  const { agent, store } = await suspend();
  const web = createOrchestrator({ tools: [], store });
  expect(await web.deliver(runId, "paid", 5, { id: "1", resume: false }).result).toMatchObject({ status: "suspended" });
  await web.deliver(runId, "paid", 5, { id: "1", resume: false }).result;
  const [resumed] = await agent.resumeAll();
  expect(resumed?.result).toMatchObject({ status: "completed", output: 5 });
  await expect(web.deliver(runId, "paid", 6, { id: "2", resume: false }).result).rejects.toMatchObject({
    code: "run-conflict",
  });
});
