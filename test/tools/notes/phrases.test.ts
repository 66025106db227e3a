import { createAgent, createNotes } from "planwright";
import { describe, expect, it } from "vitest";
import { calculator, inputsFor, refusalOf, stepsFor, todos } from "../../planners/rules/plan-for.ts";

const tools = [calculator, todos, createNotes()];
const item = "PROP-2025-001";

describe("notePhrases", () => {
  it.each([
    "Add note to PROP-2025-001: Legal review completed",
    "add a note on PROP-2025-001: Legal review completed",
    "please add a governance note to PROP-2025-001 saying Legal review completed",
    "leave a comment on PROP-2025-001 that says Legal review completed",
    "record a note for PROP-2025-001 that Legal review completed",
    "could you write down a note about PROP-2025-001: Legal review completed",
    'add "Legal review completed" as a note to PROP-2025-001',
    "add Legal review completed to the notes of PROP-2025-001",
    "for PROP-2025-001 add a note: Legal review completed",
    "note on PROP-2025-001: Legal review completed",
    "add note PROP-2025-001: Legal review completed",
    "add a note: Legal review completed to PROP-2025-001",
    "annotate PROP-2025-001 with Legal review completed",
    "add a note to PROP-2025-001 – Legal review completed",
  ])("add a note: %s", async (request) => {
    expect(await inputsFor(request, tools)).toEqual([{ operation: "add", item, text: "Legal review completed" }]);
  });

  it.each([
    ["ticket #42", "ticket #42"],
    ["RFC 9110", "RFC 9110"],
    ["HR", "HR"],
    ["v1.2.3", "v1.2.3"],
    ["Website Redesign", "Website Redesign"],
  ])("accept %s as an item", async (name, expected) => {
    expect(await inputsFor(`add a note to ${name}: approved`, tools)).toEqual([
      { operation: "add", item: expected, text: "approved" },
    ]);
  });

  it.each([
    ["List notes for PROP-2025-001", { item }],
    ["show me all the notes on PROP-2025-001", { item }],
    ["what notes are there for PROP-2025-001?", { item }],
    ["are there any comments about PROP-2025-001", { item }],
    ["do we have notes on PROP-2025-001", { item }],
    ["how many notes are there for PROP-2025-001", { item }],
    ["what has been noted about PROP-2025-001", { item }],
    ["the notes for PROP-2025-001", { item }],
    ["show my notes", {}],
    ["list all notes", {}],
  ])("list notes: %s", async (request, fields) => {
    expect(await inputsFor(request, tools)).toEqual([{ operation: "list", ...fields }]);
  });

  it.each([
    ["show me the last note for PROP-2025-001", { operation: "get", item, index: -1 }],
    ["read the second note on PROP-2025-001", { operation: "get", item, index: 2 }],
    ["what does note 3 of PROP-2025-001 say", { operation: "get", item, index: 3 }],
    ["delete note 2 of PROP-2025-001", { operation: "delete", item, index: 2 }],
    ["remove the latest comment from PROP-2025-001", { operation: "delete", item, index: -1 }],
    [
      "delete note 3f2504e0-4f89-11d3-9a0c-0305e82c3301",
      { operation: "delete", id: "3f2504e0-4f89-11d3-9a0c-0305e82c3301" },
    ],
    [
      "show the note with the id 3F2504E0-4f89-11d3-9a0c-0305e82c3301",
      { operation: "get", id: "3F2504E0-4f89-11d3-9a0c-0305e82c3301" },
    ],
  ])("select one note: %s", async (request, input) => {
    expect(await inputsFor(request, tools)).toEqual([input]);
  });

  it("add the result of an earlier step, and continue with other notes", async () => {
    const request = "Calculate 100 / 4 and add a note to PROP-1: the result, then list notes for PROP-1";
    expect(await inputsFor(request, tools)).toEqual([
      { expression: "100 / 4" },
      { operation: "add", item: "PROP-1", text: "${s1.value}" },
      { operation: "list", item: "PROP-1" },
    ]);
  });

  it("escape what the user typed", async () => {
    expect(await inputsFor("add note to PROP-1: costs ${HOME} or {{x}}", tools)).toEqual([
      { operation: "add", item: "PROP-1", text: "costs ${$}{HOME} or {{x}}" },
    ]);
  });

  it.each(["Legal: review completed", "see note: on PROP-2: done"])(
    "keep the whole text of a note that contains separators: %j",
    async (text) => {
      for (const start of ["add a note to PROP-1:", "note on PROP-1 that"]) {
        expect(await inputsFor(`${start} ${text}`, tools)).toEqual([{ operation: "add", item: "PROP-1", text }]);
      }
    },
  );

  it.each([
    "note to self: buy milk",
    "note down buy milk",
    "remind me to send notes for PROP-1",
    "add meeting notes to my list",
    "add notes for RFC 9110 to my work list",
    "delete the todo called notes for PROP-1",
    "show my list",
    "what's on my list?",
    "delete note paper from my list",
  ])("leave todos to the TodoStore: %s", async (request) => {
    const steps = await stepsFor(request, { tools });
    expect(steps.map(({ tool }) => tool)).toEqual(["TodoStore"]);
    expect(steps.map(({ input }) => input)).toEqual(await inputsFor(request));
  });

  it.each([
    "add note to my shopping list: milk",
    `add note to ${"X".repeat(201)}: approved`,
    "show the 0x note for PROP-1",
    "add a note to PROP-1:",
    "delete notes for PROP-1",
    "show it note of PROP-1",
    "delete the note paper",
  ])("refuse an ambiguous request: %s", async (request) => {
    expect(await refusalOf(request, { tools: [createNotes()] })).toHaveProperty("reason");
  });

  it("create plans that run", async () => {
    const notes = createNotes({ author: () => "Ada", createId: () => "n1", now: () => 0 });
    const agent = createAgent({ tools: [calculator, todos, notes] });
    await agent.run("Add note to PROP-2025-001: Legal review completed");
    const { status, output } = await agent.run("List notes for PROP-2025-001");
    const note = {
      id: "n1",
      item,
      text: "Legal review completed",
      author: "Ada",
      createdAt: "1970-01-01T00:00:00.000Z",
    };
    expect({ status, output }).toEqual({ status: "completed", output: { notes: [note], count: 1 } });
  });
});

it("proposes the item in other words, although one phrase that lists notes has none", async () => {
  const { proposals } = await refusalOf("Show me the PROP-2025-001 remarks", { tools: [createNotes(), todos] });
  expect(proposals?.[0]?.steps[0]?.input).toEqual({ operation: "list", item: "PROP-2025-001" });
});
