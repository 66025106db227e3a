import { createAgent, defineTool } from "planwright";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";

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
