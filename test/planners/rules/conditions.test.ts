import { createAgent, createCalculator, createTodoStore, defineTool } from "planwright";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { readConditional } from "../../../src/planners/rules/conditions.ts";
import { refusalOf } from "./plan-for.ts";

const weather = defineTool({
  name: "Weather",
  description: "Whether it rains in a city.",
  inputSchema: z.object({ city: z.string() }),
  outputSchema: z.object({ raining: z.boolean() }),
  effect: "pure",
  phrases: [
    { phrase: "is it raining in Paris", input: { city: "Paris" } },
    { phrase: "will I need an umbrella in London", input: { city: "London" } },
  ],
  execute: ({ city }) => ({ raining: city === "oslo" }),
});

const createAgentWithTodos = () => createAgent({ tools: [createCalculator(), createTodoStore(), weather] });

describe("a request with a condition", () => {
  it.each([
    ["if milk is on my list, delete it", "size(s1.todos) > 0"],
    ["if milk is not on my list then add milk to my list", "!(size(s1.todos) > 0)"],
    ["please if I have milk on my list then delete it", "size(s1.todos) > 0"],
    ["if I don't have milk on my list, add milk", "!(size(s1.todos) > 0)"],
    ["if there are no tasks on my list, add relax to my list", "!(size(s1.todos) > 0)"],
    ["is milk on my list? If not, add milk to my list", "!(size(s1.todos) > 0)"],
    ["do I have eggs on my list, if so delete it", "size(s1.todos) > 0"],
    ["if it is raining in Oslo, add umbrella to my packing list", "s1.raining"],
    ["if it isn't raining in Oslo then remind me to water the plants", "!(s1.raining)"],
  ])("is planned with `when`: %s", async (request, when) => {
    const { steps } = await createAgentWithTodos().plan(request);
    expect(steps.map((step) => step.when)).toEqual([undefined, when]);
    expect(steps[1]?.dependsOn).toEqual(["s1"]);
  });

  it("does what it says", async () => {
    const agent = createAgentWithTodos();
    const request = "if milk is not on my list, add milk to my list and show my list";
    const first = await agent.run(request);
    const second = await agent.run(request);
    expect(first.steps.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
    expect(second.steps.map(({ status }) => status)).toEqual(["completed", "skipped", "skipped"]);
  });

  it.each([
    ["milk", []],
    ["buy milk", []],
    ["milkshake", ["milkshake"]],
    ["milk, oat milk", ["oat milk"]],
  ])("is about what was found: %s", async (titles, left) => {
    const agent = createAgentWithTodos();
    await agent.run(
      titles
        .split(", ")
        .map((title) => `add ${title}`)
        .join(", "),
    );
    expect(await agent.run("if milk is on my list, delete it")).toMatchObject({ status: "completed" });
    const { output } = await agent.run("show my tasks");
    const todos = output !== null && typeof output === "object" && "todos" in output ? output.todos : [];
    expect(todos.map(({ title }) => title)).toEqual(left);
  });

  it("fails where several were found, and none has the name", async () => {
    const agent = createAgentWithTodos();
    await agent.run("add oat milk, add soy milk");
    const { error } = await agent.run("if milk is on my list, delete it");
    expect(error).toMatchObject({ message: expect.stringContaining('"milk" fits 2 todos') });
  });

  it.each([
    "if I forget, remind me to call mum",
    "if milk is on my list delete it, otherwise add it",
    "if eggs are not and milk is not on my list, add both to my list",
    "if I don't have milk and it is not raining in Oslo, add milk to my list",
    "show my tasks and if it is late add sleep to my list",
    "add milk to my list; if there is room add eggs to my list",
    "if milk is on my list, add eggs to my list unless it rains",
  ])("is refused where nothing can tell: %s", async (request) => {
    expect((await refusalOf(request)).reason).not.toBe("");
  });

  it.each(["if you can, add milk to my list", "tell me if milk is on my list", "add milk to my list if you can"])(
    "is none in %s",
    async (request) => {
      const { steps } = await createAgentWithTodos().plan(request);
      expect(steps.map((step) => step.when)).toEqual([undefined]);
    },
  );

  it("is none within quotes", async () => {
    const { steps } = await createAgentWithTodos().plan('add "call mum, if she is in" to my list and show my list');
    expect(steps.map(({ input }) => input)).toMatchObject([{ title: "call mum, if she is in" }, { operation: "list" }]);
  });

  it("is read in linear time", () => {
    for (const text of ["if ".repeat(300_000), `if ${"a ".repeat(400_000)}`, ", ".repeat(400_000)])
      expect(readConditional(text)).toBeUndefined();
  });
});
