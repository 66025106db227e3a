import { runInNewContext } from "node:vm";
import {
  type AgentOptions,
  createAgent,
  createMemoryRunStore,
  defineTool,
  type ReplanRequest,
  sensitive,
  type Tool,
} from "planwright";
import { createFakeTool } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { planOf } from "../../scenario/plans.ts";
import { runScenario } from "../../scenario/run-scenario.ts";
import { added, replanner, steps } from "../../scenario/scripted-replanner.ts";

/** An error with a property that must never be stored. */
const planted = "Bearer 123";
const thrownBy = (message = "broken", rest: object = {}) =>
  Object.assign(new RangeError(message), { request: { authorization: planted }, ...rest });
const fails = (...thrown: readonly unknown[]) =>
  createFakeTool({ name: "F", outcomes: thrown.map((one) => ({ throws: one })) });
const foreign: unknown = runInNewContext('new TypeError("no")');
const final = { retryable: false };

const agentOf = (tool: Tool, options: Partial<AgentOptions> = {}) =>
  createAgent({ tools: [tool], retry: { maxAttempts: 2, minDelayMs: 0 }, ...options });
const failureOf = (tool: Tool, options?: Partial<AgentOptions>) =>
  agentOf(tool, options)
    .execute(planOf("F") as never, { throwOnFailure: true })
    .catch((error: unknown) => error as Error);

/** Whether a value can be reached by reading, hidden or not. */
function reaches(value: unknown, wanted: unknown, known = new Set<unknown>()): boolean {
  if (value === wanted) return true;
  if (typeof value !== "object" || value === null || known.has(value)) return false;
  known.add(value);
  return Reflect.ownKeys(value).some((key) => reaches(Reflect.get(value, key), wanted, known));
}

it("the recorded stack has the message that is recorded, not one that a tool has cleaned since", async () => {
  const store = createMemoryRunStore();
  const clean = defineTool({
    name: "F",
    description: "f",
    inputSchema: z.object({}),
    effect: "idempotent",
    execute: () => {
      const error = new RangeError(`401\n  for ${planted}\n    at ${planted}`);
      // As a logger does: only now is the stack made.
      String(error.stack);
      error.message = "401 for ***";
      throw error;
    },
  });
  const result = await agentOf(clean, { store }).execute(planOf("F") as never, { runId: "r" });
  expect(result.error?.stack).toMatch(/^RangeError: 401 for \*\*\*\n {4}at .*run-errors\.test\.ts/);
  expect(JSON.stringify([result, await store.read("r")])).not.toContain(planted);
});

describe("the cause of what throwOnFailure throws", () => {
  it.each<[string, unknown]>([
    ["an error", thrownBy()],
    ["text", "no"],
    ["an object", { status: 500 }],
    ["an error of another realm", foreign],
    ["frozen", Object.freeze(thrownBy())],
  ])("is the value that the tool threw last, if it is %s", async (_what, thrown) => {
    const failure = await failureOf(fails("first", thrown));
    expect(failure).toMatchObject({ name: "AgentError", code: "tool-failed" });
    expect((failure as Error).cause).toBe(thrown);
  });

  it("appears in the JSON of the error as data", async () => {
    const failure = await failureOf(fails(thrownBy("no", final)));
    expect(JSON.parse(JSON.stringify(failure)).cause).toEqual({ name: "RangeError", message: "no", retryable: false });
  });

  it.each([
    ["of this realm", thrownBy()],
    ["of another", foreign],
  ])("is what a planner threw, an error %s", async (_whose, thrown) => {
    const agent = createAgent({ tools: [], planner: { name: "p", plan: () => Promise.reject(thrown) } });
    const failure = await agent.run("Do it", { throwOnFailure: true }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "planning-failed" });
    expect((failure as Error).cause).toBe(thrown);
  });

  it("is what a function of the effect threw", async () => {
    const thrown = thrownBy();
    const effect = () => {
      throw thrown;
    };
    const failure = await failureOf({ ...fails("no"), effect } as Tool);
    expect(failure).toMatchObject({ code: "tool-failed", cause: thrown });
  });

  it("is the data of it where the run did not run, or where part of it is hidden", async () => {
    const store = createMemoryRunStore();
    const thrown = thrownBy("no", final);
    const { runId } = await agentOf(fails(thrown), { store }).execute(planOf("F") as never);
    const again = agentOf(fails(), { store }).execute(planOf("F") as never, { runId, throwOnFailure: true });
    await expect(again).rejects.toSatisfy(({ cause }: Error) => !(cause instanceof RangeError));
    const redact: AgentOptions["redact"] = (value, { kind }) => (kind === "message" ? "hidden" : value);
    const hidden = await failureOf(fails(thrown), { redact });
    expect(hidden).toMatchObject({ message: "hidden", cause: { message: "hidden" } });
    expect(reaches(hidden, planted)).toBe(false);
  });

  it("is in no event, result, or store", async () => {
    const thrown = thrownBy();
    const store = createMemoryRunStore();
    const agent = agentOf(fails(thrown, thrown), { store });
    const seen: unknown[] = [];
    agent.subscribe((event) => void seen.push(event));
    const result = await agent.execute(planOf("F") as never);
    expect(result.status).toBe("failed");
    for (const kept of [seen, { ...result }, await store.read(result.runId), await agent.getRun(result.runId)]) {
      expect(reaches(kept, thrown)).toBe(false);
      expect(JSON.stringify(kept)).toContain("broken");
    }
    expect(JSON.stringify(result)).not.toContain(planted);
  });
});

it("neither what a tool threw nor its stack is passed to a planner", async () => {
  const requests: ReplanRequest[] = [];
  const { recorded } = await runScenario(() => ({
    isResumable: false,
    tools: [fails(thrownBy()), createFakeTool({ name: "A" })],
    planner: replanner(planOf("F"), [steps(added("r1"))], requests),
    request: "Do it",
    retry: { maxAttempts: 1 },
    options: { maxReplans: 1, replanTools: ["A"] },
  }));
  expect(JSON.stringify(recorded)).toContain("run-errors.test.ts");
  expect(requests.length).toBeGreaterThan(0);
  for (const { error, steps: made } of requests) {
    expect(error.message).toContain("broken");
    expect(reaches([error, made], planted)).toBe(false);
    expect(JSON.stringify([error, made])).not.toContain("run-errors.test.ts");
  }
});

describe("onToolError", () => {
  const calls: [unknown, object][] = [];
  const onToolError: AgentOptions["onToolError"] = (error, call) => void calls.push([error, call]);

  it("receives what a tool throws, before the retry or the end of the step is recorded", async () => {
    const [first, last] = [thrownBy("first"), thrownBy("last")];
    const order: unknown[] = [];
    const store = createMemoryRunStore();
    const agent = agentOf(fails(first, last), {
      store: Object.assign(Object.create(store), {
        append: (...args: Parameters<typeof store.append>) => {
          order.push(...args[1].map(({ type }) => type));
          return store.append(...args);
        },
      }),
      onToolError: (error, call) => void order.push([error, call]),
    });
    await agent.execute(planOf("F") as never, { runId: "r" });
    expect(order).toEqual([
      "run-start",
      "step-start",
      [first, { runId: "r", stepId: "s1", attempt: 1 }],
      "step-retry",
      [last, { runId: "r", stepId: "s1", attempt: 2 }],
      "step-end",
      "run-end",
    ]);
    expect((order[2] as unknown[])[0]).toBe(first);
  });

  it("names the iteration, and receives what a tool throws once it has timed out", async () => {
    calls.length = 0;
    const thrown = thrownBy("stopped");
    const tool = defineTool({
      name: "F",
      description: "Waits",
      inputSchema: z.looseObject({}),
      effect: "idempotent",
      timeoutMs: 1,
      retry: { maxAttempts: 1 },
      execute: (_input, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(thrown))),
    });
    const plan = [{ id: "s1", tool: "F", input: {}, forEach: "[1]" }];
    await agentOf(tool, { onToolError }).execute({ steps: plan } as never, { runId: "r" });
    expect(calls).toEqual([[thrown, { runId: "r", stepId: "s1", iteration: 0, attempt: 1 }]]);
  });

  it.each<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("mine");
      },
    ],
    ["rejects", () => Promise.reject(new Error("mine"))],
  ])("reports to onListenerError what it %s, and changes nothing", async (_how, answer) => {
    const reported: unknown[] = [];
    const agent = agentOf(fails("no", "no"), {
      onToolError: answer,
      onListenerError: (error, { type }) => void reported.push([(error as Error).message, type]),
    });
    expect(await agent.execute(planOf("F") as never)).toMatchObject({
      status: "failed",
      error: { code: "tool-failed" },
    });
    expect(reported).toEqual([
      ["mine", "attempt"],
      ["mine", "attempt"],
    ]);
  });

  it("receives data as it may be shown where redact hides part of it", async () => {
    calls.length = 0;
    const redact: AgentOptions["redact"] = (value, { kind }) => (kind === "message" ? "hidden" : value);
    await agentOf(fails(thrownBy("no", final)), { onToolError, redact }).execute(planOf("F") as never, { runId: "r" });
    const shown = { name: "RangeError", message: "hidden", retryable: false };
    expect(calls).toEqual([[shown, { runId: "r", stepId: "s1", attempt: 1 }]]);
  });

  it("receives data without the secrets of the run", async () => {
    calls.length = 0;
    const tool = defineTool({
      name: "F",
      description: "Has a secret",
      inputSchema: z.object({ pin: sensitive(z.string()) }),
      effect: "idempotent",
      retry: { maxAttempts: 1 },
      execute: ({ pin }) => {
        throw Object.assign(new Error(`${pin} is wrong`), { pin });
      },
    });
    const plan = [{ id: "s1", tool: "F", input: { pin: "hunter-2" } }];
    await agentOf(tool, { onToolError }).execute({ steps: plan } as never, { runId: "r" });
    expect(calls).toEqual([
      [
        { name: "Error", message: "[sensitive] is wrong" },
        { runId: "r", stepId: "s1", attempt: 1 },
      ],
    ]);
  });
});

describe("the stack of the last attempt's error", () => {
  const run = async (thrown: unknown, options: Partial<AgentOptions> = {}) => {
    const store = createMemoryRunStore();
    const result = await agentOf(fails(thrown, thrown), { store, ...options }).execute(planOf("F") as never);
    const recorded = await store.read(result.runId);
    const retry = recorded.find(({ type }) => type === "step-retry");
    expect(JSON.stringify(retry)).not.toContain("run-errors.test.ts");
    return { stack: result.steps[0]?.error?.stack, recorded };
  };

  it("is recorded", async () => {
    const { stack = "", recorded } = await run(thrownBy());
    expect(stack.split("\n")[0]).toBe("RangeError: broken");
    expect(stack).toContain("run-errors.test.ts");
    const end = recorded.find(({ type }) => type === "step-end");
    expect(end).toMatchObject({ outcome: { error: { stack } } });
  });

  it("is not recorded with recordStacks: false", async () => {
    const { stack, recorded } = await run(thrownBy(), { recordStacks: false });
    expect(stack).toBeUndefined();
    expect(JSON.stringify(recorded)).not.toContain("run-errors.test.ts");
  });

  it("is missing for a value that is not an error, whatever its stack property", async () => {
    const { stack } = await run({ message: "no", stack: planted });
    expect(stack).toBeUndefined();
  });
});
