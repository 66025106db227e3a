import {
  type AgentEvent,
  createAgent,
  createLlmPlanner,
  createMemoryRunStore,
  createMemoryTodos,
  createTodoStore,
  hashPlan,
  planSchema,
  runStatusAfter,
  validatePlan,
} from "planwright";
import { createSqliteRunStore, createSqliteTodos } from "planwright/sqlite";
import { createFakeTool, createFaultyRunStore, createScriptedModel } from "planwright/testing";
import { z } from "zod/v4";
import { planTools, toolWith } from "../../fixtures/plan-tools.ts";
import type { GrowthSubject } from "./measure-growth.ts";
import { planShapes } from "./plan-shapes.ts";

type Subjects = Readonly<Record<string, GrowthSubject>>;

const branch = z.object({ one: z.number(), two: z.string() });
const tree: z.ZodType = z.lazy(() => z.union([z.object({ left: tree }), z.object({ leaf: z.string() })]));
const tools = [
  ...planTools,
  toolWith(z.strictObject({ list: z.array(z.strictObject({})) }), "Strict"),
  toolWith(z.object({ list: z.array(z.union([branch, z.string()])).optional(), tree: tree.optional() }), "Union"),
];
const maxSteps = 10_000_000;

/** What is done with a plan of each shape. */
const ofPlans = (work: (plan: never) => unknown, maxSize = 1_000_000): Subjects =>
  Object.fromEntries(
    Object.entries(planShapes).map(([shape, make]) => [shape, { make, work: (plan) => work(plan as never), maxSize }]),
  );

const eventsOf = (count: number): readonly AgentEvent[] => {
  const at = { runId: "run_1", timestamp: "2026-01-01T00:00:00.000Z" };
  const steps = Array.from({ length: count }, (_, index) => ({
    id: `s${index}`,
    tool: "Open",
    input: {},
    dependsOn: [],
  }));
  const plan = { version: 1, id: "p", request: "", source: { planner: "x" }, createdAt: at.timestamp, steps };
  const options = { maxSteps, concurrency: 1, timeZone: "UTC" };
  const start = { type: "run-start", version: 1, plan, metadata: {}, options, tools: [] };
  const ran = steps.flatMap(({ id }) => [
    { type: "step-start", stepId: id, tool: "Open", input: {}, effect: "pure" },
    { type: "step-end", stepId: id, tool: "Open", attempts: 1, outcome: { status: "completed", output: { a: 1 } } },
  ]);
  return [start, ...ran].map((event, index) => ({ ...event, ...at, sequence: index + 1 }) as unknown as AgentEvent);
};

const storeWith = (events: readonly AgentEvent[]) => {
  const store = createMemoryRunStore();
  void store.append("run_1", events, { sequence: 1 });
  return store;
};

const startsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ ...(eventsOf(0)[0] as AgentEvent), runId: `run_${index}` }));

async function listAll(store: { list(options: object): unknown }): Promise<void> {
  let cursor: string | undefined;
  do ({ cursor } = (await store.list({ cursor })) as { cursor?: string });
  while (cursor !== undefined);
}

const context = {
  signal: new AbortController().signal,
  attempt: 1,
  idempotencyKey: "k",
  runId: "r",
  stepId: "s",
  resources: {},
  metadata: {},
  progress: () => {},
};
const todoWork = (create: () => Parameters<typeof createTodoStore>[0], maxSize = 70_000): Subjects => {
  const call = async (todos: ReturnType<typeof createTodoStore>, input: object, key = "k") =>
    todos.execute(input as never, { ...context, idempotencyKey: key } as never);
  const filled = async (count: unknown, title: (index: number) => string) => {
    let ids = 0;
    const todos = createTodoStore({ ...create(), createId: () => `t${ids++}` });
    for (let index = 0; index < Number(count); index++)
      await call(todos, { operation: "add", title: title(index) }, `k${index}`);
    return todos;
  };
  const make = (size: number) => size;
  const subject = (work: GrowthSubject["work"]): GrowthSubject => ({ make, work, maxSize });
  return {
    "todos of other titles": subject((count) => filled(count, (index) => `todo ${index}`)),
    "todos of one title": subject((count) => filled(count, () => "milk")),
    "all pages": subject(async (count) => {
      const todos = await filled(count, (index) => `todo ${index}`);
      for (let offset = 0; offset < Number(count); offset += 100)
        await call(todos, { operation: "list", status: "all", offset, limit: 100, sort: "title" });
    }),
    "each deleted": subject(async (count) => {
      const todos = await filled(count, (index) => `todo ${index}`);
      for (let index = 0; index < Number(count); index++)
        await call(todos, { operation: "delete", id: `t${index}` }, `d${index}`);
    }),
  };
};

const outputOf = (value: unknown) =>
  createAgent({
    tools: [createFakeTool({ name: "Say", outcomes: [{ returns: value }] }), ...planTools],
  }).execute({
    steps: [
      { id: "a", tool: "Say", input: {} },
      { id: "b", tool: "Open", input: { a: { $ref: "a" }, b: "${a}" } },
    ],
  } as never);

function nested(size: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < size; level++) value = [value];
  return value;
}

/** By the function, what is done with data of a size. */
export const dataSubjects: Readonly<Record<string, Subjects>> = {
  validatePlan: ofPlans((plan) => validatePlan(plan, { tools, maxSteps })),
  hashPlan: ofPlans(hashPlan),
  "planSchema.safeParse": ofPlans((plan) => planSchema.safeParse(plan)),
  "agent.execute": ofPlans((plan) => createAgent({ tools, maxSteps }).execute(plan), 300_000),
  "agent.dryRun": ofPlans((plan) => createAgent({ tools, maxSteps }).dryRun(plan), 300_000),
  "createLlmPlanner, plans": ofPlans((plan) => {
    const text = JSON.stringify(plan);
    return createAgent({
      tools,
      maxSteps,
      planner: createLlmPlanner({ model: createScriptedModel([text, text]) }),
    }).plan("Open it");
  }, 300_000),
  "an output": {
    list: { make: (size) => Array.from({ length: size }, (_, index) => index), work: outputOf },
    keys: {
      make: (size) => Object.fromEntries(Array.from({ length: size }, (_, index) => [`k${index}`, 1])),
      work: outputOf,
    },
    deep: { make: nested, work: outputOf },
    "put into a text as often as it is long": {
      make: (size) => size,
      work: (size) => {
        const tool = createFakeTool({ name: "Say", outcomes: [{ returns: "x".repeat(Number(size)) }] });
        const input = { a: "${a}".repeat(Number(size) / 4) };
        const steps = [
          { id: "a", tool: "Say", input: {} },
          { id: "b", tool: "Open", input },
        ];
        return createAgent({ tools: [tool, ...planTools] }).execute({ steps } as never);
      },
    },
    "put into a list as often as it is long": {
      make: (size) => size,
      work: (size) => {
        const tool = createFakeTool({ name: "Say", outcomes: [{ returns: "x".repeat(Number(size)) }] });
        const input = { a: Array.from({ length: Number(size) / 4 }, () => ({ $ref: "a" })) };
        const steps = [
          { id: "a", tool: "Say", input: {} },
          { id: "b", tool: "Open", input },
        ];
        return createAgent({ tools: [tool, ...planTools] }).execute({ steps } as never);
      },
    },
    "a loop over it": {
      make: (size) => Array.from({ length: size }, (_, index) => index),
      work: (list) =>
        createAgent({
          tools: [createFakeTool({ name: "Say", outcomes: [{ returns: list }] }), ...planTools],
          maxSteps,
        }).execute({
          steps: [
            { id: "a", tool: "Say", input: {} },
            { id: "b", tool: "Open", input: { i: "${item}" }, forEach: "a", concurrency: 10 },
          ],
        } as never),
      maxSize: 50_000,
    },
  },
  "a run of many steps": {
    "events unread": { make: (size) => size, work: (count) => runSteps(Number(count), false), maxSize: 100_000 },
    "events read": { make: (size) => size, work: (count) => runSteps(Number(count), true), maxSize: 100_000 },
    "at the same time": {
      make: (size) => size,
      work: (count) => runSteps(Number(count), false, 100),
      maxSize: 100_000,
    },
  },
  "agent.getRun": {
    "many events": {
      make: (size) => storeWith(eventsOf(size)),
      work: (store) => createAgent({ tools, store: store as never }).getRun("run_1"),
    },
  },
  "agent.resume": {
    "many events": {
      make: (size) => storeWith(eventsOf(size)),
      work: (store) => createAgent({ tools, store: store as never, maxSteps }).resume("run_1"),
      maxSize: 100_000,
    },
  },
  runStatusAfter: {
    events: { make: eventsOf, work: (events) => (events as readonly AgentEvent[]).map(runStatusAfter) },
  },
  createMemoryRunStore: {
    "events one by one": {
      make: eventsOf,
      work: (events) => {
        const store = createMemoryRunStore();
        for (const event of events as AgentEvent[]) void store.append("run_1", [event], { sequence: event.sequence });
      },
    },
    "all pages of all runs": {
      make: startsOf,
      work: (starts) => {
        const store = createMemoryRunStore();
        for (const start of starts as AgentEvent[]) void store.append(start.runId, [start], { sequence: 1 });
        return listAll(store as never);
      },
    },
    "runs that end": {
      make: startsOf,
      work: (starts) => {
        const store = createMemoryRunStore({ maxFinishedRuns: 100 });
        for (const start of starts as AgentEvent[]) {
          const end = {
            ...start,
            type: "run-end",
            sequence: 2,
            outcome: { status: "completed" },
          } as unknown as AgentEvent;
          void store.append(start.runId, [start, end], { sequence: 1 });
        }
      },
    },
  },
  createSqliteRunStore: {
    "events one by one": {
      make: eventsOf,
      work: (events) => {
        const store = createSqliteRunStore({ path: ":memory:" });
        for (const event of events as AgentEvent[]) void store.append("run_1", [event], { sequence: event.sequence });
        store.close();
      },
      maxSize: 50_000,
    },
    "all pages of all runs": {
      make: startsOf,
      work: async (starts) => {
        const store = createSqliteRunStore({ path: ":memory:" });
        for (const start of starts as AgentEvent[]) void store.append(start.runId, [start], { sequence: 1 });
        await listAll(store as never);
        store.close();
      },
      maxSize: 50_000,
    },
  },
  createFaultyRunStore: {
    "events one by one": {
      make: eventsOf,
      work: async (events) => {
        const store = createFaultyRunStore(createMemoryRunStore(), {});
        for (const event of events as AgentEvent[]) await store.append("run_1", [event], { sequence: event.sequence });
      },
      maxSize: 200_000,
    },
  },
  "createTodoStore over createMemoryTodos": todoWork(() => ({ storage: createMemoryTodos() }), 5_000),
  "createTodoStore over createSqliteTodos": todoWork(() => ({ storage: createSqliteTodos({ path: ":memory:" }) })),
};

async function runSteps(count: number, isRead: boolean, concurrency = 1): Promise<void> {
  const steps = Array.from({ length: count }, (_, index) => ({
    id: `s${index}`,
    tool: "Open",
    input: {},
    dependsOn: [],
  }));
  const handle = createAgent({ tools, maxSteps }).start({ steps } as never, { concurrency });
  if (isRead) for await (const _event of handle.events);
  await handle.result;
}
