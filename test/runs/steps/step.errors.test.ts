import {
  createAgent,
  createMemoryRunStore,
  defineTool,
  type RunResult,
  sensitive,
  type Tool,
  type ToolStep,
} from "planwright";
import { createFakeTool, createManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { approvalOf, askingTool } from "../../scenario/ask-for-approval.ts";
import { step } from "../../scenario/plans.ts";
import { runScenario, type Scenario } from "../../scenario/run-scenario.ts";

const once = { maxAttempts: 1 };
const data = createFakeTool({ name: "D", outcomes: [{ returns: [{ n: 1 }, { m: 2 }] }] });
const looped = (rest: Partial<ToolStep> = {}) => step("l", "T", { forEach: "d", dependsOn: [], ...rest });

/** The error of the loop over a list of two. */
async function errorOf(
  tool: Tool,
  rest: Partial<ToolStep> = {},
  more: Partial<Scenario> = {},
): Promise<RunResult["error"]> {
  const plan = { steps: [step("d", "D"), looped(rest)] };
  const make = (): Scenario => ({ tools: [data, tool], plan, isResumable: more.options === undefined, ...more });
  return (await runScenario(make)).result.error;
}

/** A tool that takes numbers and returns text. */
const strict = defineTool({
  name: "T",
  description: "Takes a number",
  inputSchema: z.object({ n: z.number() }),
  effect: "idempotent",
  outputSchema: z.object({ text: z.string().max(3) }),
  execute: ({ n }) => ({ text: "x".repeat(n) }),
});

describe("the error of an iteration names the iteration", () => {
  it("if its tool fails", async () => {
    const outcomes = [{ returns: 1 }, { throws: new Error("busy") }];
    const make = (): Scenario => ({
      tools: [data, createFakeTool({ name: "T", outcomes, retry: once })],
      plan: { steps: [step("d", "D"), looped()] },
      isResumable: false,
    });
    const { result } = await runScenario(make);
    expect(result.error).toMatchObject({
      code: "tool-failed",
      message: 'Step "l[1]" (T) failed: busy',
      details: { tool: "T", stepId: "l", iteration: 1, attempts: 1 },
    });
    expect(result.steps.map(({ error }) => error?.message)).toEqual([undefined, undefined, result.error?.message]);
  });

  it("if its input is invalid", async () => {
    expect(await errorOf(strict, { forEach: "[1, 'a']", input: { n: { $ref: "item" } } })).toMatchObject({
      code: "invalid-tool-input",
      message: expect.stringContaining('The input of step "l[1]" (T) is not valid: n: '),
      details: { stepId: "l", iteration: 1 },
    });
  });

  it("if its output is invalid", async () => {
    expect(await errorOf(strict, { forEach: "[1, 4]", input: { n: { $ref: "item" } } })).toMatchObject({
      code: "invalid-tool-output",
      message: expect.stringContaining('The output of step "l[1]" (T) is not valid: text: '),
      details: { stepId: "l", iteration: 1 },
    });
  });

  it("if an attempt takes too long", async () => {
    const make = (): Scenario => ({
      tools: [createFakeTool({ name: "T", outcomes: [{ hangs: "until-aborted" }], timeoutMs: 5, retry: once })],
      plan: { steps: [looped({ forEach: "[1]" })] },
    });
    const { result } = await runScenario(make);
    expect(result.error).toMatchObject({
      code: "timeout",
      message: 'An attempt of step "l[0]" (T) took longer than its timeoutMs of 5 ms.',
      details: { scope: "step", stepId: "l", iteration: 0, timeoutMs: 5, attempts: 1 },
    });
  });

  it("if its outcome is unknown", async () => {
    const { result } = await runScenario(() => ({
      tools: [createFakeTool({ name: "T", outcomes: [{ hangs: "until-aborted" }], timeoutMs: 5, effect: "once" })],
      plan: { steps: [looped({ forEach: "[1]" })] },
    }));
    expect(result.steps[0]?.error).toMatchObject({
      code: "outcome-unknown",
      message: expect.stringContaining('Step "l[0]" (T) must run only once'),
      details: { tool: "T", stepId: "l", iteration: 0 },
    });
  });

  it("if a reference leads nowhere", async () => {
    expect(await errorOf(createFakeTool({ name: "T" }), { input: { a: { $ref: "item.n" } } })).toMatchObject({
      code: "invalid-reference",
      message: 'Step "l[1]" refers to item.n, which does not exist. Existing keys: m.',
      details: { stepId: "l", iteration: 1, reference: "item.n" },
    });
  });

  it("if its condition cannot be evaluated", async () => {
    expect(await errorOf(createFakeTool({ name: "T" }), { when: "item.n > 0" })).toMatchObject({
      code: "invalid-expression",
      message:
        '"when" of step "l[1]" (item.n > 0) cannot be used: there is no key "n"; available keys: m (at character 5).',
      details: { stepId: "l", iteration: 1, key: "when", expression: "item.n > 0", position: 5 },
    });
  });

  it("if the budget is used up", async () => {
    const options = { budget: { toolCalls: 2 } };
    expect(await errorOf(createFakeTool({ name: "T" }), {}, { options })).toMatchObject({
      code: "limit-exceeded",
      message: 'Step "l[1]" would make tool call 3 of the run; the budget is 2.',
      details: { limit: "toolCalls", stepId: "l", iteration: 1 },
    });
  });

  it("if it was not approved", async () => {
    const { result } = await runScenario(() => ({
      tools: [askingTool("T")],
      plan: { steps: [looped({ forEach: "[1, 2]" })] },
      executions: [
        ({ another, runId, result }) => another().reject(runId, approvalOf(result, "l", 1), { reason: "too dear" }),
      ],
    }));
    expect(result.error?.message).toBe('Step "l[1]" was not approved: too dear');
  });
});

describe("a skipped step", () => {
  it("has its reason in the log, for every reason there is", async () => {
    const { result } = await runScenario(() => ({
      tools: [createFakeTool({ name: "T", outcomes: [{ throws: new Error("no") }], retry: once }), data],
      plan: {
        steps: [
          step("a", "D", { when: "false", dependsOn: [] }),
          step("b", "D", { forEach: "[]", dependsOn: [] }),
          step("c", "D", { forEach: "[1, 2]", when: "item > 1", dependsOn: [] }),
          step("d", "T", { dependsOn: [] }),
          step("e", "D", { dependsOn: ["d"] }),
          step("f", "D", { dependsOn: [] }),
        ],
      },
    }));
    expect(result.steps.map(({ stepId, status, reason }) => `${stepId} ${status} ${reason}`)).toEqual([
      "a skipped condition",
      "b skipped no-items",
      "c skipped condition",
      "c completed undefined",
      "d failed undefined",
      "e skipped dependency-failed",
      "f skipped run-ended",
    ]);
  });

  it("is explained in the error of a reference into it", async () => {
    const steps = [step("l", "D", { when: "false" }), step("x", "D", { input: { a: { $ref: "l[0]" } } })];
    const { result } = await runScenario(() => ({ tools: [data], plan: { steps } }));
    expect(result.error).toMatchObject({
      code: "invalid-reference",
      message:
        'Step "x" refers to l[0], but "l" was skipped, so its output is null; give this step the condition when: "l != null".',
    });
  });

  it("is not the same as one whose output is null", async () => {
    const steps = [step("l", "T"), step("x", "T", { input: { a: "${l.n}" } })];
    const { result } = await runScenario(() => ({ tools: [createFakeTool({ name: "T" })], plan: { steps } }));
    expect(result.error?.message).toBe('Step "x" refers to l.n, which does not exist.');
  });
});

const secret = "hunter2222-hunter2222";

/** Runs a step whose attempts all fail with a message; returns its result and the text of all that is recorded. */
async function fail(messageOf: (attempt: number) => string) {
  const tool = defineTool({
    name: "T",
    description: "t",
    inputSchema: z.object({ key: sensitive(z.string()).optional() }),
    effect: "idempotent",
    retry: { maxAttempts: 5 },
    execute: (_, { attempt }) => {
      throw new Error(messageOf(attempt));
    },
  });
  const [store, clock] = [createMemoryRunStore(), createManualClock()];
  const agent = createAgent({ tools: [tool], store, clock });
  const steps = [{ id: "a", tool: "T", input: { key: secret } }] as const;
  const result = await clock.runUntil(agent.execute({ steps }, { runId: "r" }));
  return { result, events: await store.read("r") };
}

describe("a long message of an error", () => {
  it("is kept whole once for a step, and its beginning for each attempt", async () => {
    const long = `It broke: ${"x".repeat(8_000)}`;
    const { result, events } = await fail((attempt) => `${attempt} ${long}`);
    const whole = `5 ${long}`;
    expect(result.steps[0]?.error).toMatchObject({ code: "tool-failed", cause: { message: whole } });
    expect(result.steps[0]?.error?.message.length).toBeLessThan(1_100);
    expect(result.error).toMatchObject({
      details: { attempts: 5, errors: [1, 2, 3, 4, 5].map(() => ({ name: "Error" })) },
    });
    const texts = events.map((event) => JSON.stringify(event));
    const wholes = texts.map((text) => text.split("x".repeat(1_001)).length > 2);
    expect(events.filter((_, at) => wholes[at]).map(({ type }) => type)).toEqual(["step-end", "run-end"]);
    expect(texts.join("").length).toBeLessThan(45_000);
  });

  it("that is short is as it was", async () => {
    const { result } = await fail((attempt) => `broken ${attempt}`);
    expect(result.error).toMatchObject({
      message: 'Step "a" (T) failed after 5 attempts: broken 5',
      details: { errors: [1, 2, 3, 4, 5].map((attempt) => ({ message: `broken ${attempt}` })) },
    });
  });

  it("has no part of a secret where it is cut", async () => {
    for (let before = 970; before <= 1_002; before++) {
      const { events } = await fail(() => `${"x".repeat(before)}${secret}${"y".repeat(500)}`);
      expect(JSON.stringify(events)).not.toContain("hunt");
    }
  });
});
