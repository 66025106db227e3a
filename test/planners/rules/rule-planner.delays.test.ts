import { createAgent, createTodoStore, defineTool } from "planwright";
import { createManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";

const given = { description: "For tests", effect: "idempotent", execute: () => null } as const;
const send = defineTool({
  ...given,
  name: "Send",
  inputSchema: z.object({ to: z.enum(["bob", "ada"]), text: z.string().default("hello") }),
  phrases: ["(greet|say hello to) {to}", "send {text} to {to}"],
});
const lamp = defineTool({
  ...given,
  name: "Lamp",
  inputSchema: z.object({ on: z.boolean() }),
  effect: "idempotent",
  phrases: [
    { phrase: "switch the lamp on", input: { on: true } },
    { phrase: "switch the lamp off", input: { on: false } },
  ],
});
const meter = defineTool({
  ...given,
  name: "Meter",
  inputSchema: z.object({}),
  effect: "pure",
  phrases: ["read the meter"],
});
const booking = defineTool({
  ...given,
  name: "Booking",
  inputSchema: z.object({ room: z.string().default("A"), at: z.iso.datetime({ offset: true }).optional() }),
  phrases: ["book a room"],
});

/** 1 January 2026, 01:00 in Berlin. */
const timeZone = "Europe/Berlin";
const clock = createManualClock();
const agent = createAgent({
  tools: [send, lamp, meter, booking],
  clock,
});

async function outline(request: string) {
  const { steps, version } = await agent.plan(request, { timeZone });
  const shown = steps.map(({ id, tool, wait, dependsOn }) => `${id} ${tool ?? JSON.stringify(wait)} ${dependsOn}`);
  return { version, shown };
}

describe("a request that says when it is to be done", () => {
  it.each([
    ["in two hours, greet bob", "2026-01-01T03:00:00+01:00"],
    ["tomorrow at 8am, greet bob", "2026-01-02T08:00:00+01:00"],
    ["greet bob in two hours", "2026-01-01T03:00:00+01:00"],
    ["greet bob tomorrow at 8am", "2026-01-02T08:00:00+01:00"],
    ["switch the lamp on at 18:30", "2026-01-01T18:30:00+01:00"],
    ['on friday at 5pm send "see you every day at 8" to ada', "2026-01-02T17:00:00+01:00"],
    ["at 18:30 switch the lamp on", "2026-01-01T18:30:00+01:00"],
  ])("waits before a tool without a date: %s", async (request, until) => {
    if (until === undefined)
      return expect(agent.plan(request, { timeZone })).rejects.toMatchObject({ code: "cannot-plan" });
    const { version, shown } = await outline(request);
    expect(version).toBe(2);
    expect(shown).toEqual([`wait {"until":"${until}"} `, expect.stringMatching(/^s1 (Send|Lamp) wait$/)]);
  });

  it("waits once for all wishes after it", async () => {
    const { shown } = await outline("in two hours, switch the lamp on and greet bob");
    expect(shown).toEqual(['wait {"until":"2026-01-01T03:00:00+01:00"} ', "s1 Lamp wait", "s2 Send s1"]);
  });

  it.each([
    ["a day alone has no time", "greet bob tomorrow"],
    ["the hour may be before or after noon", "greet bob tomorrow at 8"],
    ["what only asks is asked now", "in two hours, read the meter"],
    ["it may be of the last wish alone", "switch the lamp on and greet bob in two hours"],
    ["a deadline is no time to wait for", "by tomorrow at 8, greet bob"],
    ["it is more than once", "greet bob every day at 8"],
    ["two times are said", "on friday at 5pm greet bob at 7pm"],
    ["a range has two times", "greet bob tomorrow from 8 to 9"],
    ["there is nothing else", "in two hours"],
    ["the rest is not understood", "in two hours, dance"],
  ])("is refused where %s", async (_why, request) => {
    await expect(agent.plan(request, { timeZone })).rejects.toMatchObject({ code: "cannot-plan" });
  });

  it("is left to a tool that has dates, if one understands it", async () => {
    const withTodos = createAgent({ tools: [send, createTodoStore()], clock });
    const { steps } = await withTodos.plan("in two hours, remind me to buy milk", { timeZone });
    expect(steps.map(({ tool }) => tool)).toEqual(["TodoStore"]);
  });

  it("waits with a plan that is valid, and runs", async () => {
    const run = agent.start("in two hours, greet bob", { timeZone });
    expect(await run.result).toMatchObject({ status: "suspended", pending: [{ kind: "wait" }] });
    await clock.advance(2 * 3_600_000);
    expect(await agent.resume(run.runId)).toMatchObject({ status: "completed" });
  });
});
