import { defineTool } from "planwright";
import { expect, it } from "vitest";
import * as z from "zod/v4";
import { createTalkAgent } from "./talk-agent.ts";

/** A dentist's visits: without a name, only those of one day are listed. */
function createVisits() {
  const Visit = z.object({ visit: z.int(), patient: z.string(), minutes: z.int(), at: z.string() });
  const visits: z.infer<typeof Visit>[] = [
    { visit: 41, patient: "Moreau", minutes: 20, at: "2026-11-26T14:00:00Z" },
    { visit: 42, patient: "Dahl", minutes: 30, at: "2026-11-27T09:30:00Z" },
    { visit: 43, patient: "Conti", minutes: 30, at: "2026-12-03T16:00:00Z" },
  ];
  const find = (visit: number) => {
    const found = visits.find((each) => each.visit === visit);
    if (found === undefined) throw new Error(`There is no visit ${visit}.`);
    return found;
  };
  const tools = [
    defineTool({
      name: "ListVisits",
      description: "Lists the visits of a day, or those of a patient",
      inputSchema: z.object({ date: z.iso.date().optional(), patient: z.string().optional() }),
      outputSchema: z.object({ visits: z.array(Visit) }),
      effect: "pure",
      phrases: ["show [the] visits", "show [the] visits on {date}", "show [the] visits of {patient}"],
      execute: ({ date = "2026-11-26", patient }) => ({
        visits: visits.filter((each) =>
          patient === undefined ? each.at.startsWith(date) : each.patient.toLowerCase().includes(patient.toLowerCase()),
        ),
      }),
    }),
    defineTool({
      name: "MoveVisit",
      description: "Moves a visit",
      inputSchema: z.object({ visit: z.int(), at: z.iso.datetime() }),
      outputSchema: Visit,
      effect: "idempotent",
      phrases: ["move visit {visit} to {at}"],
      execute: ({ visit, at }) => Object.assign(find(visit), { at }),
    }),
    defineTool({
      name: "SetLength",
      description: "Sets how long a visit takes",
      inputSchema: z.object({ visit: z.int(), minutes: z.int().min(5) }),
      outputSchema: Visit,
      effect: "idempotent",
      phrases: ["visit {visit} takes {minutes} minutes"],
      execute: ({ visit, minutes }) => Object.assign(find(visit), { minutes }),
    }),
    defineTool({
      name: "CancelVisit",
      description: "Cancels a visit",
      inputSchema: z.object({ visit: z.int() }),
      outputSchema: Visit,
      effect: "once",
      phrases: ["cancel visit {visit}"],
      execute: ({ visit }) => find(visit),
    }),
  ];
  return createTalkAgent({ tools });
}

it.each([
  ["move Conti to 5pm", { visit: 43, at: "2026-12-03T17:00:00.000Z" }],
  ["move Dahl to 10", { visit: 42, at: "2026-11-27T10:00:00.000Z" }],
  ["Dahl to Monday, same time", { visit: 42, at: "2026-11-30T09:30:00.000Z" }],
  ["Dahl to Monday, at 11", { visit: 42, at: "2026-11-30T11:00:00.000Z" }],
  ["the Dahl family takes 45 minutes", { visit: 42, minutes: 45 }],
  ["Mrs Dahl takes 45 minutes after all", { visit: 42, minutes: 45 }],
  ["cancel Contis visit", { visit: 43 }],
])("%s finds the patient on any day", async (line, input) => {
  const { say } = createVisits();
  const { steps } = await say(line);
  const changes = steps.filter(({ tool, status }) => tool !== "ListVisits" && status === "completed");
  expect(changes.map((step) => step.input)).toEqual([input]);
});

it.each(["the second one just rang, they take 45 minutes now", "Moreau rang, they take 45 minutes now"])(
  "%s is about the one that rang",
  async (line) => {
    const { say } = createVisits();
    await say("show the visits of o");
    const { steps } = await say(line);
    const visit = line.startsWith("Moreau") ? 41 : 43;
    expect(steps).toMatchObject([{ input: { visit, minutes: 45 }, status: "completed" }]);
  },
);

it("looks for no guest named tomorrow", async () => {
  const { say } = createVisits();
  expect((await say("move tomorrow's visit to 9")).steps.filter(({ status }) => status === "completed")).toEqual([]);
});

it.each([
  ["when is Dahl due?", "Fri 27 Nov 09:30"],
  ["What time was Conti again?", "Thu 3 Dec 16:00"],
  ["Would you be so kind as to tell me when the Conti family is expected?", "Thu 3 Dec 16:00"],
  ["could you tell me what time Mr Dahl arrives", "Fri 27 Nov 09:30"],
  ["how many minutes has Moreau", "20 minutes"],
])("%s is looked up", async (line, text) => {
  const { say } = createVisits();
  const run = await say(line);
  expect(run.steps).toMatchObject([{ tool: "ListVisits", status: "completed" }]);
  expect(run.text).toContain(text);
});

it.each([
  "what time is it in Moscow",
  "how many days are there in Moscow",
  "what time is it",
  "who wrote Hamlet",
  "where is the nearest pharmacy",
])("%s looks nothing up", async (line) => {
  const { say } = createVisits();
  expect((await say(line)).steps.filter(({ status }) => status === "completed")).toEqual([]);
});
