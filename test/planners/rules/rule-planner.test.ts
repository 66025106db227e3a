import { readdirSync, readFileSync } from "node:fs";
import { createAgent, createRulePlanner, defineTool, validatePlan } from "planwright";
import { describe, expect, it } from "vitest";
import { z as z3 } from "zod/v3";
import { z } from "zod/v4";
import { calculator, inputsFor, nowMs, refusalOf, requestOf, stepsFor, todos, toolWith, weather } from "./plan-for.ts";

describe("createRulePlanner", () => {
  it("creates the plan of product.md", async () => {
    expect(await stepsFor("Calculate 100 / 4 and add the result as a todo")).toEqual([
      { id: "s1", tool: "Calculator", input: { expression: "100 / 4" }, dependsOn: [], reasoning: "Calculate 100 / 4" },
      {
        id: "s2",
        tool: "TodoStore",
        input: { operation: "add", title: "${s1.value}" },
        dependsOn: ["s1"],
        reasoning: "Add the result as a todo",
      },
    ]);
  });

  it.each([
    [
      "Add a todo to buy milk, then show me all my tasks",
      [{ operation: "add", title: "buy milk" }, { operation: "list" }],
    ],
    [
      "add milk and eggs to my list, then show me what is left",
      [
        { operation: "add", title: "milk" },
        { operation: "add", title: "eggs" },
        { operation: "list", status: "pending" },
      ],
    ],
    ["show me my tasks", [{ operation: "list" }]],
    ["add milk, eggs and bread", ["milk", "eggs", "bread"].map((title) => ({ operation: "add", title }))],
    ["add a todo to call mum and dad", [{ operation: "add", title: "call mum and dad" }]],
    ["what is the sum of three and four", [{ expression: "3 + 4" }]],
    [
      "calculate 12 * 4 then add 12 to it, then double that",
      [
        { expression: "12 * 4" },
        { expression: "x + 12", variables: { x: { $ref: "s1.value" } } },
        { expression: "x * 2", variables: { x: { $ref: "s2.value" } } },
      ],
    ],
    [
      "First add milk to my list; next, calculate 5 * 5. Finally show my tasks!",
      [{ operation: "add", title: "milk" }, { expression: "5 * 5" }, { operation: "list" }],
    ],
    [
      "add milk to my list\nadd eggs to my list",
      [
        { operation: "add", title: "milk" },
        { operation: "add", title: "eggs" },
      ],
    ],
    ["add a todo: pay Dr. Smith 7.30", [{ operation: "add", title: "pay Dr. Smith 7.30" }]],
  ])("plans %s", async (request, inputs) => {
    expect(await inputsFor(request)).toEqual(inputs);
  });

  it("lets a step with an effect wait for all before it, and a pure one for the last with an effect", async () => {
    const dependencies = async (request: string) =>
      (await stepsFor(request, { tools: [calculator, todos, weather] })).map((step) => step.dependsOn);
    expect(
      await dependencies("add milk to my list and show my tasks and show my completed tasks and add eggs to my list"),
    ).toEqual([[], ["s1"], ["s1"], ["s2", "s3"]]);
    expect(await dependencies("weather in Rome and weather in Oslo")).toEqual([[], []]);
    expect(await dependencies("calculate 2 + 2, add milk to my list and then calculate 3 + 3")).toEqual([
      [],
      ["s1"],
      ["s2"],
    ]);
  });

  it("uses the nearest earlier result that fits", async () => {
    expect(await inputsFor("calculate 5 + 5, add milk to my list, then double it")).toEqual([
      { expression: "5 + 5" },
      { operation: "add", title: "milk" },
      { expression: "x * 2", variables: { x: { $ref: "s1.value" } } },
    ]);
    expect(await inputsFor("add milk to my list and mark it as done")).toEqual([
      { operation: "add", title: "milk" },
      { operation: "complete", id: "${s1.id}" },
    ]);
    const steps = await stepsFor("check the weather in Rome and add it as a todo", { tools: [weather, todos] });
    expect(steps.map(({ input }) => input)).toEqual([{ city: "Rome" }, { operation: "add", title: "${s1.celsius}" }]);
  });

  it("uses the whole output of a tool that names no result", async () => {
    const whole = toolWith({ name: "Whole", phrases: ["roll the dice"], inputSchema: z.object({}) });
    const odd = toolWith({
      name: "Odd",
      phrases: ["flip"],
      inputSchema: z.object({}),
      outputSchema: z.object({ "my side": z.string() }),
    });
    expect(await inputsFor("roll the dice and add it to my list", [whole, todos])).toEqual([
      {},
      { operation: "add", title: "${s1}" },
    ]);
    expect(await inputsFor("flip and add it to my list", [odd, todos])).toEqual([
      {},
      { operation: "add", title: '${s1["my side"]}' },
    ]);
    const first = toolWith({ name: "First", phrases: ["draw"], inputSchema: z.object({}), result: "[0].name" });
    expect(await inputsFor("draw and add it to my list", [first, todos])).toEqual([
      {},
      { operation: "add", title: "${s1[0].name}" },
    ]);
  });

  it.each([
    ["add use ${HOME} to my list", "use ${$}{HOME}"],
    ['add a todo: {"$ref":"s1"}', '{"$ref":"s1"}'],
    ["add pay ${s1.value} to my list", "pay ${$}{s1.value}"],
    ['add "Write report, then show my tasks" to my list', "Write report, then show my tasks"],
    ["add café crème ☕ to my list", "café crème ☕"],
    ["Add Ünïcödé TÂSK to my list", "Ünïcödé TÂSK"],
    ["add 買い物に行く to my list", "買い物に行く"],
  ])("keeps the user's own text unchanged in %s", async (request, title) => {
    expect(await inputsFor(request)).toEqual([{ operation: "add", title }]);
  });

  it("creates only valid plans", async () => {
    const tools = [calculator, todos, weather];
    for (const request of [
      "add use ${s1} to my list and show it",
      "calculate 2 + 3 and add the answer to my work list",
    ]) {
      const draft = await Promise.resolve(createRulePlanner().plan(requestOf(request, { tools }))).catch(
        () => undefined,
      );
      if (draft !== undefined) expect(await validatePlan({ ...draft, request }, { tools })).toEqual([]);
    }
  });

  it("is deterministic", async () => {
    const request = "add milk and eggs to my list, then calculate 3 * 3 and add the result as a todo";
    const plans = await Promise.all(Array.from({ length: 5 }, () => stepsFor(request)));
    for (const plan of plans) expect(plan).toEqual(plans[0]);
  });

  it("accepts one typing mistake in a longer word of a phrase", async () => {
    expect(await inputsFor("put milk on my shoping list")).toEqual([
      { operation: "add", title: "milk", list: "shoping" },
    ]);
    const milk = { operation: "add", title: "buy milk" };
    const { proposals } = await refusalOf("reminde me to buy milk");
    expect(proposals?.[0]).toMatchObject({ steps: [{ input: milk }], unused: [] });
  });

  it("plans with tools of zod 3 and with async schemas", async () => {
    const old = toolWith({
      name: "Old",
      inputSchema: z3.object({ city: z3.string(), days: z3.number() }),
      phrases: [{ phrase: "forecast for {city} for {days} days", slots: { city: z3.string().min(2) } }],
    });
    expect(await inputsFor("forecast for Rome for three days", [old])).toEqual([{ city: "Rome", days: 3 }]);
    const text = z.object({ text: z.string().refine(async (value) => value !== "no") });
    const slow = toolWith({ name: "Slow", inputSchema: text, phrases: ["say {text}"] });
    expect(await inputsFor("say yes and say maybe", [slow])).toEqual([{ text: "yes" }, { text: "maybe" }]);
    await expect(inputsFor("say no", [slow])).rejects.toMatchObject({ code: "cannot-plan" });
  });

  it("does not refer to an earlier result that an async schema refuses", async () => {
    const inputSchema = z.object({ n: z.number().refine(async () => true) });
    const slow = toolWith({ name: "Slow", inputSchema, phrases: ["count to {n}"] });
    expect(await inputsFor("calculate 2 + 2, add milk to my list and count to it", [calculator, todos, slow])).toEqual([
      { expression: "2 + 2" },
      { operation: "add", title: "milk" },
      { n: { $ref: "s1.value" } },
    ]);
    await expect(inputsFor("add milk to my list and count to it", [todos, slow])).rejects.toMatchObject({
      code: "cannot-plan",
    });
  });

  it("stops when it is cancelled", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(stepsFor("show my tasks", { signal })).rejects.toMatchObject({
      code: "cancelled",
      details: { reason: "enough" },
    });
    await expect(stepsFor("show my tasks", { signal: AbortSignal.abort("stop") })).rejects.toMatchObject({
      details: { reason: "stop" },
    });
  });

  it("refuses unknown options", () => {
    expect(() => createRulePlanner({ explain: "yes" as unknown as boolean })).toThrow(/explain/);
    expect(() => createRulePlanner({ other: 1 } as object)).toThrow(/other/);
    expect(createRulePlanner().name).toBe("rules");
  });

  it("resolves dates in the time zone of the request", async () => {
    const late = { nowMs: Date.UTC(2026, 10, 22, 23, 30) };
    const due = async (timeZone: string) =>
      (await stepsFor("remind me to call mum tomorrow", { ...late, timeZone }))[0]?.input;
    expect(await due("Europe/Berlin")).toEqual({ operation: "add", title: "call mum", dueDate: "2026-11-24" });
    expect(await due("America/New_York")).toEqual({ operation: "add", title: "call mum", dueDate: "2026-11-23" });
    expect(nowMs).toBe(Date.UTC(2026, 10, 22, 12));
  });

  it("cuts where a wish probably begins if no phrase fits the whole", async () => {
    expect(await inputsFor("what is 5 times 8 oh and put that on my list")).toEqual([
      { expression: "5 * 8" },
      { operation: "add", title: "${s1.value}" },
    ]);
    await expect(stepsFor("add milk to my list plus book a flight")).rejects.toMatchObject({ code: "cannot-plan" });
  });

  it("contains no name of a tool", () => {
    const folder = new URL("../../../src/planners/rules/", import.meta.url);
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
    const sources = files.map((file) => readFileSync(new URL(file, folder), "utf8"));
    expect(sources.length).toBeGreaterThan(10);
    for (const source of sources) expect(source).not.toMatch(/calculator|todostore|weather/i);
  });
});

describe("an amount in another currency", () => {
  const pay = (field: string) =>
    defineTool({
      ...{ name: "Pay", description: "Pays", inputSchema: z.object({ [field]: z.number(), to: z.string() }) },
      ...{ phrases: [`send {${field}} to {to}`], effect: "once", execute: () => null },
    });
  it.each([
    ["euros", "$5"],
    ["euros", "£5"],
    ["euros", "US$5"],
    ["euros", "5 dollars"],
    ["dollars", "€5"],
    ["amountUsd", "5 pounds"],
    ["minutes", "5 km"],
  ])("is no value of %s: %s", async (field, amount) => {
    const agent = createAgent({ tools: [pay(field)] });
    await expect(agent.plan(`send ${amount} to Ada`)).rejects.toMatchObject({ code: "cannot-plan" });
  });

  it.each([
    ["euros", "€5"],
    ["euros", "5"],
    ["dollars", "$5"],
    ["amountUsd", "5 dollars"],
  ])("is not: %s, %s", async (field, amount) => {
    const { steps } = await createAgent({ tools: [pay(field)] }).plan(`send ${amount} to Ada`);
    expect(steps).toMatchObject([{ input: { [field]: 5, to: "Ada" } }]);
  });
});
