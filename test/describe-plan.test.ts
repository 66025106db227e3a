import fc from "fast-check";
import { createAgent, defineTool, describeCall, describePlan, sensitive } from "planwright";
import { jsonSchema } from "planwright/schemas";
import { describe, expect, it } from "vitest";
import { z as zod3 } from "zod/v3";
import { z } from "zod/v4";
import type { AnyPlan } from "../src/core/plan.ts";

const text = z.object({ text: z.string().optional() });
const tools = [
  defineTool({
    name: "Find",
    description: "d",
    inputSchema: text,
    effect: "idempotent",
    execute: () => ({ rows: [] }),
  }),
  defineTool({
    name: "Pay",
    description: "d",
    inputSchema: text,
    effect: "once",
    needsApproval: true,
    execute: () => 1,
  }),
  defineTool({
    name: "Send",
    description: "d",
    inputSchema: text,
    effect: "idempotent",
    needsApproval: () => true,
    execute: () => 1,
  }),
];
const lines = (plan: AnyPlan, given: Parameters<typeof describePlan>[1]["tools"] = tools) =>
  describePlan(plan, { tools: given }).split("\n");

describe("describePlan", () => {
  it("says what will run, under which conditions, and what it waits for", () => {
    const steps = [
      { id: "find", tool: "Find", input: { text: "open" }, reasoning: "Find what is open" },
      { id: "pay", tool: "Pay", input: { text: "${item.id}" }, forEach: "find.rows", when: "item.due", concurrency: 2 },
      { id: "s", tool: "Send", input: { text: "${pay[0].id}" }, dependsOn: [], reasoning: "Tell Ada" },
    ];
    expect(describePlan({ steps }, { tools })).toBe(`find  Find what is open
      Find {"text":"open"}
pay   Pay {"text":"\${item.id}"}
      if item.due
      for each find.rows, 2 at a time
      once, asks first, after find
s     Tell Ada
      Send {"text":"\${pay[0].id}"}
      may ask first, after pay`);
  });

  it.each([
    [{ forMs: 1_209_600_000 }, "wait for 14 days"],
    [{ forMs: 3_631_050 }, "wait for 1 hour 31 seconds 50 ms"],
    [{ forMs: 0 }, "wait for 0 ms"],
    [{ until: "2026-12-01T09:00:00Z" }, "wait until 2026-12-01T09:00:00Z"],
    [{ until: { $ref: "a.due" } }, "wait until a.due"],
    [{ event: "paid" }, 'wait for the event "paid", without a time limit'],
    [{ event: "paid", timeoutMs: 7_200_000 }, 'wait for the event "paid", at most 2 hours'],
  ])("says what %j waits for", (wait, expected) => {
    const steps = [{ id: "w", wait, when: "true" }];
    expect(lines({ steps } as never).slice(0, 2)).toEqual([`w  ${expected}`, "   if true"]);
  });

  it("calls a tool unknown that is not among the tools, and shows each step in lines of its own", () => {
    const evil = "a\n   Pay {}\u202e";
    const steps = [{ id: "s1", tool: "No", input: { text: evil }, reasoning: evil }];
    expect(lines({ steps })).toEqual([
      "s1  a\\n   Pay {}\\u202e",
      '    No {"text":"a\\n   Pay {}\\u202e"}',
      "    unknown tool",
    ]);
  });

  it("hides sensitive values, also where a reasoning repeats them", () => {
    const inputSchema = z.object({
      user: z.object({ pin: sensitive(z.string()) }),
      for: sensitive(z.string()).optional(),
    });
    const login = defineTool({ name: "Login", description: "d", inputSchema, effect: "idempotent", execute: () => 1 });
    const steps = [
      { id: "a", tool: "Login", input: { user: { $literal: { pin: "hunter22" } } }, reasoning: "Log in with hunter22" },
      { id: "b", tool: "Login", input: { user: { pin: "${a.pin}" }, for: { $ref: "a.x" } }, reasoning: "Not hunter22" },
    ];
    expect(lines({ steps }, [login])).toEqual([
      "a  Log in with [sensitive]",
      '   Login {"user":{"$literal":{"pin":"[sensitive]"}}}',
      "b  Not [sensitive]",
      '   Login {"user":{"pin":"[sensitive]"},"for":{"$ref":"a.x"}}',
      "   after a",
    ]);
  });

  it("hides a secret where a condition, a loop, a wait or a dependency repeats it", () => {
    const inputSchema = z.object({ pin: sensitive(z.string()) });
    const login = defineTool({ name: "Login", description: "d", inputSchema, effect: "idempotent", execute: () => 1 });
    const steps = [
      { id: "w", wait: { event: "hunter22" }, when: '"hunter22" == 1' },
      { id: "a", tool: "Login", input: { pin: "hunter22" }, forEach: '["hunter22"]', dependsOn: ["hunter22"] },
    ];
    expect(lines({ steps }, [login])).toEqual([
      'w  wait for the event "[sensitive]", without a time limit',
      '   if "[sensitive]" == 1',
      'a  Login {"pin":"[sensitive]"}',
      '   for each ["[sensitive]"]',
      "   after [sensitive]",
    ]);
  });

  it.each<[unknown, string[]]>([
    [{ text: "pay" }, ["once"]],
    [{ text: { $literal: "pay" } }, ["once"]],
    [{ text: "list" }, []],
    [{ text: { $ref: "x.y" } }, ["may run only once, after x"]],
    [{ text: 5 }, ["may run only once"]],
    [{ text: "fail" }, ["may run only once"]],
  ])("says whether a call with the input %j runs only once", (input, expected) => {
    const effect = ({ text: given }: { text?: string | undefined }) => {
      if (given === "fail") throw new Error("no");
      return given === "pay" ? "once" : "pure";
    };
    const bank = defineTool({ name: "Bank", description: "d", inputSchema: text, effect, execute: () => 1 });
    const steps = [{ id: "a", tool: "Bank", input }];
    expect(lines({ steps } as never, [bank]).slice(1)).toEqual(expected.map((fact) => `   ${fact}`));
  });

  it.each<[unknown, unknown, string]>([
    [Promise.resolve(), { tools }, 'Option "plan" must be an object; received a Promise: await it.'],
    [{}, { tools }, 'Option "plan.steps" must be an array of steps; it is missing.'],
    [{ steps: [null] }, { tools }, 'Option "plan.steps" must be a list of steps, each with an id'],
    [
      { steps: [{ id: "a", tool: "Pay", input: {}, dependsOn: {} }] },
      { tools },
      'Option "plan.steps" must be a list of steps',
    ],
    [{ steps: [{ id: "a", wait: null }] }, { tools }, 'Option "plan.steps" must be a list of steps'],
    [{ steps: [] }, undefined, "describePlan(plan, { tools: … })"],
    [{ steps: [] }, { tool: tools }, 'Unknown option "tool". Did you mean "tools"?'],
    [{ steps: [] }, {}, 'Option "tools" must be a list of tools; it is missing.'],
  ])("refuses the plan %j with the options %j", (plan, options, message) => {
    const refused = expect.objectContaining({ code: "invalid-options", message: expect.stringContaining(message) });
    expect(() => describePlan(plan as never, options as never)).toThrow(refused);
  });

  it.each([
    ["a mark that does not say of which part", { properties: { pin: { not: { not: { sensitive: true } } } } }],
    [
      "a mark behind an anchor",
      { properties: { pin: { $ref: "#s" } }, $defs: { s: { $anchor: "s", sensitive: true } } },
    ],
  ])("hides an input with %s", (_name, schema) => {
    const inputSchema = jsonSchema<unknown>({ type: "object", ...schema });
    const login = defineTool({ name: "Login", description: "d", inputSchema, effect: "idempotent", execute: () => 1 });
    const steps = [{ id: "a", tool: "Login", input: { pin: "hunter22" } }];
    expect(lines({ steps }, [login] as never).join()).toMatch(/^a {2}Login .*\[sensitive\]/);
    expect(lines({ steps }, [login] as never).join()).not.toContain("hunter22");
  });

  it("hides each field of an input whose schema of zod 3 it cannot read yet, and shows references", () => {
    const inputSchema = zod3.object({ user: zod3.string(), pin: sensitive(zod3.string()) });
    const login = defineTool({ name: "Login", description: "d", inputSchema, effect: "idempotent", execute: () => 1 });
    const steps = [{ id: "a", tool: "Login", input: { user: { $ref: "w.user" }, pin: "hunter22" } }];
    expect(lines({ steps }, [login])).toEqual([
      'a  Login {"user":{"$ref":"w.user"},"pin":"[sensitive]"}',
      "   after w",
    ]);
  });
});

describe("a call in words", () => {
  const inputSchema = z.object({
    to: z.string(),
    euros: z.number(),
    at: z.iso.datetime({ offset: true }).optional(),
    pin: sensitive(z.string()).optional(),
  });
  const phrases = ["send {euros} euros to {to}", "pay {to} {euros} euros"];
  const create = (options: object = {}) =>
    defineTool({ name: "Transfer", description: "d", inputSchema, phrases, execute: () => 1, ...options });
  const say = (input: object, options?: object) =>
    describeCall({ tool: "Transfer", input }, { tools: [create(options)] });
  const ada = { to: "Ada", euros: 20 };

  it("is that of the tool's first phrase that has all of it, with the call beneath", async () => {
    const transfer = create({ inputSchema: inputSchema.omit({ pin: true }) });
    const plan = await createAgent({ tools: [transfer] }).plan("Pay Ada 20 euros");
    expect(lines(plan, [transfer])).toEqual([
      "s1  send 20 euros to Ada",
      '    Transfer {"to":"Ada","euros":20}',
      "    once",
    ]);
    const reasoned = plan.steps.map((step) => ({ ...step, reasoning: "She paid for lunch" }));
    expect(lines({ ...plan, steps: reasoned }, [transfer]).at(-1)).toBe("    reasoning: She paid for lunch");
  });

  it.each([
    [{ list: ["salt", "pepper"] }, "buy salt and pepper"],
    [{ list: ["salt and pepper"] }, 'buy "salt and pepper"'],
    [{ list: ["salt\u00a0and pepper", "the rest"] }, 'buy "salt\u00a0and pepper" and "the rest"'],
    [{ list: ["a", "", { $ref: "s1.name" }, "b"] }, 'buy a, "", the name of step 1 and b'],
    [{ list: [] }, "shop, list: []"],
    [{ list: [["a"]] }, 'shop, list: [["a"]]'],
    [{ who: 'Ada "Ace", Countess' }, 'tell “Ada "Ace", Countess”'],
    [{ who: 'Ada "Ace“, Countess' }, 'tell "Ada \\"Ace“, Countess"'],
    [{ who: "" }, 'tell ""'],
    [{ who: "its number" }, 'tell "its number"'],
    [{ who: { $ref: "item.name" } }, "tell the name of each item"],
    [{ who: "${item}" }, "tell each item"],
    [{ who: { $ref: "index" } }, "tell its number"],
    [{ minutes: 120 }, "wait 120 minutes"],
    [{ minutes: 1 }, "wait 1 minute"],
    [{ boxes: 2 }, "pack 2 boxes, please"],
    [{ boxes: 1 }, "pack 1 box, please"],
    [{ boxes: { $ref: "s1.count" } }, "pack the count of step 1 boxes, please"],
    [{ at: "2026-12-04T16:00:00Z" }, "come friday 4 december 2026 at 16:00 UTC"],
    [{ at: "2026-12-04T16:00:00+01:00" }, "come friday 4 december 2026 at 16:00 +01:00"],
    [{ at: "2026-12-04T16:00" }, "come friday 4 december 2026 at 16:00"],
    [{ at: "2026-12-04T16:00:30.5Z" }, "come friday 4 december 2026 at 16:00:30.5 UTC"],
    [{ at: "2026-02-30T16:00:00Z" }, "come 2026-02-30T16:00:00Z"],
    [{ at: "2026" }, "come 2026"],
    [
      { who: { $ref: "s1.x" }, list: ["${item.name} B"] },
      'shop, who: the x of step 1, list: ["the name of each item B"]',
    ],
  ])("says the input %j unmistakably", (input, expected) => {
    expect(shop(input)).toBe(expected);
  });

  const fields = z.object({
    ...{ list: z.array(z.string()), who: z.string(), minutes: z.int(), boxes: z.int() },
    at: z.iso.datetime({ offset: true, local: true }),
  });
  const shopTool = create({
    name: "Shop",
    inputSchema: fields.partial(),
    phrases: [
      ...["buy {list}", "tell {who}", "wait {minutes} (hour|minute|minutes)", "pack {boxes} box[es], please"],
      "come {at}",
    ],
  });
  const shop = (input: object) => describeCall({ tool: "Shop", input }, { tools: [shopTool] });

  it("is never the same for two lists", () => {
    const word = fc.constantFrom("salt", "pepper", "and", " and ", ",", ", ", " ", "“", "”", "the ", "1", "");
    const list = fc.array(
      fc.array(word, { maxLength: 4 }).map((words) => words.join("")),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(list, list, (one, other) => {
        expect(shop({ list: one }) === shop({ list: other })).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it.each([
    ["../2026-12-03", "cancel bookings until thursday 3 december 2026"],
    ["2026-12-04/..", "cancel bookings from friday 4 december 2026"],
    ["2026-12-04/2026-12-06", "cancel bookings friday 4 december 2026 to sunday 6 december 2026"],
    ["2026-12-04/2026-12-04", "cancel bookings friday 4 december 2026"],
  ])("says the days of %s", (days, said) => {
    const cancel = defineTool({
      name: "Cancel",
      description: "d",
      inputSchema: z.object({ days: z.string().meta({ slot: "range" }) }),
      phrases: ["cancel bookings {days}"],
      execute: () => 1,
    });
    expect(describeCall({ tool: "Cancel", input: { days } }, { tools: [cancel] })).toBe(said);
  });

  it("says references and times, and is by names where no phrase has all of it", () => {
    expect(say({ to: "Ada", euros: { $ref: "s1.value" } })).toBe("send the value of step 1 euros to Ada");
    expect(say({ ...ada, at: "2026-12-04T17:00:00+05:00" })).toBe(
      "send 20 euros to Ada friday 4 december 2026 at 17:00 +05:00",
    );
    expect(say({ to: "Ada" })).toBe("transfer, to: Ada");
    expect(say(ada, { phrases: [] })).toBe("transfer, to: Ada, euros: 20");
    expect(describeCall({ tool: "No", input: ada }, { tools: [] })).toBe("no, to: Ada, euros: 20");
    expect(describeCall({ tool: "No", input: "[hidden]" }, { tools: [] })).toBe("no");
  });

  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;

  it.each<[string, unknown, unknown, string]>([
    ["no call", undefined, { tools }, "describeCall takes an object: write describeCall({ tool: …, input: … }"],
    ["a promise", Promise.resolve(), { tools }, "await it"],
    ["no tool", {}, { tools }, 'Option "call.tool" must be text; it is missing.'],
    ["a number for a tool", { tool: 5 }, { tools }, 'Option "call.tool" must be text'],
    ["a cycle", { tool: "No", input: cyclic }, { tools }, 'Option "call" must be JSON'],
    ["a bigint", { tool: "No", input: { a: 1n } }, { tools }, 'Option "call" must be JSON'],
    ["no options", { tool: "No" }, undefined, "describeCall(call, { tools: … })"],
    ["no tools", { tool: "No" }, {}, 'Option "tools" must be a list of tools; it is missing.'],
    ["unknown options", { tool: "No" }, { tools, tool: 1 }, 'Unknown option "tool". Did you mean "tools"?'],
  ])("refuses %s", (_name, call, options, message) => {
    const refused = expect.objectContaining({ code: "invalid-options", message: expect.stringContaining(message) });
    expect(() => describeCall(call as never, options as never)).toThrow(refused);
    expect(describeCall({ tool: "No", input: undefined }, { tools: [null as never] })).toBe("no");
    const steps = [{ id: "s", tool: "No", input: cyclic }];
    expect(() => describePlan({ steps } as never, { tools })).toThrow('Option "plan.steps" must be a list of steps');
  });

  it.each<[string, unknown, string]>([
    ["a text", () => "give Ada money", "give Ada money"],
    ["1 MB", () => "x".repeat(1e6), `${"x".repeat(299)}…`],
    ["nothing", () => undefined, "send 20 euros to Ada"],
    ["an empty text", () => " ", "send 20 euros to Ada"],
    ["a promise that rejects", () => Promise.reject(new Error("no")), "send 20 euros to Ada"],
    [
      "an error",
      () => {
        throw new Error("no");
      },
      "send 20 euros to Ada",
    ],
    ["a change of its input", (input: { to: string }) => Object.assign(input, { to: "Eve" }).to, "Eve"],
  ])("is that of the tool's describeCall, or else of its phrases: %s", (_name, own, expected) => {
    const input = { ...ada };
    expect(say(input, { describeCall: own })).toBe(expected);
    expect(input).toEqual(ada);
  });

  it("passes references to describeCall in words, and no secret", () => {
    const seen: unknown[] = [];
    const own = (input: object) => String(seen.push(input));
    say({ to: "${s1.name} B", euros: { $ref: "s2" }, pin: "hunter22" }, { describeCall: own });
    expect(seen).toEqual([{ to: "the name of step 1 B", euros: "the whole result of step 2", pin: "[sensitive]" }]);
    expect(say({ ...ada, pin: "hunter22" })).toBe("transfer, to: Ada, euros: 20, pin: [sensitive]");
  });

  it("leaves out a group of which nothing has to be said, and plans and refuses with it", async () => {
    const polite = create({ phrases: ["send {euros} euros to {to} ([very] [kindly])"] });
    expect(describeCall({ tool: "Transfer", input: ada }, { tools: [polite] })).toBe("send 20 euros to Ada");
    await expect(createAgent({ tools: [polite] }).plan("forward Ada")).rejects.toMatchObject({ code: "cannot-plan" });
  });

  it("is by names for phrases that have yet to be loaded, and that cannot be", async () => {
    const later = create({ phrases: async () => phrases });
    const call = { tool: "Transfer", input: ada };
    expect(describeCall(call, { tools: [later] })).toBe("transfer, to: Ada, euros: 20");
    await createAgent({ tools: [later] }).plan("pay Ada 20 euros");
    expect(describeCall(call, { tools: [later] })).toBe("send 20 euros to Ada");
    expect(say(ada, { phrases: () => Promise.reject(new Error("no")) })).toBe("transfer, to: Ada, euros: 20");
  });

  const share = z.object({
    file: z.string(),
    everybody: z.boolean().default(true),
    note: z.string().default("a\u202eb"),
    options: z.object({ level: z.number().nullable().default(null), on: z.boolean() }).optional(),
    key: sensitive(z.string()).default("hunter22"),
  });
  const sharing = (inputSchema: unknown) =>
    defineTool({ name: "Share", description: "d", inputSchema, effect: "idempotent", execute: () => 1 } as never);

  it.each<[string, unknown, string]>([
    [
      "fields",
      { file: "x", options: { on: true } },
      "options.level: none, everybody: yes, note: a\\u202eb, key: [sensitive], by default",
    ],
    ["fields beside references", { file: { $ref: "a.x" }, note: "n" }, "everybody: yes, key: [sensitive], by default"],
    ["none", { file: "x", everybody: false, note: "", key: "k" }, "after a"],
  ])("is followed by what the schema adds: %s", (_name, input, expected) => {
    const steps = [
      { id: "a", tool: "No", input: {} },
      { id: "s", tool: "Share", input },
    ] as never;
    const found = lines({ steps }, [sharing(share)] as never);
    expect(
      found
        .find((line) => line.endsWith(expected.split(", ").at(-1) ?? ""))
        ?.trim()
        .split(", ")
        .sort(),
    ).toEqual(expected.split(", ").sort());
  });

  it("is followed by the defaults of items, of unions and of records, and by nothing that a transform adds", () => {
    const item = z.object({ name: z.string(), unit: z.string().default("kg") });
    const schema = z
      .object({
        items: z.array(item),
        by: z.union([z.object({ id: z.number(), fast: z.boolean().default(false) }), z.object({ name: z.string() })]),
        named: z.record(z.string(), item),
        note: item.nullable(),
      })
      .transform((value) => ({ ...value, total: value.items.length }));
    const named = { name: "a" };
    const input = { items: [{ ...named, unit: "g" }, named], by: { id: 1 }, named: { x: named }, note: named };
    expect(describeCall({ tool: "Share", input }, { tools: [sharing(schema)] as never })).toMatch(
      / \(items\.1\.unit: kg, by\.fast: no, named\.x\.unit: kg, note\.unit: kg, by default\)$/,
    );
  });

  it("has no part of a secret that a schema makes something of", async () => {
    const parsed: unknown[] = [];
    const cards = z
      .object({
        card: sensitive(z.string()),
        pin: sensitive(z.string()).default("hunter22"),
        on: z.boolean().default(true),
      })
      .transform((value) => {
        parsed.push(value);
        return { ...value, last4: value.card.slice(-4), up: `card ${value.card}` };
      });
    const tool = defineTool({ name: "Charge", description: "d", inputSchema: cards, execute: () => 1 });
    const plan = { steps: [{ id: "s", tool: "Charge", input: { card: "4111-9876" } }] };
    const words = describeCall(plan.steps[0] as never, { tools: [tool] });
    expect(words).toBe("charge, card: [sensitive] (pin: [sensitive], on: yes, by default)");
    expect(describePlan(plan, { tools: [tool] })).not.toContain("9876");
    expect(parsed).toEqual([]);
    const secrets = { keys: [{ id: "k1", key: new Uint8Array(32).fill(7) }] };
    const { steps } = await createAgent({ tools: [tool], secrets }).dryRun(plan as never);
    expect(steps[0]?.defaults).toEqual({ pin: "[sensitive]", on: true });
  });

  it("is followed by nothing that the schema adds to what is only read, unless that asks first", () => {
    const added = (options: object) =>
      lines({ steps: [{ id: "s", tool: "Share", input: { file: "x" } }] }, [
        { ...sharing(share), ...options },
      ] as never)[1];
    expect([added({ effect: "pure" }), added({ effect: "pure", needsApproval: true }), added({})]).toEqual([
      undefined,
      expect.stringContaining("everybody: yes"),
      expect.stringContaining("everybody: yes"),
    ]);
  });

  it("shows what a schema of zod 3 adds, and what it may hide until it is read", () => {
    const plain = zod3.object({ file: zod3.string(), everybody: zod3.boolean().default(true) });
    const secret = zod3.object({ file: zod3.string(), key: sensitive(zod3.string()).default("hunter22") });
    const added = (schema: unknown) =>
      lines({ steps: [{ id: "s", tool: "Share", input: { file: "x" } }] }, [sharing(schema)] as never)[1];
    expect([added(plain), added(secret)]).toEqual(["   everybody: yes, by default", "   key: [sensitive], by default"]);
  });
});
