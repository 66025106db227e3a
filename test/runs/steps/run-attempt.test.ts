import { type AgentEvent, type AgentEventOf, defineTool, type Tool, type ToolContext } from "planwright";
import { createFakeTool } from "planwright/testing";
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
    const message = expect.stringMatching(/'db'\)\. The run was given no `resources`\. Pass them: { resources }\./);
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
