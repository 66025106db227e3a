import fc from "fast-check";
import { createAgent, defineTool, isAgentError, type PlanInput, sensitive, validatePlan } from "planwright";
import { describe, expect, it } from "vitest";
import { z as z3 } from "zod/v3";
import * as z from "zod/v4";

const send = defineTool({
  name: "Send",
  description: "Sends a text",
  inputSchema: z.object({ text: z.string() }),
  effect: "idempotent",
  outputSchema: z.object({ at: z.date(), count: z.number() }),
  execute: () => ({ at: new Date(0), count: 1 }),
});
const events = {
  paid: z.object({ euros: z.number(), by: z.string().transform((name) => ({ name })) }),
  seen: z3.object({ page: z3.string() }),
  odd: { "~standard": { version: 1, vendor: "v", validate: (value: unknown) => ({ value }) } } as const,
};
const tools = [send];
const sending = (text: unknown, more = {}) => ({ id: "s", tool: "Send", input: { text }, ...more });
const ref = ($ref: string) => ({ $ref });

async function issuesOf(...steps: object[]): Promise<readonly string[]> {
  return (await validatePlan({ steps }, { tools, events })).map(({ code, path }) => `${code} at ${path.join(".")}`);
}

describe("a plan with waits", () => {
  it.each<[string, object[], string[]]>([
    ["an unknown event", [{ id: "w", wait: { event: "payd" } }], ["unknown-event at steps.0.wait.event"]],
    [
      "a part that the event lacks",
      [{ id: "w", wait: { event: "paid" } }, sending("${w.nope}")],
      ["invalid-reference at steps.1.input.text"],
    ],
    [
      "a part that an event of zod 3 lacks",
      [{ id: "w", wait: { event: "seen" } }, sending(ref("w.nope"))],
      ["invalid-reference at steps.1.input.text"],
    ],
    [
      "a part that a condition reads",
      [{ id: "w", wait: { event: "paid" } }, sending("x", { when: "w.nope > 1" })],
      ["invalid-reference at steps.1.when"],
    ],
    [
      "a number in place of text",
      [{ id: "w", wait: { event: "paid" } }, sending(ref("w.euros"))],
      ["reference-type at steps.1.input.text"],
    ],
    [
      "a part of an instant",
      [{ id: "w", wait: { forMs: 5 } }, sending("${w.day}")],
      ["invalid-reference at steps.1.input.text"],
    ],
    ["an instant as text", [{ id: "w", wait: { forMs: 5 } }, sending(ref("w"))], []],
    ["the values that an event has", [{ id: "w", wait: { event: "paid" } }, sending("${w.euros} ${w.by}")], []],
    ["any part of what has no JSON Schema", [{ id: "w", wait: { event: "odd" } }, sending("${w.a.b}")], []],
    ["an instant of a tool", [sending("x"), { id: "w", wait: { until: ref("s.at") } }], []],
    [
      "an instant that is a number",
      [sending("x"), { id: "w", wait: { until: ref("s.count") } }],
      ["reference-type at steps.1.wait.until"],
    ],
    [
      "an instant that there is not",
      [sending("x"), { id: "w", wait: { until: ref("s.nope") } }],
      ["invalid-reference at steps.1.wait.until"],
    ],
  ])("is checked for %s", async (_name, steps, expected) => {
    expect(await issuesOf(...steps)).toEqual(expected);
  });

  it("is told what an unknown event was probably meant to be", async () => {
    const [issue] = await validatePlan({ steps: [{ id: "w", wait: { event: "payd" } }] }, { tools, events });
    expect(issue?.message).toBe('There is no event "payd". Did you mean "paid"? Available events: paid, seen, odd.');
  });

  it("may wait for any event, with any value, where no events are given", async () => {
    const steps = [{ id: "w", wait: { event: "payd" } }, sending("${w.nope}")];
    expect(await validatePlan({ steps }, { tools })).toEqual([]);
  });

  it.each<[string, unknown]>([
    ["of another name", { "a b": z.string() }],
    ["that are sensitive", { paid: sensitive(z.string()) }],
    ["in a map", new Map([["paid", z.string()]])],
    ["in a list", []],
    ["in a promise", Promise.resolve({ paid: z.string() })],
    ["in an instance", new (class Events {})()],
    ["that are text", "paid"],
  ])("is refused with events %s, as an agent is", async (_name, given) => {
    const refusal = { code: "invalid-options", message: expect.stringMatching(/^Option "events.* must be .*received/) };
    await expect(validatePlan({ steps: [] }, { tools, events: given as never })).rejects.toMatchObject(refusal);
    expect(() => createAgent({ tools, events: given as never })).toThrow(expect.objectContaining(refusal));
  });

  it.each([new Map([["Send", send]]), Promise.resolve(tools), { send }, undefined])(
    "is refused with tools that are no list: %o",
    async (given) => {
      await expect(validatePlan({ steps: [] }, { tools: given as never })).rejects.toMatchObject({
        code: "invalid-options",
        details: { option: "tools" },
      });
    },
  );
});

describe("a day that the calendar does not have", () => {
  const days = fc.tuple(fc.integer({ min: 1, max: 9_999 }), fc.nat({ max: 14 }), fc.nat({ max: 33 })).map((parts) => {
    const [year, month, day] = parts.map((part, index) => String(part).padStart(index === 0 ? 4 : 2, "0"));
    return `${year}-${month}-${day}`;
  });
  /** The rule of the calendar, without `Date`. */
  const exists = (text: string) => {
    const [year = 0, month = 0, day = 0] = text.split("-").map(Number);
    const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
    const last = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
    return day >= 1 && day <= last;
  };

  it("is no instant to wait for", async () => {
    await fc.assert(
      fc.asyncProperty(days, fc.constantFrom("Z", "+14:00", "-09:30"), async (day, zone) => {
        const found = await issuesOf({ id: "w", wait: { until: `${day}T08:00:00${zone}` } });
        expect(found).toEqual(exists(day) ? [] : ["invalid-input at steps.0.wait.until"]);
      }),
      { numRuns: 500 },
    );
  });

  it("is no instant that a tool may give, and no time of a list", async () => {
    const when = defineTool({
      name: "When",
      description: "Gives a time",
      inputSchema: z.object({}),
      effect: "idempotent",
      execute: () => ({ at: "2027-04-31T12:00:00Z" }),
    });
    const agent = createAgent({ tools: [when] });
    const steps = [
      { id: "s", tool: "When" },
      { id: "w", wait: { until: { $ref: "s.at" } } },
    ] as const;
    expect(await agent.execute({ steps })).toMatchObject({ status: "failed", error: { code: "invalid-tool-input" } });
    await expect(agent.listRuns({ since: "2027-02-30" })).rejects.toMatchObject({ code: "invalid-options" });
    await expect(agent.prune({ before: "2027-02-30" })).rejects.toMatchObject({ code: "invalid-options" });
  });
});

/** Small plans of waits and calls, most of them wrong in some way. */
const plans = fc
  .array(
    fc.record({
      kind: fc.constantFrom("call", "event", "time", "until"),
      event: fc.constantFrom("paid", "seen", "odd", "payd"),
      path: fc.constantFrom("", ".euros", ".by", ".by.name", ".page", ".at", ".count", ".nope", "[0]"),
      back: fc.integer({ min: 1, max: 2 }),
      isTemplate: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => {
    const steps = parts.map(({ kind, event, path, back, isTemplate }, index) => {
      const id = `s${index}`;
      const from = index - back;
      const text = `s${from}${path}`;
      const value = from < 0 ? "plain" : isTemplate ? `\${${text}}` : { $ref: text };
      if (kind === "call") return { id, tool: "Send", input: { text: value } };
      if (kind === "event") return { id, wait: { event } };
      return {
        id,
        wait: kind === "time" ? { forMs: 3_600_000 } : { until: from < 0 ? "2020-01-01T00:00:00Z" : value },
      };
    });
    return { steps } as unknown as PlanInput;
  });

it("validatePlan finds all that execute refuses, and a valid plan reads only what its events have", async () => {
  const values = { paid: { euros: 3, by: "Ann" }, seen: { page: "home" }, odd: { euros: 1 } };
  let suspended = 0;
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const agent = createAgent({ tools, events });
      const issues = await validatePlan(plan, { tools, events });
      const run = await agent.execute(plan, { runId: "run" }).catch((thrown: unknown) => thrown);
      expect(isAgentError(run, "invalid-plan") ? run.details.issues : []).toEqual(issues);
      if (issues.length > 0) return;
      let result = run as Awaited<ReturnType<typeof agent.execute>>;
      for (let round = 0; result.pending?.[0]?.kind === "wait" && round < 4; round++) {
        const { event } = result.pending[0];
        if (event === undefined) break;
        suspended++;
        const value = values[event as keyof typeof values];
        result = await agent.deliver("run", event, value, { id: String(round) }).result;
      }
      const isOdd = JSON.stringify(plan).includes('"odd"');
      if (!isOdd) expect(result.error?.code).not.toBe("invalid-reference");
    }),
    { numRuns: 400 },
  );
  expect(suspended).toBeGreaterThan(20);
});
