import {
  type AgentEvent,
  type AgentEventOf,
  type AgentEventType,
  createAgent,
  createCalculator,
  createNotes,
  createTodoStore,
  createWebSearch,
  type JsonValue,
  type Plan,
  type RunEndEvent,
  type RunResult,
  type RunSnapshot,
  type StepEndEvent,
  type StepOutcome,
} from "planwright";
import { describe, expectTypeOf, it } from "vitest";
import { calculator, clock, todos } from "./tools.ts";

const agent = createAgent({ tools: [calculator, todos] });
type Tools = (typeof agent)["tools"][number];
interface Calculated {
  value: number;
  at: string;
  note?: string;
}
interface Todo {
  title: string;
  done: boolean;
  createdAt: string;
}

describe("events", () => {
  it("narrow by type, tool and status to the tool's output", () => {
    const listener = (event: AgentEvent<Tools>) => {
      if (event.type !== "step-end") return;
      expectTypeOf(event.tool).toEqualTypeOf<"Calculator" | "Todos">();
      if (event.tool === "Calculator" && event.outcome.status === "completed") {
        expectTypeOf(event.outcome.output).toEqualTypeOf<Calculated>();
      }
      if (event.tool === "Todos" && event.outcome.status === "completed") {
        expectTypeOf(event.outcome.output).toEqualTypeOf<Todo>();
      }
      if (event.outcome.status !== "completed") {
        expectTypeOf(event.outcome.error.code).toBeString();
        expectTypeOf(event.outcome).not.toHaveProperty("output");
      }
    };
    agent.subscribe(listener);
  });

  it("have names of their own", () => {
    expectTypeOf<StepEndEvent<Tools>>().toEqualTypeOf<AgentEventOf<"step-end", Tools>>();
    expectTypeOf<RunEndEvent>().toEqualTypeOf<AgentEventOf<"run-end">>();
    const report = ({ tool, attempts }: StepEndEvent) => `${tool}: ${attempts}`;
    agent.on("step-end", (event) => void report(event));
  });

  it("narrow by the other name of a built-in tool", () => {
    const own = createAgent({ tools: [createTodoStore({ name: "Shopping" }), createCalculator({ name: "Sums" })] });
    own.on("step-end", (event) => {
      expectTypeOf(event.tool).toEqualTypeOf<"Shopping" | "Sums">();
      if (event.tool === "Sums" && event.outcome.status === "completed") {
        expectTypeOf(event.outcome.output.value).toBeNumber();
      }
    });
    expectTypeOf(createNotes({ name: "Remarks" }).name).toEqualTypeOf<"Remarks">();
    expectTypeOf(createWebSearch({ name: "Web", search: () => [] }).name).toEqualTypeOf<"Web">();
    expectTypeOf(createTodoStore().name).toEqualTypeOf<"TodoStore">();
  });

  it("narrow in a listener of one type", () => {
    agent.on("step-end", (event) => {
      expectTypeOf(event.type).toEqualTypeOf<"step-end">();
      if (event.tool === "Calculator" && event.outcome.status === "completed") {
        expectTypeOf(event.outcome.output.value).toBeNumber();
      }
      // @ts-expect-error no tool has this name
      if (event.tool === "Nope") return;
    });
    agent.on("step-retry", ({ stepId, attempt, delayMs, error }) => {
      expectTypeOf({ stepId, attempt, delayMs, message: error.message }).toEqualTypeOf<{
        stepId: string;
        attempt: number;
        delayMs: number;
        message: string;
      }>();
    });
    // @ts-expect-error there is no such event
    agent.on("step-begin", () => undefined);
  });

  it("narrow the input of a step by its tool", () => {
    agent.on("step-start", (event) => {
      if (event.tool === "Calculator") expectTypeOf(event.input.expression).toBeString();
      else expectTypeOf(event.input.operation).toEqualTypeOf<"add" | "get">();
    });
  });

  it("come from the stream of a handle with the same types", async () => {
    const resources = { precision: { digits: 1 }, user: "u" };
    for await (const event of agent.start("x", { resources }).events) {
      expectTypeOf(event).toEqualTypeOf<AgentEvent<Tools>>();
    }
  });

  it("are a closed union, so a switch over all types satisfies never", () => {
    const name = (event: AgentEvent): string => {
      switch (event.type) {
        case "run-start":
        case "plan-start":
        case "model-start":
        case "model-retry":
        case "model-end":
        case "plan-delta":
        case "plan-fallback":
        case "plan-end":
        case "step-start":
        case "step-progress":
        case "step-attempt":
        case "step-retry":
        case "step-skip":
        case "step-end":
        case "step-late":
        case "plan-revise":
        case "approval-request":
        case "approval-end":
        case "undo-start":
        case "undo-end":
        case "circuit-change":
        case "run-settle":
        case "wait-start":
        case "run-deliver":
        case "run-suspend":
        case "run-resume":
        case "run-end":
          return event.type;
        default:
          return event satisfies never;
      }
    };
    expectTypeOf(name).returns.toBeString();
    expectTypeOf<AgentEventOf<AgentEventType>>().toEqualTypeOf<AgentEvent>();
  });

  it("all have type, runId, sequence and timestamp", () => {
    expectTypeOf<AgentEvent>().toExtend<{ type: string; runId: string; sequence: number; timestamp: string }>();
  });

  it("of an unknown tool have unknown outputs", () => {
    expectTypeOf<AgentEventOf<"step-end">["outcome"]>().toEqualTypeOf<StepOutcome<unknown>>();
    expectTypeOf<AgentEventOf<"step-progress">["value"]>().toEqualTypeOf<JsonValue>();
  });
});

describe("results", () => {
  const read = (result: RunResult<Tools>) => result;

  it("narrow by status", () => {
    const result = read({} as RunResult<Tools>);
    if (result.status === "failed") expectTypeOf(result.error.message).toBeString();
    if (result.status === "completed") expectTypeOf(result.error).toBeUndefined();
    expectTypeOf(result.plan).toEqualTypeOf<Plan | undefined>();
    expectTypeOf(result.output).toEqualTypeOf<Calculated | Todo | (Calculated | Todo | null)[] | undefined>();
  });

  it("list what a suspended run waits for", () => {
    const result = read({} as RunResult<Tools>);
    if (result.status === "suspended") {
      for (const item of result.pending) {
        if (item.kind === "approval") expectTypeOf(item.hash).toBeString();
        if (item.kind === "outcome") expectTypeOf(item.stepId).toBeString();
        if (item.kind === "plan-approval") expectTypeOf(item.hash).toBeString();
      }
    }
  });

  it("narrow the steps by tool and status", () => {
    for (const step of read({} as RunResult<Tools>).steps) {
      if (step.tool === "Calculator" && step.status === "completed") {
        expectTypeOf(step.output).toEqualTypeOf<Calculated>();
        expectTypeOf(step.input.expression).toBeString();
      }
      if (step.tool === "Todos" && step.status === "completed") expectTypeOf(step.output).toEqualTypeOf<Todo>();
      if (step.status === "failed") {
        expectTypeOf(step.output).toBeUndefined();
        expectTypeOf(step.error?.code).toExtend<string | undefined>();
      }
    }
  });

  it("are the same for run, execute and handles", () => {
    const alone = createAgent({ tools: [clock] });
    expectTypeOf(alone.run).returns.resolves.toEqualTypeOf<RunResult<typeof clock>>();
    expectTypeOf(alone.execute).returns.resolves.toEqualTypeOf<RunResult<typeof clock>>();
    expectTypeOf(alone.start("x").result).resolves.toEqualTypeOf<RunResult<typeof clock>>();
    expectTypeOf(alone.getRun).returns.resolves.toEqualTypeOf<RunSnapshot<typeof clock> | undefined>();
    type Output = { ms: number };
    expectTypeOf<RunResult<typeof clock>["output"]>().toEqualTypeOf<Output | (Output | null)[] | undefined>();
  });

  it("have an output once completed, which `in` narrows", async () => {
    const run = read({} as RunResult<Tools>);
    // @ts-expect-error it may have none yet
    if (run.status === "suspended") "value" in run.output;
    if (run.status !== "completed") return;
    if ("value" in run.output) expectTypeOf(run.output).toEqualTypeOf<Calculated>();
    if ("title" in run.output) expectTypeOf(run.output.title).toBeString();
    const resources = { precision: { digits: 1 }, user: "u" };
    const planned = await agent.execute(await agent.plan("x"), { resources });
    if (planned.status === "completed" && "value" in planned.output) expectTypeOf(planned.output.value).toBeNumber();
  });

  it("are assignable to the result of any run", () => {
    expectTypeOf<RunResult<Tools>>().toExtend<RunResult>();
    expectTypeOf<AgentEvent<Tools>>().toExtend<AgentEvent>();
  });
});
