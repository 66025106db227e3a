import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  AgentError,
  composed,
  createAgent,
  createTodoStore,
  defineTool,
  type PlanInput,
  type RunOptions,
  type RunResult,
  type StandardSchema,
  sensitive,
  type Tool,
} from "planwright";
import { jsonSchema } from "planwright/schemas";
import { createFakeTool, createManualClock, recordTools, replayTools } from "planwright/testing";
import { beforeEach, describe, expect, it } from "vitest";
import * as z3 from "zod/v3";
import * as z from "zod/v4";
import * as mini from "zod/v4-mini";
import { parseWith } from "../../src/core/schema.ts";
import { toolFingerprint } from "../../src/core/tool-schemas.ts";
import { newFolder } from "../new-folder.ts";
import { step } from "../scenario/plans.ts";
import { contextOf } from "./record.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = newFolder();
  path = join(folder, "calls.json");
});

const recorded = async () => JSON.parse(await readFile(path, "utf8"));
const inputSchema = z.looseObject({});

/** A run with a clock of its own, without what differs each time. */
async function runWith(tools: readonly Tool[], plan: PlanInput | string, options: RunOptions = {}): Promise<RunResult> {
  const clock = createManualClock();
  const agent = createAgent({ tools, clock, random: () => 1, createId: () => "id" });
  const settings = { runId: "r1", ...options };
  return clock.runUntil(typeof plan === "string" ? agent.run(plan, settings) : agent.execute(plan, settings));
}

/** A result as data, without stacks: those of a recording name its files. */
function dataOf(result: RunResult): unknown {
  return JSON.parse(JSON.stringify(result, (key, value) => (key === "stack" ? undefined : value)));
}

describe("a recorded run", () => {
  it("is replayed with the same result, without the tools", async () => {
    const calls: unknown[] = [];
    const orders = defineTool({
      name: "Orders",
      description: "Finds orders",
      inputSchema: z.object({
        customer: z.string().trim().toLowerCase(),
        since: z.coerce.date(),
        limit: z.int().default(2),
      }),
      outputSchema: z.array(z.object({ id: z.int(), placed: z.date() })),
      effect: "pure",
      execute: (input) => {
        calls.push(input);
        return [1, 2].map((id) => ({ id, placed: new Date(id) }));
      },
    });
    const notify = defineTool({
      name: "Notify",
      description: "Sends a message",
      inputSchema: z.object({ id: z.int() }),
      effect: ({ id }) => (id > 1 ? "once" : "idempotent"),
      needsApproval: async () => false,
      execute: ({ id }) => {
        calls.push(id);
        if (id === 2) throw Object.assign(new TypeError("No address"), { code: "E_ADDRESS", retryable: false });
      },
    });
    const plan: PlanInput = {
      steps: [
        step("s1", "Orders", { input: { customer: " Ada ", since: "2026-01-01" } }),
        step("s2", "Notify", { forEach: "s1", input: { id: { $ref: "item.id" } } }),
      ],
    };
    const live = await runWith(recordTools([orders, notify], path), plan);
    expect(live).toMatchObject({ status: "failed", error: { code: "tool-failed" } });
    expect(calls).toEqual([{ customer: "ada", since: new Date("2026-01-01"), limit: 2 }, 1, 2]);

    const tools = replayTools(path, { tools: [orders, notify] });
    expect(dataOf(await runWith(tools, plan))).toEqual(dataOf(live));
    tools.assertComplete();
    expect(calls).toHaveLength(3);
  });

  it("is replayed with the tools that the rules plan for", async () => {
    const createTools = () => [createTodoStore({ now: () => 0, createId: () => "t1" })] as const;
    const request = "add milk to my list";
    const live = await runWith(recordTools(createTools(), path), request);
    expect(live).toMatchObject({ status: "completed", output: { id: "t1", title: "milk" } });

    const tools = replayTools(path, { tools: createTools() });
    const replayed = await runWith(tools, request);
    expect(replayed.output).toEqual(live.output);
    tools.assertComplete();
  });

  it("has each attempt as a call, and waits as the error asked", async () => {
    const busy = Object.assign(new Error("Busy"), { retryAfterMs: 20_000, headers: { cookie: "c00kie" } });
    const tool = createFakeTool({
      name: "Flaky",
      outcomes: [{ throws: busy }, { throws: "down" }, { returns: { done: true } }],
    });
    const plan = { steps: [step("s1", "Flaky")] };
    const live = await runWith(recordTools([tool], path), plan);
    expect(live.steps[0]).toMatchObject({ status: "completed", attempts: 3 });
    expect((await recorded()).calls).toEqual([
      { tool: "Flaky", input: {}, error: { name: "Error", message: "Busy", retryAfterMs: 20_000 } },
      { tool: "Flaky", input: {}, error: { name: "Error", message: "down" } },
      { tool: "Flaky", input: {}, output: { done: true } },
    ]);
    const tools = replayTools(path, { tools: [tool] });
    // The times of its steps tell how long it waited.
    expect(dataOf(await runWith(tools, plan))).toEqual(dataOf(live));
    tools.assertComplete();
    expect(tool.calls).toHaveLength(3);
  });

  it("keeps errors of this package, and causes, as they are", async () => {
    const cause = Object.assign(new RangeError("inner"), { details: { limit: 3 } });
    const thrown = new AgentError("unknown-tool", "Gone", { details: { tool: "X", available: [] }, cause });
    const tool = createFakeTool({ name: "Broken", outcomes: [{ throws: thrown }] });
    const plan = { steps: [step("s1", "Broken")] };
    const live = await runWith(recordTools([tool], path), plan);
    expect(live.error?.cause).toMatchObject({ code: "unknown-tool" });
    expect(dataOf(await runWith(replayTools(path, { tools: [tool] }), plan))).toEqual(dataOf(live));
  });

  it("has undoing, with the output that is undone", async () => {
    const undone: unknown[] = [];
    const add = defineTool({
      name: "Add",
      description: "Adds",
      inputSchema: z.object({ n: z.number() }),
      effect: "idempotent",
      execute: ({ n }) => ({ id: `id-${n}` }),
      undo: ({ input, output }) => {
        undone.push([input.n, output.id]);
        if (undone.length === 1) throw new Error("Try again");
      },
    });
    const fail = createFakeTool({ name: "Fail", outcomes: [{ throws: { retryable: false } }] });
    const steps = [step("s1", "Add", { input: { n: 1 } }), step("s2", "Add", { input: { n: 2 } }), step("s3", "Fail")];
    const live = await runWith(recordTools([add, fail], path), { steps }, { undoOnFailure: true });
    expect(live.steps.map(({ status }) => status)).toEqual(["undone", "undone", "failed"]);
    expect((await recorded()).calls.slice(3)).toEqual([
      { tool: "Add", input: { n: 2 }, undone: { id: "id-2" }, error: { name: "Error", message: "Try again" } },
      { tool: "Add", input: { n: 2 }, undone: { id: "id-2" }, output: null },
      { tool: "Add", input: { n: 1 }, undone: { id: "id-1" }, output: null },
    ]);
    const tools = replayTools(path, { tools: [add, fail] });
    expect(dataOf(await runWith(tools, { steps }, { undoOnFailure: true }))).toEqual(dataOf(live));
    tools.assertComplete();
    expect(undone).toHaveLength(3);
  });

  it("has parallel calls in the order in which they were made, and replays them in any", async () => {
    const waiting: (() => void)[] = [];
    const slow = defineTool({
      name: "Slow",
      description: "Waits",
      inputSchema: z.object({ n: z.number() }),
      effect: "idempotent",
      execute: ({ n }) => new Promise<number>((resolve) => waiting.push(() => resolve(n * 10))),
    });
    const numbers = [0, 1, 2, 3, 4];
    const [tool] = recordTools([slow], path);
    const calls = numbers.map((n) => tool.execute({ n }, contextOf()));
    await Promise.resolve();
    for (const answer of waiting.toReversed()) answer();
    expect(await Promise.all(calls)).toEqual([0, 10, 20, 30, 40]);
    expect((await recorded()).calls.map(({ output }: { output: unknown }) => output)).toEqual([0, 10, 20, 30, 40]);
    expect(await readdir(folder)).toEqual(["calls.json"]);

    const steps = numbers.toReversed().map((n) => step(`s${n}`, "Slow", { input: { n }, dependsOn: [] }));
    const tools = replayTools(path, { tools: [slow] });
    const result = await runWith(tools, { steps }, { concurrency: 5 });
    expect(result.steps.map(({ output }) => output)).toEqual([40, 30, 20, 10, 0]);
    tools.assertComplete();
  });

  it.each<[string, Tool["outputSchema"], unknown, string]>([
    ["does not fit its schema", z.object({ n: z.number() }), { n: "one" }, "expected number"],
    ["is not JSON", undefined, { list: [0, { n: 1n }] }, "a BigInt is not JSON"],
    ["is a Map", undefined, new Map(), "a value of type Map is not JSON"],
    ["has an Error in a list", undefined, [[new Error("inner")]], "a value of type Error is not JSON"],
    ["is no number", undefined, { n: Number.NEGATIVE_INFINITY }, "-Infinity is not JSON"],
    ["is a function", undefined, () => 1, "a function is not JSON"],
    ["has a symbol", undefined, { s: Symbol("s") }, "a symbol is not JSON"],
    ["is binary", undefined, { b: new Uint8Array(3) }, "binary data is not JSON"],
    ["has no date", undefined, { at: new Date("never") }, "an invalid Date is not JSON"],
    ["has a key for secrets", undefined, { a: { $sealed: 1 } }, "the key $sealed is reserved"],
    ["has a getter that throws", undefined, getter(new TypeError("not\nnow")), "threw: TypeError: not\nnow"],
    ["is a cycle", undefined, cycle(), "nested deeper than 500 levels"],
    ["is too deep", undefined, deep(600), "nested deeper than 500 levels"],
    ["is not JSON though it fits", z.map(z.string(), z.string()), new Map(), "a value of type Map is not JSON"],
  ])("has an output that %s", async (_, outputSchema, returned, message) => {
    const tool = defineTool({
      name: "Odd",
      description: "Odd",
      inputSchema,
      effect: "idempotent",
      outputSchema,
      execute: () => returned,
    } as Tool & {
      outputSchema: undefined;
    });
    const plan = { steps: [step("s1", "Odd")] };
    const live = await runWith(recordTools([tool], path), plan);
    expect(live.error).toMatchObject({ code: "invalid-tool-output" });
    expect(live.error?.message).toContain(message);
    const tools = replayTools(path, { tools: [tool] });
    const { error } = await runWith(tools, plan);
    expect(error).toMatchObject({ code: "invalid-tool-output" });
    expect(error?.message).toBe(live.error?.message);
    expect(pathOf(error)).toEqual(pathOf(live.error));
    tools.assertComplete();
  });

  it("has outputs of 1 MB, and also those that are too large for a run", async () => {
    const tool = createFakeTool({
      name: "Large",
      outcomes: [{ returns: "ü".repeat(500_000) }, { returns: "x".repeat(1_100_000) }],
    });
    const plan = { steps: [step("s1", "Large"), step("s2", "Large", { input: { n: 2 } })] };
    const live = await runWith(recordTools([tool], path), plan);
    expect(live.error).toMatchObject({ code: "invalid-tool-output", details: { stepId: "s2" } });
    const tools = replayTools(path, { tools: [tool] });
    expect(dataOf(await runWith(tools, plan))).toEqual(dataOf(live));
    tools.assertComplete();
  });
});

describe("recordTools", () => {
  it("does not record calls that ended with an error after they were aborted", async () => {
    const clock = createManualClock();
    const tool = createFakeTool({
      name: "Hang",
      outcomes: [{ hangs: "until-aborted" }, { returns: "late", afterMs: 1_500 }, { returns: "soon" }],
      timeoutMs: 1_000,
      clock,
    });
    const agent = createAgent({ tools: recordTools([tool], path), clock });
    const { output } = await clock.runUntil(agent.execute({ steps: [step("s1", "Hang")] }));
    expect(output).toBe("late");
    expect(tool.calls).toHaveLength(2);
    expect((await recorded()).calls).toEqual([{ tool: "Hang", input: {}, output: "late" }]);
    const [direct] = recordTools([tool], path);
    expect(await direct.execute({}, contextOf())).toBe("soon");
    expect((await recorded()).calls).toEqual([{ tool: "Hang", input: {}, output: "soon" }]);

    const [replayed] = replayTools(path, { tools: [tool] });
    const aborted = contextOf(AbortSignal.abort("gone"));
    await expect(replayed?.execute({}, aborted)).rejects.toBe("gone");
    expect(await replayed?.execute({}, contextOf())).toBe("soon");
  });

  it("writes a readable file that is the same each time", async () => {
    const tools = [
      defineTool({
        name: "Weather",
        description: "Current weather",
        inputSchema: z.object({ city: z.string() }),
        outputSchema: z.object({ celsius: z.number() }),
        effect: "pure",
        retry: { maxAttempts: 2, maxTotalMs: Number.POSITIVE_INFINITY },
        circuitBreaker: { maxFailures: 3 },
        result: "celsius",
        needsApproval: true,
        execute: () => ({ celsius: 7, more: 1 }),
        undo: () => {},
      }),
    ] as const;
    const [weather] = recordTools(tools, path);
    await weather.execute({ city: "Oslo" }, contextOf());
    const text = await readFile(path, "utf8");
    expect(text).toMatchInlineSnapshot(`
      "{
        "version": 2,
        "calls": [
          {
            "tool": "Weather",
            "input": {
              "city": "Oslo"
            },
            "output": {
              "celsius": 7
            }
          }
        ]
      }
      "
    `);
    const [again] = recordTools(tools, path);
    await again.execute({ city: "Oslo" }, contextOf());
    expect(await readFile(path, "utf8")).toBe(text);
  });

  it("returns what the tools return, and starts a recording only with a call", async () => {
    const value = { at: new Date(0) };
    const [first] = recordTools([createFakeTool({ name: "A", outcomes: [{ returns: value }] })], path);
    expect(await first.execute({}, contextOf())).toBe(value);
    recordTools([createFakeTool({ name: "B" })], path);
    expect((await recorded()).calls).toEqual([{ tool: "A", input: {}, output: { at: "1970-01-01T00:00:00.000Z" } }]);
  });

  it("records inputs as they were before the tool changed them", async () => {
    const change = defineTool({
      name: "Change",
      description: "Changes its input",
      inputSchema: jsonSchema({ type: "object", properties: { list: { type: "array" } } }),
      effect: "idempotent",
      execute: (input) => (input.list as unknown[] | undefined)?.push("changed"),
    });
    await runWith(recordTools([change], path), { steps: [step("s1", "Change", { input: { list: [1] } })] });
    expect((await recorded()).calls).toEqual([{ tool: "Change", input: { list: [1] }, output: 2 }]);
  });

  it("keeps what planners and runs know of a tool", async () => {
    const shape = { text: z.string().describe("What to say"), size: z.coerce.number().optional() };
    const description = "Says something";
    const tools = [
      defineTool({
        name: "Four",
        description,
        inputSchema: z.object({ ...shape, body: composed(z.string()) }).meta({ title: "Say" }),
        effect: "idempotent",
        outputSchema: z.object({ at: z.date() }).meta({ description: "When" }),
        execute: () => ({ at: new Date(0) }),
      }),
      defineTool({
        name: "Three",
        description,
        inputSchema: z3.object({ text: z3.string().default("hi"), body: composed(z3.string()) }),
        outputSchema: z3.object({ at: z3.date() }),
        effect: "once",
        execute: () => ({ at: new Date(0) }),
      }),
      defineTool({
        name: "Json",
        description,
        inputSchema: jsonSchema({ type: "object", properties: { text: { type: "string", maxLength: 3 } } }),
        effect: () => "pure",
        execute: () => null,
      }),
    ];
    const wrapped = recordTools(tools, path);
    await wrapped[2]?.execute({}, contextOf());
    for (const copies of [wrapped, replayTools(path, { tools })]) {
      const fingerprints = await Promise.all([...copies].map(toolFingerprint));
      expect(fingerprints).toEqual(await Promise.all(tools.map(toolFingerprint)));
      expect([...copies].map((tool) => tool.description)).toEqual([description, description, description]);
    }
  });

  const isShort = async (text: string) => text.length < 5;
  it.each<[string, StandardSchema]>([
    ["zod 4", z.object({ text: z.string().trim().default("none") }).describe("In")],
    ["zod 4, async", z.object({ text: z.string().trim().default("none").refine(isShort) })],
    ["zod mini", mini.object({ text: mini._default(mini.string().check(mini.trim()), "none") })],
    ["zod 3", z3.object({ text: z3.string().trim().default("none") })],
  ])("keeps the schema of %s, and gives the tool what it has parsed", async (_, schema) => {
    const inputs: unknown[] = [];
    const tool: Tool = {
      name: "T",
      description: "Does",
      inputSchema: schema,
      outputSchema: schema,
      effect: (input) => {
        inputs.push(input);
        return "idempotent";
      },
      needsApproval: (input) => inputs.push(input) < 0,
      execute: (input) => {
        inputs.push(input);
        return { text: "out" };
      },
      undo: ({ input }) => void inputs.push(input),
    };
    const [wrapped] = recordTools([tool], path);
    expect(await toolFingerprint(wrapped)).toEqual(await toolFingerprint(defineTool(tool as never)));
    expect(await parseWith(wrapped.inputSchema, { text: 1 })).toEqual(await parseWith(schema, { text: 1 }));
    expect(await parseWith(wrapped.inputSchema, {})).toMatchObject({ ok: true });
    const { status } = await runWith(
      [wrapped, createFakeTool({ name: "Fail", outcomes: [{ throws: { retryable: false } }] })],
      {
        steps: [step("s1", "T", { input: { text: " a " } }), step("s2", "Fail")],
      },
      { undoOnFailure: true },
    );
    expect(status).toBe("failed");
    expect(new Set(inputs.map((input) => JSON.stringify(input)))).toEqual(new Set(['{"text":"a"}']));
    expect((await recorded()).calls.map(({ input }: { input: unknown }) => input)).toEqual([
      { text: "a" },
      { text: "a" },
    ]);
  });

  it("refuses tools with secrets, as the file would have them", () => {
    const secret = sensitive(z.string());
    const withSecret = (inputSchema: StandardSchema, outputSchema?: StandardSchema) =>
      defineTool({
        name: "A",
        description: "Does",
        inputSchema,
        effect: "idempotent",
        outputSchema,
        execute: () => {},
      } as never);
    for (const tool of [
      withSecret(z.object({ key: secret })),
      withSecret(z.object({}), secret),
      withSecret(z3.object({ key: sensitive(z3.string()) })),
    ]) {
      expect(() => recordTools([createFakeTool({ name: "B" }), tool], path)).toThrow(
        'Option "tools" must be tools without sensitive fields, as a recording is not encrypted; received "A".',
      );
    }
  });

  it("fails a call whose parsed input is not JSON, before it is made", async () => {
    let calls = 0;
    const tool = defineTool({
      name: "Group",
      description: "Groups",
      inputSchema: z.object({ names: z.array(z.string()).transform((names) => new Set(names)) }),
      effect: "idempotent",
      execute: () => ++calls,
    });
    const plan = { steps: [step("s1", "Group", { input: { names: ["a"] } })] };
    const { steps, error } = await runWith(recordTools([tool], path), plan);
    expect(error?.message).toContain(
      "The input of Group cannot be recorded, as its schema turns it into something that is not JSON: a value of type Set is not JSON",
    );
    expect(steps[0]?.attempts).toBe(1);
    expect(calls).toBe(0);
  });

  it("fails a call that cannot be written, once, as the tool has been called", async () => {
    const tool = createFakeTool({ name: "A", retry: { maxAttempts: 3 } });
    const result = await runWith(recordTools([tool], folder), { steps: [step("s1", "A")] });
    expect(result.error?.message).toContain(`The recording "${folder}" cannot be written (Error: `);
    expect(tool.calls).toHaveLength(1);
    expect((await readdir(tmpdir())).filter((name) => join(tmpdir(), name).startsWith(`${folder}.`))).toEqual([]);
  });

  it.each<[unknown, unknown, string]>([
    [undefined, "x", 'Option "tools" must be a list of tools; it is missing.'],
    [[{}], "x", 'Option "tools[0].name" must be'],
    [
      [createFakeTool({ name: "A" }), createFakeTool({ name: "A" })],
      "x",
      'Two tools are named "A"; names must be unique.',
    ],
    [[], "", 'Option "path" must be the path of a file; received "".'],
    [[], { path: "x" }, 'Option "path" must be the path of a file; received an object.'],
  ])("refuses %j, %j", (tools, file, message) => {
    expect(() => recordTools(tools as readonly Tool[], file as string)).toThrow(message);
  });
});

function cycle(): unknown {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}

function deep(levels: number): unknown {
  return levels === 0 ? 1 : { next: deep(levels - 1) };
}

function getter(thrown: unknown): unknown {
  return {
    get value() {
      throw thrown;
    },
  };
}

function pathOf(error: RunResult["error"]): unknown {
  const { issues = [] } = (error?.details ?? {}) as { issues?: readonly { path: unknown }[] };
  return issues.map(({ path }) => path);
}
