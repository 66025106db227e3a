import {
  type AgentEvent,
  createMemoryRunStore,
  defineTool,
  type RunResult,
  type RunSnapshot,
  type RunStore,
  sensitive,
} from "planwright";
import { forEachKillPoint } from "planwright/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod/v4";
import { createDialogue, dialogueTools, question } from "../../scenario/dialogue.ts";
import { checkInvariants } from "../../scenario/invariants.ts";

const thread = "ada";

/** What must be the same however often a process was killed. */
const endOf = ({ runId, status, answered, text, error, steps }: RunResult) => ({
  ...{ runId, status, answered, text, code: error?.code },
  steps: steps.map(({ stepId, status, output }) => ({ stepId, status, output })),
});

describe("a line that answers a question", () => {
  it("resolves to the result of the run that asked, and is a run of its own", async () => {
    const store = createMemoryRunStore();
    const { agent } = createDialogue({ store });
    const events: AgentEvent[] = [];
    agent.subscribe((event) => events.push(event));
    await agent.run("ask add", { runId: "asks", thread });
    const result = await agent.run("yes", { runId: "line", thread });
    const answered = { runId: "asks", stepId: "s1" };
    expect(result).toMatchObject({ runId: "asks", status: "completed", answered, output: { name: "Add" } });
    const line = await agent.getRun("line");
    expect(line).toMatchObject({ runId: "line", status: "completed", answered, steps: [] });
    expect(await agent.getRun("asks")).not.toHaveProperty("answered");
    const { metadata: _metadata, updatedAt: _updatedAt, ...own } = line as RunSnapshot;
    const { answered: _answered, ...asked } = result;
    for (const one of [own as RunResult, asked as RunResult]) {
      const { runId } = one;
      const emitted = events.filter((event) => event.runId === runId);
      checkInvariants({ events: emitted, recorded: await store.read(runId), result: one });
    }
  });

  it("counts once, however often it is sent", async () => {
    const log: string[] = [];
    const { agent } = createDialogue({ tools: dialogueTools(log) });
    await agent.run("ask add", { runId: "asks", thread });
    const sent = await Promise.all([1, 2].map(() => agent.run("yes", { runId: "line", thread })));
    const again = await agent.run("yes", { runId: "line", thread });
    expect(sent.map(endOf)).toEqual([endOf(again), endOf(again)]);
    expect(await agent.resume("line")).toEqual(again);
    expect(log).toEqual(["Add asks"]);
    await agent.deleteRun("asks");
    expect(await agent.run("yes", { runId: "line", thread })).toMatchObject({ runId: "line", status: "completed" });
  });

  it("fails on its own if it comes too late", async () => {
    const store = createMemoryRunStore();
    const { agent } = createDialogue({
      store,
      read: ({ request }) =>
        request === "late" ? { status: "answer", runId: "asks", stepId: "s1", answer: "late" } : { status: "request" },
    });
    await agent.run("ask", { runId: "asks", thread });
    await agent.cancel("asks");
    expect(await agent.run("late", { runId: "line", thread })).toMatchObject({
      ...{ runId: "line", status: "failed" },
      error: { code: "run-conflict" },
    });
    await agent.deleteRun("asks");
    expect((await agent.run("late", { thread })).error?.code).toBe("run-not-found");
    expect((await agent.run("late", { thread: "bob" })).error?.code).toBe("run-not-found");
  });

  it("is hidden from who names another thread, as an answer by the app is", async () => {
    const { agent } = createDialogue();
    const { pending = [] } = await agent.run("ask", { runId: "asks", thread });
    const answer = { answer: "yes" };
    for (const given of [answer, "yes"])
      await expect(agent.answer("asks", pending[0] as never, given, { thread: "bob" }).result).rejects.toMatchObject({
        code: "run-not-found",
      });
    expect((await agent.answer("asks", "s1", answer, { thread }).result).status).toBe("completed");
  });

  it("cancels what it continues when it is cancelled itself", async () => {
    const { agent } = createDialogue({
      stepTimeoutMs: Number.POSITIVE_INFINITY,
      tools: [hanging(), ...dialogueTools()],
    });
    const plan = {
      steps: [
        { id: "s1", wait: { ask: question } },
        { id: "s2", tool: "Hang", input: {} },
      ],
    };
    await agent.execute(plan, { runId: "hangs", thread });
    const handle = agent.start("yes", { runId: "line", thread });
    for await (const event of agent.events("hangs", { follow: true }))
      if (event.type === "step-start" && event.stepId === "s2") break;
    handle.cancel("enough");
    expect((await handle.result).status).toBe("cancelled");
    expect((await agent.getRun("hangs"))?.error).toMatchObject({ details: { reason: "enough" } });
  });
});

function hanging() {
  return {
    ...{ name: "Hang", description: "Never ends", inputSchema: dialogueTools()[0]?.inputSchema as never },
    execute: (_input: never, { signal }: { readonly signal: AbortSignal }) =>
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
  };
}

describe("a line that declines", () => {
  it("cancels the run that asked, and resolves to its result", async () => {
    const { agent } = createDialogue();
    await agent.run("ask add", { runId: "asks", thread });
    const result = await agent.run("never mind", { runId: "line", thread });
    expect(result).toMatchObject({
      ...{ runId: "asks", status: "cancelled", answered: { runId: "asks", stepId: "s1" } },
      error: { code: "cancelled", details: { reason: "declined" } },
    });
    expect((await agent.getRun("line"))?.status).toBe("completed");
    expect(endOf(await agent.run("never mind", { runId: "line", thread }))).toEqual(endOf(result));
  });
});

describe("a line that undoes", () => {
  it("undoes what the run has done, and says so", async () => {
    const { agent } = createDialogue();
    await agent.run("add send", { runId: "acts", thread });
    const result = await agent.run("undo", { runId: "line", thread });
    expect(result).toMatchObject({
      ...{ runId: "line", status: "completed" },
      text: "Undone: add.\nNot undone: send (its tool cannot undo it).",
    });
    expect((await agent.getRun("acts"))?.steps.map(({ status }) => status)).toEqual(["undone", "completed"]);
  });

  it("says nothing that is sensitive", async () => {
    const secrets = { keys: [{ id: "k1", key: Buffer.alloc(32, 7).toString("base64") }] };
    const hire = defineTool({
      name: "Hire",
      description: "Hires somebody",
      inputSchema: z.object({ person: z.string(), pin: sensitive(z.string()) }),
      effect: "idempotent",
      execute: () => null,
      undo: () => {},
    });
    const { agent } = createDialogue({ tools: [hire], secrets, read: () => ({ status: "undo", runId: "acts" }) });
    await agent.execute(
      { steps: [{ id: "s1", tool: "Hire", input: { person: "Ada", pin: "4471" } }] },
      { runId: "acts", thread },
    );
    const { text } = await agent.run("undo", { thread });
    expect(text).toContain("Undone: hire");
    expect(text).not.toContain("4471");
  });

  it("says why nothing was undone", async () => {
    const { agent } = createDialogue();
    await agent.run("show", { thread });
    expect((await agent.run("undo", { thread })).text).toBe("There was nothing to undo.");
    await agent.run("ask", { runId: "waits", thread });
    expect(await agent.run("undo", { thread })).toMatchObject({
      status: "completed",
      text: 'Run "waits" cannot be undone: its status is suspended, not completed or failed.',
    });
  });
});

/** What was said before, in a process that is not killed. */
async function storeAfter(line: string): Promise<RunStore> {
  const store = createMemoryRunStore();
  await createDialogue({ store }).agent.run(line, { runId: "before", thread });
  return store;
}

describe("an open question", () => {
  it.each([
    ["stays open beside a plan of reads alone", "show", "suspended"],
    ["stays open beside words", "say hello", "suspended"],
    ["stays open beside a line that is refused", "nonsense", "suspended"],
    ["is given up for a change", "show add", "cancelled"],
  ])("%s", async (_name, line, status) => {
    const store = createMemoryRunStore();
    const { agent } = createDialogue({ store });
    await agent.run("ask add", { runId: "asks", thread });
    await agent.run("ask", { runId: "other", thread: "bob" });
    const log: string[] = [];
    agent.on("run-end", ({ runId }) => log.push(`${runId} ends`));
    agent.on("step-start", ({ runId }) => log.push(`${runId} acts`));
    await agent.run(line, { runId: "line", thread });
    const asks = await agent.getRun("asks");
    expect(asks?.status).toBe(status);
    expect((await agent.getRun("other"))?.status).toBe("suspended");
    if (status !== "cancelled") return;
    expect(asks?.error).toMatchObject({ code: "cancelled", details: { reason: "superseded" } });
    expect(log[0]).toBe("asks ends");
  });

  it("is not given up for what an app does by a button", async () => {
    const { agent } = createDialogue({ store: createMemoryRunStore() });
    await agent.run("ask add", { runId: "asks", thread });
    await agent.execute({ steps: [{ id: "s1", tool: "Add", input: {} }] }, { thread });
    expect((await agent.getRun("asks"))?.status).toBe("suspended");
  });
});

describe("killed at every write", () => {
  it("a change gives up an open question once", async () => {
    await forEachKillPoint<RunResult>({
      createStore: () => storeAfter("ask add"),
      run: ({ store }) => createDialogue({ store: store }).agent.run("add", { runId: "line", thread }),
      async resume({ store }) {
        const { agent } = createDialogue({ store: store });
        return agent.resume("line");
      },
      async check({ result, expected, store }) {
        expect(endOf(result)).toEqual(endOf(expected));
        const { agent } = createDialogue({ store });
        expect((await agent.getRun("before"))?.error).toMatchObject({ details: { reason: "superseded" } });
      },
    });
  });

  it.each([
    ["words", "add", "say hello", 4],
    ["an answer", "ask add", "yes", 8],
    ["a refusal to answer", "ask add", "never mind", 6],
    ["undo", "add send add", "undo", 9],
  ])("%s has its effect once", async (_name, before, line, appends) => {
    const points = await forEachKillPoint<RunResult>({
      createStore: () => storeAfter(before),
      run: ({ store }) => createDialogue({ store }).agent.run(line, { runId: "line", thread }),
      async resume({ store }) {
        const { agent } = createDialogue({ store });
        await agent.resumeAll();
        return agent.run(line, { runId: "line", thread });
      },
      async check({ result, expected, store }) {
        // Killed while it is cancelled, the other run says so in its own words.
        expect({ ...endOf(result), text: "" }).toEqual({ ...endOf(expected), text: "" });
        const { agent } = createDialogue({ store });
        expect((await agent.getRun("line"))?.status).toBe("completed");
        expect((await agent.listRuns({ thread, resumable: true })).runs).toEqual([]);
        const asked = await store.read("before");
        expect(asked.filter(({ type }) => type === "run-deliver").length).toBeLessThanOrEqual(1);
      },
    });
    expect(points.length).toBeGreaterThanOrEqual(appends * 2);
  });
});
