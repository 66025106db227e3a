import {
  createAgent,
  createOrchestrator,
  defineTool,
  type InferToolInput,
  type InferToolOutput,
  type InferToolResources,
  type JsonObject,
  type RunOptions,
  type Tool,
  type ToolContext,
  type UndoneCall,
  validatePlan,
} from "planwright";
import { describe, expectTypeOf, it } from "vitest";
import { z as z3 } from "zod/v3";
import { z } from "zod/v4";
import { calculator, clock, type Precision, todos } from "./tools.ts";

const base = { name: "T", description: "d", inputSchema: z.object({ a: z.string() }) } as const;

describe("defineTool", () => {
  it("infers name, input and output", () => {
    expectTypeOf(calculator.name).toEqualTypeOf<"Calculator">();
    expectTypeOf<InferToolInput<typeof calculator>>().toEqualTypeOf<{
      expression: string;
      variables?: Record<string, number> | undefined;
    }>();
    expectTypeOf<InferToolOutput<typeof todos>>().toEqualTypeOf<{ title: string; done: boolean; createdAt: string }>();
  });

  it("passes the parsed input to execute, and plans with the unparsed input", () => {
    const schemas = {
      four: z.object({
        a: z.string().default("x"),
        n: z.coerce.number(),
        at: z.string().transform((text) => new Date(text)),
      }),
      three: z3.object({ a: z3.string().default("x"), at: z3.string().transform((text) => new Date(text)) }),
    };
    const four = defineTool({
      ...base,
      inputSchema: schemas.four,
      effect: (input) => {
        expectTypeOf(input.at).toEqualTypeOf<Date>();
        return "pure";
      },
      execute: (input) => {
        expectTypeOf(input).toEqualTypeOf<{ a: string; n: number; at: Date }>();
      },
    });
    defineTool({
      ...base,
      inputSchema: schemas.three,
      execute: (input) => expectTypeOf(input).toEqualTypeOf<{ a: string; at: Date }>(),
    });
    expectTypeOf<InferToolInput<typeof four>["a"]>().toEqualTypeOf<string | undefined>();
    expectTypeOf<InferToolInput<typeof four>["at"]>().toEqualTypeOf<string>();
  });

  it("checks the result of execute against an output schema, of zod 4 and zod 3", () => {
    defineTool({ ...base, outputSchema: z.object({ n: z.number() }), execute: () => ({ n: 1 }) });
    defineTool({ ...base, outputSchema: z3.object({ n: z3.number() }), execute: async () => ({ n: 1 }) });
    // @ts-expect-error n is a number
    defineTool({ ...base, outputSchema: z.object({ n: z.number() }), execute: () => ({ n: "1" }) });
    // @ts-expect-error n is a number, also later
    defineTool({ ...base, outputSchema: z3.object({ n: z3.number() }), execute: async () => ({ n: "1" }) });
    // @ts-expect-error n is missing
    defineTool({ ...base, outputSchema: z.object({ n: z.number() }), execute: () => ({}) });
  });

  it("uses the input type of an output schema for execute, and its output type elsewhere", () => {
    const tool = defineTool({
      ...base,
      outputSchema: z.object({ n: z.string().transform(Number), d: z.string().default("x") }),
      execute: () => ({ n: "5" }),
    });
    expectTypeOf<InferToolOutput<typeof tool>>().toEqualTypeOf<{ n: number; d: string }>();
  });

  it("takes any output where its schema does, and anything from outside", () => {
    const row: unknown = 1;
    defineTool({ ...base, outputSchema: z.unknown(), execute: () => row });
    defineTool({ ...base, outputSchema: z.any(), execute: async () => row });
    defineTool({ ...base, outputSchema: z.object({ n: z.number() }), execute: async () => JSON.parse("{}") });
    const maybe = defineTool({ ...base, outputSchema: z.string().nullable(), execute: async ({ a }) => a || null });
    expectTypeOf<InferToolOutput<typeof maybe>>().toEqualTypeOf<string | null>();
  });

  it("infers the output without an output schema", () => {
    const nothing = defineTool({ ...base, execute: () => undefined });
    const later = defineTool({ ...base, execute: async () => [1, 2] });
    const either = defineTool({ ...base, execute: ({ a }) => (a === "" ? null : { a }) });
    const soon = defineTool({ ...base, execute: ({ a }) => (a === "" ? Promise.resolve(1) : a) });
    expectTypeOf<InferToolOutput<typeof soon>>().toEqualTypeOf<string | number>();
    const open = defineTool({ ...base, execute: (): unknown => 1 });
    expectTypeOf<InferToolOutput<typeof nothing>>().toEqualTypeOf<null>();
    expectTypeOf<InferToolOutput<typeof later>>().toEqualTypeOf<number[]>();
    expectTypeOf<InferToolOutput<typeof either>>().toEqualTypeOf<{ a: string } | null>();
    expectTypeOf<InferToolOutput<typeof open>>().toBeUnknown();
  });

  it("checks its options", () => {
    // @ts-expect-error an unknown effect
    defineTool({ ...base, effect: "twice", execute: () => null });
    // @ts-expect-error no execute
    defineTool({ ...base });
    // @ts-expect-error a schema is wanted, not a shape
    defineTool({ ...base, inputSchema: { a: z.string() }, execute: () => null });
    const inputSchema = z.object({ a: z.string() }).or(z.object({ n: z.number() }));
    // @ts-expect-error the effect must be known for any input
    defineTool({ ...base, inputSchema, effect: (_input: { a: string }) => "pure", execute: () => null });
    // @ts-expect-error approvals must be known for any input
    defineTool({ ...base, inputSchema, needsApproval: (_input: { a: string }) => true, execute: () => null });
    // @ts-expect-error the effect of an input is one of three
    defineTool({ ...base, effect: () => "often", execute: () => null });
  });

  it("types the context", () => {
    defineTool({
      ...base,
      execute: (_input, context) => {
        expectTypeOf(context).toEqualTypeOf<ToolContext<unknown>>();
        expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
        expectTypeOf(context.metadata).toEqualTypeOf<JsonObject>();
      },
    });
  });

  it("types phrases by the input", async () => {
    const inputSchema = z.object({ city: z.string(), unit: z.enum(["c", "f"]).optional() });
    const tool = defineTool({
      ...base,
      inputSchema,
      phrases: [
        "weather in {city}",
        { phrase: "is it warm in {city}", input: { unit: "c" }, slots: { city: z.string() } },
        { phrase: "it", toInput: (slots, { previous }) => (previous ? { city: String(slots.city) } : undefined) },
      ],
      execute: () => null,
    });
    const loaded = typeof tool.phrases === "function" ? await tool.phrases() : tool.phrases;
    expectTypeOf(loaded[0]?.phrase).toEqualTypeOf<string | undefined>();
    defineTool({ ...base, inputSchema, phrases: async () => ["weather in {city}"], execute: () => null });
    // @ts-expect-error no such unit
    defineTool({ ...base, inputSchema, phrases: [{ phrase: "a", input: { unit: "k" } }], execute: () => null });
    // @ts-expect-error no such key
    defineTool({ ...base, inputSchema, phrases: [{ phrase: "a", input: { town: "" } }], execute: () => null });
    const toInput = () => ({ unit: "c" as const });
    // @ts-expect-error toInput gives a whole input
    defineTool({ ...base, inputSchema, phrases: [{ phrase: "a", toInput }], execute: () => null });
    // @ts-expect-error a phrase is text
    defineTool({ ...base, inputSchema, phrases: [5], execute: () => null });
  });

  it("takes literals and references from toInput, at any depth", () => {
    const kind = z.enum(["a", "b"]);
    const inputSchema = z.object({
      kind,
      title: z.string(),
      place: z.object({ kind, level: z.literal(1) }).optional(),
      all: z.array(z.object({ kind, done: z.literal(true).optional() })).optional(),
      pair: z.tuple([z.string(), kind]).optional(),
    });
    defineTool({
      ...base,
      inputSchema,
      phrases: [
        {
          phrase: "do it",
          toInput: (_slots, { previous, before }) =>
            previous && {
              kind: "a",
              title: previous,
              place: { kind: "b", level: 1 },
              all: [{ kind: "a", done: true }, { kind: { $ref: `${previous.$ref}.kind` } }, ...(before?.results ?? [])],
              pair: ["a", "b"],
            },
        },
        // @ts-expect-error no such kind
        { phrase: "do {title}", toInput: ({ title }) => ({ title: String(title), kind: "c" }) },
        // @ts-expect-error no such kind within a list
        { phrase: "do {title}", toInput: () => ({ title: "", kind: "a", all: [{ kind: "c" }] }) },
      ],
      execute: () => null,
    });
    defineTool({
      ...base,
      inputSchema: z.discriminatedUnion("do", [
        z.object({ do: z.literal("add"), title: z.string() }),
        z.object({ do: z.literal("get"), id: z.number() }),
      ]),
      phrases: async () => [
        {
          phrase: "see {what}",
          slots: { what: z.string() },
          toInput: ({ what }) => (typeof what === "number" ? { do: "get", id: what } : { do: "add", title: "" }),
        },
        { phrase: "see it", toInput: (_slots, { previous }) => previous && { do: "add", title: previous } },
      ],
      execute: () => null,
    });
  });

  it("creates tools that fit into one list, whatever their types", () => {
    const tools: readonly Tool[] = [calculator, todos, clock];
    expectTypeOf(tools).items.toEqualTypeOf<Tool>();
  });
});

describe("resources", () => {
  interface Both {
    precision: Precision;
    user: string;
  }
  const resources: Both = { precision: { digits: 1 }, user: "u" };

  it("are the combined resources of all tools", () => {
    expectTypeOf<InferToolResources<typeof calculator | typeof todos | typeof clock>>().toExtend<Both>();
    expectTypeOf<Both>().toExtend<InferToolResources<typeof calculator | typeof todos>>();
    expectTypeOf<InferToolResources<typeof clock>>().toBeUnknown();
    expectTypeOf<InferToolResources<Tool>>().toBeUnknown();
  });

  it("are a required option of a run if a tool needs them", () => {
    const agent = createAgent({ tools: [calculator, todos, clock] });
    agent.run("x", { resources });
    agent.execute({ steps: [] }, { resources, timeoutMs: 5 });
    agent.start("x", { resources });
    // @ts-expect-error resources are missing
    agent.run("x");
    // @ts-expect-error resources are missing
    agent.run("x", { timeoutMs: 5 });
    // @ts-expect-error the user is missing
    agent.run("x", { resources: { precision: { digits: 1 } } });
    // @ts-expect-error the precision is missing
    agent.start("x", { resources: { user: "u" } });
    // @ts-expect-error resources are missing
    agent.execute({ steps: [] });
    agent.plan("x");
  });

  it("are required by an orchestrator as well", () => {
    const store = {} as Parameters<typeof createOrchestrator>[0]["store"];
    const orchestrator = createOrchestrator({ tools: [todos], store });
    orchestrator.execute({ steps: [] }, { resources: { user: "u" } });
    // @ts-expect-error resources are missing
    orchestrator.execute({ steps: [] });
  });

  it("are optional if no tool needs any", () => {
    const agent = createAgent({ tools: [clock] });
    agent.run("x");
    agent.run("x", {});
    agent.execute({ steps: [] });
    expectTypeOf<RunOptions<typeof clock>["resources"]>().toBeUnknown();
  });

  it("reach the tool with their types", () => {
    defineTool({
      ...base,
      outputSchema: z.string(),
      execute: (_input, context: ToolContext<{ user: string }>) => context.resources.user,
    });
  });
});

describe("the options of an agent", () => {
  const agent = createAgent({ tools: [calculator, clock] });

  it("include the names of its tools", () => {
    agent.plan("x", { tools: ["Clock"] });
    // @ts-expect-error no tool has this name
    agent.plan("x", { tools: ["Todos"] });
    expectTypeOf(agent.tools).items.toEqualTypeOf<typeof calculator | typeof clock>();
  });

  it("keep the names of tools in a separate list", () => {
    const tools = [calculator, clock];
    const other = createAgent({ tools });
    expectTypeOf(other.tools[0]?.name).toEqualTypeOf<"Calculator" | "Clock" | undefined>();
  });
});

describe("a tool that defineTool did not create", () => {
  class Weather implements Tool {
    readonly name = "Weather";
    readonly description = "Current weather in a city";
    readonly inputSchema = z.object({ city: z.string() });
    readonly outputSchema = z.object({ celsius: z.number(), at: z.date() });
    readonly phrases = ["weather in {city}", { phrase: "is it warm in {city}", input: {} }];
    constructor(private readonly key: string) {}
    effect({ city }: { city: string }) {
      return city === this.key ? ("once" as const) : ("pure" as const);
    }
    async execute({ city }: { city: string }, { resources }: ToolContext<{ db: Map<string, number> }>) {
      return { celsius: resources.db.get(city) ?? 0, at: new Date(0) };
    }
    undo({ input }: UndoneCall<{ city: string }, unknown>) {
      return input.city;
    }
  }
  const weather = new Weather("key");
  const echo = {
    name: "Echo",
    description: "Says it again",
    inputSchema: z.object({ text: z.string(), times: z.number().default(1) }),
    effect: "pure",
    execute: ({ text }: { text: string }) => ({ text, said: new Date(0) }),
  } as const;

  it("has its types inferred from its members", () => {
    expectTypeOf<InferToolInput<Weather>>().toEqualTypeOf<{ city: string }>();
    expectTypeOf<InferToolOutput<Weather>>().toEqualTypeOf<{ celsius: number; at: string }>();
    expectTypeOf<InferToolResources<Weather>>().toEqualTypeOf<{ db: Map<string, number> }>();
    expectTypeOf<InferToolInput<typeof echo>>().toEqualTypeOf<{ text: string; times?: number | undefined }>();
    expectTypeOf<InferToolOutput<typeof echo>>().toEqualTypeOf<{ text: string; said: string }>();
    expectTypeOf<InferToolResources<typeof echo>>().toBeUnknown();
    expectTypeOf<InferToolInput<Tool>>().toBeUnknown();
    expectTypeOf<InferToolOutput<Tool>>().toBeUnknown();
  });

  it("adds its names, inputs, outputs and resources to those of the agent", () => {
    const agent = createAgent({ tools: [weather, echo, clock] });
    expectTypeOf<(typeof agent.tools)[number]["name"]>().toEqualTypeOf<"Weather" | "Echo" | "Clock">();
    agent.on("step-end", (event) => {
      if (event.tool !== "Weather" || event.outcome.status !== "completed") return;
      expectTypeOf(event.outcome.output).toEqualTypeOf<{ celsius: number; at: string }>();
    });
    const resources = { db: new Map<string, number>() };
    agent.execute({ steps: [{ id: "a", tool: "Weather", input: { city: "Berlin" } }] }, { resources });
    // @ts-expect-error no such key
    agent.execute({ steps: [{ id: "a", tool: "Weather", input: { town: "Berlin" } }] }, { resources });
    // @ts-expect-error resources are missing
    agent.run("weather in Berlin");
  });

  it("may be written within the call, and in a list of any tools", () => {
    const agent = createAgent({
      tools: [
        {
          name: "Now",
          description: "Tells the time",
          inputSchema: z.object({}),
          execute: (_input, { attempt }) => ({ ms: attempt }),
        },
      ],
    });
    expectTypeOf(agent.tools[0]?.name).toEqualTypeOf<"Now" | undefined>();
    const tools: readonly Tool[] = [weather, echo, clock];
    createOrchestrator({ tools, store: {} as Parameters<typeof createOrchestrator>[0]["store"] });
    validatePlan({}, { tools });
    // @ts-expect-error a description is missing
    createAgent({ tools: [{ name: "A", inputSchema: z.object({}), execute: () => 1 }] });
    // @ts-expect-error an unknown effect
    createAgent({ tools: [{ ...echo, effect: "twice" }] });
  });
});
