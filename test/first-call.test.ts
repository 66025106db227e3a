import { expect, it, vi } from "vitest";
import { z } from "zod/v3";

/** The modules as a process loads them that has called nothing yet. */
async function loadAnew() {
  vi.resetModules();
  const planwright = await import("planwright");
  const { checkPhrases } = await import("planwright/testing");
  const order = planwright.defineTool({
    name: "Order",
    description: "Orders drinks",
    inputSchema: z.object({ drink: z.string() }),
    effect: "idempotent",
    phrases: ["order {drink}"],
    execute: ({ drink }) => drink,
  });
  return { ...planwright, checkPhrases, tools: [order] };
}

type Loaded = Awaited<ReturnType<typeof loadAnew>>;

const steps = [{ id: "s1", tool: "Order", input: { drink: "tea" } }];
const now = { nowMs: 0, timeZone: "UTC" };

it.each<[string, (loaded: Loaded) => unknown, unknown]>([
  ["checkPhrases", ({ checkPhrases, tools }) => checkPhrases(tools), []],
  ["validatePlan", ({ validatePlan, tools }) => validatePlan({ steps }, { tools }), []],
  ["describePlan", ({ describePlan, tools }) => describePlan({ steps }, { tools }), expect.stringContaining("tea")],
  [
    "describeCall",
    ({ describeCall, tools }) => describeCall({ tool: "Order", input: { drink: "tea" } }, { tools }),
    // At once, so before the converter is loaded that phrases need.
    "order, drink: tea",
  ],
  [
    "explainRequest",
    ({ explainRequest, tools }) => explainRequest({ request: "order tea", tools, ...now }),
    expect.objectContaining({ steps: [expect.objectContaining({ tool: "Order" })] }),
  ],
  [
    "createAgent",
    ({ createAgent, tools }) => createAgent({ tools }).plan("order tea"),
    expect.objectContaining({ steps: [expect.objectContaining({ tool: "Order" })] }),
  ],
  [
    "createOrchestrator",
    ({ createOrchestrator, createMemoryRunStore, tools }) =>
      createOrchestrator({ tools, store: createMemoryRunStore() }).execute({ steps }),
    expect.objectContaining({ status: "completed", output: "tea" }),
  ],
])("%s reads schemas of zod 3, also as the first call of a process", async (_, call, expected) => {
  expect(await call(await loadAnew())).toEqual(expected);
});
