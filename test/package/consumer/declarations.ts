// What people export of what calls return, without a type of their own: the compiler has to find a name for each.
import * as planwright from "planwright";
import { createDbosClient, startDbosWorker } from "planwright/dbos";
import { createPostgresNotes, createPostgresRunStore, createPostgresTodos } from "planwright/postgres";
import { createSqliteNotes, createSqliteRunStore, createSqliteTodos } from "planwright/sqlite";
import { z } from "zod/v4";

const { createAgent, createCalculator, createNotes, createTodoStore, createWebSearch, defineTool } = planwright;

export function createTool<TInput extends planwright.StandardSchema, TOutput>(inputSchema: TInput, output: TOutput) {
  return defineTool({ name: "Own", description: "Returns", inputSchema, effect: "idempotent", execute: () => output });
}
export function createChecked<TOutput extends planwright.StandardSchema>(
  outputSchema: TOutput,
  read: (a: string) => Promise<planwright.InferSchemaInput<TOutput>>,
) {
  const inputSchema = z.object({ a: z.string() });
  return defineTool({ name: "Checked", description: "Reads", inputSchema, outputSchema, execute: ({ a }) => read(a) });
}
export const own = createTool(z.object({ a: z.string() }), { at: new Date() });
export const tools = [createCalculator(), createTodoStore(), createNotes(), createWebSearch({ search: () => [] }), own];
export const agent = createAgent({ tools });
export const orchestrator = planwright.createOrchestrator({ tools, store: planwright.createMemoryRunStore() });
export const planners = [planwright.createRulePlanner(), planwright.createFallbackPlanner([])];
export const storages = [planwright.createMemoryTodos(), planwright.createMemoryNotes()] as const;
export const described = planwright.describeTool(tools[0] ?? createCalculator());
export const digest = planwright.digestAfter(undefined, {} as planwright.AgentEvent);
export const issues = planwright.validatePlan({}, { tools });
export const stop = agent.on("run-end", () => {});

export async function inspect(request: string) {
  const { steps, needsApproval } = await agent.dryRun(request);
  const { source } = await agent.plan(request);
  return { steps, needsApproval, source };
}
export async function look(runId: string) {
  const found = await agent.getRun(runId);
  const { runs, cursor } = await agent.listRuns();
  return { steps: found?.steps, pending: found?.pending, error: found?.error, first: runs[0], cursor };
}
export async function start(request: string) {
  const { events, result, cancel } = agent.start(request);
  const { output, approvals, notUndone, usage, plan } = await result;
  return { events, cancel, output, approvals, notUndone, usage, plan };
}
export const wait: planwright.StepWait = { event: "paid", timeoutMs: 1_000 };
export const deliver = (runId: string) => agent.deliver(runId, "paid", { euros: 1 }, { id: "evt_1", resume: false });
export function open(path: string) {
  return [createSqliteRunStore({ path }), createSqliteTodos({ path }), createSqliteNotes({ path })] as const;
}
export function share(connectionString: string) {
  const options = { connectionString };
  return [createPostgresRunStore(options), createPostgresTodos(options), createPostgresNotes(options)] as const;
}
export async function distribute(databaseUrl: string) {
  const worker = await startDbosWorker(agent, { databaseUrl });
  const client = createDbosClient<typeof agent>({ databaseUrl });
  const { output, pending } = await client.result("r");
  return { worker, client, output, pending, submitted: await client.submit("add milk") };
}
export const toAgentError = (thrown: unknown) => (planwright.isAgentError(thrown) ? thrown : undefined);
export const outcomeOf = (event: planwright.AgentEventOf<"step-end">) => event.outcome;
