import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { createAgent } from "../../src/agent.ts";
import { defineTool } from "../../src/core/define-tool.ts";
import type { AgentEvent } from "../../src/core/events.ts";
import type { ReplanRequest } from "../../src/core/planner.ts";
import type { RunStore } from "../../src/core/run-store.ts";
import { createMemoryRunStore } from "../../src/stores/memory-run-store.ts";
import { createFakeTool } from "../../src/testing/fake-tool.ts";
import { planOf } from "../scenario/plans.ts";
import { runScenario, type Scenario } from "../scenario/run-scenario.ts";
import { added, replanner, steps } from "../scenario/scripted-replanner.ts";

/** An error with a property that must never be stored. */
const planted = "Bearer 123";
const thrownBy = (message = "broken", rest: object = {}) =>
  Object.assign(new RangeError(message), { request: { authorization: planted }, ...rest });
const fails = (thrown: unknown) => createFakeTool({ name: "F", outcomes: [{ throws: thrown }] });
const foreign: unknown = runInNewContext('new TypeError("no")');
const final = { retryable: false };

const errorsOf = (event: AgentEvent) =>
  [
    "error" in event ? event.error : undefined,
    "outcome" in event && "error" in event.outcome ? event.outcome.error : undefined,
    event.type === "plan-revise" ? event.cause : undefined,
  ].filter((error) => error !== undefined);

/** Whether a value can be reached by reading, hidden or not, except through `known`. */
function reaches(value: unknown, wanted: unknown, known = new Set<unknown>()): boolean {
  if (value === wanted) return true;
  if (typeof value !== "object" || value === null || known.has(value)) return false;
  known.add(value);
  const parts =
    value instanceof Map ? [...value.values()] : Reflect.ownKeys(value).map((key) => Reflect.get(value, key));
  return parts.some((part) => reaches(part, wanted, known));
}

async function play(create: () => Scenario) {
  const played = await runScenario(create);
  const reported = played.events.flatMap((event) => errorsOf(event).map((error) => [event.type, error.cause] as const));
  return { ...played, reported };
}

describe("the value that a tool has thrown", () => {
  it("is the cause in the result and in each event that reports it", async () => {
    const first = thrownBy("first");
    const last = thrownBy("last", final);
    const { result, reported } = await play(() => ({
      tools: [createFakeTool({ name: "F", outcomes: [{ throws: first }, { throws: last }] })],
      plan: planOf("F"),
    }));
    expect(reported).toEqual([
      ["step-retry", first],
      ["step-end", last],
      ["run-end", last],
    ]);
    for (const [, cause] of reported) expect(cause).toBeInstanceOf(RangeError);
    expect(result.error?.cause).toBe(last);
    expect(result.steps[0]?.error?.cause).toBe(last);
  });

  it.each<[string, unknown]>([
    ["text", "no"],
    ["an object", { status: 500 }],
    ["an error of another realm", foreign],
    ["frozen", Object.freeze(thrownBy())],
  ])("is the unchanged cause if it is %s", async (_what, thrown) => {
    const { result } = await play(() => ({ tools: [fails(thrown)], plan: planOf("F"), retry: { maxAttempts: 1 } }));
    expect(result.error?.cause).toBe(thrown);
  });

  it("is the cause of a failed undo, of a loop's iteration, and of a step in doubt", async () => {
    const thrown = thrownBy("stuck", final);
    const undone = await play(() => ({
      isResumable: false,
      tools: [{ ...createFakeTool({ name: "A" }), undo: () => Promise.reject(thrown) }, fails("no")],
      plan: planOf("A", "F"),
      retry: { maxAttempts: 1 },
      options: { undoOnFailure: true },
    }));
    expect(undone.reported).toContainEqual(["undo-end", thrown]);
    const looped = await play(() => ({
      tools: [fails(thrown)],
      plan: { steps: [{ id: "s1", tool: "F", input: {}, forEach: "[1]" }] },
    }));
    expect(looped.result.steps[0]?.error?.cause).toBe(thrown);
    const doubted = await play(() => ({
      isResumable: false,
      tools: [
        defineTool({
          name: "O",
          description: "x",
          inputSchema: z.looseObject({}),
          effect: "once",
          timeoutMs: 10,
          execute: (_input, { signal }) =>
            new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(thrown))),
        }),
      ],
      plan: planOf("O"),
    }));
    const [item] = doubted.result.pending ?? [];
    expect(item?.kind === "outcome" && item.error?.cause).toBe(thrown);
  });

  it("is the cause for steps cut off by the end of a run", async () => {
    const thrown = thrownBy("down");
    const { result } = await play(() => ({
      tools: [fails(thrown)],
      plan: planOf("F"),
      options: { timeoutMs: 500 },
    }));
    expect(result.steps[0]?.error).toMatchObject({ code: "timeout" });
    expect(result.steps[0]?.error?.cause).toBe(thrown);
  });

  it("is thrown as the cause by throwOnFailure, and appears in its JSON as data", async () => {
    const thrown = thrownBy("no", final);
    const agent = createAgent({ tools: [fails(thrown)] });
    const failure = await agent.execute(planOf("F") as never, { throwOnFailure: true }).catch((error) => error);
    expect(failure.cause).toBe(thrown);
    expect(JSON.parse(JSON.stringify(failure)).cause).toEqual({ name: "RangeError", message: "no", retryable: false });
  });

  it.each([
    ["of this realm", thrownBy()],
    ["of another", foreign],
  ])("is the cause when a planner threw it, an error %s", async (_whose, thrown) => {
    const planner = { name: "p", plan: () => Promise.reject(thrown) };
    const { result, reported } = await play(() => ({ tools: [], request: "Do it", planner }));
    expect(reported).toEqual([
      ["plan-end", thrown],
      ["run-end", thrown],
    ]);
    expect(result.error?.cause).toBe(thrown);
  });

  it("is the cause when an effect that is a function threw it", async () => {
    const thrown = thrownBy();
    const effect = () => {
      throw thrown;
    };
    const { result } = await play(() => ({ tools: [{ ...fails("no"), effect }], plan: planOf("F") }));
    expect(result.error).toMatchObject({ code: "tool-failed", stack: expect.stringContaining("live-cause.test.ts") });
    expect(result.error?.cause).toBe(thrown);
  });
});

describe("the value that a tool has thrown is never", () => {
  const scenario = (thrown: unknown, requests: ReplanRequest[] = []): Scenario => ({
    isResumable: false,
    tools: [fails(thrown), createFakeTool({ name: "A" })],
    planner: replanner(planOf("F"), [steps(added("r1"))], requests),
    request: "Do it",
    retry: { maxAttempts: 2 },
    options: { maxReplans: 1, replanTools: ["A"] },
  });

  it("enumerable, so no JSON, copy or key contains it", async () => {
    const thrown = thrownBy();
    const { events, result } = await play(() => scenario(thrown));
    expect(result.status).toBe("completed");
    expect(events.some((event) => errorsOf(event).some(({ cause }) => cause === thrown))).toBe(true);
    for (const value of [...events, result]) {
      expect(JSON.stringify(value)).not.toContain(planted);
      expect(reaches(structuredClone(value), planted)).toBe(false);
    }
  });

  it("kept by a store, not even the one in memory", async () => {
    const thrown = thrownBy();
    const memory = createMemoryRunStore();
    const seen: unknown[] = [];
    const store: RunStore = Object.assign(Object.create(memory) as RunStore, {
      append: (...args: Parameters<RunStore["append"]>) => {
        seen.push(args[1]);
        return memory.append(...args);
      },
    });
    const agent = createAgent({ tools: [fails(thrown)], store, retry: { maxAttempts: 2, minDelayMs: 0 } });
    const result = await agent.execute(planOf("F") as never);
    expect(reaches(result, thrown)).toBe(true);
    for (const kept of [seen, await memory.read(result.runId), await agent.getRun(result.runId)]) {
      expect(reaches(kept, thrown)).toBe(false);
      expect(JSON.stringify(kept)).toContain("broken");
    }
  });

  it("passed to a planner, nor is its stack", async () => {
    const thrown = thrownBy();
    const requests: ReplanRequest[] = [];
    const { recorded } = await play(() => scenario(thrown, requests));
    expect(JSON.stringify(recorded)).toContain("live-cause.test.ts");
    expect(requests.length).toBeGreaterThan(0);
    for (const { error, steps } of requests) {
      expect(error.message).toContain("broken");
      expect(reaches([error, steps], thrown)).toBe(false);
      expect(JSON.stringify([error, steps])).not.toContain("live-cause.test.ts");
    }
  });
});

describe("the stack of the last attempt's error", () => {
  const run = async (thrown: unknown, options: { recordStacks?: boolean } = {}) => {
    const { recorded, result } = await play(() => ({
      tools: [fails(thrown)],
      plan: planOf("F"),
      retry: { maxAttempts: 2 },
      ...options,
    }));
    const retry = recorded.find(({ type }) => type === "step-retry");
    expect(JSON.stringify(retry)).not.toContain("live-cause.test.ts");
    return { stack: result.steps[0]?.error?.stack, recorded };
  };

  it("is recorded", async () => {
    const thrown = thrownBy();
    const { stack = "", recorded } = await run(thrown);
    expect(stack.split("\n")[0]).toBe("RangeError: broken");
    expect(stack).toContain("live-cause.test.ts");
    const end = recorded.find(({ type }) => type === "step-end");
    expect(end).toMatchObject({ outcome: { error: { stack } } });
  });

  it("is not recorded with recordStacks: false, and the cause is still there", async () => {
    const { stack, recorded } = await run(thrownBy(), { recordStacks: false });
    expect(stack).toBeUndefined();
    expect(JSON.stringify(recorded)).not.toContain("live-cause.test.ts");
  });

  it("is missing for a value that is not an error, whatever its stack property", async () => {
    const { stack } = await run({ message: "no", stack: planted });
    expect(stack).toBeUndefined();
  });
});
