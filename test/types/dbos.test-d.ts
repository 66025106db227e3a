import { createAgent, defineTool, type ToolContext } from "planwright";
import { createDbosClient, startDbosWorker } from "planwright/dbos";
import { createPostgresRunStore } from "planwright/postgres";
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod/v4";

const databaseUrl = "postgres://localhost/app";
const store = createPostgresRunStore({ connectionString: databaseUrl });
const plain = defineTool({
  name: "Add",
  description: "Adds one",
  inputSchema: z.object({ n: z.number() }),
  outputSchema: z.object({ sum: z.number() }),
  execute: ({ n }) => ({ sum: n + 1 }),
});
const needy = defineTool({
  name: "Save",
  description: "Saves a text",
  inputSchema: z.object({ text: z.string() }),
  execute: (_input, { resources }: ToolContext<{ readonly db: string }>) => resources.db,
});

describe("a worker", () => {
  it("makes the resources that the tools of its agent need, and none if they need none", () => {
    const agent = createAgent({ tools: [plain, needy], store });
    startDbosWorker(agent, { databaseUrl, resources: ({ runId }) => ({ db: runId }) });
    startDbosWorker(agent, { databaseUrl, resources: async ({ metadata }) => ({ db: String(metadata.db) }) });
    // @ts-expect-error Save needs a db.
    startDbosWorker(agent, { databaseUrl });
    // @ts-expect-error Save needs a text as its db.
    startDbosWorker(agent, { databaseUrl, resources: () => ({ db: 1 }) });
    const rateLimit = { limit: 100, intervalMs: 60_000 };
    startDbosWorker(createAgent({ tools: [plain], store }), { databaseUrl, concurrency: 10, rateLimit });
  });
});

describe("a client", () => {
  const agent = createAgent({ tools: [plain], store });
  const client = createDbosClient<typeof agent>({ databaseUrl });

  it("knows the tools of the agent: in plans, events and results", async () => {
    const { runId } = await client.submit(
      { steps: [{ id: "a", tool: "Add", input: { n: 1 } }] },
      { priority: 1, rateKey: "ada" },
    );
    // @ts-expect-error There is no tool of this name.
    client.submit({ steps: [{ id: "a", tool: "Sub", input: { n: 1 } }] });
    for await (const event of client.follow(runId)) {
      if (event.type === "step-end" && event.outcome.status === "completed")
        expectTypeOf(event.outcome.output).toEqualTypeOf<{ sum: number }>();
    }
    const { steps } = await client.result(runId);
    expectTypeOf(steps[0]?.tool).toEqualTypeOf<"Add" | undefined>();
  });

  it("passes nothing to tools", () => {
    // @ts-expect-error Only a worker has resources.
    client.settle("r", "a", { retry: true, resources: {} });
    client.settle("r", "a", { retry: true, iteration: 0 });
    client.approve("r", { kind: "approval", stepId: "a", hash: "" }, { by: "ada", input: { n: 2 } });
  });
});
