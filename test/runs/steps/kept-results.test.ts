import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { createAgent } from "../../../src/agent.ts";
import { defineTool } from "../../../src/core/define-tool.ts";
import type { AgentEvent } from "../../../src/core/events.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { StandardSchema } from "../../../src/core/schema.ts";
import { sensitive } from "../../../src/core/sensitive.ts";
import type { ToolCacheOptions, ToolContext } from "../../../src/core/tool.ts";
import type { AgentWarning } from "../../../src/runs/options.ts";
import { createMemoryRunStore } from "../../../src/stores/memory-run-store.ts";
import { createFakeTool } from "../../../src/testing/fake-tool.ts";
import { createManualClock } from "../../../src/testing/manual-clock.ts";
import { step } from "../../scenario/plans.ts";
import { runScenario } from "../../scenario/run-scenario.ts";
import { keyOf } from "../../scenario/secret-tools.ts";

const cache: ToolCacheOptions = { maxAgeMs: 1_000, maxEntries: 2 };

/** A pure tool that returns how often it was called; `look` is what it does with its context. */
function counter(
  { look, ...options }: Partial<ToolCacheOptions> & { look?: (context: ToolContext, call: number) => void } = {},
  inputSchema: StandardSchema = z.looseObject({}),
) {
  let calls = 0;
  return defineTool({
    name: "Count",
    description: "Counts",
    inputSchema,
    effect: "pure",
    cache: { ...cache, ...options },
    retry: { maxAttempts: 2, minDelayMs: 0 },
    async execute(_input, context) {
      calls++;
      look?.(context, calls);
      return calls;
    },
  });
}

const count = (id: string, input: JsonObject = {}) => step(id, "Count", { input, dependsOn: [] });
const endsOf = (events: readonly AgentEvent[]) =>
  events.flatMap((event) =>
    event.type === "step-end" && event.tool === "Count"
      ? [[event.attempts, event.cached, event.outcome.status === "completed" ? event.outcome.output : "failed"]]
      : [],
  );
const called = (output: number, attempts = 1) => [attempts, undefined, output];
const cached = (output: number) => [0, true, output];

/** The results of one agent's runs, each with a single step. */
async function runOneByOne(
  tool: ReturnType<typeof counter>,
  runs: readonly { input?: JsonObject; user?: string; metadata?: JsonObject }[],
) {
  const clock = createManualClock();
  const events: AgentEvent[] = [];
  const warnings: AgentWarning[] = [];
  const onWarning = (warning: AgentWarning) => void warnings.push(warning);
  const agent = createAgent({ tools: [tool], store: createMemoryRunStore(), clock, random: () => 0, onWarning });
  agent.subscribe((event) => void events.push(event));
  for (const { input, user, metadata = {} } of runs)
    await clock.runUntil(agent.execute({ steps: [count("s1", input)] } as never, { resources: { user }, metadata }));
  return { ends: endsOf(events), warnings };
}

describe("the cache of a tool", () => {
  it("serves later runs of the agent, and marks that in the event, the state and the result", async () => {
    const { ends } = await runOneByOne(counter(), [{}, {}, { input: { a: 1 } }, { input: { a: 1 } }]);
    expect(ends).toEqual([called(1), cached(1), called(2), cached(2)]);
    const { result, events } = await runScenario(() => ({
      tools: [counter()],
      plan: { steps: [count("s1"), count("s2")] },
      // A process that resumes the run has nothing cached, and calls the tool.
      isResumable: false,
    }));
    expect(endsOf(events)).toEqual([called(1), cached(1)]);
    expect(result.steps).toMatchObject([
      { attempts: 1 },
      { attempts: 0, cached: true, status: "completed", output: 1 },
    ]);
    expect(result.steps[0]).not.toHaveProperty("cached");
  });

  it("is separate for each agent", async () => {
    const tool = counter();
    expect((await runOneByOne(tool, [{}])).ends).toEqual([called(1)]);
    expect((await runOneByOne(tool, [{}])).ends).toEqual([called(2)]);
  });

  it.each([
    [999, cached(1)],
    [1_000, called(2)],
  ])("serves a result %i ms later as %j", async (afterMs, last) => {
    const { events } = await runScenario((clock) => ({
      tools: [counter(), createFakeTool({ name: "Wait", clock, outcomes: [{ returns: null, afterMs }] })],
      plan: {
        steps: [count("s1"), step("w", "Wait", { dependsOn: ["s1"] }), step("s2", "Count", { dependsOn: ["w"] })],
      },
      isResumable: false,
    }));
    expect(endsOf(events)).toEqual([called(1), last]);
  });

  it("drops the entry that was unused for the longest time", async () => {
    const inputs = ["a", "b", "a", "c", "a", "b"].map((key) => ({ input: { key } }));
    const { ends } = await runOneByOne(counter(), inputs);
    expect(ends).toEqual([called(1), called(2), cached(1), called(3), cached(1), called(4)]);
  });

  it("uses no turn at the tool and nothing of the budget for cached results", async () => {
    const limited = { rateLimit: { limit: 1, intervalMs: 60_000 } };
    const { result, clock } = await runScenario(() => ({
      tools: [{ ...counter(), ...limited }],
      plan: { steps: [count("s1"), count("s2"), count("s3")] },
      options: { budget: { toolCalls: 1 } },
      isResumable: false,
    }));
    expect(result).toMatchObject({ status: "completed", output: 1 });
    expect(clock.now()).toBeLessThan(Date.parse(result.createdAt) + 60_000);
  });

  it("is consulted after approval, for the approved input", async () => {
    const asked: string[] = [];
    const { events } = await runScenario(() => ({
      tools: [{ ...counter(), needsApproval: () => true }],
      plan: { steps: [count("s1", { a: 1 }), count("s2", { a: 2 })] },
      requestApproval: async (question) => {
        if (question.kind === "step") asked.push(question.stepId);
        return { decision: "approve" as const, input: { a: 1 } };
      },
      isResumable: false,
    }));
    expect(asked.slice(0, 2)).toEqual(["s1", "s2"]);
    expect(endsOf(events)).toEqual([called(1), cached(1)]);
  });

  it("keeps no failure, but the final success", async () => {
    const look = (_context: ToolContext, call: number) => {
      if (call <= 3) throw new Error("down");
    };
    const { ends } = await runOneByOne(counter({ look }), [{}, {}, {}]);
    expect(ends).toEqual([[2, undefined, "failed"], called(4, 2), cached(4)]);
  });

  it("keeps nothing of a run that was stopped", async () => {
    const { result, events } = await runScenario(() => ({
      tools: [counter()],
      plan: { steps: [count("s1"), count("s2")] },
      act: ({ agent, handle }) => {
        agent.on("step-start", ({ stepId }) => {
          if (stepId === "s2") handle.cancel("enough");
        });
      },
    }));
    expect(result.status).toBe("cancelled");
    expect(endsOf(events)).toEqual([called(1), [0, undefined, "failed"]]);
  });
});

describe("two calls are treated as the same", () => {
  it("by their parsed input", async () => {
    const tool = counter({}, z.object({ a: z.number().default(1), b: z.string().trim().optional() }));
    const { ends } = await runOneByOne(tool, [
      {},
      { input: { a: 1 } },
      { input: { b: " x" } },
      { input: { b: "x", a: 1 } },
    ]);
    expect(ends).toEqual([called(1), cached(1), called(2), cached(2)]);
  });

  it.each<[string, (n: number) => unknown]>([
    [
      "a class instance",
      (n) =>
        new (class {
          #n = n;
          get n() {
            return this.#n;
          }
        })(),
    ],
    ["a Map", (n) => [new Map([[n, n]])]],
    ["a function", (n) => () => n],
    ["a symbol as key", (n) => ({ [Symbol.for("n")]: n })],
    ["a number that JSON does not have", (n) => ({ n: n === 1 ? Number.NaN : Number.POSITIVE_INFINITY })],
    ["undefined in a list", (n) => [n === 1 ? undefined : null]],
  ])("by their input as JSON if it is parsed to %s", async (_what, make) => {
    const tool = counter({}, z.object({ n: z.number().transform(make) }));
    const { ends } = await runOneByOne(
      tool,
      [1, 2, 1, 2].map((n) => ({ input: { n } })),
    );
    expect(ends).toEqual([called(1), called(2), cached(1), cached(2)]);
  });

  it("by the tool's key", async () => {
    const key: ToolCacheOptions<never, { user: string }>["key"] = (_input, { resources, metadata }) =>
      `${resources.user} ${metadata.tenant}`;
    const look = ({ resources }: ToolContext) => void resources;
    const { ends } = await runOneByOne(counter({ key, look } as never), [
      { user: "ada", metadata: { tenant: 1 } },
      { user: "bob", metadata: { tenant: 1 } },
      { user: "ada", metadata: { tenant: 1 }, input: { other: 1 } },
      { user: "ada", metadata: { tenant: 2 } },
    ]);
    expect(ends).toEqual([called(1), called(2), cached(1), called(3)]);
  });

  it.each<[string, () => unknown, string]>([
    [
      "throws",
      () => {
        throw new Error("no user");
      },
      "no user",
    ],
    ["does not return text", () => 5, "it must return a string"],
  ])("never if the key %s, with a warning", async (_how, key, why) => {
    const { ends, warnings } = await runOneByOne(counter({ key } as never), [{}, {}]);
    expect(ends).toEqual([called(1), called(2)]);
    expect(warnings[0]).toMatchObject({ code: "cache-key-failed", stepId: "s1" });
    expect(warnings[0]?.message).toContain(`The cache.key of Count failed, so the result is not kept: `);
    expect(warnings[0]?.message).toContain(why);
  });

  it("never if the input is very long", async () => {
    const input = { text: "a".repeat(70_000) };
    expect((await runOneByOne(counter(), [{ input }, { input }])).ends).toEqual([called(1), called(2)]);
  });
});

describe("a call that reads values that depend on its run", () => {
  it.each<[string, (context: ToolContext, call: number) => void]>([
    ["resources", ({ resources }) => void resources],
    ["metadata", ({ metadata }) => void metadata],
    ["all of its context", (context) => void { ...context }],
    [
      "resources in an attempt that failed",
      ({ resources }, call) => {
        if (call % 2 === 1) throw new Error(`not for ${(resources as { user: string }).user}`);
      },
    ],
  ])("is not kept: it reads %s", async (_what, look) => {
    const { ends } = await runOneByOne(counter({ look }), [{ user: "ada" }, { user: "bob" }]);
    expect(ends.map(([, isCached]) => isCached)).toEqual([undefined, undefined]);
  });

  it("receives the existing values", async () => {
    const seen: unknown[] = [];
    const look = ({ resources, metadata, signal, runId }: ToolContext) =>
      void seen.push([resources, metadata, signal.aborted, typeof runId]);
    await runOneByOne(counter({ look }), [{ user: "ada", metadata: { a: 1 } }]);
    expect(seen).toEqual([[{ user: "ada" }, { a: 1 }, false, "string"]]);
  });

  it("is kept if it reads nothing else", async () => {
    const look = ({ signal, attempt, progress }: ToolContext) => void [signal, attempt, progress("half")];
    expect((await runOneByOne(counter({ look }), [{}, {}])).ends).toEqual([called(1), cached(1)]);
  });
});

describe("a call that involves a secret", () => {
  it("is not kept if its tool has a sensitive field", async () => {
    const tool = counter({}, z.object({ token: sensitive(z.string()) }));
    const { ends } = await runOneByOne(tool, [{ input: { token: "hunter22" } }, { input: { token: "hunter22" } }]);
    expect(ends).toEqual([called(1), called(2)]);
  });

  it("is not kept if its input has one by reference", async () => {
    const login = defineTool({
      name: "Login",
      description: "Gives a token",
      inputSchema: z.object({}),
      outputSchema: z.object({ token: sensitive(z.string()) }),
      execute: () => ({ token: "hunter22" }),
    });
    const { events } = await runScenario(() => ({
      tools: [login, counter()],
      secrets: { keys: [keyOf("k1")] },
      plan: {
        steps: [
          step("l", "Login"),
          ...["s1", "s2"].map((id) => step(id, "Count", { input: { token: "${l.token}" }, dependsOn: ["l"] })),
        ],
      },
      isResumable: false,
    }));
    expect(endsOf(events)).toEqual([called(1), called(2)]);
  });
});
