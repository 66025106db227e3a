import {
  AgentError,
  createAgent,
  createFallbackPlanner,
  createRulePlanner,
  defineTool,
  type Planner,
  type QuestionItem,
  type RunResult,
  sensitive,
} from "planwright";
import { createScriptedPlanner } from "planwright/testing";
import { expect, it } from "vitest";
import * as z from "zod/v4";
import { createTalkAgent } from "./talk-agent.ts";

function createHotel() {
  const booked: object[] = [];
  const field = {
    guest: z.string(),
    nights: z.number().int().min(1).max(30),
    view: z.enum(["sea", "garden", "street"]),
    day: z.iso.date(),
    at: z.iso.datetime(),
    pin: sensitive(z.string()),
  };
  const toolOf = <const TName extends keyof typeof field>(
    name: string,
    fields: readonly TName[],
    phrases: readonly string[],
  ) =>
    defineTool({
      name,
      description: name,
      inputSchema: z.object(Object.fromEntries(fields.map((each) => [each, field[each]]))),
      effect: "idempotent",
      phrases,
      execute: (input) => {
        booked.push(input);
        return null;
      },
    });
  const tools = [
    toolOf("Greet", ["guest"], ["greet [the] guest {guest}"]),
    toolOf("Extend", ["guest", "nights"], ["extend {guest} by {nights} nights"]),
    toolOf("Choose", ["guest", "view"], ["choose [a] room with {view} view for {guest}"]),
    toolOf("Clean", ["guest", "day"], ["clean for {guest} on {day}"]),
    toolOf("Wake", ["guest", "at"], ["wake {guest} {at}"]),
    toolOf("Unlock", ["guest", "pin"], ["unlock for {guest} with {pin}"]),
  ];
  return { tools, booked };
}

const questionOf = ({ pending = [] }: RunResult) =>
  pending.find((item): item is QuestionItem => item.kind === "question");

it.each<[line: string, display: string, schema: object, answer: string, input: object]>([
  ["extend by 3 nights", "text", { type: "string" }, "Ruiz", { guest: "Ruiz", nights: 3 }],
  ["extend Ruiz", "text", { type: "integer", minimum: 1, maximum: 30 }, "3", { guest: "Ruiz", nights: 3 }],
  ["extend Ruiz", "text", { type: "integer", minimum: 1, maximum: 30 }, "three nights", { guest: "Ruiz", nights: 3 }],
  ["extend Ruiz", "text", { type: "integer" }, "3 of them", { guest: "Ruiz", nights: 3 }],
  ["extend Ruiz", "text", { type: "integer" }, "three whole days", { guest: "Ruiz", nights: 3 }],
  ["choose a room with view for Ruiz", "select", { type: "string" }, "2", { guest: "Ruiz", view: "garden" }],
  ["choose a room with view for Ruiz", "select", { type: "string" }, "view garden", { guest: "Ruiz", view: "garden" }],
  ["clean for Ruiz", "text", { type: "string", format: "date" }, "friday", { guest: "Ruiz", day: "2026-11-27" }],
  ["wake Ruiz", "text", { format: "date-time" }, "tomorrow at 7am", { guest: "Ruiz", at: "2026-11-27T07:00:00.000Z" }],
])("%s lacks one value, which is asked for", async (line, display, schema, answer, input) => {
  const { tools, booked } = createHotel();
  const { say } = createTalkAgent({ tools });
  const asked = await say(line);
  expect(questionOf(asked)).toMatchObject({ display, responseSchema: { properties: { answer: schema } } });
  expect(booked).toEqual([]);
  const done = await say(answer);
  expect([done.status, done.runId]).toEqual(["completed", asked.runId]);
  expect(booked).toEqual([input]);
});

it.each(["99", "-1", "0", "2.5", "many", "x".repeat(1_000_000)])("is not answered by %.9s", async (answer) => {
  const { tools, booked } = createHotel();
  const { agent, say } = createTalkAgent({ tools });
  const { runId, pending } = await say("extend Ruiz");
  const refused = await say(answer.length > 100_000 ? answer.slice(0, 100_000) : answer).catch((error) => error);
  expect(refused.answered).toBeUndefined();
  const item = pending?.[0] as QuestionItem;
  await expect(agent.answer(runId, item, answer, { thread: "talk" }).result).rejects.toMatchObject({
    name: "AgentError",
  });
  expect(booked).toEqual([]);
});

it("never asks for a sensitive value, in no words", async () => {
  const { tools, booked } = createHotel();
  const { say } = createTalkAgent({ tools });
  const { status, text, pending } = await say("unlock for Ruiz");
  expect([status, pending]).toEqual(["failed", undefined]);
  expect(text).not.toContain("?");
  expect(booked).toEqual([]);
});

const stepOf = (guest: string) => ({ id: "s1", tool: "Greet", input: { guest }, dependsOn: [] });
const refusing = (...certainties: readonly number[]): Planner => ({
  name: "refusing",
  plan: () => {
    const proposals = certainties.map((certainty, at) => {
      const guest = `Guest ${at + 1}`;
      return { steps: [stepOf(guest)], text: `greet guest ${guest}`, certainty, unused: [] };
    });
    const reason = proposals.length > 1 ? "ambiguous" : "no-match";
    throw new AgentError("cannot-plan", "It is not clear.", { details: { reason, examples: [], proposals } as never });
  },
});

it("asks whether a proposal of at least 0.5 was meant, or which of several", async () => {
  const { tools, booked } = createHotel();
  const talkTo = (...certainties: readonly number[]) => createTalkAgent({ tools, planner: refusing(...certainties) });
  expect((await talkTo(0.49).say("hm")).status).toBe("failed");
  const { say } = talkTo(0.5);
  expect(questionOf(await say("hm"))).toMatchObject({
    display: "confirm",
    message: "Did you mean “greet guest Guest 1”?",
  });
  expect((await say("no")).status).toBe("completed");
  expect(booked).toEqual([]);
  await say("hm");
  await say("yes");
  expect(booked).toEqual([{ guest: "Guest 1" }]);
  const several = talkTo(0.6, 0.6, 0.4);
  expect(questionOf(await several.say("hm"))?.options).toHaveLength(2);
  await several.say("2");
  expect(booked.slice(1)).toEqual([{ guest: "Guest 2" }]);
});

it("asks nobody while another planner of the chain can plan", async () => {
  const { tools, booked } = createHotel();
  const scripted = createScriptedPlanner([{ steps: [stepOf("Ruiz")] }]);
  const planner = createFallbackPlanner([createRulePlanner(), scripted]);
  const agent = createAgent({ tools, planner });
  expect((await agent.run("extend Ruiz", { thread: "talk" })).status).toBe("completed");
  expect(booked).toEqual([{ guest: "Ruiz" }]);
});
