import { createAgent, createCalculator, createTodoStore } from "planwright";
import { describe, expect, it } from "vitest";
import { knownWrong } from "./known-wrong.ts";
import { inputsFor, refusalOf } from "./plan-for.ts";

const first = ["calculate 100 / 4", "what is 20% of 80?", "show my tasks", "remind me to buy milk"];
const wishes = [
  "add a todo to pay that amount",
  "add buy that many apples to my list",
  "remind me to pay it",
  "add a task to send it to Bob",
  "create a task: tell Bob the answer",
  "add a todo saying the total is that",
  "remind me to check the output",
  "add order these to my shopping list",
  "add print this figure to my list",
  "remind me to use the number",
  "add compare them to my work list",
  "put send Ann the sum on my list",
  "create a todo called final value",
];
const afterCalculation = ["add a todo to check the total"];
const clearing = "delete clear wipe remove erase reset cancel kill purge scrap discard drop".split(" ");
const isKnown = new Set(knownWrong.map(({ request }) => request));
const others = [
  "get rid of everything",
  "throw away everything",
  "delete all",
  "clear all of it",
  "start over",
  "add milk to my list and then clear everything",
  "Add note to PROP-2025-001: Legal review completed",
  "add comment to TICKET-42: looks good",
  "create task force",
  "create a task force",
  "create task group",
  "new task manager",
  "start task manager",
  "make task runner",
  "create todo app",
  "create reminder service",
  "create item category",
  "task force",
  "todo app",
];

describe("a request that may be ambiguous", () => {
  const requests = [
    ...first.flatMap((opening) => wishes.map((wish) => `${opening} and ${wish}`)).filter((each) => !isKnown.has(each)),
    ...afterCalculation.map((wish) => `calculate 100 / 4 and ${wish}`),
    ...clearing.map((verb) => `${verb} everything`),
    ...others,
  ];

  it.each(requests)("is refused: %s", async (request) => {
    expect((await refusalOf(request)).reason).not.toBe("");
  });

  it.each([
    ...["add a todo: result", "add results to my todos", "add result as todo", "add total as a reminder"],
    "put outcome on my list",
  ])("uses the last result where that is all the words can mean: %s", async (wish) => {
    const { steps } = await createAgent({ tools: [createCalculator(), createTodoStore()] }).plan(
      `calculate 100 / 4 and ${wish}`,
    );
    expect(steps[1]?.input).toEqual({ operation: "add", title: `\${s1.value}` });
  });

  it("is refused with the ambiguous words and a suggestion", async () => {
    expect((await refusalOf("calculate 100 / 4 and put pay that amount on my list")).message).toContain(
      '"pay that amount" may refer to the result of an earlier step; say "the result" alone, or put the text in quotes',
    );
  });

  it.each([
    ["calculate 100 / 4 and add the result as todo", "${s1.value}"],
    ["calculate 100 / 4 and put that on my list", "${s1.value}"],
    ['calculate 100 / 4 and add "pay that amount" as a todo', "pay that amount"],
    ["calculate 100 / 4 and add a todo to pay the rent", "pay the rent"],
  ])("is planned if its text is bound, quoted or plain: %s", async (request, title) => {
    expect((await inputsFor(request))[1]).toEqual({ operation: "add", title });
  });

  it.each([
    ["add 5% tip", { operation: "add", title: "5% tip" }],
    ["add $5 fee", { operation: "add", title: "$5 fee" }],
    ["add tip of 20%", { operation: "add", title: "tip of 20%" }],
    ["add milk", { operation: "add", title: "milk" }],
    ["task: dentist", { operation: "add", title: "dentist" }],
    ["clear all my tasks", { operation: "clear", allLists: true }],
  ])("is planned if there is no earlier step to refer to: %s", async (request, input) => {
    expect(await inputsFor(request)).toEqual([input]);
  });
});
