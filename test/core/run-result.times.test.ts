import { createAgent, createMemoryRunStore } from "planwright";
import { createFakeTool, createManualClock, createScriptedPlanner } from "planwright/testing";
import { expect, it } from "vitest";

const startMs = Date.UTC(2026);
const at = (ms: number) => new Date(startMs + ms).toISOString();

it("a result and a summary contain the request and the times of creation, start and end", async () => {
  const clock = createManualClock({ nowMs: startMs });
  const outcomes = [{ afterMs: 20, throws: Object.assign(new Error("no"), { retryable: false }) }, { returns: 1 }];
  const tool = createFakeTool({ name: "A", outcomes, clock });
  const plan = { steps: [{ id: "s", tool: "A", input: {} }] };
  const agent = createAgent({ tools: [tool], planner: createScriptedPlanner([plan]), clock });
  const failed = await clock.runUntil(agent.run("Do it", { runId: "r" }));
  expect(failed).toMatchObject({ request: "Do it", createdAt: at(0), startedAt: at(0), endedAt: at(20) });
  const [summary] = (await agent.listRuns()).runs;
  expect(summary).toMatchObject({ request: "Do it", createdAt: at(0), startedAt: at(0), endedAt: at(20) });
  expect(summary?.error).toEqual({ code: failed.error?.code, message: failed.error?.message });
  await clock.advance(30);
  expect(await agent.resume("r")).toMatchObject({ createdAt: at(0), startedAt: at(0), endedAt: at(50) });
  expect((await agent.listRuns()).runs[0]).not.toHaveProperty("error");
  expect(await agent.getRun("r")).toMatchObject({ request: "Do it", endedAt: at(50), updatedAt: at(50) });
});

it("a run that waits has no end time, and one without a started step has no start time", async () => {
  const tool = createFakeTool({ name: "Ask", ...{ needsApproval: true } });
  const agent = createAgent({ tools: [tool] });
  const result = await agent.execute({ steps: [{ id: "s", tool: "Ask", input: {} }] });
  expect(result.createdAt).toMatch(/Z$/);
  for (const key of ["request", "startedAt", "endedAt"]) expect(result).not.toHaveProperty(key);
});

it("a run that could not even record its start has an end time", async () => {
  const clock = createManualClock({ nowMs: startMs });
  const append = () => {
    throw new Error("disk");
  };
  const store = Object.assign(Object.create(createMemoryRunStore()), { append });
  const agent = createAgent({ tools: [createFakeTool({ name: "A" })], store, clock });
  const result = await agent.execute({ steps: [{ id: "s", tool: "A", input: {} }] });
  expect(result).toMatchObject({ status: "failed", createdAt: at(0), endedAt: at(0) });
});

it("each resumed run gets the resources that a function creates for it, or the function's error", async () => {
  const clock = createManualClock({ nowMs: startMs });
  const store = createMemoryRunStore({ now: () => clock.now() });
  const slow = createFakeTool({ name: "A", outcomes: [{ hangs: "until-aborted" }], clock });
  const first = createAgent({ tools: [slow], store, clock });
  for (const user of ["ada", "bob", "eve"]) {
    first.start({ steps: [{ id: "s", tool: "A", input: {} }] }, { runId: `of-${user}`, metadata: { user } });
  }
  await clock.advance(0);
  await clock.runUntil(first.close({ timeoutMs: 5_000 }));
  const tool = createFakeTool({ name: "A" });
  const second = createAgent({ tools: [tool], store, clock });
  const resumed = await second.resumeAll({
    resources: async ({ metadata: { user } }) => {
      if (user === "eve") throw new Error("nobody knows her");
      return { user };
    },
  });
  const byId = [...resumed].sort((a, b) => (a.runId < b.runId ? -1 : 1));
  expect(byId).toMatchObject([
    { runId: "of-ada", result: { status: "completed" } },
    { runId: "of-bob", result: { status: "completed" } },
    { runId: "of-eve", error: { code: "invalid-options", message: expect.stringContaining("nobody knows her") } },
  ]);
  // They are resumed at the same time, and which one's tools are compared first depends on the machine.
  expect(new Set(tool.calls.map(({ context }) => context.resources))).toEqual(
    new Set([{ user: "ada" }, { user: "bob" }]),
  );
  const rest = await second.resumeAll({ resources: { user: "eve" } });
  expect(rest).toMatchObject([{ runId: "of-eve", result: { status: "completed" } }]);
});
