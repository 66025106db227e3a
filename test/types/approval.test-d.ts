import {
  type AgentEventOf,
  type AgentWarning,
  type ApprovalDecision,
  type ApprovalItem,
  type ApprovalOptions,
  type ApprovalQuestion,
  type ApprovalRequest,
  createAgent,
  createOrchestrator,
  type DefinedTool,
  type DryRun,
  type DryRunStep,
  defineTool,
  type PendingItem,
  type RejectionOptions,
  type ResumeOptions,
  type RunStore,
} from "planwright";
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod/v4";
import { calculator, clock, todos } from "./tools.ts";

const tools = [calculator, todos];
const agent = createAgent({ tools });
const free = createAgent({ tools: [clock] });
type Tools = (typeof agent)["tools"][number];
type PendingApproval = Extract<PendingItem, { kind: "approval" }>;
const resources = { precision: { digits: 1 }, user: "u" };
const hash = "0".repeat(64);

describe("an approval question", () => {
  it("narrows by tool in needsApproval and requestApproval", () => {
    createAgent({
      tools,
      needsApproval: (question) => {
        expectTypeOf(question).toEqualTypeOf<ApprovalQuestion<Tools>>();
        expectTypeOf(question.runId).toEqualTypeOf<string | undefined>();
        if (question.kind === "plan") return question.plan.steps.length > 3;
        // @ts-expect-error no tool has this name
        if (question.tool === "Nope") return true;
        if (question.tool === "Calculator") return question.input.expression === "";
        expectTypeOf(question.input.operation).toEqualTypeOf<"add" | "get">();
        return false;
      },
      requestApproval: async (request, { signal }) => {
        expectTypeOf(request).toEqualTypeOf<ApprovalRequest<Tools>>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
        if (request.kind === "plan") return "approve";
        expectTypeOf(request.hash).toBeString();
        return request.tool === "Todos" && request.input.operation === "add" ? "reject" : "suspend";
      },
    });
    createOrchestrator({
      tools: [clock],
      store: {} as RunStore,
      needsApproval: (question) => question.kind === "step" && question.tool === "Clock",
    });
  });

  it("can be answered by an inline async function", () => {
    createAgent({ tools, requestApproval: async () => "suspend" });
    createAgent({ tools, requestApproval: () => Promise.resolve("approve") });
    createAgent({ tools, requestApproval: async () => ({ decision: "reject", by: "rule 7", reason: "too much" }) });
    createAgent({ tools, requestApproval: async ({ kind }) => (kind === "step" ? "reject" : "approve") });
    createAgent({ tools, needsApproval: async () => true });
    createAgent({ tools, needsApproval: () => true });
    // @ts-expect-error there is no such answer
    createAgent({ tools, requestApproval: async () => "maybe" });
    expectTypeOf<ApprovalDecision>().toEqualTypeOf<"approve" | "reject" | "suspend">();
  });

  it("can be answered by functions written for any tools", () => {
    const needsApproval = ({ kind }: ApprovalQuestion) => kind === "plan";
    const approve = async ({ runId }: ApprovalRequest): Promise<ApprovalDecision> => (runId ? "approve" : "reject");
    createAgent({ tools, needsApproval, requestApproval: approve });
  });

  it("narrows by tool in events and dry runs", () => {
    agent.on("approval-request", (event) => {
      expectTypeOf(event).toEqualTypeOf<AgentEventOf<"approval-request", Tools>>();
      if (event.kind === "step" && event.tool === "Calculator") expectTypeOf(event.input.expression).toBeString();
    });
    const seen = {} as DryRun<Tools>;
    for (const step of seen.steps) {
      expectTypeOf(step.tool).toEqualTypeOf<"Calculator" | "Todos">();
      if (step.tool === "Calculator") expectTypeOf(step.input.expression).toBeString();
    }
    expectTypeOf(agent.dryRun).returns.resolves.toEqualTypeOf<DryRun<Tools>>();
    expectTypeOf<DryRun<Tools>>().toExtend<DryRun>();
    expectTypeOf<DryRunStep["input"]>().toBeUnknown();
    expectTypeOf<ApprovalQuestion<Tools>>().toExtend<ApprovalQuestion>();
  });
});

describe("the end of an approval", () => {
  it("narrows by kind", () => {
    const read = (event: AgentEventOf<"approval-end">) => {
      if (event.kind === "step") expectTypeOf(event.stepId).toBeString();
      else expectTypeOf(event).not.toHaveProperty("stepId");
      if (event.outcome.status === "rejected")
        expectTypeOf(event.outcome.error.code).toEqualTypeOf<"approval-rejected" | "approval-expired">();
    };
    free.on("approval-end", read);
  });

  it("names a step or the plan in warnings", () => {
    expectTypeOf<AgentWarning["stepId"]>().toEqualTypeOf<string | undefined>();
    expectTypeOf<AgentWarning["iteration"]>().toEqualTypeOf<number | undefined>();
  });
});

describe("a decision", () => {
  it("accepts the pending item, the event or the request unchanged", () => {
    const item = {} as PendingApproval;
    const plan = {} as Extract<PendingItem, { kind: "plan-approval" }>;
    free.approve("r", item);
    free.reject("r", item, { reason: "too much" });
    free.approve("r", plan);
    free.approve("r", item, { by: "ada", comment: "less will do", input: {} });
    agent.approve("r", item, { resources, input: { operation: "get", id: 1 } });
    // @ts-expect-error no tool takes this
    agent.approve("r", item, { resources, input: { operation: "drop" } });
    // @ts-expect-error what is rejected has no other input
    free.reject("r", item, { by: "ada", input: {} });
    free.reject("r", plan, { reason: "too much" });
    agent.approve("r", item, { resources });
    free.on("approval-request", (event) => free.approve(event.runId, event));
    expectTypeOf<ApprovalRequest>().toExtend<ApprovalItem>();
    expectTypeOf(item.tool).toBeString();
    expectTypeOf(item.input).toExtend<object>();
    expectTypeOf(item.hash).toBeString();
    // @ts-expect-error nobody can approve what came of a step
    free.approve("r", {} as Extract<PendingItem, { kind: "outcome" }>);
    // @ts-expect-error an id says nothing of what was looked at
    free.approve("r", "s1");
    // @ts-expect-error there is no such option
    free.approve("r", item, { concurrency: 2 });
    // @ts-expect-error who approves needs no reason
    free.approve("r", item, { reason: "why not" });
  });

  it("requires resources if a tool needs some", () => {
    const item: ApprovalItem = { kind: "step", stepId: "s1", hash };
    const plan: ApprovalItem = { kind: "plan", hash };
    agent.approve("r", item, { resources });
    agent.reject("r", plan, { resources, reason: "no", throwOnFailure: true });
    // @ts-expect-error resources are missing
    agent.approve("r", item);
    // @ts-expect-error the user is missing
    agent.reject("r", item, { resources: { precision: { digits: 1 } } });
    // @ts-expect-error resources are missing
    agent.approve("r", plan, {});
    free.approve("r", plan, { resources: undefined, signal: undefined, throwOnFailure: undefined });
    expectTypeOf<ResumeOptions<Tools>["resources"]>().toExtend<typeof resources>();
    expectTypeOf<ResumeOptions["resources"]>().toBeUnknown();
    expectTypeOf<ApprovalOptions<Tools>>().toExtend<ApprovalOptions>();
    expectTypeOf<RejectionOptions["reason"]>().toEqualTypeOf<string | undefined>();
  });

  it("has options that can be built step by step", () => {
    const options: RejectionOptions = {};
    options.reason = "no";
    options.signal = new AbortController().signal;
    free.reject("r", { kind: "plan", hash }, options);
  });
});

describe("the options of a tool", () => {
  const base = { name: "T", description: "d", inputSchema: z.object({ a: z.string() }) } as const;

  it("take undo: undefined, with and without an output schema", () => {
    const tool = defineTool({ ...base, execute: () => 1, undo: undefined });
    defineTool({ ...base, outputSchema: z.number(), execute: () => 1, undo: undefined });
    expectTypeOf(tool.declaredNeedsApproval).toEqualTypeOf<DefinedTool["declaredNeedsApproval"]>();
    expectTypeOf<DefinedTool["declaredNeedsApproval"]>().toEqualTypeOf<boolean | "by-input">();
  });

  it("give undo the input as parsed and the output as JSON", () => {
    defineTool({
      ...base,
      execute: ({ a }) => ({ a, at: new Date(0) }),
      undo: ({ input, output }) => {
        expectTypeOf(input).toEqualTypeOf<{ a: string }>();
        expectTypeOf(output).toEqualTypeOf<{ a: string; at: string }>();
      },
    });
    defineTool({
      ...base,
      outputSchema: z.object({ n: z.number() }),
      undo({ output }) {
        expectTypeOf(output).toEqualTypeOf<{ n: number }>();
      },
      execute: () => ({ n: 1 }),
    });
  });

  it("give say the input and the output as JSON, and take only text", () => {
    defineTool({
      ...base,
      execute: ({ a }) => ({ a, at: new Date(0) }),
      say: ({ input, output }) => {
        expectTypeOf(input).toEqualTypeOf<{ a: string }>();
        expectTypeOf(output).toEqualTypeOf<{ a: string; at: string }>();
        return output.at;
      },
    });
    // @ts-expect-error it must return text
    defineTool({ ...base, execute: () => 1, say: ({ output }) => output });
  });
});

describe("the output of a run", () => {
  it("is distinguished from a list by Array.isArray", async () => {
    const { output } = await free.run("x");
    if (output === undefined) return;
    if (Array.isArray(output)) expectTypeOf(output).toEqualTypeOf<({ ms: number } | null)[]>();
    else expectTypeOf(output).toEqualTypeOf<{ ms: number }>();
  });
});
