import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import * as z3 from "zod/v3";
import * as z from "zod/v4";
import { createAgent } from "../../src/agent.ts";
import { defineTool } from "../../src/core/define-tool.ts";
import type { StandardSchema } from "../../src/core/schema.ts";
import type { Tool } from "../../src/core/tool.ts";
import { sensitive } from "../../src/core/tool-schemas.ts";
import { createFakeTool } from "../../src/testing/fake-tool.ts";
import { createManualClock, type ManualClock } from "../../src/testing/manual-clock.ts";
import { recordTools, replayTools } from "../../src/testing/recorded-tools.ts";
import { newFolder } from "../new-folder.ts";
import { step } from "../scenario/plans.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = newFolder();
  path = join(folder, "calls.json");
});

const callsInFile = () => JSON.parse(readFileSync(path, "utf8")).calls;

describe("the file of a run", () => {
  it.each<[string, string, StandardSchema, Pick<Tool, "needsApproval">]>([
    // First, as its converter is loaded once.
    ["zod 3", "always", z3.object({ amount: z3.number() }), { needsApproval: true }],
    ["zod 4", "always", z.object({ amount: z.number() }), { needsApproval: true }],
    ["zod 4", "by input", z.object({ amount: z.number() }), { needsApproval: async () => true }],
  ])(
    "has the answers of functions as soon as it is suspended (%s, needs approval %s)",
    async (_, __, inputSchema, rest) => {
      const pay: Tool = {
        name: "Pay",
        description: "Pays",
        inputSchema,
        effect: () => "once",
        execute: () => null,
        ...rest,
      };
      const plan = { steps: [step("s1", "Pay", { input: { amount: 5 } })] };
      const live = await createAgent({ tools: recordTools([pay], path) }).execute(plan);
      const [answer] = callsInFile();
      expect(answer).toMatchObject({ tool: "Pay", input: { amount: 5 }, effect: "once" });
      const replayed = await createAgent({ tools: replayTools(path) }).execute(plan);
      for (const { status, pending } of [live, replayed]) {
        expect([status, pending]).toMatchObject(["suspended", [{ stepId: "s1", kind: "approval" }]]);
      }
    },
  );

  it("fails its step if it cannot be written when the effect is determined", async () => {
    const tool = defineTool({
      name: "A",
      description: "Does",
      inputSchema: z.object({}),
      effect: () => "once",
      needsApproval: true,
      execute: () => null,
    });
    const { status, error } = await createAgent({ tools: recordTools([tool], folder) }).execute({
      steps: [step("s1", "A")],
    });
    expect(status).toBe("failed");
    expect(error?.message).toContain(`The recording "${folder}" cannot be written`);
  });
});

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
    const tools = replayTools(path);
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
    const tools = replayTools(path);
    expect((await runWith(tools, createManualClock())).output).toBe("second");
    tools.assertComplete();
  });

  it("is removed with its secrets when another attempt begins", async () => {
    const clock = createManualClock();
    let calls = 0;
    const tool = defineTool({
      name: "Slow",
      description: "Signs in",
      inputSchema: z.object({}),
      outputSchema: z.object({ token: sensitive(z.string()), note: z.string() }),
      effect: "pure",
      timeoutMs: 30,
      retry: { maxAttempts: 2, minDelayMs: 1_000 },
      execute: async () => {
        const token = `token-${++calls}`;
        if (calls === 1) await new Promise<void>((resolve) => clock.setTimeout(resolve, 100));
        return { token, note: `has ${token}` };
      },
    });
    await runWith(recordTools([tool], path), clock);
    expect(callsInFile()).toEqual([output({ token: "[secret 1]", note: "has [secret 1]" })]);
  });
});
