import type { ToolStep } from "planwright";
import { createFakeTool, type FakeTool, type ManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { planOf, step } from "../../scenario/plans.ts";
import { runScenario } from "../../scenario/run-scenario.ts";
import { msOf, peakOf, timelineOf } from "../../scenario/run-several.ts";

describe("the steps of a plan", () => {
  it("run one after another and emit their events", async () => {
    const { result, events } = await runScenario(() => ({
      tools: [
        createFakeTool({ name: "A", outcomes: [{ returns: 1 }] }),
        createFakeTool({ name: "B", outcomes: [{ returns: { b: 2 } }] }),
      ],
      plan: planOf("A", "B"),
    }));
    expect(result.status).toBe("completed");
    expect(result.output).toEqual({ b: 2 });
    expect(events.map(({ type }) => type)).toEqual([
      "run-start",
      "step-start",
      "step-end",
      "step-start",
      "step-end",
      "run-end",
    ]);
    expect(result.steps).toMatchObject([
      { stepId: "s1", tool: "A", status: "completed", attempts: 1, output: 1 },
      { stepId: "s2", tool: "B", status: "completed", attempts: 1, output: { b: 2 } },
    ]);
  });

  it("get earlier outputs by reference, with their types, and as text", async () => {
    const { result } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ returns: { value: 25, list: [1, "${s1}"] } }] })],
      plan: {
        steps: [
          step("s1", "A"),
          step("s2", "A", {
            input: {
              number: { $ref: "s1.value" },
              text: "is ${s1.value}: ${s1.list}",
              item: { $ref: "s1.list[1]" },
              price: "$${s1.value}",
            },
          }),
        ],
      },
    }));
    expect(result.steps[1]?.input).toEqual({ number: 25, text: 'is 25: [1,"${s1}"]', item: "${s1}", price: "$25" });
  });

  it("fail, before their tool is called, when a reference leads nowhere", async () => {
    const { result } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A", outcomes: [{ returns: { value: 1 } }] })],
      plan: { steps: [step("s1", "A"), step("s2", "A", { input: { x: { $ref: "s1.valu" } } })] },
    }));
    expect(result.status).toBe("failed");
    expect(result.error).toMatchObject({ code: "invalid-reference", details: { available: ["value"] } });
    expect(result.steps[1]).toMatchObject({ status: "failed", attempts: 0, input: { x: { $ref: "s1.valu" } } });
  });

  it("are skipped after a failure, each with its reason", async () => {
    const { result, events } = await runScenario(() => ({
      tools: [
        createFakeTool({ name: "A" }),
        createFakeTool({ name: "Bad", outcomes: [{ throws: Object.assign(new Error("no"), { retryable: false }) }] }),
      ],
      plan: {
        steps: [
          step("s1", "Bad"),
          step("s2", "A"),
          step("s3", "A", { dependsOn: [] }),
          step("s4", "A", { dependsOn: ["s2"] }),
        ],
      },
    }));
    expect(result.status).toBe("failed");
    expect(result.output).toBeUndefined();
    const skips = events.flatMap((event) => (event.type === "step-skip" ? [[event.stepId, event.reason]] : []));
    expect(skips).toEqual([
      ["s2", "dependency-failed"],
      ["s3", "run-ended"],
      ["s4", "dependency-failed"],
    ]);
    expect(result.steps.map(({ status }) => status)).toEqual(["failed", "skipped", "skipped", "skipped"]);
  });

  it("keep the order of the plan even if later ones were ready earlier", async () => {
    const { events } = await runScenario(() => ({
      tools: [createFakeTool({ name: "A" })],
      plan: { steps: [step("s1", "A"), step("s2", "A"), step("s3", "A", { dependsOn: [] })] },
    }));
    expect(events.flatMap((event) => (event.type === "step-start" ? [event.stepId] : []))).toEqual(["s1", "s2", "s3"]);
  });

  it("run side by side up to the concurrency, as soon as their dependencies are done", async () => {
    const { result, events, clock } = await runScenario((clock) => ({
      tools: [createFakeTool({ name: "Wait", outcomes: [{ returns: 1, afterMs: 10 }], clock })],
      plan: {
        steps: [
          ...["a", "b", "c", "d"].map((id) => step(id, "Wait", { dependsOn: [] })),
          step("end", "Wait", { dependsOn: ["a", "b", "c", "d"] }),
        ],
      },
      options: { concurrency: 2 },
    }));
    expect(result.status).toBe("completed");
    expect(clock.now() - Date.parse(events[0]?.timestamp ?? "")).toBe(30);
    let running = 0;
    let most = 0;
    for (const { type } of events) {
      running += type === "step-start" ? 1 : type === "step-end" ? -1 : 0;
      most = Math.max(most, running);
    }
    expect(most).toBe(2);
  });

  it("receive metadata, resources, attempt and a stable key", async () => {
    const tools: FakeTool[] = [];
    const resources = { db: {} };
    await runScenario(() => {
      const tool = createFakeTool({ name: "A", outcomes: [{ throws: new Error("once more") }, { returns: 1 }] });
      tools.push(tool);
      return { tools: [tool], plan: planOf("A"), options: { runId: "r1", metadata: { user: "ada" }, resources } };
    });
    const calls = tools[0]?.calls ?? [];
    expect(
      calls.map(({ context }) => [context.attempt, context.idempotencyKey, context.stepId, context.runId]),
    ).toEqual([
      [1, "r1/s1", "s1", "r1"],
      [2, "r1/s1", "s1", "r1"],
    ]);
    expect(calls[0]?.context.metadata).toEqual({ user: "ada" });
    expect(calls[0]?.context.resources).toBe(resources);
  });

  it("report progress while they run, never recorded and never after their end", async () => {
    let late: (() => void) | undefined;
    const { events, recorded, warnings } = await runScenario(() => {
      const tool = createFakeTool({ name: "A" });
      return {
        tools: [
          {
            ...tool,
            execute: (_input, context) => {
              context.progress({ done: 0.5 });
              context.progress(10n);
              late = () => context.progress("too late");
              return null;
            },
          },
        ],
        plan: planOf("A", "A"),
      };
    });
    late?.();
    expect(events.flatMap((event) => (event.type === "step-progress" ? [event.value] : []))).toEqual([
      { done: 0.5 },
      { done: 0.5 },
    ]);
    expect(recorded.some(({ type }) => type === "step-progress")).toBe(false);
    expect(warnings[0]).toMatchObject({ code: "invalid-progress", stepId: "s1" });
  });
});

/** A tool that takes as long as its name says: `T30` takes 30 ms. */
const lasting = (clock: ManualClock, ms: number) =>
  createFakeTool({ name: `T${ms}`, outcomes: [{ returns: ms, afterMs: ms }], clock });

const free = (id: string, ms: number) => step(id, `T${ms}`, { dependsOn: [] });

const behind = (id: string, ms: number, ...dependsOn: string[]) => step(id, `T${ms}`, { dependsOn });

async function play(steps: readonly ToolStep[], concurrency?: number) {
  const durations = new Set(steps.map(({ tool }) => Number(tool.slice(1))));
  return runScenario((clock) => ({
    tools: [...durations].map((ms) => lasting(clock, ms)),
    plan: { steps },
    options: { concurrency },
  }));
}

describe("steps that do not depend on each other", () => {
  it("run one after another in plan order by default", async () => {
    const { events, result } = await play([free("a", 30), free("b", 10), free("c", 20)]);
    expect(timelineOf(events)).toEqual(["0 start a", "30 end a", "30 start b", "40 end b", "40 start c", "60 end c"]);
    expect(result.output).toBe(20);
  });

  it("start together, in plan order, and the log stays in plan order", async () => {
    const { events, result } = await play([free("a", 30), free("b", 10), free("c", 20)], 3);
    expect(timelineOf(events)).toEqual(["0 start a", "0 start b", "0 start c", "10 end b", "20 end c", "30 end a"]);
    expect(result.steps.map(({ stepId, output }) => [stepId, output])).toEqual([
      ["a", 30],
      ["b", 10],
      ["c", 20],
    ]);
    expect(result.output).toBe(20);
  });

  it("take the place of the first step that ends, and never exceed the concurrency", async () => {
    const { events } = await play([free("a", 30), free("b", 10), free("c", 10), free("d", 10)], 2);
    expect(timelineOf(events)).toEqual([
      "0 start a",
      "0 start b",
      "10 end b",
      "10 start c",
      "20 end c",
      "20 start d",
      "30 end a",
      "30 end d",
    ]);
    expect(peakOf(events)).toBe(2);
  });

  it("may be fewer than the concurrency", async () => {
    const { events } = await play([free("a", 10), free("b", 10)], 1_000);
    expect(timelineOf(events)).toEqual(["0 start a", "0 start b", "10 end a", "10 end b"]);
  });
});

describe("steps that depend on others", () => {
  it("wait for the previous step by default", async () => {
    const { events } = await runScenario((clock) => ({
      tools: [lasting(clock, 10)],
      plan: planOf("T10", "T10"),
      options: { concurrency: 9 },
    }));
    expect(timelineOf(events)).toEqual(["0 start s1", "10 end s1", "10 start s2", "20 end s2"]);
  });

  it("start as soon as their dependencies are done, not when a whole level is", async () => {
    const { events } = await play([free("a", 50), free("b", 10), behind("c", 10, "b"), behind("d", 10, "c")], 4);
    expect(timelineOf(events)).toEqual([
      "0 start a",
      "0 start b",
      "10 end b",
      "10 start c",
      "20 end c",
      "20 start d",
      "30 end d",
      "50 end a",
    ]);
  });

  it("wait for all of their dependencies: a diamond", async () => {
    const { events } = await play(
      [free("a", 10), behind("b", 30, "a"), behind("c", 10, "a"), behind("d", 5, "b", "c")],
      4,
    );
    expect(timelineOf(events)).toEqual([
      "0 start a",
      "10 end a",
      "10 start b",
      "10 start c",
      "20 end c",
      "40 end b",
      "40 start d",
      "45 end d",
    ]);
  });

  it("wait for a step that they only refer to", async () => {
    const { events, result } = await runScenario((clock) => ({
      tools: [lasting(clock, 10)],
      plan: {
        steps: [
          step("a", "T10", { dependsOn: [] }),
          step("b", "T10", { dependsOn: [] }),
          step("c", "T10", { dependsOn: [], input: { of: { $ref: "b" }, text: "is ${a}" } }),
        ],
      },
      options: { concurrency: 9 },
    }));
    expect(timelineOf(events)).toEqual(["0 start a", "0 start b", "10 end a", "10 end b", "10 start c", "20 end c"]);
    expect(result.steps[2]?.input).toEqual({ of: 10, text: "is 10" });
  });

  it("come before later ones that were ready earlier: the first ready step in the plan starts", async () => {
    const steps = [free("a", 10), behind("b", 10, "a"), free("c", 10), free("d", 10)];
    const { events } = await play(steps);
    expect(timelineOf(events).filter((line) => line.includes("start"))).toEqual([
      "0 start a",
      "10 start b",
      "20 start c",
      "30 start d",
    ]);
  });

  it("count a dependency that is named twice, or named and referred to, once", async () => {
    const { result } = await runScenario((clock) => ({
      tools: [lasting(clock, 10)],
      plan: {
        steps: [
          step("a", "T10", { dependsOn: [] }),
          step("b", "T10", { dependsOn: ["a"], input: { of: { $ref: "a" }, again: "${a} and ${a}" } }),
          step("c", "T10", { dependsOn: ["b"] }),
        ],
      },
      options: { concurrency: 3 },
    }));
    expect(result.steps.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
  });
});

describe("plans of random shape", () => {
  /** Numbers that look random and are always the same. */
  const numbers = (seed: number) => {
    let state = seed;
    return (below: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((state / 2_147_483_648) * below);
    };
  };

  it.each([1, 2, 3, 4, 5, 6])("respect their dependencies and their concurrency: %i", async (seed) => {
    const next = numbers(seed);
    const steps: ToolStep[] = [];
    for (let index = 0; index < 25; index++) {
      const dependsOn = new Set<string>();
      for (let count = next(4); count > 0 && index > 0; count--) dependsOn.add(`s${next(index)}`);
      steps.push(behind(`s${index}`, 5 * (1 + next(6)), ...dependsOn));
    }
    const concurrency = 1 + next(8);
    const { events, result } = await play(steps, concurrency);
    expect(result.status).toBe("completed");
    expect(peakOf(events)).toBeLessThanOrEqual(concurrency);
    expectGreedy(steps, timelineOf(events), concurrency);
  });

  /** Replays the timeline: nothing starts too early or waits while there is room, the earliest starts first. */
  function expectGreedy(steps: readonly ToolStep[], timeline: readonly string[], concurrency: number): void {
    const waiting = new Map(steps.map(({ id, dependsOn = [] }) => [id, new Set(dependsOn)]));
    let running = 0;
    let lastMs = "0";
    const firstReady = () => [...waiting].find(([, left]) => left.size === 0)?.[0];
    for (const line of timeline) {
      const [ms = "", what, id = ""] = line.split(" ");
      if (ms !== lastMs) expect(running === concurrency || firstReady() === undefined).toBe(true);
      lastMs = ms;
      if (what === "start") {
        expect(firstReady()).toBe(id);
        waiting.delete(id);
        running++;
      } else {
        for (const left of waiting.values()) left.delete(id);
        running--;
      }
    }
  }
});

describe("a wide plan", () => {
  it("takes little more time than it must", async () => {
    const middle = Array.from({ length: 1_000 }, (_, index) => behind(`m${index}`, 10, "first"));
    const steps = [free("first", 10), ...middle, behind("last", 10, ...middle.map(({ id }) => id))];
    const { events, result } = await runScenario((clock) => ({
      tools: [lasting(clock, 10)],
      plan: { steps },
      maxSteps: 2_000,
      options: { concurrency: 100 },
    }));
    expect(result.status).toBe("completed");
    expect(result.steps).toHaveLength(1_002);
    expect(peakOf(events)).toBe(100);
    const starts = events.flatMap((event) => (event.type === "step-start" ? [event.stepId] : []));
    expect(starts).toEqual(steps.map(({ id }) => id));
    const idealMs = 10 + (1_000 / 100) * 10 + 10;
    const last = events.at(-1);
    expect(last && msOf(last)).toBeLessThanOrEqual(1.3 * idealMs);
  });
});
