import { AsyncLocalStorage } from "node:async_hooks";
import {
  type AgentEvent,
  createAgent,
  createLlmPlanner,
  createMemoryRunStore,
  defineTool,
  type ObservedCall,
  type Observer,
  type RunStore,
} from "planwright";
import { createScriptedModel } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import type { AnyPlan } from "../../../src/core/plan.ts";

const places = new AsyncLocalStorage<readonly string[]>();

/** Puts the name of each call around what it calls. */
const nesting: Observer = {
  within: (call, proceed) => places.run([...(places.getStore() ?? []), call.type], proceed),
};

function note(onCall: () => void = () => {}) {
  return defineTool({
    name: "Note",
    description: "Takes a note",
    inputSchema: z.object({ title: z.string() }),
    effect: "idempotent",
    execute: () => {
      onCall();
      return "ok";
    },
    undo: () => onCall(),
  });
}

const plan = { steps: [{ id: "s1", tool: "Note" as const, input: { title: "milk" } }] };

describe("observers", () => {
  it("are objects with methods, not functions or classes that have some", () => {
    const methods = { event: () => {} };
    const functions = [Object.assign(() => {}, methods), Object.assign(class {}, methods)];
    for (const observer of [...functions, null, "event", { event: 1 }, {}]) {
      expect(() => createAgent({ tools: [note()], observers: [methods, observer as Observer] })).toThrow(
        expect.objectContaining({
          code: "invalid-options",
          message: expect.stringContaining("an object with one or more of the methods event, within and traceparent"),
          details: expect.objectContaining({ option: "observers.1" }),
        }),
      );
    }
  });
});

describe("what observers set around calls", () => {
  it("is there in a model, in a planner, in each attempt, and in undoing", async () => {
    const seen: (readonly string[] | undefined)[] = [];
    const model = createScriptedModel(['{"steps":[{"do":"Note","title":"milk"}]}']);
    const generate = model.generate.bind(model);
    const watched = {
      ...model,
      generate: (request: Parameters<typeof generate>[0]) => {
        seen.push(places.getStore());
        return generate(request);
      },
    };
    let calls = 0;
    const fails = defineTool({
      name: "Fail",
      description: "Fails",
      inputSchema: z.object({}),
      effect: "idempotent",
      execute: () => {
        throw new Error("no");
      },
    });
    const tool = note(() => {
      seen.push(places.getStore());
      calls += 1;
      if (calls === 1) throw new Error("again");
    });
    const agent = createAgent({
      tools: [tool, fails],
      planner: createLlmPlanner({ model: watched }),
      observers: [nesting],
      retry: { minDelayMs: 0 },
    });
    const made = await agent.plan("note milk");
    const { status } = await agent.execute(
      { steps: [...made.steps, { id: "s2", tool: "Fail", input: {} }] } as AnyPlan,
      { undoOnFailure: true },
    );
    expect(status).toBe("failed");
    expect(seen).toEqual([
      ["plan", "model"],
      ["run", "attempt"],
      ["run", "attempt"],
      ["run", "attempt"],
    ]);
    expect(places.getStore()).toBeUndefined();
  });

  it("names what is called", async () => {
    const calls: ObservedCall[] = [];
    const observer: Observer = {
      within: (call, proceed) => {
        calls.push(call);
        proceed();
      },
    };
    const agent = createAgent({ tools: [note()], observers: [observer] });
    await agent.execute(plan, { runId: "r1" });
    expect(calls).toEqual([
      { type: "run", runId: "r1" },
      { type: "attempt", runId: "r1", stepId: "s1", tool: "Note", attempt: 1 },
    ]);
  });
});

describe("an observer that misbehaves", () => {
  const late: (() => void)[] = [];
  it.each<[string, Observer["within"], number]>([
    [
      "throws before it calls",
      () => {
        throw new Error("before");
      },
      1,
    ],
    [
      "throws after it called",
      (_, proceed) => {
        proceed();
        throw new Error("after");
      },
      1,
    ],
    ["never calls", () => {}, 1],
    ["calls later", (_, proceed) => void late.push(proceed), 1],
    [
      "calls twice",
      (_, proceed) => {
        proceed();
        proceed();
      },
      1,
    ],
    [
      "rejects",
      (_, proceed) => {
        proceed();
        return Promise.reject(new Error("late"));
      },
      1,
    ],
    [
      "hangs",
      (_, proceed) => {
        proceed();
        return new Promise(() => {});
      },
      0,
    ],
  ])("changes nothing, and is reported each time: %s", async (_, within, reportsPerCall) => {
    let calls = 0;
    const reported: string[] = [];
    const agent = createAgent({
      tools: [note(() => calls++)],
      observers: [{ within } as Observer, nesting],
      onListenerError: (_error, { type }) => reported.push(type),
    });
    const { status, output } = await agent.execute(plan);
    for (const proceed of late) proceed();
    expect({ status, output, calls }).toEqual({ status: "completed", output: "ok", calls: 1 });
    expect(reported.filter((type) => type === "run")).toHaveLength(reportsPerCall + (late.length > 0 ? 1 : 0));
    expect(reported.filter((type) => type === "attempt")).toHaveLength(reportsPerCall + (late.length > 0 ? 1 : 0));
    late.length = 0;
  });

  it("cannot change an event, and does not keep others from it", async () => {
    const seen: string[] = [];
    const reported: unknown[] = [];
    const changes: Observer = {
      event: (event) => {
        (event as { type: string }).type = "changed";
      },
    };
    const agent = createAgent({
      tools: [note()],
      observers: [changes, { event: ({ type }: AgentEvent) => seen.push(type) }],
      onListenerError: (error) => reported.push(error),
    });
    await agent.execute(plan);
    expect(seen).toEqual(["run-start", "step-start", "step-end", "run-end"]);
    expect(reported).toHaveLength(4);
  });

  it("cannot change a call for the next observer", async () => {
    const calls: ObservedCall[] = [];
    const reported: unknown[] = [];
    const changes: Observer = {
      within: (call) => {
        (call as { runId: string }).runId = "changed";
      },
    };
    const reads: Observer = {
      within: (call, proceed) => {
        calls.push(call);
        proceed();
      },
    };
    const agent = createAgent({
      tools: [note()],
      observers: [changes, reads],
      onListenerError: (error) => reported.push(error),
    });
    await agent.execute(plan, { runId: "r1" });
    expect(calls.map(({ runId }) => runId)).toEqual(["r1", "r1"]);
    expect(reported).toEqual([expect.any(TypeError), expect.any(TypeError)]);
  });

  it.each<[string, Observer["within"], readonly string[]]>([
    [
      "again",
      (_, proceed) => {
        proceed();
        proceed();
      },
      ['An observer ran the "run" call twice, or too late.'],
    ],
    [
      "too late",
      (_, proceed) => void Promise.resolve().then(proceed),
      ['An observer did not run the "run" call.', 'An observer ran the "run" call twice, or too late.'],
    ],
  ])("is told what it did: it called %s", async (_, within, messages) => {
    const reported: string[] = [];
    const agent = createAgent({
      tools: [note()],
      observers: [{ within } as Observer],
      onListenerError: (error, { type }) => type === "run" && reported.push((error as Error).message),
    });
    await agent.execute(plan);
    expect(reported).toEqual(messages);
  });

  it("is refused if it is none", () => {
    for (const observers of [{}, [null], [{}], [{ event: 1 }], [{ other: () => {} }]]) {
      expect(() => createAgent({ tools: [note()], observers: observers as never })).toThrow(
        expect.objectContaining({ code: "invalid-options" }),
      );
    }
  });

  it("leaves a failure of the call as it is", async () => {
    const agent = createAgent({
      tools: [
        note(() => {
          throw new Error("not today");
        }),
      ],
      retry: { maxAttempts: 1 },
      observers: [nesting],
    });
    const { error } = await agent.execute(plan);
    expect(error?.message).toContain("not today");
  });
});

describe("a run whose first event cannot be recorded", () => {
  it.each(["append", "claim"] as const)("ends for observers alone, if the store fails to %s", async (method) => {
    const memory = createMemoryRunStore();
    const store = Object.assign(Object.create(memory) as RunStore, {
      [method]: () => {
        throw new Error("disk full");
      },
    });
    const [heard, seen]: AgentEvent[][] = [[], []];
    const reported: unknown[] = [];
    const fails: Observer = {
      event: () => {
        throw new Error("not today");
      },
    };
    const rejects: Observer = { event: () => Promise.reject(new Error("nor later")) };
    const agent = createAgent({
      tools: [note()],
      store,
      observers: [fails, rejects, nesting, { event: (event) => seen?.push(event) }],
      onListenerError: (error, { type }) => reported.push([(error as Error).message, type]),
    });
    agent.subscribe((event) => heard?.push(event));
    const { status, error } = await agent.execute(plan, { runId: "r1" });
    expect([status, error?.code]).toEqual(["failed", "store-failed"]);
    expect(heard).toEqual([]);
    const outcome = { status: "failed", error: { code: "store-failed" } };
    expect(seen).toMatchObject([{ type: "run-end", runId: "r1", sequence: 0, recorded: false, outcome }]);
    expect(Object.isFrozen(seen?.[0])).toBe(true);
    expect(reported).toEqual([
      ["not today", "run-end"],
      ["nor later", "run-end"],
    ]);
  });
});
