import { createAgent, createMemoryRunStore } from "planwright";
import { createFakeTool } from "planwright/testing";
import { expect, it } from "vitest";
import { seedOr } from "../random-plans/model-suite.ts";
import { forkMany, resumeMany } from "../random-plans/resume-suite.ts";

it("1 500 random plans end the same, whenever their process dies", async () => {
  // Others each time: the seed is told, and repeats them.
  await resumeMany({ numRuns: 1_500, seed: seedOr(Date.now() % 2 ** 31) });
});

it("500 random plans end the same in a fork, wherever it is made", async () => {
  await forkMany({ numRuns: 500, seed: seedOr(Date.now() % 2 ** 31) });
});

it.each([1, 20_000, 40_000])("a run of 20 000 steps is resumed within two seconds, after event %i", async (count) => {
  const steps = Array.from({ length: 20_000 }, (_, index) => ({ id: `s${index}`, tool: "A", input: {} }));
  const plan = { steps } as never;
  const tools = [createFakeTool({ name: "A" })];
  const first = createMemoryRunStore();
  const { runId } = await createAgent({ tools, store: first, maxSteps: steps.length }).execute(plan);
  const store = createMemoryRunStore();
  await store.append(runId, (await first.read(runId)).slice(0, count), { sequence: 1 });
  const startMs = performance.now();
  const { status } = await createAgent({ tools, store, maxSteps: steps.length }).resume(runId);
  const tookMs = performance.now() - startMs;
  console.log(`resume after event ${count} of ${2 * steps.length + 2}: ${tookMs.toFixed(0)} ms`);
  // A third of a second where nothing else runs; were it quadratic, it would be minutes.
  expect(status).toBe("completed");
});
