import { describe, expect, it } from "vitest";
import { inputsFor, refusalOf, stepsFor } from "../../planners/rules/plan-for.ts";

const list = (fields: object = {}) => ({ operation: "list", ...fields });

describe("todoPhrases", () => {
  it.each([
    "add buy milk to my list",
    "Add a todo to buy milk",
    "please add buy milk to my to-do list",
    "put buy milk on my list",
    "could you put buy milk on the todo list?",
    "create a new task called buy milk",
    "make a to do: buy milk",
    "new task: buy milk",
    "todo: buy milk",
    "add a task to buy milk",
    "add the item buy milk to my list",
    "remind me to buy milk",
    "set a reminder to buy milk",
    "don't forget to buy milk",
    "don't let me forget to buy milk",
    "I need to remember to buy milk",
    "add to my list of things to do: buy milk",
    "add buy milk as a task",
    "buy milk needs to go on my list",
    "I want buy milk on my todo list",
    "would you mind adding buy milk to my list",
    "jot down buy milk",
    "add “buy milk”",
    "note to self: buy milk",
  ])("add a todo: %s", async (request) => {
    expect(await inputsFor(request)).toEqual([{ operation: "add", title: "buy milk" }]);
  });

  it.each([
    ["I have bought the cream now, thank you", ["buy cream"]],
    ["right, I've rung Mrs Dunmore", ["ring Mrs Dunmore"]],
    ["I just paid the rent and the deposit", ["pay rent", "pay deposit"]],
    ["I've picked up my suit", ["pick up suit"]],
  ])("complete what somebody says was done: %s", async (request, titles) => {
    expect(await inputsFor(request)).toEqual(titles.map((title) => ({ operation: "complete", title })));
  });

  it.each([
    "I got it",
    "I got lost",
    "I have bought the cream and added eggs",
    "we made it",
    "I paid 18.40",
    "my wife bought milk",
    "we bought the milk",
    "I would have bought milk",
    "I have not bought the milk",
    "have I bought the milk?",
    "I bought milk or oats",
    "I almost bought milk",
    "I bought milk last week and the week before",
  ])("refuse what may not be a todo that was done: %s", async (request) => {
    await refusalOf(request);
  });

  it.each([
    ["add radishes to my shopping list", { title: "radishes", list: "shopping" }],
    ["add milk to the list called groceries", { title: "milk", list: "groceries" }],
    ["add go to the gym to my list", { title: "go to the gym" }],
    ["remind me to call bob tomorrow", { title: "call bob", dueDate: "2026-11-23" }],
    ["remind me on friday to call bob", { title: "call bob", dueDate: "2026-11-27" }],
    ["add pay rent due friday to my todo list", { title: "pay rent", dueDate: "2026-11-27" }],
    ["add a task: renew passport by 5 March", { title: "renew passport", dueDate: "2027-03-05" }],
    ["add a low priority task to clean the garage", { title: "clean the garage", priority: "low" }],
    [
      "add pay taxes due 2027-04-15 with high priority tagged finance",
      { title: "pay taxes", dueDate: "2027-04-15", priority: "high", tags: ["finance"] },
    ],
    ["add buy milk tomorrow at 5pm", { title: "buy milk", dueAt: "2026-11-23T17:00:00+00:00" }],
    ["remind me at 5pm tomorrow to call bob", { title: "call bob", dueAt: "2026-11-23T17:00:00+00:00" }],
    ["remind me to call bob in two hours", { title: "call bob", dueAt: "2026-11-22T14:00:00+00:00" }],
    ["add pay rent due at noon on friday to my list", { title: "pay rent", dueAt: "2026-11-27T12:00:00+00:00" }],
    ["add pay rent to my list by friday at half past eight", { title: "pay rent", dueAt: "2026-11-27T08:30:00+00:00" }],
    ["remind me to call bob tomorrow evening", { title: "call bob", dueDate: "2026-11-23" }],
    ["add pay rent by eod friday", { title: "pay rent", dueDate: "2026-11-27" }],
    ["add a task to pay rent by the 3rd", { title: "pay rent", dueDate: "2026-12-03" }],
    ["add buy 2 march magazines to my list", { title: "buy 2 march magazines" }],
    ["add read The Day of the Jackal to my list", { title: "read The Day of the Jackal" }],
    ["add watch The Day After Tomorrow to my list", { title: "watch The Day After Tomorrow" }],
    ['add "call bob tomorrow at 5pm" to my list', { title: "call bob tomorrow at 5pm" }],
    ["add lunch with tom and jerry to my list", { title: "lunch with tom and jerry" }],
  ])("add a todo with details: %s", async (request, fields) => {
    expect(await inputsFor(request)).toEqual([{ operation: "add", ...fields }]);
  });

  it.each([
    ["put milk, eggs, and bread on the shopping list", ["milk", "eggs", "bread"]],
    ["add milk & eggs to my shopping list", ["milk", "eggs"]],
    [
      "put call the bank, pay the bills and water the plants on my shopping list",
      ["call the bank", "pay the bills", "water the plants"],
    ],
  ])("add several todos: %s", async (request, titles) => {
    expect(await inputsFor(request)).toEqual(titles.map((title) => ({ operation: "add", title, list: "shopping" })));
  });

  it.each([
    ["show me my tasks", list()],
    ["what's on my list?", list()],
    ["what do I have to do", list()],
    ["list all my todos", list()],
    ["read me my to-do list", list()],
    ["do I have anything on my list", list()],
    ["how many tasks do i have", list()],
    ["show everything", list()],
    ["what tasks do i have", list()],
    ["my todos", list()],
    ["what's on my shopping list", list({ list: "shopping" })],
    ["show me the items on my work list", list({ list: "work" })],
    ["show my grocery list", list({ list: "grocery" })],
    ["what's my task list for today", list({ dueOn: "2026-11-22" })],
    ["what do I have to do tomorrow", list({ dueOn: "2026-11-23" })],
    ["what have i got on friday", list({ dueOn: "2026-11-27" })],
    ["what is left", list({ status: "pending" })],
    ["show me what's left to do", list({ status: "pending" })],
    ["show my open tasks", list({ status: "pending" })],
    ["which tasks are still pending", list({ status: "pending" })],
    ["do I have any tasks left?", list({ status: "pending" })],
    ["show my completed tasks", list({ status: "completed" })],
    ["what have I done", list({ status: "completed" })],
    ["which tasks are done", list({ status: "completed" })],
    ["mark buy milk as done", { operation: "complete", title: "buy milk" }],
    ["complete buy milk", { operation: "complete", title: "buy milk" }],
    ["check off buy milk", { operation: "complete", title: "buy milk" }],
    ["cross milk off my list", { operation: "complete", title: "milk" }],
    ["I finished the report", { operation: "complete", title: "report" }],
    ["the report is done", { operation: "complete", title: "report" }],
    ["complete the second one", { operation: "complete", index: 2 }],
    ["mark task 3 as completed", { operation: "complete", index: 3 }],
    ["complete the first item on my shopping list", { operation: "complete", index: 1, list: "shopping" }],
    ["reopen buy milk", { operation: "reopen", title: "buy milk" }],
    ["uncheck the last one", { operation: "reopen", index: -1 }],
    ["mark the report as not done", { operation: "reopen", title: "report" }],
    ["delete buy milk", { operation: "delete", title: "buy milk" }],
    ["remove milk from my shopping list", { operation: "delete", title: "milk", list: "shopping" }],
    ["take eggs off the list", { operation: "delete", title: "eggs" }],
    ["delete the last task", { operation: "delete", index: -1 }],
    ["remove item four", { operation: "delete", index: 4 }],
    ["get rid of the dentist appointment on my to-do list", { operation: "delete", title: "dentist appointment" }],
    ["show me the details of buy milk", { operation: "get", title: "buy milk" }],
    ["clear my list", { operation: "clear" }],
    ["empty my shopping list", { operation: "clear", list: "shopping" }],
    ["remove everything from my shopping list", { operation: "clear", list: "shopping" }],
    ["delete all my tasks", { operation: "clear", allLists: true }],
    ["clear completed tasks", { operation: "clear", onlyCompleted: true }],
    ["search my tasks for dentist", { operation: "search", query: "dentist" }],
    ["is milk on my shopping list?", { operation: "search", query: "milk", list: "shopping" }],
    ["did I add butter to my list", { operation: "search", query: "butter" }],
    ["find todos about taxes", { operation: "search", query: "taxes" }],
    ["let me know whether feeding the cat is on my to do list", { operation: "search", query: "feeding the cat" }],
    ["search for cats", { operation: "search", query: "cats" }],
    ["show me what is due by friday", list({ dueBefore: "2026-11-28" })],
    ["the report has to be done by friday", { operation: "update", title: "report", dueDate: "2026-11-27" }],
    ["pay rent must be finished by tomorrow", { operation: "update", title: "pay rent", dueDate: "2026-11-23" }],
    ["remove the due date from milk", { operation: "update", title: "milk", dueDate: null }],
    ["rename buy milk to buy oat milk", { operation: "update", title: "buy milk", newTitle: "buy oat milk" }],
    ["change the title of buy milk to buy bread", { operation: "update", title: "buy milk", newTitle: "buy bread" }],
    ["move buy milk to friday at 3pm", { operation: "update", title: "buy milk", dueAt: "2026-11-27T15:00:00+00:00" }],
    ["move buy milk to tomorrow", { operation: "update", title: "buy milk", dueDate: "2026-11-23" }],
    ["move buy milk to my shopping list", { operation: "update", title: "buy milk", newList: "shopping" }],
    ["set the priority of buy milk to high", { operation: "update", title: "buy milk", priority: "high" }],
    ["make buy milk high priority", { operation: "update", title: "buy milk", priority: "high" }],
    ["tag buy milk as shopping", { operation: "update", title: "buy milk", addTags: ["shopping"] }],
  ])("understand: %s", async (request, input) => {
    expect(await inputsFor(request)).toEqual([input]);
  });

  it.each([
    ["make sure that eggs are on my shopping list", { operation: "add", title: "eggs", list: "shopping" }],
    ["on my packing list put socks", { operation: "add", title: "socks", list: "packing" }],
    ["nix eggs from my list", { operation: "delete", title: "eggs" }],
    ["on my list remove eggs", { operation: "delete", title: "eggs" }],
    ["i don't need eggs on my list anymore", { operation: "delete", title: "eggs" }],
    ["take everything off my list", { operation: "clear" }],
    ["show me my list for groceries", list({ list: "groceries" })],
    ["what's on my list for this week", list({ dueAfter: "2026-11-15", dueBefore: "2026-11-23" })],
    ["what do I have to do this weekend", list({ dueAfter: "2026-11-20", dueBefore: "2026-11-23" })],
    ["show my tasks for this month", list({ dueAfter: "2026-10-31", dueBefore: "2026-12-01" })],
    ["rename the second item to tofu", { operation: "update", index: 2, newTitle: "tofu" }],
    ["change item 3 to tofu", { operation: "update", index: 3, newTitle: "tofu" }],
    ["change buy milk to buy bread", { operation: "update", title: "buy milk", newTitle: "buy bread" }],
    ["change eggs to tofu on my list", { operation: "update", title: "eggs", newTitle: "tofu" }],
  ])("understand another wording: %s", async (request, input) => {
    expect(await inputsFor(request)).toEqual([input]);
  });

  it.each([
    ["wash the dog and pay the bills", ["wash the dog", "pay the bills"]],
    ["eggs and also bread", ["eggs", "bread"]],
    ["call mum and dad", ["call mum and dad"]],
  ])("count the todos in: %s", async (titles, expected) => {
    const inputs = await inputsFor(`add ${titles} to my list`);
    expect(inputs).toEqual(expected.map((title) => ({ operation: "add", title })));
  });

  it.each([
    ["remove eggs and milk from my list", ["eggs", "milk"]],
    ["delete lunch with tom and jerry from my list", ["lunch with tom and jerry"]],
  ])("delete several todos: %s", async (request, titles) => {
    expect(await inputsFor(request)).toEqual(titles.map((title) => ({ operation: "delete", title })));
  });

  it("continue with the list or todo that was mentioned", async () => {
    expect(await inputsFor("add milk to my shopping list and eggs to my work list")).toEqual([
      { operation: "add", title: "milk", list: "shopping" },
      { operation: "add", title: "eggs", list: "work" },
    ]);
    expect(await inputsFor("show my packing list, then clear it")).toEqual([
      { operation: "list", list: "packing" },
      { operation: "clear", list: "packing" },
    ]);
    expect(await inputsFor("search for milk on my list and delete it")).toEqual([
      { operation: "search", query: "milk" },
      { operation: "delete", title: "milk" },
    ]);
    expect(await inputsFor("rename eggs to tofu and mark it done")).toEqual([
      { operation: "update", title: "eggs", newTitle: "tofu" },
      { operation: "complete", id: "${s1.id}" },
    ]);
  });

  it("take a second one like the first", async () => {
    expect(await inputsFor("add a todo to pay rent and one to call Bob")).toEqual([
      { operation: "add", title: "pay rent" },
      { operation: "add", title: "call Bob" },
    ]);
  });

  it.each(["watch Apocalypse Now", "practice Right Now", "say please", "FYI: pay rent", "home: pay rent"])(
    "keep each word of a title: %s",
    async (title) => {
      expect(await inputsFor(`add ${title}`)).toEqual([{ operation: "add", title }]);
    },
  );

  it.each(["add milk twice", "delete milk 3 times", "add milk, eggs, both in Launch", "add Bob: milk, eggs"])(
    "take nothing else for a title: %s",
    async (request) => {
      expect((await refusalOf(request)).examples).toBeInstanceOf(Array);
    },
  );

  it.each([
    ["delete eggs and put milk on my list", ["delete", "add"]],
    ["remove eggs and add milk to my list", ["delete", "add"]],
    ["add milk to my list and take off eggs", ["add", "delete"]],
  ])("do not read a second request as part of a todo: %s", async (request, operations) => {
    expect(await inputsFor(request)).toMatchObject(operations.map((operation) => ({ operation })));
  });

  it("read details that belong to the todo just mentioned", async () => {
    expect(await inputsFor("add paint to my list and set its due date to friday")).toEqual([
      { operation: "add", title: "paint" },
      { operation: "update", id: "${s1.id}", dueDate: "2026-11-27" },
    ]);
    expect((await refusalOf("set its due date to friday")).reason).not.toBe("");
  });

  it.each([
    ["add service + inspection", "service + inspection"],
    ["add a task: trip from 5 to 7 march", "trip"],
  ])("are proposed where a sign or a date may be a part of the title: %s", async (request, title) => {
    const { proposals = [] } = await refusalOf(request);
    expect(proposals.flatMap(({ steps }) => steps.map(({ input }) => input?.title))).toContain(title);
  });

  it("give each of several groups its own tags, lists and dates", async () => {
    expect(await inputsFor("add milk and eggs #food and soap #home")).toEqual([
      { operation: "add", title: "milk", tags: ["food"] },
      { operation: "add", title: "eggs", tags: ["food"] },
      { operation: "add", title: "soap", tags: ["home"] },
    ]);
    expect(await inputsFor("delete milk and eggs from my shopping list and bread from my work list")).toEqual([
      { operation: "delete", title: "milk", list: "shopping" },
      { operation: "delete", title: "eggs", list: "shopping" },
      { operation: "delete", title: "bread", list: "work" },
    ]);
  });

  it("create a todo from a result", async () => {
    for (const request of ["remind me of the result", "put the answer on my list"]) {
      const [, added] = await inputsFor(`what is 2 + 2, then ${request}`);
      expect(added).toEqual({ operation: "add", title: "${s1.value}" });
    }
  });

  it("refer to an added todo by its id in later steps", async () => {
    expect(await inputsFor("add milk to my list, then delete it")).toEqual([
      { operation: "add", title: "milk" },
      { operation: "delete", id: "${s1.id}" },
    ]);
    expect(await inputsFor("calculate 2 + 2 and then rename it to four").catch(() => "refused")).toBe("refused");
  });

  it.each([
    "add item",
    "add to my list",
    "create a task",
    "delete the todo",
    "add 5",
    "add something",
    "delete them",
    "remove the alarm from my calendar",
    "add a song to the playlist",
    "search for it",
    "add eggs to it",
    "take eggs off it",
    "clear it",
    "show it",
    "remind me what my name is",
    "change the channel to 5",
    "delete the old email",
    "check my inbox",
    "give me a list of lawyers",
    "is the shop open",
    "open my to do list app",
    "add sugar to the coffee",
    "both results",
  ])("refuse %s", async (request) => {
    expect((await refusalOf(request)).reason).not.toBe("");
  });

  it.each([
    ["add team sync (friday)", [{ operation: "add", title: "team sync", dueDate: "2026-11-27" }]],
    ["add milk (high priority)", [{ operation: "add", title: "milk", priority: "high" }]],
    ["add milk [to the shopping list]", [{ operation: "add", title: "milk", list: "shopping" }]],
    ["add milk (2 litres)", [{ operation: "add", title: "milk (2 litres)" }]],
    ["move milk → party list", [{ operation: "update", title: "milk", newList: "party" }]],
    ["rename 'milk' -> 'oat milk'", [{ operation: "update", title: "milk", newTitle: "oat milk" }]],
    ["PRD review => done", [{ operation: "complete", title: "PRD review" }]],
    [
      "delete 'milk' + 'bread'",
      [
        { operation: "delete", title: "milk" },
        { operation: "delete", title: "bread" },
      ],
    ],
    [
      "rename milk to oat milk, tag food, P1",
      [{ operation: "update", title: "milk", newTitle: "oat milk", addTags: ["food"], priority: "high" }],
    ],
  ])("read signs: %s", async (request, inputs) => {
    expect(await inputsFor(request)).toEqual(inputs);
  });

  it.each([
    "if anything is due by friday, list it",
    "remind me to call bob after friday",
    "remind me to call bob between 3pm and 5pm tomorrow",
    "add pay rent due friday by the 28th",
    "what is on my list tomorrow at 5pm",
    "the report has to be done by friday or monday",
    "the report does not have to be done by friday",
  ])("drop no date, and guess none: %s", async (request) => {
    expect(await refusalOf(request)).toBeDefined();
  });

  it("make times in the time zone of the run", async () => {
    const due = async (timeZone: string) =>
      (await stepsFor("add dentist tomorrow at 5pm", { timeZone })).map(({ input }) => input);
    expect(await due("America/New_York")).toMatchObject([{ dueAt: "2026-11-23T17:00:00-05:00" }]);
    expect(await due("Asia/Kolkata")).toMatchObject([{ dueAt: "2026-11-23T17:00:00+05:30" }]);
  });
});
