import { type AgentEvent, createAgent, createMemoryRunStore, createOrchestrator, createTodoStore } from "planwright";
import { createFakeTool, forEachKillPoint } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { askingTool } from "../../scenario/ask-for-approval.ts";
import { dialogueTools } from "../../scenario/dialogue.ts";
import { checkInvariants } from "../../scenario/invariants.ts";
import { planOf } from "../../scenario/plans.ts";

const statusesOf = (run: { readonly steps: readonly { readonly stepId: string; readonly status: string }[] }) =>
  run.steps.map(({ stepId, status }) => `${stepId} ${status}`).join(", ");

describe("undo of a finished run", () => {
  it("undoes its steps, the last one first, and lists the others", async () => {
    const log: string[] = [];
    const store = createMemoryRunStore();
    const agent = createOrchestrator({ tools: dialogueTools(log), store });
    const events: AgentEvent[] = [];
    agent.subscribe((event) => events.push(event));
    await agent.execute(planOf("Add", "Show", "Send", "Add"), { runId: "r" });
    const result = await agent.undo("r");
    expect(result).toMatchObject({
      status: "cancelled",
      error: { code: "cancelled", details: { reason: "undone" } },
      notUndone: [{ stepId: "s3", tool: "Send", reason: "no-undo" }],
    });
    expect(statusesOf(result)).toBe("s1 undone, s2 completed, s3 completed, s4 undone");
    expect(log.slice(-2)).toEqual(["undo r", "undo r"]);
    const undone = events.flatMap((event) => (event.type === "undo-start" ? event.stepId : []));
    expect(undone).toEqual(["s4", "s1"]);
    checkInvariants({ events, recorded: await store.read("r"), result });
    expect(await agent.undo("r")).toEqual(result);
    expect(await agent.resume("r")).toEqual(result);
    expect(await agent.execute(planOf("Add", "Show", "Send", "Add"), { runId: "r" })).toEqual(result);
    expect(log.filter((line) => line === "undo r")).toHaveLength(2);
  });

  it("also undoes a failed run, which is not tried again", async () => {
    const refused = Object.assign(new Error("no"), { retryable: false });
    const fails = createFakeTool({ name: "Fail", effect: "pure", outcomes: [{ throws: refused }] });
    const agent = createAgent({ tools: [...dialogueTools(), fails] });
    expect((await agent.execute(planOf("Add", "Fail"), { runId: "r" })).status).toBe("failed");
    expect(statusesOf(await agent.undo("r"))).toBe("s1 undone, s2 failed");
    expect((await agent.resume("r")).status).toBe("cancelled");
  });

  it("is refused for any other run, and for one of another thread", async () => {
    const agent = createAgent({ tools: [...dialogueTools(), askingTool("Ask")] });
    await agent.execute(planOf("Ask"), { runId: "waits" });
    await agent.execute(planOf("Add"), { runId: "mine", thread: "ada" });
    await agent.execute(planOf("Ask"), { runId: "cancelled" });
    await agent.cancel("cancelled");
    for (const runId of ["waits", "cancelled"])
      await expect(agent.undo(runId)).rejects.toMatchObject({ code: "run-conflict" });
    await expect(agent.undo("none")).rejects.toMatchObject({ code: "run-not-found" });
    await expect(agent.undo("mine", { thread: "bob" })).rejects.toMatchObject({ code: "run-not-found" });
    await expect(agent.undo("mine", { because: "no" } as never)).rejects.toMatchObject({ code: "invalid-options" });
    expect((await agent.undo("mine", { thread: "ada" })).status).toBe("cancelled");
  });

  it("is refused while the run is active, and joined while it is being undone", async () => {
    const log: string[] = [];
    const slow = createFakeTool({ name: "Slow", outcomes: [{ hangs: "until-aborted" }] });
    const agent = createAgent({ tools: [...dialogueTools(log), slow] });
    const handle = agent.start(planOf("Slow"), { runId: "slow" });
    await handle.recorded;
    await expect(agent.undo("slow")).rejects.toMatchObject({ code: "run-conflict" });
    handle.cancel();
    await handle.result;
    await agent.execute(planOf("Add"), { runId: "r" });
    const [one, other] = await Promise.all([agent.undo("r"), agent.undo("r")]);
    expect(other).toEqual(one);
    expect(log.filter((line) => line === "undo r")).toHaveLength(1);
  });

  it("is continued by whoever resumes the run, wherever the process died", async () => {
    const plan = planOf("Add", "Send", "Add");
    const points = await forEachKillPoint({
      async run({ store }) {
        const agent = createAgent({ tools: dialogueTools(), store });
        await agent.execute(plan, { runId: "r" });
        return agent.undo("r");
      },
      async resume({ store }) {
        const agent = createAgent({ tools: dialogueTools(), store });
        await agent.resume("r");
        return agent.undo("r");
      },
      check({ result, expected }) {
        expect([result.status, statusesOf(result), result.notUndone]).toEqual([
          expected.status,
          statusesOf(expected),
          expected.notUndone,
        ]);
      },
    });
    expect(points.flatMap(({ types }) => types).filter((type) => type === "undo-start")).toHaveLength(4);
  });

  it("is continued by resumeAll as well", async () => {
    const store = createMemoryRunStore();
    await createAgent({ tools: dialogueTools(), store }).execute(planOf("Add"), { runId: "r" });
    const events = await store.read("r");
    const at = events.length + 1;
    const resumed = { ...events[0], type: "run-resume", sequence: at, undo: true } as const;
    const { plan: _plan, metadata: _metadata, options: _options, ...resume } = resumed as Record<string, unknown>;
    await store.append("r", [resume as never], { sequence: at });
    const [one] = await createAgent({ tools: dialogueTools(), store }).resumeAll();
    expect(one?.result).toMatchObject({ status: "cancelled", steps: [{ status: "undone" }] });
  });

  it("takes back what was done with todos", async () => {
    const agent = createAgent({ tools: [createTodoStore()] });
    await agent.run("add milk and eggs to my list", { runId: "adds" });
    await agent.run("complete milk", { runId: "completes" });
    await agent.run("delete eggs", { runId: "deletes" });
    const titles = async () => {
      const { output } = await agent.run("show my list");
      return (output as Extract<typeof output, { todos: unknown }>).todos.map(
        ({ title, completed }) => `${title} ${completed}`,
      );
    };
    expect(await titles()).toEqual(["milk true"]);
    for (const runId of ["deletes", "completes"]) expect(statusesOf(await agent.undo(runId))).toContain("undone");
    expect((await titles()).sort()).toEqual(["eggs false", "milk false"]);
    await agent.undo("adds");
    expect(await titles()).toEqual([]);
  });
});
