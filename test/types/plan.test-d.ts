import {
  createAgent,
  createMemoryRunStore,
  createOrchestrator,
  defineTool,
  hashPlan,
  type Plan,
  type PlanInput,
  type PlanStep,
  planSchema,
} from "planwright";
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod/v4";
import type { Referable } from "../../src/core/plan.ts";
import { calculator, clock, todos } from "./tools.ts";

type Tools = typeof calculator | typeof todos | typeof clock;
const given = <const TPlan extends PlanInput<Tools>>(plan: TPlan) => plan;

describe("a plan written by hand", () => {
  it("may name the given tools, with their inputs", () => {
    given({ steps: [{ id: "s1", tool: "Calculator", input: { expression: "1 + 1" } }] });
    given({
      version: 1,
      request: "x",
      steps: [
        { id: "s1", tool: "Clock", input: {}, dependsOn: [], reasoning: "why" },
        { id: "s2", tool: "Todos", input: { operation: "get", id: 5 } },
        { id: "s3", tool: "Todos", input: { operation: "add", title: "milk", priority: "high" } },
      ],
    });
  });

  it("requires only steps, each with id, tool and, where the tool requires one, input", () => {
    // @ts-expect-error steps are missing
    given({ request: "x" });
    // @ts-expect-error the id is missing
    given({ steps: [{ tool: "Clock", input: {} }] });
    given({ steps: [{ id: "s1", tool: "Clock" }] });
    // @ts-expect-error the input is missing
    given({ steps: [{ id: "s1", tool: "Calculator" }] });
    // @ts-expect-error there is no version 3
    given({ version: 3, steps: [] });
  });

  it("may not name an unknown tool, or use the input of another", () => {
    // @ts-expect-error no tool has this name
    given({ steps: [{ id: "s1", tool: "Nope", input: {} }] });
    // @ts-expect-error the input of another tool
    given({ steps: [{ id: "s1", tool: "Calculator", input: { operation: "get", id: 1 } }] });
    // @ts-expect-error a number where text belongs
    given({ steps: [{ id: "s1", tool: "Calculator", input: { expression: 5 } }] });
    // @ts-expect-error a required key is missing
    given({ steps: [{ id: "s1", tool: "Todos", input: { operation: "add" } }] });
    // @ts-expect-error a wrong literal
    given({ steps: [{ id: "s1", tool: "Todos", input: { operation: "remove", id: 1 } }] });
    // @ts-expect-error a wrong member of an enum
    given({ steps: [{ id: "s1", tool: "Todos", input: { operation: "add", title: "", priority: "urgent" } }] });
  });

  it("may have a reference instead of any value", () => {
    given({
      steps: [
        {
          id: "s1",
          tool: "Calculator",
          input: { expression: { $ref: "s0.text" }, variables: { x: { $ref: "s0.value" } } },
        },
        { id: "s2", tool: "Todos", input: { operation: "get", id: { $ref: "s1.value" } } },
        { id: "s3", tool: "Calculator", input: { expression: "x", variables: { $ref: "s1" } } },
        { id: "s4", tool: "Todos", input: { operation: "add", title: "x", priority: { $ref: "s1.note" } } },
      ],
    });
    // @ts-expect-error a reference is text
    given({ steps: [{ id: "s1", tool: "Calculator", input: { expression: { $ref: 5 } } }] });
  });

  it("may have a template instead of any text, even of an enum", () => {
    given({
      steps: [
        {
          id: "s1",
          tool: "Todos",
          input: { operation: "add", title: "Buy ${s0.value} apples", priority: "${s0.level}" },
        },
      ],
    });
    given({ steps: [{ id: "s1", tool: "Todos", input: { operation: "add", title: "", priority: "high" } }] });
    // @ts-expect-error a template is text, and an id is a number
    given({ steps: [{ id: "s1", tool: "Todos", input: { operation: "get", id: "${s0.value}" } }] });
  });

  it("may have a literal instead of any value, of the right type", () => {
    given({ steps: [{ id: "s1", tool: "Calculator", input: { expression: { $literal: "${x}" } } }] });
    // @ts-expect-error a literal of the wrong type
    given({ steps: [{ id: "s1", tool: "Calculator", input: { expression: { $literal: 5 } } }] });
  });

  it("is checked against the tools of the agent", () => {
    const agent = createAgent({ tools: [clock] });
    agent.execute({ steps: [{ id: "s1", tool: "Clock", input: {} }] });
    // @ts-expect-error no tool has this name
    agent.execute({ steps: [{ id: "s1", tool: "Nope", input: {} }] });
    // @ts-expect-error no tool has this name
    agent.start({ steps: [{ id: "s1", tool: "Nope", input: {} }] });
    hashPlan({ steps: [{ id: "s1", tool: "Whatever", input: { any: { $ref: "s0" } } }] });
  });

  it("is checked in every part if it is written within the call", () => {
    const resources = { precision: { digits: 1 }, user: "u" };
    const agent = createAgent({ tools: [calculator, todos, clock] });
    agent.execute({ steps: [{ id: "s1", tool: "Calculator", input: { expression: "1" } }] }, { resources });
    // @ts-expect-error no tool has this name
    agent.execute({ steps: [{ id: "s1", tool: "Nope", input: {} }] }, { resources });
    // @ts-expect-error no input has this key
    agent.execute({ steps: [{ id: "s1", tool: "Calculator", input: { expression: "1", sum: 1 } }] }, { resources });
    // @ts-expect-error a required key is missing
    agent.execute({ steps: [{ id: "s1", tool: "Calculator", input: {} }] }, { resources });
    // @ts-expect-error a number where text belongs
    agent.start({ steps: [{ id: "s1", tool: "Calculator", input: { expression: 1 } }] }, { resources });
    // @ts-expect-error no step has this key
    agent.start({ steps: [{ id: "s1", tool: "Clock", input: {}, after: [] }] }, { resources });
    // @ts-expect-error no plan has this key
    agent.start({ steps: [], tools: [] }, { resources });
    const first = { id: "s1", tool: "Clock", input: {} } as const;
    // @ts-expect-error one of two steps is wrong
    agent.start({ steps: [first, { id: "s2", tool: "Clok", input: {} }] }, { resources });
    // @ts-expect-error steps are missing
    agent.execute({ request: "x" }, { resources });
    const fixed = { steps: [{ id: "s1", tool: "Nope", input: {} }] } as const;
    // @ts-expect-error a constant is checked as well
    agent.execute(fixed, { resources });
  });

  it("may be untyped if its tools are unknown to the compiler", () => {
    const agent = createAgent({ tools: [clock] });
    const orchestrator = createOrchestrator({ tools: [clock], store: createMemoryRunStore() });
    const widened = {
      version: 1,
      steps: [
        { id: "s1", tool: "Clock", input: {} },
        { id: "s2", tool: "Clock", input: { a: 1 }, dependsOn: ["s1"] },
      ],
    };
    const typed = { steps: [] } as PlanInput;
    for (const { execute, start } of [agent, orchestrator]) {
      execute(widened);
      execute(typed);
      execute(planSchema.parse({}));
      execute({ steps: widened.steps });
      start(widened);
      start(typed);
      start(planSchema.parse({}));
      // @ts-expect-error text is no plan
      execute("x");
      // @ts-expect-error this is none either
      start({ steps: 5 });
    }
    hashPlan(widened);
    hashPlan(planSchema.parse({}));
  });

  it("may have a reference instead of a whole input", () => {
    given({ steps: [{ id: "s1", tool: "Calculator", input: { $ref: "s0.input" } }] });
    // @ts-expect-error a reference is text
    given({ steps: [{ id: "s1", tool: "Calculator", input: { $ref: 5 } }] });
  });

  it("may come from a planner", () => {
    const agent = createAgent({ tools: [clock] });
    expectTypeOf(agent.plan).returns.resolves.toEqualTypeOf<Plan>();
    agent.plan("x").then((plan) => agent.execute(plan));
    expectTypeOf<Plan>().toExtend<PlanInput>();
    expectTypeOf<PlanStep["tool"]>().toEqualTypeOf<string | undefined>();
  });

  it("accepts any input for a tool with an unknown input", () => {
    const any = defineTool({ name: "Any", description: "d", inputSchema: z.unknown(), execute: () => null });
    createAgent({ tools: [any] }).execute({ steps: [{ id: "s1", tool: "Any", input: { a: [1, { $ref: "s0" }] } }] });
  });
});

describe("Referable", () => {
  it("keeps the type of a value, and allows references and literals", () => {
    expectTypeOf<5>().toExtend<Referable<number>>();
    expectTypeOf<{ $ref: string }>().toExtend<Referable<number>>();
    expectTypeOf<{ $literal: 5 }>().toExtend<Referable<number>>();
    expectTypeOf<readonly [1, { $ref: string }]>().toExtend<Referable<number[]>>();
    expectTypeOf<"a ${s1} b">().toExtend<Referable<"x" | "y">>();
    expectTypeOf<null>().toExtend<Referable<string | null>>();
    expectTypeOf<boolean>().toExtend<Referable<boolean>>();
    expectTypeOf<"z">().not.toExtend<Referable<"x" | "y">>();
    expectTypeOf<string>().not.toExtend<Referable<number>>();
    expectTypeOf<{ a: 1; b: [] }>().toExtend<Referable<unknown>>();
  });
});

it("planSchema returns a PlanInput", () => {
  expectTypeOf<z.infer<typeof planSchema>["steps"][number]["id"]>().toBeString();
  expectTypeOf<z.infer<typeof planSchema>["version"]>().toEqualTypeOf<1 | 2 | undefined>();
});
