import {
  type AgentEvent,
  type AgentEventOf,
  createAgent,
  createMemoryRunStore,
  defineTool,
  sensitive,
  type Tool,
  type ToolContext,
  type ToolEffect,
} from "planwright";
import { createFakeTool, createManualClock } from "planwright/testing";
import { toHtml } from "planwright/view";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { planOf } from "../../scenario/plans.ts";
import { resumeFrom, until } from "../../scenario/resume-from.ts";
import { runScenario } from "../../scenario/run-scenario.ts";

const inputSchema = z.looseObject({});
const retry = { maxAttempts: 3 };

type Execute = (context: ToolContext) => unknown;

/** A tool whose calls do these things, in turn; the last one is repeated. */
function toolOf(calls: readonly Execute[], rest: Partial<Pick<Tool, "timeoutMs" | "rateLimit" | "name">> = {}): Tool {
  let count = 0;
  const execute = (_input: object, context: ToolContext) => calls[Math.min(count++, calls.length - 1)]?.(context);
  return defineTool({ name: "T", description: "x", inputSchema, effect: "idempotent", execute, retry, ...rest });
}

const fail = () => {
  throw new Error("no");
};
const attemptsIn = (events: readonly AgentEvent[]) =>
  events.filter((event): event is AgentEventOf<"step-attempt"> => event.type === "step-attempt");
const endsIn = (events: readonly AgentEvent[]) =>
  events.filter((event): event is AgentEventOf<"step-end"> => event.type === "step-end");

describe("an attempt after the first", () => {
  it.each<[string, Partial<Tool>]>([
    ["", {}],
    [" with limits", { rateLimit: { limit: 5, intervalMs: 1 } }],
  ])("of a tool%s is reported when it starts", async (_which, rest) => {
    const { events, recorded } = await runScenario(() => ({ tools: [toolOf([fail], rest)], plan: planOf("T") }));
    expect(events.map(({ type }) => type).slice(1, -1)).toEqual([
      "step-start",
      "step-retry",
      "step-attempt",
      "step-retry",
      "step-attempt",
      "step-end",
    ]);
    const [second, third] = attemptsIn(events);
    const { sequence, timestamp, runId } = second as AgentEvent;
    expect(second).toEqual({ type: "step-attempt", stepId: "s1", tool: "T", attempt: 2, sequence, timestamp, runId });
    expect(third?.attempt).toBe(3);
    // After the delay, and not recorded.
    expect(events.find(({ type }) => type === "step-retry")?.timestamp).not.toBe(timestamp);
    expect(recorded.some(({ type }) => type === "step-attempt")).toBe(false);
  });

  it("names the iteration it belongs to", async () => {
    const { events } = await runScenario(() => ({
      isResumable: false,
      tools: [toolOf([fail, () => 1])],
      plan: { steps: [{ id: "s1", tool: "T", input: {}, forEach: "[1, 2]" }] },
    }));
    expect(attemptsIn(events)).toMatchObject([{ stepId: "s1", iteration: 0, attempt: 2 }]);
  });

  it("to undo a step is marked as such, and counts from 1 even if the step started in an earlier process", async () => {
    const create = () => {
      let undone = 0;
      const undo = () => (undone++ === 0 ? fail() : undefined);
      const failing = createFakeTool({ name: "F", outcomes: [{ throws: { retryable: false } }] });
      return {
        tools: [{ ...toolOf([fail, () => 1]), undo }, failing],
        plan: planOf("T", "F"),
        options: { undoOnFailure: true },
      };
    };
    const { events, recorded } = await runScenario(() => ({ ...create(), isResumable: false }));
    expect(attemptsIn(events).map(({ attempt, undo }) => [attempt, undo])).toEqual([
      [2, undefined],
      [2, true],
    ]);
    const resumed = await resumeFrom(until(recorded, "step-start s1"), () => ({ tools: create().tools }));
    expect(attemptsIn(resumed.events).map(({ attempt, undo }) => [attempt, undo])).toEqual([
      [3, undefined],
      [2, true],
    ]);
  });

  it("is not made, nor passed to its tool, once a listener that is notified of it has cancelled", async () => {
    for (const rest of [{}, { rateLimit: { limit: 5, intervalMs: 1 } }]) {
      let calls = 0;
      const { result } = await runScenario(() => {
        calls = 0;
        const count = () => {
          calls++;
          fail();
        };
        return {
          tools: [toolOf([count], rest)],
          plan: planOf("T"),
          act: ({ agent, handle }) => void agent.on("step-attempt", () => handle.cancel("enough")),
        };
      });
      expect(result).toMatchObject({ status: "cancelled", steps: [{ attempts: 1 }] });
      expect(calls).toBe(1);
    }
  });
});

describe("the last progress", () => {
  const tell =
    (values: readonly unknown[], then: Execute): Execute =>
    (context) => {
      for (const value of values) context.progress(value);
      return then(context);
    };
  const untilAborted: Execute = ({ signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const forever = () => new Promise(() => {});

  it.each<[string, Execute, Partial<Tool>, string]>([
    ["failed", fail, {}, "failed"],
    ["took too long", untilAborted, { timeoutMs: 10 }, "failed"],
    ["ignored its signal", forever, { timeoutMs: 10 }, "failed"],
    ["returned an invalid output", () => 1n, {}, "failed"],
  ])("of an attempt that %s appears in its step-end, as recorded", async (_how, then, rest, status) => {
    const { recorded } = await runScenario(() => ({
      tools: [toolOf([tell([10, { done: 40 }], then)], rest)],
      plan: planOf("T"),
    }));
    expect(endsIn(recorded)).toMatchObject([{ outcome: { status }, progress: { done: 40 } }]);
  });

  it("of an attempt that was cut off appears there, too", async () => {
    const { recorded } = await runScenario(() => ({
      tools: [toolOf([tell(["half"], untilAborted)])],
      plan: planOf("T"),
      options: { timeoutMs: 50 },
      isResumable: false,
    }));
    expect(endsIn(recorded)).toMatchObject([{ outcome: { status: "failed" }, progress: "half" }]);
  });

  it("is that of the last attempt, and null if that reported null", async () => {
    const { recorded } = await runScenario(() => ({
      tools: [toolOf([tell([90], fail), tell([null], fail)])],
      plan: planOf("T"),
      isResumable: false,
    }));
    expect(endsIn(recorded)).toMatchObject([{ progress: null, attempts: 3 }]);
    const { recorded: silent } = await runScenario(() => ({
      tools: [toolOf([tell([90], fail), fail])],
      plan: planOf("T"),
      isResumable: false,
    }));
    expect(endsIn(silent)[0]).not.toHaveProperty("progress");
  });

  it("is missing for a step that has completed", async () => {
    const { recorded } = await runScenario(() => ({
      tools: [toolOf([tell([90], fail), tell([100], () => 1)])],
      plan: planOf("T"),
      isResumable: false,
    }));
    expect(endsIn(recorded)[0]).toMatchObject({ outcome: { status: "completed" } });
    expect(endsIn(recorded)[0]).not.toHaveProperty("progress");
  });

  it("is the one before if it is too large, or is not JSON", async () => {
    const { recorded } = await runScenario(() => ({
      tools: [toolOf([tell([40, "x".repeat(200), 1n], fail)])],
      plan: planOf("T"),
      maxOutputBytes: 100,
    }));
    expect(endsIn(recorded)).toMatchObject([{ progress: 40 }]);
  });
});

describe("a tool that reads resources which the run was not given", () => {
  const reads = ({ resources }: ToolContext) => (resources as { db: unknown }).db;

  it.each([
    ["", reads],
    [", even if the tool copies its context", (context: ToolContext) => reads({ ...context })],
  ])("says so, and is not retried%s", async (_name, act) => {
    const { result } = await runScenario(() => ({ tools: [toolOf([act])], plan: planOf("T") }));
    const message = expect.stringMatching(/'db'\)\. The run has no `resources`\. Pass { resources }\./);
    expect(result).toMatchObject({ status: "failed", error: { message }, steps: [{ attempts: 1 }] });
  });

  it("is retried after any other error", async () => {
    const calls = (error: Error) => (context: ToolContext) => {
      if (context.resources === undefined) throw error;
    };
    for (const error of [new TypeError("fetch failed"), new Error("undefined")]) {
      const { result } = await runScenario(() => ({ tools: [toolOf([calls(error)])], plan: planOf("T") }));
      expect(result).toMatchObject({
        error: { message: expect.stringContaining(error.message) },
        steps: [{ attempts: 3 }],
      });
    }
  });
});

const plan = { steps: [{ id: "a", tool: "Copy", input: {} }] };
const failure = new Error("broken");

type Ending = "fails" | "hangs" | "ends";

/** A tool that copies nine files and ends as told, attempt by attempt. */
function copier(endings: Ending[], { effect = "idempotent" }: { effect?: ToolEffect } = {}) {
  return defineTool({
    name: "Copy",
    description: "Copies",
    inputSchema: z.object({ only: z.number().optional() }),
    effect,
    timeoutMs: 20,
    retry: { maxAttempts: 2, minDelayMs: 0 },
    execute: ({ only }, { attempt, progress, signal }) => {
      progress({ done: 0, of: 9 });
      progress({ done: only ?? attempt, of: 9 });
      const ending = endings.shift() ?? "ends";
      if (ending === "fails") throw failure;
      if (ending === "ends") return "copied";
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    },
  });
}

describe("the last progress of a step", () => {
  it.each<[string, Ending[], ToolEffect, object]>([
    ["failed", ["fails", "fails"], "idempotent", { status: "failed", progress: { done: 2, of: 9 } }],
    ["timed out", ["hangs", "hangs"], "idempotent", { status: "failed", progress: { done: 2, of: 9 } }],
    ["is in doubt", ["hangs"], "once", { status: "unknown", progress: { done: 1, of: 9 } }],
  ])("is in its record if it %s", async (_what, endings, effect, record) => {
    const store = createMemoryRunStore();
    const tools = [copier(endings, { effect })];
    const clock = createManualClock();
    const result = await clock.runUntil(createAgent({ tools, store, clock }).execute(plan, { runId: "r" }));
    expect(result.steps).toMatchObject([record]);
    const shown = await createAgent({ tools, store }).getRun("r");
    expect(shown?.steps).toMatchObject([record]);
    expect(toHtml(result)).toContain("Last progress");
  });

  it("is absent once it has completed, and starts over when the run is resumed", async () => {
    const retried = await createAgent({ tools: [copier(["fails", "ends"])] }).execute(plan);
    expect(retried.steps[0]).toMatchObject({ status: "completed" });
    expect(retried.steps[0]).not.toHaveProperty("progress");

    const agent = createAgent({ tools: [copier(["fails", "fails", "ends"])] });
    await agent.execute(plan, { runId: "r" });
    const { steps } = await agent.resume("r");
    expect(steps[0]).toMatchObject({ status: "completed" });
    expect(steps[0]).not.toHaveProperty("progress");
  });

  it("is that of each iteration, and what a replan can read", async () => {
    const read: unknown[] = [];
    const agent = createAgent({
      tools: [copier(["fails", "fails", "ends"])],
      planner: {
        name: "mine",
        plan: async () => ({ steps: [] }),
        replan: async ({ steps }) => {
          read.push(...steps.map(({ progress }) => progress));
          throw failure;
        },
      },
    });
    const steps = [{ id: "a", tool: "Copy", input: { only: { $ref: "item" } }, forEach: "[7, 8]" }];
    const result = await agent.execute({ steps } as never, { maxReplans: 1 });
    expect(result.steps.map(({ progress }) => progress)).toEqual([{ done: 7, of: 9 }, undefined]);
    expect(read).toEqual([{ done: 7, of: 9 }, undefined]);
  });

  it("hides what is sensitive", async () => {
    const login = defineTool({
      name: "Copy",
      description: "Copies",
      inputSchema: z.object({ key: sensitive(z.string()) }),
      effect: "idempotent",
      retry: { maxAttempts: 1 },
      execute: ({ key }, { progress }) => {
        progress(`opened with ${key}`);
        throw failure;
      },
    });
    const agent = createAgent({ tools: [login], redact: (value) => value });
    const result = await agent.execute({ steps: [{ id: "a", tool: "Copy", input: { key: "hunter2222" } }] });
    expect(result.steps[0]?.progress).toBe("opened with [sensitive]");
  });
});
