import { createCalculator, createRulePlanner, createTodoStore } from "planwright";
import { describe, expect, it } from "vitest";
import { plannedByTheirVerb, refusedRequests } from "./refused-requests.ts";

const tools = [createCalculator(), createTodoStore()] as const;
const planner = createRulePlanner();
const { signal } = new AbortController();
const plan = (request: string) =>
  Promise.resolve(planner.plan({ request, tools, maxSteps: 10, signal, nowMs: 0, timeZone: "UTC" } as never));

it("has three hundred requests, each once", () => {
  const all = refusedRequests.flatMap(([, requests]) => requests);
  expect(new Set(all).size).toBe(all.length);
  expect(all.length).toBeGreaterThanOrEqual(300);
});

describe.each(refusedRequests)("a request that is %s", (_, requests) => {
  it.each(requests)("%s", async (request) => {
    await expect(plan(request)).rejects.toMatchObject({ code: "cannot-plan" });
  });
});

it.each(plannedByTheirVerb)("the verb decides in %s", async (request, operation, title) => {
  expect((await plan(request)).steps).toMatchObject([{ tool: "TodoStore", input: { operation, title } }]);
});
