import { createAgent, createMemoryRunStore, defineTool, type PendingItem, type Tool } from "planwright";
import { describe, expect, it } from "vitest";
import * as z from "zod/v4";

type Question = Extract<PendingItem, { kind: "approval" }>;

/** Agents of one store with one tool; `ran` has what it was called with. */
function agentsWith(inputSchema: z.ZodType, options: Partial<Tool> = {}) {
  const ran: unknown[] = [];
  const store = createMemoryRunStore();
  const tool = {
    name: "Send",
    description: "Sends",
    effect: "once",
    needsApproval: true,
    ...options,
    inputSchema,
    execute: (input: unknown) => ran.push(input),
  } satisfies Tool;
  const create = () => createAgent({ tools: [tool], store, ...(keys && { secrets: { keys } }) });
  const ask = async (input: object) => {
    const result = await create().execute(
      { steps: [{ id: "s", tool: "Send", input: input as never }] },
      { runId: "r" },
    );
    return { result, item: result.pending?.[0] as Question };
  };
  return { ran, create, ask, store };
}
let keys: readonly { id: string; key: Uint8Array }[] | undefined;

let count = 0;
const withDefault = z.object({ to: z.string(), everybody: z.boolean().default(true) });
const forms: readonly { form: string; schema: z.ZodType; given: object; shown: unknown; ran?: unknown }[] = [
  {
    form: "a default",
    schema: withDefault,
    given: { to: "Bob" },
    shown: { to: "Bob", everybody: true },
  },
  {
    form: "a transform",
    schema: z.object({ euros: z.number().transform((euros) => ({ cents: euros * 100 })) }),
    given: { euros: 3 },
    shown: { euros: { cents: 300 } },
  },
  {
    form: "a catch",
    schema: z.object({ limit: z.number().catch(1_000) }),
    given: { limit: "none" },
    shown: { limit: 1_000 },
  },
  {
    form: "a preprocess",
    schema: z.object({ list: z.preprocess((value) => [value].flat(), z.array(z.string())) }),
    given: { list: "a" },
    shown: { list: ["a"] },
  },
  {
    form: "parts that JSON cannot hold, beside a default",
    schema: z.object({
      amount: z.string().transform((text) => BigInt(text)),
      to: z.array(z.string()).transform((names) => new Set(names)),
      extra: z
        .string()
        .default("a")
        .transform((text) => new Map([[text, 1]])),
      fast: z.boolean().default(false),
    }),
    given: { amount: "12", to: ["a"] },
    shown: { amount: "12", to: ["a"], extra: [["a", 1]], fast: false },
    ran: { amount: 12n, to: new Set(["a"]), extra: new Map([["a", 1]]), fast: false },
  },
  {
    form: "big numbers that change places",
    schema: z.object({ from: z.string(), to: z.string() }).transform(({ from, to }) => ({
      from: BigInt(to),
      to: BigInt(from),
    })),
    given: { from: "1", to: "2" },
    shown: { from: "2", to: "1" },
    ran: { from: 2n, to: 1n },
  },
  {
    form: "a list that loses items, with what JSON cannot hold",
    schema: z.object({
      to: z.array(z.string()).transform((names) => names.filter((name) => name !== "a").map((name) => new Set([name]))),
    }),
    given: { to: ["a", "b"] },
    shown: { to: [["b"]] },
    ran: { to: [new Set(["b"])] },
  },
  {
    form: "a date",
    schema: z.object({ day: z.coerce.date() }),
    given: { day: "2026-11-27" },
    shown: { day: "2026-11-27T00:00:00.000Z" },
    ran: { day: new Date("2026-11-27") },
  },
  {
    form: "a whole input that becomes text",
    schema: z.object({ to: z.string() }).transform(({ to }) => `to ${to}`),
    given: { to: "Bob" },
    shown: "to Bob",
  },
];

describe("an approver is shown what runs", () => {
  it.each(forms)("with $form", async ({ schema, given, shown, ran: expected = shown }) => {
    const asked: unknown[] = [];
    const { ran, create, ask } = agentsWith(schema, {
      needsApproval: (input) => asked.push(structuredClone(input)) > 0,
    });
    const { item } = await ask(given);
    expect(item).toMatchObject({ input: shown, given });
    expect(await create().approve("r", item).result).toMatchObject({ status: "completed", steps: [{ input: given }] });
    expect(ran).toEqual([expected]);
    expect(asked[0]).toEqual(expected);
  });

  it("and `given` is left out if it is the same", async () => {
    const { item } = await agentsWith(z.object({ to: z.string() })).ask({ to: "Bob" });
    expect(item.input).toEqual({ to: "Bob" });
    expect(item).not.toHaveProperty("given");
  });

  it("and other input of an approver is parsed as that of the plan was", async () => {
    const { ran, create, ask } = agentsWith(withDefault);
    const { item } = await ask({ to: "Bob" });
    const { result } = create().approve("r", item, { input: { ...item.given, to: "Eve" } });
    expect(await result).toMatchObject({ status: "completed", steps: [{ input: { to: "Eve" } }] });
    expect(ran).toEqual([{ to: "Eve", everybody: true }]);
  });

  it("and an approval of one value is not one of another that the same input is parsed to", async () => {
    let fallback = true;
    const schema = z.object({ everybody: z.boolean().default(() => fallback) });
    const { ran, create, ask } = agentsWith(schema);
    const { item } = await ask({});
    fallback = false;
    const { pending } = await create().approve("r", item).result;
    expect(pending).toMatchObject([{ input: { everybody: false }, given: {} }]);
    expect(await create().approve("r", pending?.[0] as Question).result).toMatchObject({ status: "completed" });
    expect(ran).toEqual([{ everybody: false }]);
  });

  it("and what is parsed to another value each time is asked about twice, then refused with its path", async () => {
    const schema = z.object({ to: z.object({ name: z.string().transform((name) => `${name}-${++count}`) }) });
    const { ran, create, ask } = agentsWith(schema);
    const { item } = await ask({ to: { name: "Bob" } });
    const { pending } = await create().approve("r", item).result;
    const result = await create().approve("r", pending?.[0] as Question).result;
    expect(result).toMatchObject({
      status: "failed",
      error: { code: "invalid-tool-input", details: { issues: [{ path: ["to", "name"] }] } },
    });
    expect(ran).toEqual([]);
  });

  it("and the path is that of a key which is only sometimes there, even if it is null then", async () => {
    const change = () => (++count % 2 === 0 ? { note: null } : {});
    const { create, ask } = agentsWith(z.object({ to: z.string() }).transform((given) => ({ ...given, ...change() })));
    const { item } = await ask({ to: "Bob" });
    const { pending } = await create().approve("r", item).result;
    const result = await create().approve("r", pending?.[0] as Question).result;
    expect(result.error).toMatchObject({ details: { issues: [{ path: ["note"] }] } });
  });

  it("and the policy is asked about the value that each attempt gets", async () => {
    const asked: unknown[] = [];
    const got: unknown[] = [];
    const tool = defineTool({
      name: "Pay",
      description: "Pays",
      inputSchema: z.object({ to: z.string().transform((name) => `${name}-${++count}`) }),
      effect: "idempotent",
      retry: { maxAttempts: 3, minDelayMs: 0 },
      needsApproval: ({ to }) => asked.push(to) < 0,
      execute: ({ to }, { attempt }) => {
        got.push(to);
        if (attempt < 3) throw new Error("again");
      },
    });
    await createAgent({ tools: [tool] }).execute({ steps: [{ id: "s", tool: "Pay", input: { to: "Bob" } }] });
    expect(new Set([...asked, ...got]).size).toBe(1);
    expect(got).toHaveLength(3);
  });

  it("also if the schema makes of it what contains itself", async () => {
    const schema = z
      .object({ name: z.string() })
      .transform((node) => Object.assign(node, { self: node, list: [node] }));
    const { ran, create, ask } = agentsWith(schema);
    const { item } = await ask({ name: "root" });
    expect(item.input).toEqual({ name: "root" });
    expect(await create().approve("r", item).result).toMatchObject({ status: "completed" });
    const [node] = ran as [{ self: unknown; list: unknown[] }];
    expect(node.self).toBe(node);
    expect(node.list[0]).toBe(node);
  });

  it("but for an object of a class, which is shown as it was given, and other input of an approver replaces it", async () => {
    class Money {
      readonly #text: string;
      constructor(text: string) {
        this.#text = text;
      }
      get text() {
        return this.#text;
      }
    }
    const schema = z.object({ sum: z.string().transform((text) => new Money(text)), fast: z.boolean().default(false) });
    const { ran, create, ask } = agentsWith(schema);
    const { item } = await ask({ sum: "1 euro" });
    expect(item.input).toEqual({ sum: "1 euro", fast: false });
    await create().approve("r", item, { input: { sum: "2 euro" } }).result;
    expect((ran as readonly { sum: Money }[]).map(({ sum }) => sum.text)).toEqual(["2 euro"]);
  });

  it("and an input whose difference JSON does not show replaces that of the plan", async () => {
    const schema = z.object({ sum: z.string() }).transform(({ sum }) => new Map([[{}, Symbol(sum)]]));
    const { ran, create, ask } = agentsWith(schema);
    const { item } = await ask({ sum: "1" });
    await create().approve("r", item, { input: { sum: "2" } }).result;
    const texts = (ran as readonly Map<object, symbol>[]).flatMap((sums) => [...sums.values()].map(String));
    expect(texts).toEqual(["Symbol(2)"]);
  });

  const hidden = "[sensitive]";
  it.each([
    ["in another form", (pin: string) => btoa(pin), hidden],
    ["in capitals", (pin: string) => pin.toUpperCase(), hidden],
    ["as the name of a key", (pin: string) => ({ by: { [pin]: true } }), { by: hidden }],
    ["in parts", (pin: string) => ({ parts: pin.split("") }), { parts: [hidden, hidden, hidden] }],
    ["as a number", (pin: string) => [[pin.charCodeAt(0)]], [[hidden]]],
  ])("but for a secret that the schema makes appear %s, however short", async (_form, derive, shown) => {
    keys = [{ id: "k", key: new Uint8Array(32).fill(7) }];
    const schema = z
      .object({ user: z.string(), pin: z.string().meta({ sensitive: true }) })
      .transform(({ user, pin }) => ({ user, made: derive(pin) }));
    const { ran, create, ask, store } = agentsWith(schema);
    try {
      const { item } = await ask({ user: "ada", pin: "q7z" });
      expect(item.input).toEqual({ user: "ada", made: shown });
      expect(JSON.stringify(await store.read("r"))).not.toContain("q7z");
      expect(await create().approve("r", item).result).toMatchObject({ status: "completed" });
      expect(ran).toEqual([{ user: "ada", made: derive("q7z") }]);
    } finally {
      keys = undefined;
    }
  });

  it("but for secrets, wherever the schema moves them", async () => {
    keys = [{ id: "k", key: new Uint8Array(32).fill(7) }];
    const schema = z
      .object({ user: z.string(), pin: z.string().meta({ sensitive: true }), rest: z.boolean().default(true) })
      .transform(({ user, pin, rest }) => ({ user, login: { code: pin }, line: `${user}:${pin}`, rest }));
    const { ran, create, ask, store } = agentsWith(schema);
    try {
      const { item } = await ask({ user: "ada", pin: "4711-0815" });
      expect(item.input).toEqual({ user: "ada", login: { code: "[sensitive]" }, line: "[sensitive]", rest: true });
      expect(item.given).toEqual({ user: "ada", pin: "[sensitive]" });
      expect(await create().approve("r", item).result).toMatchObject({ status: "completed" });
      expect(ran).toEqual([{ user: "ada", login: { code: "4711-0815" }, line: "ada:4711-0815", rest: true }]);
      expect(JSON.stringify(await store.read("r"))).not.toContain("4711");
    } finally {
      keys = undefined;
    }
  });
});
