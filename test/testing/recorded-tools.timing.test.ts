import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createAgent, type Tool } from "planwright";
import { createFakeTool, createManualClock, type ManualClock, recordTools, replayTools } from "planwright/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { newFolder } from "../new-folder.ts";
import { step } from "../scenario/plans.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = newFolder();
  path = join(folder, "calls.json");
});

const callsInFile = () => JSON.parse(readFileSync(path, "utf8")).calls;

describe("a value that is returned after the signal has aborted", () => {
  const runWith = (tools: readonly Tool[], clock: ManualClock) =>
    clock.runUntil(
      createAgent({ tools, clock, abortGraceMs: 50, random: () => 1, onWarning: () => {} }).execute({
        steps: [step("s1", "Slow")],
      }),
    );
  const output = (value: unknown) => ({ tool: "Slow", input: {}, output: value });

  it("is recorded if it is the output of its step", async () => {
    const clock = createManualClock();
    const tool = createFakeTool({
      name: "Slow",
      outcomes: [{ returns: "late", afterMs: 60 }],
      timeoutMs: 30,
      clock,
    });
    const live = await runWith(recordTools([tool], path), clock);
    expect(live).toMatchObject({ status: "completed", output: "late" });
    expect(callsInFile()).toEqual([output("late")]);
    const tools = replayTools(path, { tools: [tool] });
    const replayed = await runWith(tools, createManualClock());
    tools.assertComplete();
    expect(replayed).toMatchObject({ status: "completed", output: "late" });
    expect(replayed.steps[0]?.attempts).toBe(live.steps[0]?.attempts);
  });

  it.each([
    ["before another attempt begins", 100],
    ["while another attempt is being made", 1_090],
    ["after another attempt has ended", 60_000],
  ])("is not recorded if there is another attempt: %s", async (_, afterMs) => {
    const clock = createManualClock();
    const tool = createFakeTool({
      name: "Slow",
      effect: "pure",
      outcomes: [
        { returns: "late", afterMs },
        { returns: "second", afterMs: 20 },
      ],
      retry: { maxAttempts: 2, minDelayMs: 1_000 },
      timeoutMs: 30,
      clock,
    });
    const live = await runWith(recordTools([tool], path), clock);
    expect(live).toMatchObject({ output: "second", steps: [{ attempts: 2 }] });
    await clock.advance(100_000);
    expect(callsInFile()).toEqual([output("second")]);
    const tools = replayTools(path, { tools: [tool] });
    expect((await runWith(tools, createManualClock())).output).toBe("second");
    tools.assertComplete();
  });
});
