import type { DefinedTool } from "planwright";
import { createFakeTool } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { estimateComplexity, type RequestComplexity } from "../../src/planners/request-complexity.ts";

const tools: readonly DefinedTool[] = ["Calculator", "TodoStore", "CityWeather", "SendMail"].map((name) =>
  createFakeTool({ name }),
);

const sentences: Readonly<Record<RequestComplexity, readonly string[]>> = {
  simple: [
    "what is 12 * 7",
    "Calculate 100 / 4",
    "calculate 3.5 + 2.25",
    "add milk to my list",
    "Add milk, eggs and bread to my shopping list",
    "add milk, eggs, bread, butter and jam to my list",
    "Please show me my todos.",
    "what's left on my list?",
    "Is it warm in Berlin?",
    "what else is on my list?",
    "Remind me at 5 p.m. to call Dr. Smith",
    "Remind me every Monday to take the bins out",
    "water the plants every 2 weeks",
    "remind me that the rent is due on Friday",
    "mark the first todo as done",
    "show me everything due until Friday",
    'delete the task "buy milk, then eggs; if it rains, tea"',
    "„Wenn es regnet, dann Tee“ hinzufügen",
    "1. add milk",
    "- [ ] milk",
    "Show todos from e.g. last week",
    "Füge Milch zu meiner Liste hinzu",
    "hello",
    "???",
    "   ",
    "introduce Ann and Bob to each other",
    "evaluate 5 + 3",
    "Analyze 12 / 4",
    "add plan the trip to my list",
    "remind me to review the strategy",
    "add a comprehensive report to my list",
    "Add a todo to review the migration process",
    "plan dinner",
    "please remind me to do the multi-step setup",
    "show my work process list",
  ],
  moderate: [
    "Calculate 100 / 4 and add the result as a todo",
    "add milk and eggs to my list, then show me what is left",
    "what is 15% of 80? Add it as a todo.",
    "add milk and show my list",
    "check the weather in Paris and mail it to Ann",
    "Call mom, email Bob, pay rent",
    "Book a flight to Rome, reserve a hotel and email Bob",
    "What is 2 + 2? And 3 + 3?",
    "Take 5 and double it",
    "1. add milk\n2. add eggs\n3. show my list",
    "Füge Milch hinzu. Zeige mir die Liste.",
    "添加牛奶。显示列表。",
    "Calculator, weather",
  ],
  complex: [
    "Calculate 5 + 3, add it as a todo and mark it as done",
    "Analyze multi-step comprehensive workflow",
    "Design a comprehensive onboarding strategy",
    "Compare the implications of both scenarios",
    "optimize our deployment pipeline",
    "a detailed migration roadmap",
    "carry out a multi-stage rollout",
    "walk me through it step by step",
    "Research market trends",
    "If it rains tomorrow, add umbrella to my list",
    "for each todo send a mail to Bob",
    "Complete every overdue todo",
    "mark each task on my list as done",
    "Add a todo for each of my meetings",
    "unless it is done, delete the report task",
    "buy milk or else bread",
    "keep adding 5 until the sum is over 100",
    "whenever a task is late, email me",
    "add milk, then show the list, then complete milk, then show the list again",
    "1. add milk\n2. add eggs\n3. show my list\n4. clear the list",
    "Check the weather in Paris, calculate 20 * 3, add the result as a todo and send a mail to Ann",
    "ask the calculator about the weather in a mail",
  ],
};

describe("estimateComplexity", () => {
  for (const [complexity, requests] of Object.entries(sentences)) {
    it.each(requests)(`rates as ${complexity}: %s`, (request) => {
      expect(estimateComplexity({ request, tools })).toBe(complexity);
      expect(estimateComplexity({ request: request.toUpperCase(), tools })).toBe(complexity);
    });
  }

  it("is deterministic: it keeps nothing from earlier requests", () => {
    const requests = Object.values(sentences).flat();
    const judge = () => requests.map((request) => estimateComplexity({ request, tools }));
    expect(judge()).toEqual(judge());
  });

  it("does not read requests of more than 200 000 characters", () => {
    const [longest, longer] = [200_000, 200_001].map((length) => "a".repeat(length));
    expect(estimateComplexity({ request: `${longest}`, tools })).toBe("simple");
    expect(estimateComplexity({ request: `${longer}`, tools })).toBe("complex");
  });

  it("works without tools", () => {
    expect(estimateComplexity({ request: "mail the weather", tools: [] })).toBe("simple");
  });
});
