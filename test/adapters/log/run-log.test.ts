import { Writable } from "node:stream";
import pino from "pino";
import { createAgent, createMemoryRunStore, defineTool, sensitive } from "planwright";
import { createRunLog } from "planwright/log";
import { createFaultyRunStore } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";

let calls = 0;
const act = defineTool({
  name: "Act",
  description: "Acts",
  inputSchema: z.object({ failsUntil: z.number().default(0), password: sensitive(z.string()).optional() }),
  effect: "idempotent",
  retry: { maxAttempts: 2, minDelayMs: 0 },
  needsApproval: ({ failsUntil }) => failsUntil === 7,
  execute: ({ failsUntil, password }) => {
    calls += 1;
    if (calls <= failsUntil) throw new Error(`no, not with ${password}`);
    return "ok";
  },
});
const step = (id: string, input: object = {}, more: object = {}) => ({ id, tool: "Act" as const, input, ...more });

function pinoLines() {
  const lines: Record<string, unknown>[] = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  return { lines, logger: pino({ level: "trace", base: null, timestamp: false }, stream) };
}

describe("the log of runs", () => {
  it("has a line for each start, retry and end, with its run and step", async () => {
    calls = 0;
    const { lines, logger } = pinoLines();
    const agent = createAgent({ tools: [act], observers: [createRunLog(logger)] });
    const steps = [step("s1", { failsUntil: 1 }), step("s2", {}, { when: "false" }), step("s3", { failsUntil: 9 })];
    await agent.execute({ steps }, { runId: "r1" });
    expect(lines.map(({ level, msg, stepId, attempt }) => [level, msg, stepId, attempt])).toEqual([
      [30, "run started", undefined, undefined],
      [20, "step s1 started", "s1", undefined],
      [40, "step s1 failed and is repeated", "s1", 1],
      [20, "step s1 is tried again", "s1", 2],
      [30, "step s1 completed", "s1", 2],
      [30, "step s2 was skipped", "s2", undefined],
      [20, "step s3 started", "s3", undefined],
      [40, "step s3 failed and is repeated", "s3", 1],
      [20, "step s3 is tried again", "s3", 2],
      [50, "step s3 failed", "s3", 2],
      [50, "run failed", undefined, undefined],
    ]);
    for (const { runId } of lines) expect(runId).toBe("r1");
  });

  it("tells what waits and who decided", async () => {
    const { lines, logger } = pinoLines();
    const agent = createAgent({ tools: [act], observers: [createRunLog(logger)] });
    const { runId, pending = [] } = await agent.execute({ steps: [step("s1", { failsUntil: 7 })] });
    await agent.reject(runId, pending[0] as never, { by: "ann" }).result;
    const shown = lines.map(({ level, msg, by }) => [level, msg, by]);
    expect(shown).toContainEqual([40, "step s1 needs approval", undefined]);
    expect(shown).toContainEqual([40, "run waits", undefined]);
    expect(shown).toContainEqual([30, "the request to approve step s1 was rejected", "ann"]);
    expect(shown.at(-1)).toEqual([50, "run failed", undefined]);
  });

  it("has a line for a run whose first event cannot be recorded", async () => {
    const { lines, logger } = pinoLines();
    const store = createFaultyRunStore(createMemoryRunStore(), { failAppends: [1] });
    const agent = createAgent({ tools: [act], store, observers: [createRunLog(logger)] });
    await agent.execute({ steps: [step("s1")] }, { runId: "r1" });
    expect(lines).toMatchObject([{ level: 50, msg: "run failed", runId: "r1", error: { code: "store-failed" } }]);
  });

  it("has no secrets, and neither inputs nor outputs", async () => {
    calls = 0;
    const { lines, logger } = pinoLines();
    const agent = createAgent({ tools: [act], observers: [createRunLog(logger)] });
    await agent.execute({ steps: [step("s1", { failsUntil: 9, password: "hunter2hunter2" })] });
    expect(JSON.stringify(lines)).not.toContain("hunter2");
    expect(JSON.stringify(lines)).toContain("no, not with [sensitive]");
    expect(JSON.stringify(lines)).not.toContain("failsUntil");
  });

  it("that rejects is told to onListenerError, with a child logger or without", async () => {
    const write = async () => Promise.reject(new Error("disk full"));
    const logger = { debug: write, info: write, warn: write, error: write };
    for (const each of [logger, { ...logger, child: () => logger }]) {
      const told: unknown[] = [];
      const onListenerError = (error: unknown) => told.push(error);
      await createAgent({ tools: [act], observers: [createRunLog(each)], onListenerError }).execute({
        steps: [step("s1")],
      });
      expect(told).toEqual(Array(4).fill(new Error("disk full")));
    }
  });

  it("goes to anything with the four methods", async () => {
    const lines: unknown[][] = [];
    const write =
      (level: string) =>
      (...args: unknown[]) =>
        lines.push([level, ...args]);
    const logger = { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
    await createAgent({ tools: [act], observers: [createRunLog(logger)] }).execute(
      { steps: [step("s1")] },
      { runId: "r2" },
    );
    expect(lines[0]).toEqual(["info", "run started", { runId: "r2", tools: 1 }]);
    expect(lines).toHaveLength(4);
  });

  it.each([undefined, null, {}, { info: () => {} }])("refuses what is no logger: %s", (logger) => {
    expect(() => createRunLog(logger as never)).toThrow(expect.objectContaining({ code: "invalid-options" }));
  });
});
