import { type AgentEvent, createAgent, createMemoryRunStore, defineTool, type PlanInput, sensitive } from "planwright";
import { type PostedMessage, toUIMessageStream } from "planwright/ai-sdk";
import { createManualClock, createScriptedPlanner } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";

interface Chunk {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** The chunks of a response, which ends as the AI SDK expects it. */
async function chunksOf(stream: ReadableStream<Uint8Array>): Promise<Chunk[]> {
  const parts = (await new Response(stream).text()).split("\n\n");
  expect(parts.splice(-2)).toEqual(["data: [DONE]", ""]);
  return parts.filter((part) => part !== ":").map((part) => JSON.parse(part.replace(/^data: /, "")));
}

/** Events as a run has them, of which only a few fields are read. */
function agentOf(...logs: readonly (readonly object[])[]) {
  return {
    async *events(runId: string): AsyncGenerator<AgentEvent> {
      const events = logs[Number(runId.slice(1)) - 1] ?? [];
      for (const [index, event] of events.entries())
        yield { runId, sequence: index + 1, timestamp: "", ...event } as AgentEvent;
    },
  };
}

const plan = { id: "p1", steps: [{ id: "s1", tool: "Pay", input: { to: "Ben" } }] };
const planned = { type: "plan-end", outcome: { status: "completed", plan } };
const shownPlan = { type: "data-plan", id: "plan", data: plan };
const pay = { stepId: "s1", tool: "Pay", input: { to: "Ben" } };
const started = { type: "step-start", ...pay, reasoning: "pay Ben" };
const call = (toolCallId: string, toolName: string, input: unknown, title?: string) => ({
  type: "tool-input-available",
  toolCallId,
  dynamic: true,
  toolName,
  input,
  ...(title !== undefined && { title }),
});
const paid = call("r1/s1", "Pay", { to: "Ben" }, "pay Ben");
const error = { message: "The bank is closed" };
const done = { type: "run-end", outcome: { status: "completed", output: 1 }, text: "Done." };
const words = (text: string, sequence: number) => [
  { type: "text-start", id: `r1/${sequence}` },
  { type: "text-delta", id: `r1/${sequence}`, delta: text },
  { type: "text-end", id: `r1/${sequence}` },
];
const other = { type: "finish", finishReason: "other" };
const stop = { type: "finish", finishReason: "stop" };
const asks = { type: "finish", finishReason: "tool-calls" };
const ask = {
  message: "How much?",
  display: "text",
  responseSchema: { type: "object", properties: { answer: { type: "number" } } },
};
const question = { kind: "question", stepId: "q1", id: "r1/q1", ...ask, allowText: true };
const asked = { ...ask, allowText: true };
const approval = { kind: "approval", ...pay, hash: "h1", effect: "once" };
const suspended = (...pending: readonly object[]) => ({ type: "run-suspend", pending, text: "Well?" });
const step = { type: "start-step" };

describe("toUIMessageStream", () => {
  it.each<[string, readonly object[], readonly object[]]>([
    ["a plan and the words at the end", [planned, done], [shownPlan, step, ...words("Done.", 2), stop]],
    ["a plan that was given", [{ type: "run-start", plan }, done], [shownPlan, step, ...words("Done.", 2), stop]],
    [
      "a replan in place of the plan",
      [planned, { type: "plan-revise", outcome: { status: "completed", plan: { id: "p2" } } }, done],
      [shownPlan, { ...shownPlan, data: { id: "p2" } }, step, ...words("Done.", 3), stop],
    ],
    [
      "just words",
      [{ type: "plan-end", outcome: { status: "words", text: "Hi." } }, done],
      [step, ...words("Done.", 2), stop],
    ],
    [
      "a step with progress and a retry",
      [
        started,
        { type: "step-progress", ...pay, attempt: 1, value: { percent: 50 } },
        { type: "step-retry", ...pay, attempt: 1, delayMs: 9, error },
        { type: "step-end", ...pay, outcome: { status: "completed", output: 7 } },
        done,
      ],
      [
        paid,
        { type: "tool-output-available", toolCallId: "r1/s1", output: { percent: 50 }, preliminary: true },
        {
          type: "data-step",
          data: { stepId: "s1", attempt: 1, delayMs: 9, error: "The bank is closed" },
          transient: true,
        },
        { type: "tool-output-available", toolCallId: "r1/s1", output: 7 },
        step,
        ...words("Done.", 5),
        stop,
      ],
    ],
    [
      "an iteration that fails, and the error of a run without words",
      [
        { ...started, iteration: 2 },
        { type: "step-end", ...pay, iteration: 2, outcome: { status: "failed", error } },
        { type: "run-end", outcome: { status: "failed", error } },
      ],
      [
        { ...paid, toolCallId: "r1/s1[2]" },
        { type: "tool-output-error", toolCallId: "r1/s1[2]", errorText: "The bank is closed" },
        step,
        ...words("The bank is closed", 3),
        other,
      ],
    ],
    [
      "the approval of a plan",
      [
        planned,
        { type: "approval-request", kind: "plan", hash: "h0" },
        suspended({ kind: "plan-approval", hash: "h0" }),
      ],
      [
        shownPlan,
        ...words("Well?", 3),
        call("r1/@plan", "plan", plan),
        { type: "tool-approval-request", toolCallId: "r1/@plan", approvalId: "h0" },
        asks,
      ],
    ],
    [
      "an approved plan, once",
      [
        planned,
        { type: "approval-request", kind: "plan", hash: "h0" },
        suspended({ kind: "plan-approval", hash: "h0" }),
        { type: "approval-end", kind: "plan", outcome: { status: "approved", by: "Ada" } },
        done,
      ],
      [
        shownPlan,
        call("r1/@plan", "plan", plan),
        { type: "tool-output-available", toolCallId: "r1/@plan", output: { approved: true } },
        step,
        ...words("Done.", 5),
        stop,
      ],
    ],
    [
      "the first of two approvals",
      [{ type: "approval-request", ...approval, kind: "step" }, suspended(approval, { ...approval, stepId: "s2" })],
      [
        ...words("Well?", 2),
        call("r1/s1", "Pay", { to: "Ben" }),
        { type: "tool-approval-request", toolCallId: "r1/s1", approvalId: "h1" },
        asks,
      ],
    ],
    [
      "a rejected step",
      [
        suspended(approval),
        { type: "approval-end", kind: "step", stepId: "s1", outcome: { status: "rejected", error } },
        { type: "step-skip", ...pay, reason: "approval-rejected" },
        { type: "run-end", outcome: { status: "failed", error }, text: "No." },
      ],
      [
        call("r1/s1", "Pay", { to: "Ben" }),
        { type: "tool-output-denied", toolCallId: "r1/s1" },
        step,
        ...words("No.", 4),
        other,
      ],
    ],
    ["a question", [suspended(question)], [...words("Well?", 1), call("r1/q1", "ask_question", asked), asks]],
    [
      "an answered question, once",
      [
        suspended(question),
        { type: "run-deliver", stepId: "q1", value: 4 },
        { type: "step-start", stepId: "q1", tool: "wait", input: { ask } },
        { type: "step-end", stepId: "q1", tool: "wait", outcome: { status: "completed", output: 4 } },
        done,
      ],
      [
        call("r1/q1", "ask_question", asked),
        { type: "tool-output-available", toolCallId: "r1/q1", output: { answer: 4 } },
        step,
        ...words("Done.", 5),
        stop,
      ],
    ],
    [
      "a question that was given up",
      [
        suspended(question),
        { type: "step-skip", stepId: "q1", tool: "wait", reason: "run-ended" },
        { type: "step-skip", ...pay, reason: "run-ended" },
        { type: "run-end", outcome: { status: "cancelled", error }, text: "All right." },
      ],
      [
        call("r1/q1", "ask_question", asked),
        { type: "tool-output-error", toolCallId: "r1/q1", errorText: expect.stringMatching(/^Not executed/) },
        step,
        ...words("All right.", 4),
        other,
      ],
    ],
    [
      "an outcome that is unknown, and then settled",
      [
        started,
        { type: "step-end", ...pay, outcome: { status: "unknown", error } },
        { type: "run-settle", stepId: "s1", outcome: { status: "completed", output: 7 } },
        done,
      ],
      [
        paid,
        { type: "tool-output-error", toolCallId: "r1/s1", errorText: "The bank is closed" },
        { type: "tool-output-available", toolCallId: "r1/s1", output: 7 },
        step,
        ...words("Done.", 4),
        stop,
      ],
    ],
    ["a run that waits for a time", [suspended({ kind: "wait", stepId: "w1" })], [step, ...words("Well?", 1), other]],
  ])("shows %s", async (_name, events, expected) => {
    const chunks = await chunksOf(toUIMessageStream(agentOf(events), "r1"));
    expect(chunks).toEqual([{ type: "start", messageId: "r1" }, ...expected]);
  });

  it.each<[string, PostedMessage, readonly string[]]>([
    [
      "an answer",
      { type: "answer", runId: "r1", stepId: "q1", answer: 4 },
      [
        "start",
        "tool-input-available r1/q1",
        "tool-output-available r1/q1",
        "tool-input-available r1/s1",
        "tool-approval-request r1/s1",
        "finish",
      ],
    ],
    [
      "a decision",
      { type: "decision", runId: "r1", approved: true, item: { kind: "plan", hash: "h0" } },
      [
        "start",
        "tool-input-available r1/@plan",
        "tool-output-available r1/@plan",
        "tool-input-available r1/q1",
        "tool-output-available r1/q1",
        "tool-input-available r1/s1",
        "tool-approval-request r1/s1",
        "finish",
      ],
    ],
  ])("adds to a message what %s led to", async (_name, since, expected) => {
    const events = [
      planned,
      { type: "approval-request", kind: "plan", hash: "h0" },
      suspended({ kind: "plan-approval", hash: "h0" }),
      { type: "approval-end", kind: "plan", outcome: { status: "approved" } },
      suspended(question),
      { type: "run-deliver", stepId: "q1", value: 4 },
      { type: "step-start", stepId: "q1", tool: "wait", input: { ask } },
      { type: "step-end", stepId: "q1", tool: "wait", outcome: { status: "completed", output: 4 } },
      { type: "approval-request", ...approval, kind: "step" },
      { ...suspended(approval), text: undefined },
    ];
    const chunks = await chunksOf(toUIMessageStream(agentOf(events), "r1", { since }));
    expect(chunks.map(({ type, toolCallId = "" }) => `${type} ${toolCallId}`.trim())).toEqual(expected);
    // Another id would make another message of it.
    expect(chunks[0]).toEqual({ type: "start" });
  });

  it("shows a line that answers as what the run that asked did since, or as why it was refused", async () => {
    const asking = [
      started,
      suspended(question),
      { type: "run-deliver", stepId: "q1", value: 4 },
      { type: "step-start", stepId: "q1", tool: "wait", input: { ask } },
      { type: "step-end", stepId: "q1", tool: "wait", outcome: { status: "completed", output: 4 } },
      { type: "step-end", ...pay, outcome: { status: "completed", output: 7 } },
      done,
    ];
    const line = { type: "plan-end", outcome: { status: "answer", runId: "r1", stepId: "q1", answer: 4 } };
    const ended = { type: "run-end", outcome: { status: "completed", output: null } };
    const shown = await chunksOf(toUIMessageStream(agentOf(asking, [line, ended]), "r2"));
    expect(shown).toEqual([
      { type: "start", messageId: "r2" },
      call("r1/q1", "ask_question", asked),
      { type: "tool-output-available", toolCallId: "r1/q1", output: { answer: 4 } },
      // Its call was in an earlier message.
      paid,
      { type: "tool-output-available", toolCallId: "r1/s1", output: 7 },
      step,
      ...words("Done.", 7),
      stop,
    ]);
    const refused = { type: "run-end", outcome: { status: "failed", error }, text: "Too late." };
    const chunks = await chunksOf(toUIMessageStream(agentOf([suspended(question)], [line, refused]), "r2"));
    expect(chunks.find(({ type }) => type === "text-delta")).toMatchObject({ delta: "Too late." });
  });

  it("shows values as events do: sealed ones are hidden", async () => {
    const login = defineTool({
      name: "Login",
      description: "Signs in",
      inputSchema: z.object({ password: sensitive(z.string()) }),
      effect: "pure",
      execute: () => "in",
    });
    const secrets = { keys: [{ id: "k1", key: new Uint8Array(32) }] };
    const agent = createAgent({ tools: [login], secrets });
    const { runId } = await agent.execute({ steps: [{ id: "s1", tool: "Login", input: { password: "hunter2" } }] });
    const chunks = await chunksOf(toUIMessageStream(agent, runId));
    expect(JSON.stringify(chunks)).not.toContain("hunter2");
    expect(chunks).toContainEqual(expect.objectContaining({ toolName: "Login", input: { password: "[sensitive]" } }));
  });

  it("has a comment while nothing happens, and reads no more once it is cancelled", async () => {
    const clock = createManualClock();
    const tool = defineTool({
      name: "Bake",
      description: "Bakes bread",
      inputSchema: z.object({}),
      effect: "pure",
      timeoutMs: 120_000,
      execute: () => new Promise<void>((resolve) => clock.setTimeout(resolve, 60_000)),
    });
    const agent = createAgent({ tools: [tool], clock });
    const plan = { steps: [{ id: "s1", tool: "Bake", input: {} }] } as const satisfies PlanInput;
    const handle = agent.start(plan);
    const text = new Response(toUIMessageStream(agent, handle.runId, { clock })).text();
    await clock.runUntil(Promise.all([handle.result, text]));
    expect((await text).split("\n\n").filter((part) => part === ":")).toHaveLength(3);

    const other = agent.start(plan);
    const reader = toUIMessageStream(agent, other.runId, { clock }).getReader();
    await clock.runUntil(reader.read());
    await reader.cancel();
    await clock.runUntil(other.result);
    expect(clock.pendingTimers).toBe(0);
  });

  it("shows nothing of a wait for a time, and of what was decided before anybody could be asked", async () => {
    const events = [
      { type: "approval-end", kind: "plan", outcome: { status: "approved" } },
      { type: "approval-end", kind: "step", stepId: "s1", outcome: { status: "rejected", error } },
      { type: "step-start", stepId: "w1", tool: "wait", input: { forMs: 5 } },
      { type: "step-end", stepId: "w1", tool: "wait", outcome: { status: "completed", output: null } },
      done,
    ];
    const chunks = await chunksOf(toUIMessageStream(agentOf(events), "r1"));
    expect(chunks).toEqual([{ type: "start", messageId: "r1" }, step, ...words("Done.", 5), stop]);
  });

  it("fails if reading does, and refuses what is no agent or run", async () => {
    const agent = createAgent({ tools: [], planner: createScriptedPlanner([]), store: createMemoryRunStore() });
    await expect(chunksOf(toUIMessageStream(agent, "gone"))).rejects.toMatchObject({ code: "run-not-found" });
    expect(() => toUIMessageStream({} as never, "r1")).toThrow(/"agent" must be an agent/);
    expect(() => toUIMessageStream(agent, "")).toThrow(/"runId"/);
    expect(() => toUIMessageStream(agent, "r1", { since: "r0" as never })).toThrow(/"since" must be/);
    expect(() => toUIMessageStream(agent, "r1", { sins: 1 } as never)).toThrow(/Did you mean "since"/);
  });
});
