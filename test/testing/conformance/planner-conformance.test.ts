import {
  AgentError,
  createCalculator,
  createFallbackPlanner,
  createLlmPlanner,
  createRoutingPlanner,
  createRulePlanner,
  createTodoStore,
  escapeTemplate,
  type LanguageModel,
  type PlanDraft,
  type Planner,
  type PlanRequest,
  type Tool,
} from "planwright";
import { plannerConformance } from "planwright/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { note } from "../../planners/llm/ask-llm-planner.ts";

/** A model that does as a simple one would: it has what was typed written down, and knows nothing of the moon. */
const model: LanguageModel = {
  provider: "test",
  modelId: "copies",
  async generate({ messages, signal }) {
    signal.throwIfAborted();
    // Above the wish stand the steps before it.
    const title = messages.at(-1)?.content.split("\n").at(-1) ?? "";
    const call = title.includes("moon") ? { do: "unclear" } : { do: "Note", title };
    return { text: JSON.stringify({ steps: [call] }), finishReason: "stop", usage: {} };
  },
};

const byModel = () => createLlmPlanner({ model });

const planners: readonly (readonly [name: string, createPlanner: () => Planner, tools: readonly Tool[]])[] = [
  ["rules", createRulePlanner, [createCalculator(), createTodoStore()]],
  ["a model", byModel, [note]],
  ["a model with a cache", () => createLlmPlanner({ model, cache: { maxPlans: 10 } }), [note]],
  [
    "a model, then rules",
    () => createFallbackPlanner([byModel(), createRulePlanner()], { continueOnCannotPlan: true }),
    [note, createTodoStore()],
  ],
  [
    "rules for what is simple, a model for the rest",
    () => createRoutingPlanner({ simple: createRulePlanner(), moderate: byModel(), complex: byModel() }),
    [note, createCalculator(), createTodoStore()],
  ],
];

describe.each(planners)("planning with %s", (_name, createPlanner, tools) => {
  const cases = plannerConformance({
    createPlanner,
    tools,
    requests: ["Add milk to my list", "Add a todo to call ada, then show me all my todos"],
    refusals: ["fly me to the moon"],
  });
  for (const { name, run } of cases) it(name, run);
});

const sound: Planner = {
  name: "sound",
  plan({ request, signal }) {
    signal.throwIfAborted();
    if (request.includes("moon")) throw cannotPlan();
    return draftOf(escapeTemplate(request));
  },
  replan: ({ request }) => draftOf(escapeTemplate(request), "again"),
};

function draftOf(title: string, id = "s1", rest: object = { dependsOn: [] }): PlanDraft {
  return { steps: [{ id, tool: "Note", input: { title }, ...rest }] };
}

function cannotPlan(): AgentError {
  return new AgentError("cannot-plan", "Not to the moon.", { details: { reason: "not-understood", examples: [] } });
}

const undoable: Tool = { ...note, undo: () => {} };

const hang = () => new Promise<never>(() => {});

/** What a planner does wrong. */
const defects: readonly (readonly [what: string, defect: Partial<Planner>, failed: RegExp])[] = [
  ["has no name", { name: "" }, /has a short name/],
  ["gives nothing", { plan: async () => undefined as never }, /plans "Do it"/],
  ["names an unknown tool", { plan: () => ({ steps: [{ id: "s1", tool: "None", input: {} }] }) }, /plans "Do it"/],
  [
    "does not say what a step depends on",
    { plan: ({ request }) => draftOf(escapeTemplate(request), "s1", {}) },
    /plans/,
  ],
  ["plans everything", { plan: ({ request }) => draftOf(escapeTemplate(request)) }, /refuses "fly me to the moon"/],
  [
    "refuses with an error of its own",
    {
      plan(asked) {
        if (asked.request.includes("moon")) throw new Error("no");
        return sound.plan(asked);
      },
    },
    /refuses/,
  ],
  ["does not escape what was typed", { plan: ({ request }) => draftOf(request) }, /reads no typed text as a reference/],
  [
    "executes a tool",
    {
      plan(asked) {
        asked.tools[0]?.execute({}, {} as never);
        return sound.plan(asked);
      },
    },
    /plans "Do it"/,
  ],
  [
    "changes what it was asked",
    {
      plan(asked) {
        (asked as { request: string }).request = "other";
        return sound.plan(asked);
      },
    },
    /plans "Do it"/,
  ],
  [
    "keeps its request in itself",
    (() => {
      let last = "";
      return {
        async plan({ request, signal }: PlanRequest) {
          signal.throwIfAborted();
          last = request;
          await Promise.resolve();
          if (last !== request) throw new Error("mixed up");
          return sound.plan({ request, signal } as PlanRequest);
        },
      };
    })(),
    /plans several requests at once/,
  ],
  [
    "looks at its signal too late",
    {
      plan: ({ request }) =>
        request.includes("moon") ? Promise.reject(cannotPlan()) : draftOf(escapeTemplate(request)),
    },
    /stopped before it started/,
  ],
  [
    "never stops",
    { plan: (asked) => Promise.resolve().then(() => (asked.signal.aborted ? hang() : sound.plan(asked))) },
    /ends soon after it is stopped/,
  ],
  [
    "undoes a tool",
    {
      plan(asked) {
        asked.tools[0]?.undo?.({ input: {}, output: null }, {} as never);
        return sound.plan(asked);
      },
    },
    /plans "Do it"/,
  ],
  [
    "escapes only at the end",
    {
      plan(asked) {
        sound.plan(asked);
        return draftOf(asked.request.replace(/\$\{([^}]*\})$/, "${$}{$1"));
      },
    },
    /reads no typed text as a reference/,
  ],
  [
    "can only do one thing at a time",
    (() => {
      let isBusy = false;
      return {
        async plan(asked: PlanRequest) {
          if (isBusy) throw new Error("busy");
          isBusy = true;
          await new Promise((resolve) => setImmediate(resolve));
          isBusy = false;
          return sound.plan(asked);
        },
      };
    })(),
    /plans several requests at once/,
  ],
  [
    "goes on telling",
    {
      plan(asked) {
        const error = cannotPlan().toJSON();
        setImmediate(() => asked.emit?.({ type: "plan-fallback", planner: "a", next: "b", error }));
        return sound.plan(asked);
      },
    },
    /plans "Do it"/,
  ],
  ["plans what has failed under the same id", { replan: sound.plan.bind(sound) }, /plans again/],
];

describe("plannerConformance", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  /** The cases that do not pass, with time going by. */
  async function failuresOf(planner: Planner): Promise<readonly string[]> {
    const cases = plannerConformance({
      createPlanner: () => planner,
      tools: [undoable],
      requests: ["Do it", "Do it for ada"],
      refusals: ["fly me to the moon"],
      settleMs: 1,
    });
    const failed: string[] = [];
    for (const { name, run } of cases) {
      const running = run().catch(() => failed.push(name));
      await new Promise((resolve) => setImmediate(resolve));
      await vi.advanceTimersByTimeAsync(1);
      await running;
    }
    return failed;
  }

  it("finds no fault in a correct planner, with or without replan, sync or async", async () => {
    expect(await failuresOf(sound)).toEqual([]);
    expect(await failuresOf({ name: "plain", plan: sound.plan })).toEqual([]);
    expect(await failuresOf({ ...sound, plan: async (asked) => sound.plan(asked) })).toEqual([]);
  });

  it("accepts a listener that a planner leaves on its signal, as fetch does", async () => {
    const listening: Planner = {
      ...sound,
      plan(asked) {
        asked.signal.addEventListener("abort", () => {});
        return sound.plan(asked);
      },
    };
    expect(await failuresOf(listening)).toEqual([]);
  });

  it("rejects with an AssertionError whose cause is the thrown value", async () => {
    const broken = new TypeError("out of order");
    const throwing: Planner = {
      name: "throwing",
      plan: () => {
        throw broken;
      },
    };
    const cases = plannerConformance({ createPlanner: () => throwing, tools: [note], requests: ["Do it"] });
    const planning = cases.find(({ name }) => name === 'plans "Do it"');
    await expect(planning?.run()).rejects.toMatchObject({
      code: "ERR_ASSERTION",
      message: "TypeError: out of order",
      cause: broken,
    });
  });

  it.each(defects)("finds a planner that %s", async (_what, defect, failed) => {
    expect((await failuresOf({ ...sound, ...defect })).join("\n")).toMatch(failed);
    expect(vi.getTimerCount()).toBe(0);
  });

  const createPlanner = () => sound;
  it.each([
    undefined,
    {},
    { createPlanner: 5, tools: [note], requests: ["a"] },
    { createPlanner, tools: [], requests: ["a"] },
    { createPlanner, tools: [note], requests: [] },
    { createPlanner, tools: [note], requests: [" "] },
    { createPlanner, tools: [note], requests: ["a"], refusals: [5] },
    { createPlanner, tools: [note], requests: ["a"], settleMs: 0 },
    { createPlanner, tools: [note], requests: ["a"], request: "b" },
  ])("refuses %j as options", (options) => {
    expect(() => plannerConformance(options as never)).toThrow(expect.objectContaining({ code: "invalid-options" }));
  });
});
