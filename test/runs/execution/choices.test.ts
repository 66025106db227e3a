import {
  createMemoryTodos,
  createTodoStore,
  defineTool,
  type PlanInput,
  type QuestionItem,
  type RunOptions,
} from "planwright";
import { forEachKillPoint } from "planwright/testing";
import { expect, it } from "vitest";
import { z } from "zod/v4";
import { createDialogue } from "../../scenario/dialogue.ts";

const thread = "ada";
const found = [
  { label: "Patel, 18:30", input: { id: 31, name: null } },
  { label: "Patel, 20:00", input: { id: 32, name: null } },
];

function bookings({ several = false, choices = found as readonly object[] } = {}) {
  const log: string[] = [];
  const inputSchema = z.object({ id: z.number().optional(), name: z.string().optional() });
  const find = defineTool({
    name: "Find",
    description: "Finds a booking",
    inputSchema,
    outputSchema: z.object({ id: z.number() }),
    effect: "pure",
    execute({ id }) {
      if (id !== undefined) return { id };
      throw Object.assign(new Error("It fits two bookings."), { details: { choices, several }, retryable: false });
    },
  });
  const move = defineTool({
    name: "Move",
    description: "Moves a booking",
    inputSchema: z.object({ id: z.number(), note: z.string() }),
    effect: "idempotent",
    execute({ id, note }) {
      log.push(`${id} ${note}`);
      return { id };
    },
  });
  return { log, tools: [find, move] };
}

const patel = { id: "s1", tool: "Find", input: { name: "Patel" } };
const move = { id: "s2", tool: "Move", input: { id: { $ref: "s1.id" }, note: "booking ${s1.id}, ${$}{s1.id}" } };

async function runWith(steps: readonly object[], setUp = bookings(), options: RunOptions = { thread }) {
  const { agent } = createDialogue({ tools: setUp.tools });
  const result = await agent.execute({ steps } as unknown as PlanInput, { runId: "r", ...options });
  return { agent, result, item: result.pending?.[0] as QuestionItem, log: setUp.log };
}

it("asks which one a call meant, and the steps behind it use that", async () => {
  const { agent, result, item, log } = await runWith([patel, move]);
  expect(result.plan?.source.planner).toBe("choices");
  expect(item).toMatchObject({
    ...{ kind: "question", message: "Which one?", display: "select", stepId: "s1_which" },
    options: found.map(({ label }, index) => ({ id: `${index + 1}`, label })),
  });
  const answered = await agent.answer("r", item, { answer: "2" }).result;
  expect(answered).toMatchObject({ status: "completed", output: { id: 32 } });
  expect(log).toEqual(["32 booking 32, ${s1.id}"]);
  expect(answered.steps.map(({ stepId, status }) => `${stepId} ${status}`)).toEqual([
    ...["s1 failed", "s1_which completed", "s1_1 skipped", "s1_2 completed", "s2_1 skipped", "s2_2 completed"],
  ]);
});

it("asks which ones if the tool allows several, and what comes after waits for all of them", async () => {
  const last = { id: "s2", tool: "Move", input: { id: 1, note: "last" } };
  const { agent, item } = await runWith([patel, last], bookings({ several: true }));
  expect(item).toMatchObject({ message: "Which ones?", display: "multi-select" });
  const answered = await agent.answer("r", item, { answer: ["1", "2"] }).result;
  expect(answered.steps.map(({ stepId, status }) => `${stepId} ${status}`)).toEqual([
    ...["s1 failed", "s1_which completed", "s1_1 completed", "s1_2 completed", "s2 completed"],
  ]);
});

it.each<[string, readonly object[], ReturnType<typeof bookings>, RunOptions | undefined]>([
  ["outside a thread", [patel, move], bookings(), {}],
  ["in a loop", [{ ...patel, forEach: "[1, 2]" }], bookings(), undefined],
  ["if a step refers to one of several", [patel, move], bookings({ several: true }), undefined],
  [
    "if a condition refers to it",
    [patel, { ...move, input: { id: 1, note: "" }, when: "s1.id > 0" }],
    bookings(),
    undefined,
  ],
  ["without choices", [patel], bookings({ choices: [] }), undefined],
  ["if a choice has no label", [patel], bookings({ choices: [{ input: { id: 1 } }] }), undefined],
  ["if a choice has no input", [patel], bookings({ choices: [{ label: "Patel", input: [1] }] }), undefined],
  [
    "if a choice does not fit the tool",
    [patel],
    bookings({ choices: [{ label: "Patel", input: { id: "x" } }] }),
    undefined,
  ],
])("fails as before %s", async (_name, steps, setUp, options) => {
  const { result } = await runWith(steps, setUp, options);
  expect(result).toMatchObject({ status: "failed", error: { code: "tool-failed" } });
});

it("asks once: a step that an answer made fails for good", async () => {
  const again = bookings({ choices: [{ label: "Patel", input: { name: "Patel" } }] });
  const { agent, item } = await runWith([patel], again);
  expect(item).toMatchObject({ display: "confirm", message: "Did you mean “Patel”?" });
  const answered = await agent.answer("r", item, { answer: true }).result;
  expect(answered).toMatchObject({ status: "failed", error: { code: "tool-failed" } });
});

it("offers at most ten choices, and never reads what a tool says as a reference", async () => {
  const choices = Array.from({ length: 12 }, (_, index) => ({
    label: `Patel ${index}`,
    input: { id: index, name: "${x}" },
  }));
  const { agent, item } = await runWith([patel], bookings({ choices }));
  expect(item.options).toHaveLength(10);
  const { steps } = await agent.answer("r", item, { answer: "10" }).result;
  expect(steps.at(-1)).toMatchObject({ input: { id: 9, name: "${x}" }, status: "completed" });
});

it("asks which todo a title means, and which list is to be cleared", async () => {
  const storage = createMemoryTodos();
  const { agent } = createDialogue({ tools: [createTodoStore({ storage })] });
  const call = (input: object) => ({ steps: [{ id: "s1", tool: "TodoStore", input }] }) as PlanInput;
  await agent.execute(call({ operation: "add", title: "buy stamps", list: "work" }));
  await agent.execute(call({ operation: "add", title: "buy stamps", list: "home", dueDate: "2026-12-01" }));
  const which = await agent.execute(call({ operation: "complete", title: "buy stamps" }), { runId: "which", thread });
  const [item] = (which.pending ?? []) as QuestionItem[];
  expect(item?.options?.map(({ label }) => label)).toEqual(["buy stamps (work)", "buy stamps (home, 2026-12-01)"]);
  const done = await agent.answer("which", item as QuestionItem, { answer: ["2"] }).result;
  expect(done).toMatchObject({ status: "completed", output: { list: "home", completed: true } });
  const clear = await agent.execute(call({ operation: "clear" }), { runId: "clear", thread });
  expect(clear.pending).toMatchObject([{ options: [{ label: "work" }, { label: "home" }] }]);
});

it("asks once and loses nothing, killed at every write", async () => {
  const points = await forEachKillPoint({
    async run({ store }) {
      const { log, tools } = bookings();
      const { agent } = createDialogue({ store, tools });
      await agent.execute({ steps: [patel, move] } as unknown as PlanInput, { runId: "r", thread });
      const { status } = await agent.answer("r", "s1_which", { answer: "1" }).result;
      return { status, log };
    },
    async resume({ store }) {
      const { tools } = bookings();
      const { agent } = createDialogue({ store, tools });
      await agent.execute({ steps: [patel, move] } as unknown as PlanInput, { runId: "r", thread });
      const { status } = await agent.answer("r", "s1_which", { answer: "1" }).result;
      return { status, log: [] as string[] };
    },
    async check({ result, store }) {
      expect(result.status).toBe("completed");
      const events = await store.read("r");
      expect(events.filter(({ type }) => type === "run-deliver")).toHaveLength(1);
      expect(events.filter(({ type }) => type === "wait-start")).toHaveLength(1);
    },
  });
  expect(points.length).toBeGreaterThan(20);
});
