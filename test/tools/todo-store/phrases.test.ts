import { describe, expect, it } from "vitest";
import { inputsFor, refusalOf } from "../../planners/rules/plan-for.ts";

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
    "save buy milk as a todo",
    "add buy milk as a task",
    "buy milk needs to go on my list",
    "I want buy milk on my todo list",
    "can I get buy milk on my list",
    "would you mind adding buy milk to my list",
    "jot down buy milk",
    "add “buy milk”",
    "note to self: buy milk",
  ])("adds: %s", async (request) => {
    expect(await inputsFor(request)).toEqual([{ operation: "add", title: "buy milk" }]);
  });

  it.each([
    ["add milk to my shopping list", { title: "milk", list: "shopping" }],
    ["add milk to the list called groceries", { title: "milk", list: "groceries" }],
    ["add eggs to my list of groceries", { title: "eggs", list: "groceries" }],
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
    ["add lunch with tom and jerry to my list", { title: "lunch with tom and jerry" }],
    ["add wash and dry the dishes to my list", { title: "wash and dry the dishes" }],
    ["add a todo to buy milk and call bob", { title: "buy milk and call bob" }],
  ])("adds with details: %s", async (request, fields) => {
    expect(await inputsFor(request)).toEqual([{ operation: "add", ...fields }]);
  });

  it.each([
    ["put milk, eggs, and bread on the shopping list", ["milk", "eggs", "bread"]],
    ["add milk & eggs to my shopping list", ["milk", "eggs"]],
    [
      "put call the bank, pay the bills and water the plants on my shopping list",
      ["call the bank", "pay the bills", "water the plants"],
    ],
  ])("adds several: %s", async (request, titles) => {
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
    ["what's my to do list for today", list({ dueOn: "2026-11-22" })],
    ["what do I have to do tomorrow", list({ dueOn: "2026-11-23" })],
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
    ["delete everything", { operation: "clear", allLists: true }],
    ["clear completed tasks", { operation: "clear", onlyCompleted: true }],
    ["search my tasks for dentist", { operation: "search", query: "dentist" }],
    ["is milk on my shopping list?", { operation: "search", query: "milk", list: "shopping" }],
    ["did I add butter to my list", { operation: "search", query: "butter" }],
    ["find todos about taxes", { operation: "search", query: "taxes" }],
    ["let me know whether folding laundry is on my to do list", { operation: "search", query: "folding laundry" }],
    ["rename buy milk to buy oat milk", { operation: "update", title: "buy milk", newTitle: "buy oat milk" }],
    ["change the title of buy milk to buy bread", { operation: "update", title: "buy milk", newTitle: "buy bread" }],
    ["move buy milk to tomorrow", { operation: "update", title: "buy milk", dueDate: "2026-11-23" }],
    ["move buy milk to my shopping list", { operation: "update", title: "buy milk", newList: "shopping" }],
    ["set the priority of buy milk to high", { operation: "update", title: "buy milk", priority: "high" }],
    ["make buy milk high priority", { operation: "update", title: "buy milk", priority: "high" }],
    ["tag buy milk as shopping", { operation: "update", title: "buy milk", tags: ["shopping"] }],
  ])("understands: %s", async (request, input) => {
    expect(await inputsFor(request)).toEqual([input]);
  });

  it("names what an earlier step added by its id", async () => {
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
    "cancel my subscription",
    "add a song to the playlist",
    "search for it",
  ])("refuses %s", async (request) => {
    expect((await refusalOf(request)).reason).not.toBe("");
  });
});
