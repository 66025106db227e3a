import { createAgent, createMemoryRunStore, defineTool, sensitive } from "planwright";
import { createManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";

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
