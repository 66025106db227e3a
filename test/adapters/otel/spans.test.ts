import { readFileSync } from "node:fs";
import { convertGenAISpanAttributesToOpenInferenceSpanAttributes } from "@arizeai/openinference-genai";
import { context, trace } from "@opentelemetry/api";
import {
  AgentError,
  type AgentErrorCode,
  createAgent,
  createFallbackPlanner,
  createLlmPlanner,
  createMemoryRunStore,
  createRulePlanner,
  createTodoStore,
  defineTool,
  sensitive,
} from "planwright";
import type { TelemetryOptions } from "planwright/otel";
import { createScriptedModel } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { recordSpans, treeOf } from "../../scenario/span-recorder.ts";
import { langfuseTypeOf } from "./langfuse-mapping.ts";

/** A tool that does what its input says, at its n-th call. */
function actor(provider = recordSpans().provider) {
  let calls = 0;
  return defineTool({
    name: "Act",
    description: "Acts",
    inputSchema: z.object({ fails: z.number().optional(), says: z.string().default("done") }),
    effect: "idempotent",
    outputSchema: z.string(),
    retry: { minDelayMs: 0, maxAttempts: 3 },
    execute: ({ fails = 0, says }) => {
      calls += 1;
      // As an instrumented HTTP client would.
      provider.getTracer("http").startSpan(`GET ${calls}`).end();
      if (calls <= fails) throw new Error(`failed to say ${says}`);
      return says;
    },
    undo: () => provider.getTracer("http").startSpan("DELETE").end(),
  });
}

const step = (id: string, input: object = {}, more: object = {}) => ({ id, tool: "Act" as const, input, ...more });

describe("the spans of a run", () => {
  it("hold each step with its attempts, and what a tool does itself below them", async () => {
    const { observer, spans, provider } = recordSpans();
    const agent = createAgent({ tools: [actor(provider)], observers: [observer] });
    await agent.execute({ steps: [step("s1", { fails: 2 }), step("s2", {}, { dependsOn: ["s1"] })] });
    expect(treeOf(spans)).toMatchInlineSnapshot(`
      [
        "invoke_agent planwright run.status=completed",
        "  execute_tool Act step.id=s1 step.effect=idempotent step.attempts=3 step.status=completed step-retry() step-retry()",
        "    GET 1",
        "    attempt 2 ERROR attempt=2 error.type=tool-failed",
        "      GET 2",
        "    attempt 3 attempt=3",
        "      GET 3",
        "  execute_tool Act step.id=s2 step.effect=idempotent step.attempts=1 step.status=completed",
        "    GET 4",
      ]
    `);
  });

  it("hold iterations, skipped steps, and what was undone", async () => {
    const { observer, spans, provider } = recordSpans();
    const agent = createAgent({ tools: [actor(provider)], observers: [observer] });
    const steps = [
      step("s1", { says: "${item}" }, { forEach: '["a", "b"]', dependsOn: [] }),
      step("s2", {}, { when: "false", dependsOn: [] }),
      step("s3", { fails: 9 }, { dependsOn: ["s1"] }),
      step("s4", {}, { dependsOn: ["s3"] }),
    ];
    await agent.execute({ steps }, { undoOnFailure: true });
    expect(treeOf(spans)).toMatchInlineSnapshot(`
      [
        "invoke_agent planwright ERROR run.status=failed error.type=tool-failed step-skip(s2) step-skip(s4)",
        "  execute_tool Act step.id=s1 step.iteration=0 step.effect=idempotent step.attempts=1 step.status=completed",
        "    GET 1",
        "  execute_tool Act step.id=s1 step.iteration=1 step.effect=idempotent step.attempts=1 step.status=completed",
        "    GET 2",
        "  execute_tool Act ERROR step.id=s3 step.effect=idempotent step.attempts=3 step.status=failed error.type=tool-failed step-retry() step-retry()",
        "    GET 3",
        "    attempt 2 ERROR attempt=2 error.type=tool-failed",
        "      GET 4",
        "    attempt 3 ERROR attempt=3 error.type=tool-failed",
        "      GET 5",
        "  undo Act step.id=s1 step.iteration=1 step.attempts=1 step.status=completed",
        "    DELETE",
        "  undo Act step.id=s1 step.iteration=0 step.attempts=1 step.status=completed",
        "    DELETE",
      ]
    `);
  });

  it("hold planning, fallbacks, and each call of a model with its tokens", async () => {
    const { observer, spans } = recordSpans();
    const overloaded = new AgentError("model-failed", "Overloaded", {
      details: { model: "m", reason: "busy" } as never,
      retryable: false,
    });
    const answers = [overloaded, { text: '{"steps": []}', usage: { inputTokens: 10, outputTokens: 2 } }] as const;
    const wrong = { text: "no", usage: { inputTokens: 5, outputTokens: 1 } };
    const [first, second] = [[answers[0]], [answers[1], wrong]].map((given, index) =>
      createLlmPlanner({ name: `llm${index}`, model: createScriptedModel(given) }),
    );
    const agent = createAgent({
      tools: [createTodoStore()],
      planner: createFallbackPlanner([first, second, createRulePlanner()] as never),
      observers: [observer],
    });
    await agent.run("add milk to my list");
    expect(treeOf(spans)).toMatchInlineSnapshot(`
      [
        "invoke_agent planwright run.status=completed",
        "  plan planwright plan-fallback() plan-fallback()",
        "    chat script ERROR attempt=1 gen_ai.usage.input_tokens=0 gen_ai.usage.output_tokens=0 error.type=model-failed",
        "    chat script attempt=1 gen_ai.usage.input_tokens=10 gen_ai.usage.output_tokens=2",
        "    chat script attempt=1 gen_ai.usage.input_tokens=5 gen_ai.usage.output_tokens=1",
        "  execute_tool TodoStore step.id=s1 step.effect=idempotent step.attempts=1 step.status=completed",
      ]
    `);
  });

  it("hold a planning without a run, below what the caller does", async () => {
    const { observer, spans, provider } = recordSpans();
    const agent = createAgent({ tools: [createTodoStore()], observers: [observer] });
    const caller = provider.getTracer("app").startSpan("POST /requests");
    await context.with(trace.setSpan(context.active(), caller), () => agent.plan("add milk to my list"));
    caller.end();
    expect(treeOf(spans)).toEqual(["POST /requests", "  plan planwright"]);
  });

  it.each(["linked", "one"] as const)("of several executions are %s", async (traces) => {
    const { observer, spans } = recordSpans({ traces });
    const store = createMemoryRunStore();
    const tools = [{ ...actor(), needsApproval: true }];
    const base = { tools, store, observers: [observer] };
    const { runId, pending = [] } = await createAgent(base).execute({ steps: [step("s1")] });
    // Another process, as far as anybody can see.
    const other = recordSpans({ traces });
    const { status } = await createAgent({ ...base, observers: [other.observer] }).approve(runId, pending[0] as never)
      .result;
    expect(status).toBe("completed");
    const [first, second] = [spans[0], other.spans[0]];
    if (traces === "linked") {
      expect(second?.links.map((link) => link.context.spanId)).toEqual([first?.spanContext().spanId]);
      expect(second?.spanContext().traceId).not.toBe(first?.spanContext().traceId);
    } else {
      expect(second?.parentSpanContext?.spanId).toBe(first?.spanContext().spanId);
      expect(second?.spanContext().traceId).toBe(first?.spanContext().traceId);
    }
    expect([...treeOf(spans), ...treeOf(other.spans)].map((line) => line.replace(/ -> .*/, ""))).toEqual([
      "invoke_agent planwright run.status=suspended run.pending=1 approval-request(s1)",
      expect.stringMatching(/^invoke_agent planwright run\.status=completed/),
      expect.stringMatching(/^ {2}execute_tool Act/),
    ]);
  });

  it("of runs at the same time stay apart", async () => {
    const { observer, spans, provider } = recordSpans();
    const tool = { ...actor(provider), concurrency: 1 };
    const agent = createAgent({ tools: [tool], observers: [observer] });
    await Promise.all([1, 2, 3].map((n) => agent.execute({ steps: [step("s1"), step("s2")] }, { runId: `r${n}` })));
    const runOf = new Map(spans.map((span) => [span.spanContext().spanId, span]));
    const steps = spans.filter(({ name }) => name.startsWith("execute_tool"));
    expect(steps).toHaveLength(6);
    for (const { attributes, parentSpanContext } of steps) {
      const parent = runOf.get(parentSpanContext?.spanId ?? "");
      expect(parent?.attributes["planwright.run.id"]).toBe(attributes["gen_ai.conversation.id"]);
    }
    for (const { parentSpanContext } of spans.filter(({ name }) => name.startsWith("GET"))) {
      expect(runOf.get(parentSpanContext?.spanId ?? "")?.name).toBe("execute_tool Act");
    }
  });
});

describe("what failed, waits or was cancelled", () => {
  it("is an error only if it failed", async () => {
    const { observer, spans } = recordSpans();
    const wait = defineTool({
      name: "Wait",
      description: "Waits",
      inputSchema: z.object({}),
      effect: "idempotent",
      execute: (_, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    });
    const agent = createAgent({ tools: [wait], observers: [observer] });
    const handle = agent.start({ steps: [{ id: "s1", tool: "Wait", input: {} }] });
    agent.on("step-start", () => handle.cancel());
    await handle.result;
    expect(treeOf(spans)).toEqual([
      "invoke_agent planwright run.status=cancelled",
      expect.stringContaining("execute_tool Wait"),
    ]);
    expect(treeOf(spans).join()).not.toContain("ERROR");
  });
});

describe("the content of spans", () => {
  const secret = "hunter2-the-secret";
  const login = defineTool({
    name: "Login",
    description: "Logs in",
    inputSchema: z.object({ user: z.string(), password: sensitive(z.string()), fails: z.boolean() }),
    effect: "idempotent",
    outputSchema: z.object({ user: z.string(), token: sensitive(z.string()) }),
    retry: { maxAttempts: 2, minDelayMs: 0 },
    execute: ({ user, password, fails }) => {
      if (fails) throw new Error(`wrong password: ${password}`, { cause: new Error(`cause ${password}`) });
      return { user, token: `${password} token` };
    },
  });

  it.each<[TelemetryOptions["content"], boolean, boolean]>([
    ["none", false, false],
    ["inputs", true, false],
    ["all", true, true],
  ])("%s has no secret in any byte", async (content, hasInputs, hasOutputs) => {
    const { observer, spans } = recordSpans({ content });
    const agent = createAgent({ tools: [login], observers: [observer] });
    for (const fails of [false, true]) {
      await agent.execute({ steps: [{ id: "s1", tool: "Login", input: { user: "ann", password: secret, fails } }] });
    }
    const exported = JSON.stringify(
      spans.map(({ name, attributes, events, status, links }) => ({ name, attributes, events, status, links })),
    );
    expect(exported).not.toContain(secret);
    expect(exported.includes("ann")).toBe(hasInputs);
    expect(exported.includes("wrong password")).toBe(hasOutputs);
    const tools = spans.filter(({ name }) => name === "execute_tool Login");
    expect(tools.some(({ attributes }) => "gen_ai.tool.call.arguments" in attributes)).toBe(hasInputs);
    expect(tools.some(({ attributes }) => "gen_ai.tool.call.result" in attributes)).toBe(hasOutputs);
  });

  it("has no text of a tool, whatever its error is named", async () => {
    const text = "account DE89 of Ada";
    const { observer, spans } = recordSpans();
    const fail = defineTool({
      name: "Fail",
      description: "Fails",
      inputSchema: z.object({ name: z.string() }),
      effect: "idempotent",
      retry: { maxAttempts: 2, minDelayMs: 0 },
      undo: () => {
        throw Object.assign(new Error(text), { code: text });
      },
      execute: ({ name }, { attempt }) => {
        if (name === "" && attempt === 2) return;
        throw Object.assign(new Error(text), { name: name || text, code: text, details: { [text]: text } });
      },
    });
    const agent = createAgent({ tools: [fail], observers: [observer] });
    for (const name of ["", "Error", "AgentError"]) {
      const steps = ["", name].map((one, index) => ({ id: `s${index}`, tool: "Fail" as const, input: { name: one } }));
      await agent.execute({ steps: steps as never }, { undoOnFailure: true });
    }
    const said = spans.map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
    expect(JSON.stringify(said)).not.toContain(text);
    const types = said.flatMap(({ attributes, events }) => [attributes, ...events.map((event) => event.attributes)]);
    expect(new Set(types.map((attributes) => attributes?.["error.type"]))).toEqual(new Set([undefined, "tool-failed"]));
  });

  it("names each code of an error", async () => {
    const { observer, spans } = recordSpans();
    let code: AgentErrorCode = "timeout";
    const fail = defineTool({
      name: "Fail",
      description: "Fails",
      inputSchema: z.object({}),
      effect: "idempotent",
      retry: { maxAttempts: 2, minDelayMs: 0 },
      execute: () => {
        throw new AgentError(code, "no", { details: {} as never, retryable: true });
      },
    });
    const agent = createAgent({ tools: [fail], observers: [observer] });
    const source = readFileSync(new URL("../../../src/core/errors.ts", import.meta.url), "utf8");
    const [details = ""] = source.split("export type RefusalReason");
    const known = [...details.matchAll(/^ {2}"?([a-z-]+)"?: (?:\{|(?:Partial<)?StepRef\b)/gm)].map(
      ([, name]) => name as AgentErrorCode,
    );
    expect(known.length).toBeGreaterThan(30);
    for (code of known) {
      const before = spans.length;
      await agent.execute({ steps: [{ id: "s", tool: "Fail", input: {} }] });
      expect(
        spans
          .slice(before)
          .flatMap(({ events }) => events)
          .map(({ attributes }) => attributes?.["error.type"]),
      ).toEqual([code]);
    }
  });

  it("is cut where it is long", async () => {
    const { observer, spans } = recordSpans({ content: "all" });
    const agent = createAgent({ tools: [actor()], observers: [observer] });
    await agent.execute({ steps: [step("s1", { says: "x".repeat(1_000_000) })] });
    for (const { attributes } of spans) expect(JSON.stringify(attributes).length).toBeLessThan(200_000);
    expect(JSON.stringify(spans[1]?.attributes)).toContain("(1000000 characters)");
  });
});

it("is named rightly by the converter of OpenInference, and by Langfuse", async () => {
  const { observer, spans } = recordSpans({ content: "all" });
  const model = createScriptedModel(['{"steps": [{"do": "TodoStore.list"}]}']);
  const planner = createLlmPlanner({ model });
  await createAgent({ tools: [createTodoStore()], planner, observers: [observer] }).run("show my list");
  const named = spans.map(({ name, attributes }) => {
    const { "openinference.span.kind": own, ...rest } = attributes;
    const converted = convertGenAISpanAttributesToOpenInferenceSpanAttributes(rest);
    return [name, own, converted?.["openinference.span.kind"], langfuseTypeOf(attributes)];
  });
  expect(named).toEqual([
    ["invoke_agent planwright", "AGENT", "AGENT", "AGENT"],
    ["plan planwright", "AGENT", "AGENT", "AGENT"],
    ["chat script", "LLM", "LLM", "GENERATION"],
    ["execute_tool TodoStore", "TOOL", "TOOL", "TOOL"],
  ]);
});
