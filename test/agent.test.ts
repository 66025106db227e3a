import { describe, expect, it } from "vitest";
import * as z from "zod/v4";
import { createAgent } from "../src/agent.ts";
import { validatePlan } from "../src/plan/validate-plan.ts";
import { createOrchestrator } from "../src/runs/orchestrator.ts";
import { createMemoryRunStore } from "../src/stores/memory-run-store.ts";
import { failureOf } from "../src/testing/conformance/conformance-case.ts";
import { createFakeTool } from "../src/testing/fake-tool.ts";
import { createCalculator } from "../src/tools/calculator/calculator.ts";

const refused = expect.objectContaining({ code: "invalid-options" });
const { inputSchema: _, ...bare } = createFakeTool({ name: "Bare" });

describe("createAgent", () => {
  it.each([
    [undefined],
    [null],
    ["tools"],
    [{}],
    [{ tools: [bare] }],
    [{ tools: [{ name: "X" }] }],
    [{ tools: [null] }],
  ])("refuses %j as options, as does createOrchestrator", (options) => {
    expect(() => createAgent(options as never)).toThrow(refused);
    expect(() => createOrchestrator(options as never)).toThrow(refused);
  });

  it("refuses a listener that is not a function", () => {
    const agent = createAgent({ tools: [] });
    for (const listener of [undefined, null, "log"]) {
      expect(() => agent.on("run-end", listener as never)).toThrow(refused);
      expect(() => agent.subscribe(listener as never)).toThrow(refused);
    }
    expect(() => agent.on(undefined as never, () => {})).toThrow(refused);
    expect(() => agent.off("run-end", () => {})).not.toThrow();
  });

  it("refuses the name of an unknown event, and lists the known ones", () => {
    const options = { tools: [createFakeTool({ name: "A" })] };
    for (const agent of [createAgent(options), createOrchestrator({ ...options, store: createMemoryRunStore() })]) {
      for (const type of ["step-ended", "", "__proto__", "toString", null, 1] as never[]) {
        for (const method of [agent.on, agent.once, agent.off, agent.listenerCount, agent.removeAllListeners]) {
          expect(() => method(type, () => {})).toThrow(refused);
        }
      }
      expect(() => agent.on("step-ended" as never, () => {})).toThrow(
        /must be the type of an event: .*\bstep-end\b.*"step-ended"/,
      );
    }
  });
});

describe("the methods of an agent, an orchestrator and a handle", () => {
  const touched = new Error("this was used");
  const trap = new Proxy(() => {}, {
    get: () => {
      throw touched;
    },
  });

  it("do not use this", async () => {
    const options = { tools: [createFakeTool({ name: "A" })] };
    const creators = [
      () => createAgent(options),
      () => createOrchestrator({ ...options, store: createMemoryRunStore() }),
      () => createAgent(options).start({ steps: [{ id: "s1", tool: "A", input: {} }] }),
    ];
    const called: string[] = [];
    for (const create of creators) {
      for (const name of Object.keys(create())) {
        const method: unknown = Reflect.get(create(), name);
        if (typeof method !== "function") continue;
        called.push(name);
        // Most refuse to be called without arguments, for another reason.
        const thrown = await failureOf(() => Reflect.apply(method, trap, []));
        expect(thrown?.thrown, name).not.toBe(touched);
      }
    }
    expect(called).toContain("run");
    expect(called.filter((name) => name === "approve")).toHaveLength(2);
    expect(called).toContain("cancel");
  });

  it("work when they are destructured", async () => {
    const { run, on, once, off, listenerCount, removeAllListeners, getRun } = createAgent({
      tools: [createCalculator()],
    });
    const types: string[] = [];
    const listener = ({ type }: { type: string }) => types.push(type);
    on("run-start", listener);
    once("run-end", listener);
    on("plan-end", listener);
    off("plan-end", listener);
    expect([listenerCount("run-start"), listenerCount("plan-end")]).toEqual([1, 0]);
    const { runId, status } = await run("6 * 7");
    expect([status, (await getRun(runId))?.status]).toEqual(["completed", "completed"]);
    removeAllListeners();
    await run("6 * 7");
    expect(types).toEqual(["run-start", "run-end"]);
  });
});

describe("a tool that defineTool did not create", () => {
  class Counter {
    readonly name = "Counter";
    readonly description = "Counts";
    readonly inputSchema = z.object({ by: z.number().default(1) });
    readonly phrases = ["count", "count by {by}"];
    #count = 0;
    execute({ by }: { by: number }) {
      this.#count += by;
      return { count: this.#count };
    }
    undo() {
      this.#count = 0;
    }
  }
  const echo = {
    name: "Echo",
    description: "Says it again",
    inputSchema: z.object({ text: z.string() }),
    effect: "pure",
    execute: ({ text }: { text: string }) => text,
  } as const;
  const plan = {
    steps: [
      { id: "a", tool: "Counter", input: {} },
      { id: "b", tool: "Echo", input: { text: `\${a.count}` } },
    ],
  } as const;

  it("is planned for and run by an agent, and by a second agent with the same object", async () => {
    const counter = new Counter();
    const agent = createAgent({ tools: [counter, echo] });
    expect(agent.tools).toEqual([counter, echo]);
    expect(agent.tools[0]).toBe(counter);
    expect((await agent.run("count by 5")).output).toEqual({ count: 5 });
    expect((await createAgent({ tools: [counter, echo] }).execute(plan)).output).toBe("6");
  });

  it("is accepted by an orchestrator and by validatePlan", async () => {
    const tools = [new Counter(), echo];
    expect((await createOrchestrator({ tools, store: createMemoryRunStore() }).execute(plan)).output).toBe("1");
    expect(await validatePlan(plan, { tools })).toEqual([]);
    const wrong = { steps: [{ id: "a", tool: "Counter", input: { by: "x" } }] };
    expect(await validatePlan(wrong, { tools })).toMatchObject([{ code: "invalid-input" }]);
  });
});
