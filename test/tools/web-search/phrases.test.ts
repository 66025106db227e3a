import { createNotes, createWebSearch } from "planwright";
import { describe, expect, it } from "vitest";
import { calculator, inputsFor, refusalOf, stepsFor, todos } from "../../planners/rules/plan-for.ts";

const tools = [calculator, todos, createNotes(), createWebSearch({ search: () => [] })];

describe("webSearchPhrases", () => {
  it.each([
    "search the web for zod 4",
    "Search the internet about zod 4",
    "could you please search online for zod 4?",
    "look on the web for zod 4",
    "look up zod 4 online",
    "find zod 4 on the web",
    "find information about zod 4 on the internet",
    "web search: zod 4",
    "do a google search for zod 4",
    "google for zod 4",
    "what does the internet say about zod 4",
  ])("search: %s", async (request) => {
    expect(await inputsFor(request, tools)).toEqual([{ query: "zod 4" }]);
  });

  it.each([
    "show me the top 3 web results for zod 4",
    "find the first three results on the web for zod 4",
    "get the best 3 pages about zod 4 online",
  ])("read a limit: %s", async (request) => {
    expect(await inputsFor(request, tools)).toEqual([{ query: "zod 4", limit: 3 }]);
  });

  it("keep a query whole, and continue with further requests", async () => {
    expect(await inputsFor("search the web for cheap flights and add a todo to book one", tools)).toEqual([
      { query: "cheap flights" },
      { operation: "add", title: "book one" },
    ]);
    expect(await inputsFor("calculate 6 * 7 and search the web for the result", tools)).toEqual([
      { expression: "6 * 7" },
      { query: "${s1.value}" },
    ]);
  });

  it.each([
    "search my list for milk",
    "find milk on my list",
    "remind me to search the web for shoes",
    "add look up flights online to my list",
    "create a task called search the web for shoes",
  ])("leave todos to the TodoStore: %s", async (request) => {
    const steps = await stepsFor(request, { tools });
    expect(steps.map(({ tool }) => tool)).toEqual(["TodoStore"]);
    expect(steps.map(({ input }) => input)).toEqual(await inputsFor(request));
  });

  it.each([
    "search for milk",
    "ok google play some music",
    "search the web",
    "search the web for it",
    "show me the top 99 web results for milk",
  ])("refuse an ambiguous request: %s", async (request) => {
    expect(await refusalOf(request, { tools })).toHaveProperty("reason");
  });
});
