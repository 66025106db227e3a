import { createAgent, type StepRecord } from "planwright";
import { createFakeTool, createManualClock, type FakeOutcome } from "planwright/testing";
import { describe, expect, it } from "vitest";

/** Runs plans of one step one after the other, as a failed step would end its run, and waits for nothing but the clock. */
async function runSteps(outcomes: readonly FakeOutcome[] | undefined, count: number) {
  const clock = createManualClock();
  const tool = createFakeTool({
    name: "Fake",
    clock,
    retry: { maxAttempts: 1 },
    timeoutMs: 1_000,
    ...(outcomes && { outcomes }),
  });
  const agent = createAgent({ tools: [tool], clock });
  const steps: StepRecord[] = [];
  for (let number = 0; number < count; number++) {
    const plan = { steps: [{ id: `s${number}`, tool: "Fake" as const, input: { number } }] };
    steps.push(...(await clock.runUntil(agent.execute(plan))).steps);
  }
  return { tool, steps };
}

function tookMs({ startedAt = "", completedAt = "" }: StepRecord): number {
  return Date.parse(completedAt) - Date.parse(startedAt);
}

describe("createFakeTool", () => {
  it("returns null by default, and records its calls", async () => {
    const { tool, steps } = await runSteps(undefined, 2);
    expect(steps.map(({ output }) => output)).toEqual([null, null]);
    expect(tool.calls.map(({ input }) => input)).toEqual([{ number: 0 }, { number: 1 }]);
    expect(tool.calls[1]?.context).toMatchObject({ stepId: "s1", attempt: 1 });
  });

  it("uses its outcomes in order, and repeats the last", async () => {
    const { steps } = await runSteps([{ returns: 1 }, { throws: new Error("no") }, { returns: 3 }], 4);
    expect(steps.map(({ status, output }) => [status, output])).toEqual([
      ["completed", 1],
      ["failed", undefined],
      ["completed", 3],
      ["completed", 3],
    ]);
  });

  it("can throw a value that is not an error", async () => {
    const { steps } = await runSteps([{ throws: "text" }], 1);
    expect(steps[0]?.error?.message).toContain("text");
  });

  it("takes its time on the given clock", async () => {
    const { steps } = await runSteps([{ returns: 1, afterMs: 900 }], 1);
    expect(steps.map(tookMs)).toEqual([900]);
  });

  it("hangs until its signal aborts, or for ever", async () => {
    const { steps } = await runSteps([{ hangs: "until-aborted" }, { hangs: "forever" }], 2);
    expect(steps.map(({ error }) => error?.code)).toEqual(["timeout", "timeout"]);
    expect(steps.map(tookMs)).toEqual([1_000, 2_000]);
  });

  it("rejects immediately if its signal has aborted before it hangs", async () => {
    const { steps } = await runSteps([{ hangs: "until-aborted", afterMs: 1_500 }], 1);
    expect(steps.map(tookMs)).toEqual([1_500]);
  });

  it("uses the machine's time by default", async () => {
    const tool = createFakeTool({ name: "Fake", effect: "pure", outcomes: [{ returns: 1, afterMs: 0 }] });
    const result = await createAgent({ tools: [tool] }).execute({ steps: [{ id: "a", tool: "Fake", input: {} }] });
    expect(result.output).toBe(1);
  });
});
