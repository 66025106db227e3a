import { createAgent, defineTool, describePlan, hashPlan, validatePlan } from "planwright";
import { expect, it } from "vitest";
import * as z from "zod/v4";

const clock = defineTool({
  name: "Clock",
  description: "Tells the time",
  inputSchema: z.object({ zone: z.string().default("UTC") }),
  effect: "idempotent",
  execute: ({ zone }) => zone,
});
const note = defineTool({
  name: "Note",
  description: "Takes a note",
  inputSchema: z.object({ text: z.string() }),
  effect: "idempotent",
  execute: ({ text }) => text,
});
const tools = [clock, note] as const;
const short = { steps: [{ id: "a", tool: "Clock" }] } as const;
const long = { steps: [{ id: "a", tool: "Clock", input: {} }] } as const;

it("an input may be left out where nothing is required", async () => {
  const agent = createAgent({ tools });
  expect(await validatePlan(short, { tools })).toEqual([]);
  expect(await agent.execute(short)).toMatchObject({ status: "completed", output: "UTC", steps: [{ input: {} }] });
  expect((await agent.execute(short)).plan?.steps).toEqual(long.steps);
  expect((await agent.dryRun(short)).steps).toEqual((await agent.dryRun(long)).steps);
  expect(describePlan(short, { tools })).toBe(describePlan(long, { tools }));
});

it("a plan without it is the same plan: its hash, its approval and its run", async () => {
  const approvedHash = await hashPlan(short);
  expect(approvedHash).toBe(await hashPlan(long));
  const agent = createAgent({ tools });
  const first = await agent.execute(short, { runId: "run", approvedHash });
  expect(await agent.execute(long, { runId: "run", approvedHash })).toEqual(first);
});

it("an input that a tool requires is missed where it would stand", async () => {
  const issues = await validatePlan(
    {
      steps: [
        { id: "a", tool: "Note" },
        { id: "b", inputs: {} },
      ],
    },
    { tools },
  );
  expect(issues.map(({ code, path }) => `${code} at ${path.join(".")}`)).toEqual([
    "invalid-shape at steps.1.tool",
    "unknown-key at steps.1.inputs",
    "invalid-input at steps.0.input.text",
  ]);
});
