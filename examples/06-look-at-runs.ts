import { createAgent, createCalculator, createMemoryRunStore, isAgentError } from "planwright";

const agent = createAgent({
  tools: [createCalculator()],
  store: createMemoryRunStore({ maxFinishedRuns: 100 }),
});

await agent.run("Calculate 6 * 7", { runId: "first", metadata: { user: "ada" } });
await agent.run("Calculate 1 / 0", { runId: "second" });
await agent.run("Sing a song", { runId: "third" });

const { runs } = await agent.listRuns({ limit: 10 });
for (const run of runs) console.log(run.runId, run.status, run.request);

const failed = await agent.listRuns({ status: "failed", limit: 1 });
console.log(failed.runs.length, "run on the first page,", failed.cursor ? "and more" : "no more");

const run = await agent.getRun("first");
console.log(run?.status, run?.metadata, run?.steps[0]?.output);

// The same id and request are the same run: nothing runs again.
const again = await agent.run("Calculate 6 * 7", { runId: "first" });
console.log(again.steps[0]?.completedAt === run?.steps[0]?.completedAt);
try {
  await agent.run("Calculate 6 * 8", { runId: "first" });
} catch (error) {
  if (isAgentError(error)) console.log(error.code);
}
