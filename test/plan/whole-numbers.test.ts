import fc from "fast-check";
import { createAgent, createCalculator, defineTool, isAgentError } from "planwright";
import { expect, it } from "vitest";
import * as z from "zod/v4";

const pay = defineTool({
  name: "Pay",
  description: "Pays an invoice",
  inputSchema: z.object({ invoice: z.number() }),
  effect: "idempotent",
  phrases: ["pay invoice {invoice}"],
  execute: ({ invoice }) => invoice,
});
const agent = createAgent({ tools: [pay, createCalculator()] });
const large = fc.bigInt({ min: 2n ** 52n, max: 2n ** 63n });

it("a whole number in a request is planned as it was said, or refused", async () => {
  let planned = 0;
  await fc.assert(
    fc.asyncProperty(large, async (invoice) => {
      const plan = await agent.plan(`pay invoice ${invoice}`).catch((thrown: unknown) => thrown);
      if (isAgentError(plan, "cannot-plan")) return;
      planned++;
      expect(plan).toMatchObject({ steps: [{ input: { invoice: Number(invoice) } }] });
      expect(BigInt(Number(invoice))).toBe(invoice);
    }),
    { numRuns: 200, examples: [[2n ** 53n - 1n], [2n ** 53n], [2n ** 53n + 1n]] },
  );
  expect(planned).toBeGreaterThan(1);
});

it("a sum of whole numbers has all its digits, or fails with them", async () => {
  await fc.assert(
    fc.asyncProperty(large, fc.bigInt({ min: -9n, max: 9n }), async (a, b) => {
      const steps = [{ id: "s", tool: "Calculator", input: { expression: `${a} + (${b})` } }] as const;
      const { status, output, error } = await agent.execute({ steps });
      if (status === "completed") expect(JSON.stringify((output as { value: number }).value)).toBe(String(a + b));
      else expect(error?.message).toContain(String(a + b));
    }),
    { numRuns: 100 },
  );
});

it("a condition that a rounded number would decide fails", async () => {
  const run = async (when: string) =>
    (await agent.execute({ steps: [{ id: "p", tool: "Pay", input: { invoice: 1 }, when }] })).error?.code;
  expect(await run("9007199254740992 + 1 == 9007199254740992")).toBe("invalid-expression");
  expect(await run("0.1 + 0.2 == 0.3")).toBeUndefined();
  expect(await run("1 % (5 % (4 / 3)) == 0")).toBe("invalid-expression");
});
