import { createTodoStore, defineTool, explainRequest } from "planwright";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { refusalOf, requestOf, stepsFor } from "./plan-for.ts";

function createTool(name: string, phrases: readonly string[], options: object = {}) {
  return defineTool({
    ...{ name, description: name, inputSchema: z.object({}), effect: "pure", phrases, execute: () => 1 },
    ...options,
  });
}

const balanceExamples = [
  "what's my balance",
  "how much money do i have",
  "show me my account balance",
  "how much is in my checking account",
  "tell me the balance of my account",
];
const balance = createTool("Balance", balanceExamples);
const payday = createTool("Payday", [
  "when do i get paid",
  "when is payday",
  "what day will i get my paycheck",
  "how long until my next paycheck",
  "tell me when my next pay day is",
]);
const tools = [balance, payday, createTodoStore()];

const toolFor = async (request: string) => (await stepsFor(request, { tools })).map(({ tool }) => tool);

describe("a pure tool that is known by examples alone", () => {
  it.each([
    ["what is the balance in my account", "Balance"],
    ["how much money is in my account", "Balance"],
    ["do i have money in my checking account", "Balance"],
    ["when is my next payday", "Payday"],
    ["what day do i get paid", "Payday"],
  ])("is found by likeness: %s", async (request, tool) => {
    expect(await toolFor(request)).toEqual([tool]);
  });

  it("keeps the words of the request, and says what they are like", async () => {
    const request = "how much money is in my account";
    const [step] = await stepsFor(request, { tools });
    expect(step).toMatchObject({ id: "s1", tool: "Balance", input: {}, dependsOn: [], reasoning: request });
    const { parts } = await explainRequest(requestOf(request, { tools }));
    expect(parts).toMatchObject([
      { text: request, tool: "Balance", summary: expect.stringMatching(/^like "how much/) },
    ]);
  });

  it("is asked about if the likeness is small", async () => {
    const { reason, proposals, message } = await refusalOf("how much cash do i have", { tools });
    expect(reason).toBe("unsure");
    expect(proposals).toMatchObject([{ steps: [{ tool: "Balance", input: {} }] }]);
    expect(message).toContain("only slightly like");
  });

  it.each([
    ["what is my blood type", "not-understood"],
    ["close my checking account", "not-understood"],
    ["who won the game last night", "question"],
    ["do not tell me the balance in my account", "denied"],
    ["tell me the balance in my account every monday", "repeated"],
    ["what is the balance in my account? when is my next payday", "not-understood"],
    ["what is the balance in my account on friday", "not-understood"],
    ['what is the balance in my account "holiday"', "not-understood"],
    ["what is the balance in my account 12", "not-understood"],
  ])("is not found for %s", async (request, reason) => {
    expect((await refusalOf(request, { tools })).reason).toBe(reason);
  });
});

describe("likeness", () => {
  const request = "show me the money in my account";
  it.each([
    ["has an effect", { effect: "once" }],
    ["needs approval", { needsApproval: true }],
    ["has two examples", { phrases: balanceExamples.slice(0, 2) }],
  ])("is not asked where the tool %s", async (_, options) => {
    const tool = createTool("Balance", balanceExamples, options);
    expect((await refusalOf(request, { tools: [tool] })).reason).toBe("not-understood");
  });

  it.each([
    ["takes an input", { inputSchema: z.object({ account: z.string().optional() }) }],
    ["has a template", { phrases: [...balanceExamples, "(money|cash) that i have"] }],
  ])("is not asked where the tool %s, which is read in other words", async (_, options) => {
    const tool = createTool("Balance", balanceExamples, options);
    const { parts } = await explainRequest(requestOf(request, { tools: [tool] }));
    expect(parts).toMatchObject([{ tool: "Balance", summary: expect.not.stringMatching(/^like /) }]);
  });

  it("does not depend on what was asked before, or of which tools", async () => {
    const alone = await stepsFor(request, { tools: [balance] });
    await stepsFor(request, { tools });
    expect(await stepsFor(request, { tools: [balance] })).toEqual(alone);
  });
});
