import {
  createAgent,
  createMemoryRunStore,
  createOrchestrator,
  defineTool,
  describePlan,
  hashPlan,
  type Plan,
  type PlanInput,
  type Question,
  type QuestionItem,
  type RunResult,
  validatePlan,
} from "planwright";
import { createFakeTool, createManualClock, forEachKillPoint, type MortalProcess } from "planwright/testing";
import { toHtml, toMermaid } from "planwright/view";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { seededRandom } from "../../kills/seeded-random.ts";
import { createDialogue } from "../../scenario/dialogue.ts";
import { share } from "../../scenario/two-processes.ts";

const runId = "r";
const list: Question = {
  message: "Which list?",
  display: "select",
  options: [
    { id: "work", label: "the work list" },
    { id: "home", label: "the list of the house" },
  ],
  responseSchema: {
    type: "object",
    properties: { answer: { type: "string", enum: ["work", "home"] } },
    required: ["answer"],
  },
};
const responseOf = (answer: object) =>
  ({ type: "object", properties: { answer }, required: ["answer"] }) as Question["responseSchema"];
const textOf = (answer: object, message = "What?"): Question => ({
  message,
  display: "text",
  responseSchema: responseOf(answer),
});
const tool = () =>
  defineTool({
    name: "Add",
    description: "Adds to a list.",
    inputSchema: z.object({ list: z.unknown() }),
    effect: "idempotent",
    execute: (input) => input,
  });
const planOf = (ask: Question, rest: object = {}): PlanInput =>
  ({
    steps: [
      { id: "q1", wait: { ask, ...rest } },
      { id: "a", tool: "Add", input: { list: { $ref: "q1" } } },
    ],
  }) as PlanInput;

async function ask(plan: PlanInput = planOf(list), options: object = {}) {
  const clock = createManualClock();
  const store = createMemoryRunStore({ now: () => clock.now() });
  const create = () => createAgent({ tools: [tool()], store, clock, ...options });
  const agent = create();
  const result = await agent.execute(plan, { runId });
  return { agent, clock, store, create, result, item: questionIn(result) };
}

function questionIn({ pending = [] }: Pick<RunResult, "pending">): QuestionItem {
  const item = pending.find(({ kind }) => kind === "question");
  return item as QuestionItem;
}

it("asks, and the bare answer is the output of the step that asks", async () => {
  const { agent, result, item } = await ask();
  expect(result).toMatchObject({ status: "suspended", plan: { version: 2 } });
  expect(item).toEqual({ kind: "question", stepId: "q1", id: "r/q1", ...list, allowText: false });
  expect((await agent.listRuns({ pending: "question" })).runs).toMatchObject([
    {
      pending: { kinds: ["question"], items: [{ kind: "question", stepId: "q1", id: "r/q1", message: "Which list?" }] },
    },
  ]);
  expect((await agent.listPending({ kinds: "question" })).items).toMatchObject([
    { item, text: '"Which list?" (the work list, the list of the house)' },
  ]);
  const answered = await agent.answer(runId, item, { answer: "work" }).result;
  expect(answered).toMatchObject({ status: "completed", output: { list: "work" } });
  expect(answered.steps[0]).toMatchObject({ stepId: "q1", tool: "wait", status: "completed", output: "work" });
  const events = [];
  for await (const event of agent.events(runId)) if (event.type === "run-deliver") events.push(event);
  expect(events).toMatchObject([{ stepId: "q1", id: "r/q1", value: "work" }]);
});

it("counts the first answer: an equal one gets the same result, another one is a conflict", async () => {
  const { agent, item } = await ask();
  const [first, equal, other] = await Promise.allSettled([
    agent.answer(runId, item, { answer: "home" }).result,
    agent.answer(runId, "q1", { answer: "home" }).result,
    agent.answer(runId, item, { answer: "work" }).result,
  ]);
  expect(first).toMatchObject({ value: { status: "completed", output: { list: "home" } } });
  expect(equal).toEqual(first);
  expect(other).toMatchObject({
    reason: { code: "run-conflict", message: expect.stringContaining("already answered") },
  });
  expect(await agent.answer(runId, item, { answer: "home" }).result).toMatchObject({ output: { list: "home" } });
  const late = agent.answer(runId, item, { answer: "work" }).result;
  await expect(late).rejects.toMatchObject({ code: "run-conflict" });
});

it.each<[string, Question, unknown, RegExp]>([
  ["another text than the options", list, "garage", /"work" or "home"; received "garage"/],
  ["a number where a text is needed", list, 1, /"work" or "home"; received 1/],
  ["nothing", list, undefined, /it is missing|undefined/],
  ["null", list, null, /"work" or "home"; received null/],
  ["a megabyte of text", list, "x".repeat(1_000_000), /"work" or "home"; received "x{200}"/],
  ["a megabyte where any text fits", textOf({ type: "string" }), "x".repeat(1_000_000), /text of at most 10000 char/],
  ["more than a megabyte", textOf({ type: "string" }), "x".repeat(1_100_000), /JSON of at most 1 MiB/],
  [
    "a day that does not exist",
    textOf({ type: "string", format: "date" }),
    "2026-02-30",
    /a date such as .*"2026-02-30"/,
  ],
  ["a time without a zone", textOf({ type: "string", format: "date-time" }), "2026-02-03T10:00", /with its zone/],
  ["no time", textOf({ type: "string", format: "time" }), "24:30", /a time such as "18:30"/],
  [
    "half a person",
    textOf({ type: "integer", minimum: 1, maximum: 8 }),
    2.5,
    /a whole number from 1 to 8; received 2.5/,
  ],
  ["too many", textOf({ type: "integer", minimum: 1, maximum: 8 }), 9, /a whole number from 1 to 8; received 9/],
  ["too little", textOf({ type: "number", minimum: 1 }), 0, /a number of at least 1; received 0/],
])("refuses %s", async (_name, question, answer, message) => {
  const { agent, item } = await ask(planOf(question));
  const refused = async () => agent.answer(runId, item, { answer }).result;
  await expect(refused()).rejects.toMatchObject({ code: "invalid-options", message: expect.stringMatching(message) });
  expect(await agent.getRun(runId)).toMatchObject({ status: "suspended" });
});

it("takes true and false, and a list of options each once", async () => {
  const confirm: Question = { message: "Really?", display: "confirm", responseSchema: responseOf({ type: "boolean" }) };
  const { agent, item } = await ask(planOf(confirm));
  expect(item.allowText).toBe(false);
  await expect(agent.answer(runId, item, { answer: "yes" }).result).rejects.toThrow(/true or false; received "yes"/);
  expect(await agent.answer(runId, item, { answer: false }).result).toMatchObject({ output: { list: false } });

  const items = { type: "string", enum: ["work", "home"] };
  const several: Question = {
    ...list,
    display: "multi-select",
    responseSchema: responseOf({ type: "array", items, minItems: 1, maxItems: 2 }),
  };
  const next = await ask(planOf(several));
  for (const [answer, message] of [
    [[], /a list of 1 to 2 values, none repeated, each "work" or "home"; received an array of length 0/],
    [["work", "work"], /each "work" or "home"; received an array of length 2/],
    [["work", "garage"], /"answer\[1\]" must be "work" or "home"; received "garage"/],
    ["work", /a list of 1 to 2/],
  ] as const)
    await expect(next.agent.answer(runId, next.item, { answer }).result).rejects.toThrow(message);
  const answered = await next.agent.answer(runId, next.item, { answer: ["home", "work"] }).result;
  expect(answered).toMatchObject({ output: { list: ["home", "work"] } });
});

it("refuses misuse at once", async () => {
  const { agent, item } = await ask();
  const misuse = [
    () => agent.answer(runId, { ...item, kind: "wait" } as never, { answer: 1 }),
    () => agent.answer(runId, { kind: "question", stepId: item.stepId } as never, { answer: 1 }),
    () => agent.answer(runId, undefined as never, { answer: 1 }),
    () => agent.answer(runId, "", { answer: 1 }),
    () => agent.answer(runId, item, { anser: 1 } as never),
    () => agent.answer(runId, item, undefined as never),
    () => agent.answer(runId, item, { answer: () => 1 }),
    () => agent.answer("", item, { answer: 1 }),
    () => agent.answer(runId, item, { answer: 1 }, { resum: true } as never),
  ];
  for (const call of misuse) expect(call).toThrow(expect.objectContaining({ code: "invalid-options" }));
});

it("refuses an answer for another run, another step, or a question that is not asked yet", async () => {
  const { agent, item } = await ask();
  const steps = [...planOf(list).steps, { ...planOf(list).steps[0], id: "q2" }] as PlanInput["steps"];
  await agent.execute({ steps }, { runId: "other" });
  const conflict = expect.objectContaining({ code: "run-conflict" });
  await expect(agent.answer("other", item, { answer: "work" }).result).rejects.toEqual(conflict);
  await expect(agent.answer("other", "q2", { answer: "work" }).result).rejects.toEqual(conflict);
  await expect(agent.answer("other", "a", { answer: "work" }).result).rejects.toEqual(conflict);
  await expect(agent.answer("none", "q1", { answer: "work" }).result).rejects.toMatchObject({ code: "run-not-found" });
  expect(await agent.answer(runId, item, { answer: "work" }).result).toMatchObject({ status: "completed" });
});

it("fails when the question expires, and an answer is too late, also if the clock jumps and nobody noticed", async () => {
  const { agent, clock, item } = await ask(planOf(list, { timeoutMs: 500 }));
  expect(item.expiresAt).toBe(new Date(clock.now() + 500).toISOString());
  await clock.advance(500);
  await agent.resumeAll();
  expect(await agent.getRun(runId)).toMatchObject({ status: "failed", error: { code: "timeout" } });
  const late = agent.answer(runId, item, { answer: "work" }).result;
  await expect(late).rejects.toMatchObject({ code: "run-conflict" });

  const other = await ask(planOf(list, { timeoutMs: 500 }));
  other.clock.setNow(other.clock.now() + 1_000_000);
  const unnoticed = other.create().answer(runId, other.item, { answer: "work" }).result;
  await expect(unnoticed).rejects.toMatchObject({
    code: "run-conflict",
    message: expect.stringContaining("expired at"),
  });
  const back = await ask(planOf(list, { timeoutMs: 500 }));
  back.clock.setNow(back.clock.now() - 1_000_000);
  const early = back.create().answer(runId, back.item, { answer: "work" }).result;
  expect(await early).toMatchObject({ status: "completed" });
});

it("is asked again if a run that failed for want of an answer is resumed", async () => {
  const { agent, clock } = await ask(planOf(list, { timeoutMs: 500 }));
  await clock.advance(500);
  await agent.resumeAll();
  expect(await agent.resume(runId)).toMatchObject({ status: "suspended", pending: [{ kind: "question" }] });
  expect(await agent.answer(runId, "q1", { answer: "work" }).result).toMatchObject({ status: "completed" });
});

it("asks for approval of a step behind it, with the answer in its input", async () => {
  const { agent, item } = await ask(planOf(list), { needsApproval: ({ kind }: { kind: string }) => kind === "step" });
  const asked = await agent.answer(runId, item, { answer: "home" }).result;
  expect(asked.pending).toMatchObject([{ kind: "approval", stepId: "a", input: { list: "home" } }]);
  const [approval] = asked.pending ?? [];
  expect(await agent.approve(runId, approval as never).result).toMatchObject({ status: "completed" });
});

it("takes an answer while other steps run, here and in the process that owns the run", async () => {
  const { clock, process } = await share((clock) => [
    createFakeTool({ name: "Slow", clock, outcomes: [{ afterMs: 5_000, returns: 1 }] }),
  ]);
  const steps: PlanInput["steps"] = [
    { id: "s", tool: "Slow", input: {}, dependsOn: [] },
    { id: "q1", wait: { ask: list }, dependsOn: [] },
  ];
  const [owner, other] = [process(), process()];
  const handle = owner.start({ steps }, { runId, concurrency: 2 });
  await clock.advance(10);
  const wrong = other.answer(runId, "q1", { answer: "garage" });
  await expect(wrong.result).rejects.toMatchObject({ code: "invalid-options" });
  const elsewhere = other.answer(runId, "q1", { answer: "work" });
  await clock.advance(1_000);
  expect(await owner.getRun(runId)).toMatchObject({ steps: [{ status: "running" }, { output: "work" }] });
  await expect(other.answer(runId, "q1", { answer: "home" }).result).rejects.toMatchObject({ code: "run-conflict" });
  await clock.advance(10_000);
  expect(await handle.result).toMatchObject({ status: "completed", output: "work" });
  expect(await elsewhere.result).toMatchObject({ status: "completed", output: "work" });
});

it("an orchestrator records an answer for the next process, and the first one counts", async () => {
  const { agent, clock, store, item } = await ask();
  const web = createOrchestrator({ tools: [], store, clock });
  const resume = false as const;
  expect(await web.answer(runId, item, { answer: "home" }, { resume }).result).toMatchObject({ pending: [] });
  await web.answer(runId, item, { answer: "home" }, { resume }).result;
  const other = web.answer(runId, item, { answer: "work" }, { resume }).result;
  await expect(other).rejects.toMatchObject({ code: "run-conflict" });
  expect(await agent.resumeAll()).toMatchObject([{ result: { status: "completed", output: { list: "home" } } }]);
});

it("refuses a text where nothing reads it", async () => {
  const { store } = await ask();
  const web = createOrchestrator({ tools: [], store });
  const typed = web.answer(runId, "q1", "home" as never).result;
  await expect(typed).rejects.toThrow(/\{ answer: … \}.*received "home"/);
});

it("reads a text where an agent can, and a text that declines cancels the run", async () => {
  const read: unknown[] = [];
  const { agent } = createDialogue({
    tools: [tool()],
    answer(item, text, clock) {
      read.push([item.id, text, typeof clock.nowMs, clock.timeZone]);
      return text === "never mind" ? null : text === "the second one" ? "home" : undefined;
    },
  });
  const thread = "ada";
  const options = { thread, timeZone: "Europe/Berlin" };
  await agent.execute(planOf(list), { runId, ...options });
  const foreign = agent.answer(runId, "q1", "the second one", { thread: "bob" }).result;
  await expect(foreign).rejects.toMatchObject({ code: "run-not-found" });
  const unread = agent.answer(runId, "q1", "garage", { thread }).result;
  await expect(unread).rejects.toThrow(/"work" or "home"; received "garage"/);
  const long = agent.answer(runId, "q1", "x".repeat(1_000_000)).result;
  await expect(long).rejects.toThrow(/"work" or "home"; received "x{200}"/);
  expect(await agent.answer(runId, "q1", "the second one", { thread }).result).toMatchObject({ status: "completed" });
  expect(await agent.answer(runId, "q1", "the second one").result).toMatchObject({ status: "completed" });
  await expect(agent.answer(runId, "q1", "never mind").result).rejects.toMatchObject({ code: "run-conflict" });
  expect(read[0]).toEqual(["r/q1", "garage", "number", "Europe/Berlin"]);
  const events = [];
  for await (const event of agent.events(runId)) if (event.type === "run-deliver") events.push(event);
  expect(events).toMatchObject([{ value: "home", typed: true }]);

  await agent.execute(planOf(list), { runId: "declined", ...options });
  expect(await agent.answer("declined", "q1", "never mind").result).toMatchObject({
    status: "cancelled",
    error: { details: { reason: "the question was declined" } },
  });
});

const items = { type: "string", enum: ["work", "home"] };
const kinds: Readonly<Record<string, { plan: PlanInput; answer: unknown; outputs: unknown }>> = {
  "a value by reference": { plan: planOf(list), answer: "home", outputs: ["home", { list: "home" }] },
  "one of several plans": {
    plan: {
      steps: [
        { id: "q1", wait: { ask: list } },
        { id: "a", tool: "Add", input: { list: 1 }, when: "q1 == 'work'" },
        { id: "b", tool: "Add", input: { list: 2 }, when: "q1 == 'home'" },
      ],
    } as PlanInput,
    answer: "home",
    outputs: ["home", undefined, { list: 2 }],
  },
  "several things": {
    plan: {
      steps: [
        {
          id: "q1",
          wait: { ask: { ...list, display: "multi-select", responseSchema: responseOf({ type: "array", items }) } },
        },
        { id: "a", tool: "Add", input: { list: { $ref: "item" } }, forEach: "q1" },
      ],
    } as PlanInput,
    answer: ["work", "home"],
    outputs: [["work", "home"], { list: "work" }, { list: "home" }],
  },
};

describe.each(Object.entries(kinds))("a question for %s", (_kind, { plan, answer, outputs }) => {
  it("is asked once and answered once, killed at every write", async () => {
    const drive = async ({ store }: MortalProcess) => {
      const agent = createAgent({ tools: [tool()], store });
      await agent.execute(plan, { runId });
      const { status, steps } = await agent.answer(runId, "q1", { answer }).result;
      return { status, outputs: steps.map(({ output }) => output) };
    };
    const points = await forEachKillPoint({
      run: drive,
      resume: drive,
      async check({ result, expected, store }) {
        expect(result).toEqual(expected);
        expect(result).toEqual({ status: "completed", outputs });
        const events = (await store.read(runId)).map(({ type }) => type);
        expect(events.filter((type) => type === "wait-start" || type === "run-deliver")).toEqual([
          ...["wait-start", "run-deliver"],
        ]);
      },
    });
    expect(points.length).toBeGreaterThan(10);
  });

  it("counts the first of any answers, in whatever order and however often they come", async () => {
    const random = seededRandom(7);
    for (let round = 0; round < 20; round++) {
      const { agent, clock, create } = await ask(plan);
      const other = Array.isArray(answer) ? ["work"] : "work";
      const given = Array.from({ length: 6 }, () => (random() < 0.5 ? answer : other));
      const sent = given.map((one) => (random() < 0.5 ? agent : create()).answer(runId, "q1", { answer: one }).result);
      const settled = await clock.runUntil(Promise.allSettled(sent));
      const run = await agent.getRun(runId);
      expect(run?.status).toBe("completed");
      const taken = run?.steps[0]?.output;
      for (const [index, { status }] of settled.entries())
        expect(status).toBe(JSON.stringify(given[index]) === JSON.stringify(taken) ? "fulfilled" : "rejected");
    }
  });
});

it("says question, options and what the answer fills in the approval of the plan, whose hash covers them", async () => {
  const when = { id: "b", tool: "Add", input: { list: 1 }, when: "q1 == 'work'", dependsOn: ["q1"] };
  const plan = { steps: [...planOf(list).steps, when] } as PlanInput;
  const { agent, result } = await ask(plan, { needsApproval: ({ kind }: { kind: string }) => kind === "plan" });
  const [{ text = "" } = {}] = (await agent.listPending()).items;
  expect(text.split("\n")[0]).toBe(
    'wait for the answer to "Which list?" (the work list, the list of the house), without a time limit, fills Add.list, decides about b',
  );
  expect(result.pending).toMatchObject([{ kind: "plan-approval" }]);
  expect(describePlan(plan, { tools: [tool()] })).toContain(text.split("\n")[0]);
  expect(() => describePlan({ steps: [{ id: "q", wait: { ask: {} } }] } as never, { tools: [] })).toThrow(/plan.steps/);
  expect(toMermaid(result.plan as Plan)).toContain("the answer to #34;Which list#63;#34;");
  const approved = await agent.approve(runId, result.pending?.[0] as never).result;
  expect(approved.pending).toMatchObject([{ kind: "question" }]);
  const page = toHtml(approved);
  expect(page).toContain("Waits for the answer to &quot;Which list?&quot; (the work list, the list of the house)");
  expect(page).toContain("fills Add.list, decides about b");

  const hash = await hashPlan(planOf(list));
  for (const changed of [
    planOf({ ...list, message: "Which one?" }),
    planOf({ ...list, options: [...(list.options ?? [])].reverse() }),
    planOf({ ...list, responseSchema: responseOf({ type: "string" }) }),
  ])
    expect(await hashPlan(changed)).not.toBe(hash);
  const bound = await createAgent({ tools: [tool()] }).execute(planOf(list), { approvedHash: hash });
  expect(bound.status).toBe("suspended");
});

it("explains the question in a forked run, which asks on its own", async () => {
  const { agent, item } = await ask();
  const fork = await agent.fork(runId, { runId: "f" }).result;
  expect(fork.pending).toMatchObject([{ kind: "question", id: "f/q1" }]);
  await expect(agent.answer("f", item, { answer: "home" }).result).rejects.toMatchObject({ code: "run-conflict" });
  expect(await agent.answer("f", "q1", { answer: "home" }).result).toMatchObject({ output: { list: "home" } });
  expect(await agent.answer(runId, item, { answer: "work" }).result).toMatchObject({ output: { list: "work" } });
});

it("leaves a question out of what is valid if nobody could answer it", async () => {
  const issuesOf = async (question: object, rest?: object) =>
    (await validatePlan(planOf(question as Question, rest), { tools: [tool()] })).map(
      ({ code, path, message }) => `${code} ${path.slice(3).join(".")}: ${message}`,
    );
  expect(await issuesOf(list)).toEqual([]);
  const answer = { type: "string", enum: ["work"] };
  expect({
    noOptions: await issuesOf({ ...list, options: [] }),
    twice: await issuesOf({ ...list, options: [list.options?.[0], list.options?.[0]] }),
    notAllowed: await issuesOf({ ...list, responseSchema: responseOf(answer) }),
    display: await issuesOf({ ...list, display: "multi-select" }),
    unknownDisplay: await issuesOf({ ...list, display: "radio" }),
    noMessage: await issuesOf({ ...list, message: "" }),
    notFlat: await issuesOf({ ...list, responseSchema: answer }),
    nested: await issuesOf({ ...list, responseSchema: responseOf({ type: "object", properties: {} }) }),
    unknownKeyword: await issuesOf({ ...list, responseSchema: responseOf({ type: "string", pattern: "(a+)+$" }) }),
    unknownFormat: await issuesOf(textOf({ type: "string", format: "email" })),
    noItems: await issuesOf({ ...list, display: "multi-select", responseSchema: responseOf({ type: "array" }) }),
    unknownKey: await issuesOf({ ...list, mesage: "?" }),
    noNumber: await issuesOf(list, { timeoutMs: -1 }),
  }).toMatchInlineSnapshot(`
    {
      "display": [
        "invalid-shape ask.responseSchema.properties.answer.type: A question with display "multi-select" needs an answer of type array, not string.",
      ],
      "nested": [
        "invalid-shape ask.responseSchema.properties.answer.type: an answer must be a string, number, integer, boolean or array",
      ],
      "noItems": [
        "invalid-shape ask.responseSchema.properties.answer.items: Invalid input: expected object, received undefined",
      ],
      "noMessage": [
        "invalid-shape ask.message: Too small: expected string to have >=1 characters",
      ],
      "noNumber": [
        "invalid-shape timeoutMs: Too small: expected number to be >=0",
      ],
      "noOptions": [
        "invalid-shape ask.options: A question with display "select" needs options.",
      ],
      "notAllowed": [
        "invalid-shape ask.options.1.id: "home" does not fit the responseSchema, which needs "work".",
      ],
      "notFlat": [
        "invalid-shape ask.responseSchema.type: Invalid input: expected "object"",
        "invalid-shape ask.responseSchema.properties: Invalid input: expected object, received undefined",
        "invalid-shape ask.responseSchema.required: Invalid input: expected tuple, received undefined",
        "unknown-key ask.responseSchema.enum: Unknown key "enum".",
      ],
      "twice": [
        "invalid-shape ask.options.1.id: "work" is already the id of an option.",
      ],
      "unknownDisplay": [
        "invalid-shape ask.display: Invalid option: expected one of "confirm"|"select"|"multi-select"|"text"",
      ],
      "unknownFormat": [
        "invalid-shape ask.responseSchema.properties.answer.format: Invalid option: expected one of "date"|"date-time"|"date-or-date-time"|"time"",
      ],
      "unknownKey": [
        "unknown-key ask.mesage: Unknown key "mesage".",
      ],
      "unknownKeyword": [
        "unknown-key ask.responseSchema.properties.answer.pattern: Unknown key "pattern".",
      ],
    }
  `);
});

it("types what refers to an answer", async () => {
  const number = defineTool({
    name: "Book",
    description: "Books.",
    inputSchema: z.object({ people: z.number(), at: z.string() }),
    effect: "idempotent",
    execute: (input) => input,
  });
  const issuesOf = async (question: Question, step: object) => {
    const steps = [
      { id: "q1", wait: { ask: question } },
      { id: "b", tool: "Book", ...step },
    ];
    return (await validatePlan({ steps }, { tools: [number] })).map(({ code, path }) => `${code} ${path.join(".")}`);
  };
  const input = { people: { $ref: "q1" }, at: "noon" };
  expect(await issuesOf(textOf({ type: "integer" }), { input })).toEqual([]);
  expect(await issuesOf(textOf({ type: "string" }), { input })).toEqual(["reference-type steps.1.input.people"]);
  const several = {
    ...list,
    display: "multi-select",
    responseSchema: responseOf({ type: "array", items: { type: "string", enum: ["work", "home"] } }),
  } as const;
  const fixed = { people: 2, at: { $ref: "item" } };
  expect(await issuesOf(several, { forEach: "q1", input: fixed })).toEqual([]);
  expect(await issuesOf(list, { forEach: "q1", input: fixed })).toEqual(["reference-type steps.1.forEach"]);
  expect(await issuesOf(several, { when: "'work' in q1", input: { people: 2, at: "noon" } })).toEqual([]);
  expect(await issuesOf(list, { when: "q1 == 'work'", input: { people: 2, at: "noon" } })).toEqual([]);
  expect(await issuesOf(list, { input: { people: 2, at: { $ref: "q1.id" } } })).toEqual([
    "invalid-reference steps.1.input.at",
  ]);
});
