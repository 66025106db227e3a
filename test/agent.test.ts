import {
  createAgent,
  createCalculator,
  createMemoryRunStore,
  createNotes,
  createOrchestrator,
  createTodoStore,
  createWebSearch,
  defineTool,
  hashPlan,
  validatePlan,
} from "planwright";
import { jsonSchema } from "planwright/schemas";
import { createFakeTool } from "planwright/testing";
import { toHtml, toMermaid } from "planwright/view";
import { describe, expect, it } from "vitest";
import * as z from "zod/v4";
import { failureOf } from "../src/testing/conformance/conformance-case.ts";

const refused = expect.objectContaining({ code: "invalid-options" });
const { inputSchema: _, ...bare } = createFakeTool({ name: "Bare" });

describe("createAgent", () => {
  it.each([
    [undefined],
    [null],
    ["tools"],
    [{}],
    [{ tools: [bare] }],
    [{ tools: [{ name: "X" }] }],
    [{ tools: [null] }],
  ])("refuses %j as options, as does createOrchestrator", (options) => {
    expect(() => createAgent(options as never)).toThrow(refused);
    expect(() => createOrchestrator(options as never)).toThrow(refused);
  });

  it("refuses a listener that is not a function", () => {
    const agent = createAgent({ tools: [] });
    for (const listener of [undefined, null, "log"]) {
      expect(() => agent.on("run-end", listener as never)).toThrow(refused);
      expect(() => agent.subscribe(listener as never)).toThrow(refused);
    }
    expect(() => agent.on(undefined as never, () => {})).toThrow(refused);
    expect(() => agent.off("run-end", () => {})).not.toThrow();
  });

  it("refuses the name of an unknown event, and lists the known ones", () => {
    const options = { tools: [createFakeTool({ name: "A" })] };
    for (const agent of [createAgent(options), createOrchestrator({ ...options, store: createMemoryRunStore() })]) {
      for (const type of ["step-ended", "", "__proto__", "toString", null, 1] as never[]) {
        for (const method of [agent.on, agent.once, agent.off, agent.listenerCount, agent.removeAllListeners]) {
          expect(() => method(type, () => {})).toThrow(refused);
        }
      }
      expect(() => agent.on("step-ended" as never, () => {})).toThrow(
        /must be the type of an event: .*\bstep-end\b.*"step-ended"/,
      );
    }
  });
});

describe("the methods of an agent, an orchestrator and a handle", () => {
  const touched = new Error("this was used");
  const trap = new Proxy(() => {}, {
    get: () => {
      throw touched;
    },
  });

  it("do not use this", async () => {
    const options = { tools: [createFakeTool({ name: "A" })] };
    const creators = [
      () => createAgent(options),
      () => createOrchestrator({ ...options, store: createMemoryRunStore() }),
      () => createAgent(options).start({ steps: [{ id: "s1", tool: "A", input: {} }] }),
    ];
    const called: string[] = [];
    for (const create of creators) {
      for (const name of Object.keys(create())) {
        const method: unknown = Reflect.get(create(), name);
        if (typeof method !== "function") continue;
        called.push(name);
        // Most refuse to be called without arguments, for another reason.
        const thrown = await failureOf(() => Reflect.apply(method, trap, []));
        expect(thrown?.thrown, name).not.toBe(touched);
      }
    }
    expect(called).toContain("run");
    expect(called.filter((name) => name === "approve")).toHaveLength(2);
    expect(called).toContain("cancel");
  });

  it("work when they are destructured", async () => {
    const { run, on, once, off, listenerCount, removeAllListeners, getRun } = createAgent({
      tools: [createCalculator()],
    });
    const types: string[] = [];
    const listener = ({ type }: { type: string }) => types.push(type);
    on("run-start", listener);
    once("run-end", listener);
    on("plan-end", listener);
    off("plan-end", listener);
    expect([listenerCount("run-start"), listenerCount("plan-end")]).toEqual([1, 0]);
    const { runId, status } = await run("6 * 7");
    expect([status, (await getRun(runId))?.status]).toEqual(["completed", "completed"]);
    removeAllListeners();
    await run("6 * 7");
    expect(types).toEqual(["run-start", "run-end"]);
  });
});

describe("a tool that defineTool did not create", () => {
  class Counter {
    readonly name = "Counter";
    readonly description = "Counts";
    readonly inputSchema = z.object({ by: z.number().default(1) });
    readonly effect = "idempotent";
    readonly phrases = ["count", "count by {by}"];
    #count = 0;
    execute({ by }: { by: number }) {
      this.#count += by;
      return { count: this.#count };
    }
    undo() {
      this.#count = 0;
    }
  }
  const echo = {
    name: "Echo",
    description: "Says it again",
    inputSchema: z.object({ text: z.string() }),
    effect: "pure",
    execute: ({ text }: { text: string }) => text,
  } as const;
  const plan = {
    steps: [
      { id: "a", tool: "Counter", input: {} },
      { id: "b", tool: "Echo", input: { text: `\${a.count}` } },
    ],
  } as const;

  it("is planned for and run by an agent, and by a second agent with the same object", async () => {
    const counter = new Counter();
    const agent = createAgent({ tools: [counter, echo] });
    expect(agent.tools).toEqual([counter, echo]);
    expect(agent.tools[0]).toBe(counter);
    expect((await agent.run("count by 5")).output).toEqual({ count: 5 });
    expect((await createAgent({ tools: [counter, echo] }).execute(plan)).output).toBe("6");
  });

  it("is accepted by an orchestrator and by validatePlan", async () => {
    const tools = [new Counter(), echo];
    expect((await createOrchestrator({ tools, store: createMemoryRunStore() }).execute(plan)).output).toBe("1");
    expect(await validatePlan(plan, { tools })).toEqual([]);
    const wrong = { steps: [{ id: "a", tool: "Counter", input: { by: "x" } }] };
    expect(await validatePlan(wrong, { tools })).toMatchObject([{ code: "invalid-input" }]);
  });
});

describe("a common mistake", () => {
  const greet = {
    name: "Greet",
    description: "Greets",
    inputSchema: z.object({ who: z.string() }),
    effect: "idempotent" as const,
    phrases: ["greet {who}"],
    execute: ({ who }: { who: string }) => `hi ${who}`,
  };
  const agent = createAgent({ tools: [defineTool(greet)], onWarning: () => {} });
  const forgotten = () => agent.plan("greet bob") as never;
  const messageOf = async (make: () => unknown): Promise<string> => {
    const failure = await failureOf(async () => make());
    return failure?.thrown instanceof Error ? failure.thrown.message : "It did not throw.";
  };

  it.each<[string, () => unknown]>([
    ["execute", () => agent.execute(forgotten())],
    ["start", () => agent.start(forgotten()).result],
    ["dryRun", () => agent.dryRun(forgotten())],
    ["run", () => agent.run(forgotten(), { throwOnFailure: true })],
    ["hashPlan", () => hashPlan(forgotten())],
    ["approve", () => agent.approve("r1", forgotten())],
    ["toMermaid", () => toMermaid(forgotten())],
    ["toHtml", () => toHtml(forgotten())],
    ["createAgent", () => createAgent({ tools: [], store: Promise.resolve() as never })],
  ])("is a plan or an object that was not awaited, for %s", async (_call, make) => {
    expect(await messageOf(make)).toMatch(/a (?:value of type )?Promise.*await it/);
  });

  it("is a plan that was not awaited, for validatePlan", async () => {
    const [issue] = await validatePlan(forgotten(), { tools: [greet] });
    expect(issue).toMatchObject({ code: "not-json", message: "a value of type Promise is not JSON; await it" });
  });

  const shape = { who: z.string() };
  const inZod = /must be a schema: wrap its fields in z\.object\(\{ … \}\); received an object\./;
  const inJson = /must be a schema: wrap it in jsonSchema\(\{ … \}\) from planwright\/schemas; received an object\./;
  const slotsOf = (slot: unknown) => ({ ...greet, phrases: [{ phrase: "greet {who}", slots: { who: slot } }] });
  it.each<[string, (schema: object) => unknown]>([
    ["inputSchema", (schema) => defineTool({ ...greet, inputSchema: schema } as never)],
    ["outputSchema", (schema) => defineTool({ ...greet, outputSchema: schema } as never)],
    ["an event", (schema) => createAgent({ tools: [], events: { paid: schema } as never })],
    ["a slot", (schema) => defineTool(slotsOf(schema) as never)],
  ])("is a bare shape or JSON Schema as %s", async (_place, make) => {
    expect(await messageOf(() => make(shape))).toMatch(inZod);
    expect(await messageOf(() => make({}))).toMatch(inZod);
    expect(await messageOf(() => make({ type: z.string() }))).toMatch(inZod);
    expect(await messageOf(() => make({ type: "object" }))).toMatch(inJson);
    expect(await messageOf(() => make(class {}))).toContain("toStandardJSONSchemaV1(Schema.toStandardSchemaV1(…))");
  });

  it("is a misspelt option or tool", async () => {
    const misspelt = 'Did you mean "';
    expect(await messageOf(() => createAgent({ tools: [], ...{ plannr: {} } }))).toContain(
      `"plannr". ${misspelt}planner"?`,
    );
    expect(await messageOf(() => agent.run("greet bob", { maxStep: 1 } as never))).toContain(`${misspelt}maxSteps"?`);
    expect(await messageOf(() => agent.run("greet bob", { tools: ["greet" as never] }))).toContain(
      `${misspelt}Greet"?`,
    );
    const steps = [{ id: "s1", tool: "greet", input: {} }];
    expect(await messageOf(() => agent.execute({ steps } as never))).toContain(
      `${misspelt}Greet"? Available tools: Greet.`,
    );
    expect(await validatePlan({ steps }, { tools: [greet] })).toMatchObject([
      { code: "unknown-tool", message: expect.stringContaining(misspelt) },
    ]);
  });

  it.each<[string, () => unknown]>([
    ["calculator.maxDepth", () => createCalculator({ maxDepth: -1 })],
    ["calculator.name", () => createCalculator({ name: "" })],
    ["todoStore.nme", () => createTodoStore({ nme: "x" } as never)],
    ["notes.name", () => createNotes({ name: "a b" })],
    ["webSearch.search", () => createWebSearch({} as never)],
    ["Greet.exceute", () => defineTool({ ...greet, exceute: 1 } as never)],
    ["Greet.exceute", () => createAgent({ tools: [{ ...greet, exceute: 1 } as never] })],
    ["Greet.retry.maxAttempt", () => defineTool({ ...greet, retry: { maxAttempt: 1 } as never })],
  ])("is an option whose error says of which tool: %s", async (option, make) => {
    await expect((async () => make())()).rejects.toMatchObject({ code: "invalid-options", details: { option } });
  });

  it("is a function in place of the options of a tool", () => {
    const message = "createWebSearch takes an object: write createWebSearch({ search: … }). Received a function.";
    expect(() => createWebSearch((() => []) as never)).toThrow(message);
  });

  it.each<[unknown, string]>([
    [{ steps: [] }, "received an object. To run a plan, call `execute`."],
    [5, "received 5."],
  ])("is a request that is not text: %j", async (request, message) => {
    expect(await messageOf(() => agent.plan(request as never))).toMatch(new RegExp(`characters; ${message}$`));
  });

  it("is an event without an id", async () => {
    const deliver = (options?: object) => messageOf(() => agent.deliver("r1", "paid", {}, options as never));
    expect(await deliver()).toBe('Option "options" must be an object such as { id: … }; it is missing.');
    expect(await deliver({})).toContain('"id" must be text that identifies the event');
  });

  it("is something else than a JSON Schema, or one that never ends", async () => {
    for (const wrong of [null, undefined, 5]) {
      await expect((async () => jsonSchema(wrong as never))()).rejects.toEqual(refused);
    }
    const endless: Record<string, unknown> = { type: "object" };
    endless.properties = { child: endless };
    expect(await messageOf(() => jsonSchema(endless))).toMatch(
      /^Option "schema\.properties\.child.{0,90}…" must be at most 200/,
    );
  });
});

describe("a built-in tool with another name", () => {
  const shopping = createTodoStore({ name: "Shopping" });

  it("is planned for by rules, and named in plans, events and errors", async () => {
    const search = () => ({}) as never;
    const tools = [
      createCalculator({ name: "Sums" }),
      shopping,
      createNotes({ name: "Remarks" }),
      createWebSearch({ name: "Web", search }),
    ];
    const agent = createAgent({ tools });
    const toolsOf = async (request: string) => (await agent.run(request)).steps.map(({ tool }) => tool);
    expect(await toolsOf("what is 6 times 7")).toEqual(["Sums"]);
    expect(await toolsOf("add milk to my shopping list")).toEqual(["Shopping"]);
    expect(await toolsOf("add a note to PROP-2025-001: approved")).toEqual(["Remarks"]);
    const { error } = await agent.run("search the web for zod");
    expect(error?.message).toContain('Step "s1" (Web) failed: The `search` function of Web returned invalid hits');
  });

  it("is refused beside another one that a request fits as well", async () => {
    const agent = createAgent({ tools: [createTodoStore(), shopping] });
    await expect(agent.plan("add milk to my list")).rejects.toMatchObject({
      code: "cannot-plan",
      details: {
        reason: "ambiguous",
        proposals: [{ steps: [{ tool: "TodoStore" }] }, { steps: [{ tool: "Shopping" }] }],
      },
    });
    const { steps } = await agent.plan("add milk to my list", { tools: ["Shopping"] });
    expect(steps).toMatchObject([{ tool: "Shopping", input: { operation: "add" } }]);
  });
});

const plan = { steps: [{ id: "s1", tool: "Fake", input: {} }] };
const item = { kind: "step", stepId: "s1", hash: "0".repeat(64) } as const;

/** Each method of an agent that takes options, given what are none. */
const calls = {
  approve: (agent, wrong) => agent.approve("r", item, wrong).result,
  cancel: (agent, wrong) => agent.cancel("r", "enough", wrong),
  close: (agent, wrong) => agent.close(wrong),
  dryRun: (agent, wrong) => agent.dryRun(plan, wrong),
  events: async (agent, wrong) => agent.events("r", wrong),
  execute: (agent, wrong) => agent.execute(plan, wrong),
  listRuns: (agent, wrong) => agent.listRuns(wrong),
  plan: (agent, wrong) => agent.plan("do it", wrong),
  prune: (agent, wrong) => agent.prune(wrong),
  reject: (agent, wrong) => agent.reject("r", item, wrong).result,
  resume: (agent, wrong) => agent.resume("r", wrong),
  resumeAll: (agent, wrong) => agent.resumeAll(wrong),
  run: (agent, wrong) => agent.run("do it", wrong),
  settle: (agent, wrong) => agent.settle("r", "s1", wrong).result,
  start: (agent, wrong) => agent.start(plan, wrong).result,
} satisfies Record<string, (agent: ReturnType<typeof createAgent>, wrong: never) => Promise<unknown>>;

it.each(Object.entries(calls).flatMap(([name, call]) => [null, 5, []].map((wrong) => ({ name, call, wrong }))))(
  "$name refuses $wrong as options",
  async ({ call, wrong }) => {
    const agent = createAgent({ tools: [createFakeTool({ name: "Fake" })] });
    await expect((async () => call(agent, wrong as never))()).rejects.toMatchObject({ code: "invalid-options" });
  },
);
