import {
  AgentError,
  type ApprovalItem,
  createAgent,
  createMemoryRunStore,
  defineTool,
  hashPlan,
  type PlanDraft,
  type PlanRequest,
  type PlanStep,
  type ReplanRequest,
  type RunSnapshot,
  sensitive,
} from "planwright";
import { createFakeTool } from "planwright/testing";
import { toHtml, toMermaid } from "planwright/view";
import { describe, expect, it } from "vitest";
import { z as z3 } from "zod/v3";
import { z } from "zod/v4";
import { hiddenText } from "../../../src/core/json.ts";
import type { RedactPlace, SecretKey } from "../../../src/runs/run/engine-settings.ts";
import { runScenario } from "../../scenario/run-scenario.ts";
import { expectHidden, keyOf, password, secretPlan, secretTools, token } from "../../scenario/secret-tools.ts";

const secrets = { keys: [keyOf("k1")] };

describe("a planner that is asked to replan", () => {
  /** A planner whose replan returns the given steps, created from what it is shown. */
  const replanning = (asked: ReplanRequest[], give: (request: ReplanRequest) => unknown) => ({
    name: "scripted",
    plan: async () => secretPlan as unknown as PlanDraft,
    replan: async (request: ReplanRequest) => {
      asked.push(request);
      return { steps: give(request) } as PlanDraft;
    },
  });
  const once = () => {
    let count = 0;
    return () => {
      if (count++ === 0) throw Object.assign(new Error(`${token} is not allowed`), { retryable: false });
      return { ok: true };
    };
  };

  it("sees no secret, and the steps that it leaves unchanged keep theirs", async () => {
    const asked: ReplanRequest[] = [];
    const logins: unknown[] = [];
    const { result, events, recorded } = await runScenario(() => {
      const { tools, calls } = secretTools({ use: once() });
      logins.push(calls.logins);
      // The first step again, as it was shown, under another id; then the second one with its text.
      const planner = replanning(asked, ({ plan }) => [
        { ...plan.steps[0], id: "again", dependsOn: [] },
        { id: "last", tool: "Fetch", input: { header: "Bearer ${again.token}", url: "u" }, dependsOn: [] },
      ]);
      return { tools, planner, secrets, request: "log in", options: { maxReplans: 1 }, isResumable: false };
    });
    expect(result.status).toBe("completed");
    const steps = [
      { user: "ann", password },
      { user: "ann", password },
    ];
    expect(logins).toEqual([steps, steps]);
    expect(asked[0]?.plan.steps[0]?.input).toEqual({ user: "ann", password: hiddenText });
    for (const { plan, firstPlan, steps, error } of asked) expectHidden([plan, firstPlan, steps, error]);
    for (const value of [result, events, recorded]) expectHidden(value);
  });

  it("cannot create one from what it sees", async () => {
    const { result } = await runScenario(() => {
      const { tools } = secretTools({ use: once() });
      const planner = replanning([], () => [
        { id: "x", tool: "Login", input: { user: "u", password: [hiddenText] } },
        null,
        { id: "y", tool: "Login", input: { user: "u", password: hiddenText } },
        { id: "z", tool: "Fetch", input: { header: hiddenText, url: hiddenText } },
      ]);
      return { tools, planner, secrets, request: "log in", options: { maxReplans: 1 }, isResumable: false };
    });
    expect(result).toMatchObject({ status: "failed", error: { code: "tool-failed" } });
  });
});

describe("redact", () => {
  it("changes what is shown, and neither what is recorded nor what tools receive", async () => {
    const places: RedactPlace[] = [];
    const inputs: unknown[] = [];
    const store = createMemoryRunStore();
    const emitted: unknown[] = [];
    const asked: unknown[] = [];
    const mail = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll("ann@x.test", "<mail>"));
    const agent = createAgent({
      tools: [
        createFakeTool({ name: "A", outcomes: [{ returns: { to: "ann@x.test" } }] }),
        createFakeTool({ name: "B", outcomes: [{ throws: new Error("ann@x.test is unknown") }] }),
      ].map((tool) => ({
        ...tool,
        execute: (input: unknown, context: never) => {
          inputs.push(input);
          return tool.execute(input, context);
        },
      })),
      store,
      retry: { maxAttempts: 1 },
      needsApproval: (question) => asked.push(question) < 0,
      redact: (value, place) => {
        places.push(place);
        return mail(value);
      },
    });
    agent.subscribe((event) => emitted.push(event));
    const input = { to: "ann@x.test" };
    const steps = [
      { id: "a", tool: "A", input },
      { id: "b", tool: "B", input },
    ];
    const result = await agent.execute({ steps, request: "mail ann@x.test" } as never, {
      runId: "r1",
      metadata: { by: "ann@x.test" },
    });
    expect(inputs).toEqual([input, input]);
    expect(result.output).toEqual(input);
    for (const shown of [
      emitted,
      asked,
      result.steps,
      result.error,
      await agent.getRun("r1"),
      await agent.listRuns(),
    ]) {
      expectHidden(shown, ["ann@x.test"]);
    }
    expect(JSON.stringify(await agent.getRun("r1"))).toContain("<mail>");
    expect(JSON.stringify(await store.read("r1"))).toContain("ann@x.test");
    const kinds = new Set(places.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(["input", "message", "metadata", "output", "request"]);
    expect(places).toContainEqual({ kind: "input", runId: "r1", stepId: "a", tool: "A" });
  });

  it("is called for repeated values: a rejection's reason, a question's text, a step's reasoning", async () => {
    const redact = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll("ann@x.test", "<mail>"));
    const emitted: unknown[] = [];
    const asked: unknown[] = [];
    const reason = "ann@x.test is unknown";
    const agent = createAgent({
      tools: [createFakeTool({ name: "A" })],
      redact,
      needsApproval: ({ kind }) => kind === "step",
      requestApproval: async (request) => {
        asked.push(request);
        return { decision: "reject", reason };
      },
    });
    agent.subscribe((event) => emitted.push(event));
    const steps = [{ id: "a", tool: "A", input: {}, reasoning: "mails ann@x.test" }];
    const result = await agent.execute({ steps } as never);
    expect(result.error?.details).toMatchObject({ reason: "<mail> is unknown" });
    expect(asked).toMatchObject([{ reasoning: "mails <mail>" }]);
    expectHidden([emitted, asked, result], ["ann@x.test"]);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    ["returns a value that is not JSON", () => () => {}],
    ["answers later", async () => "x"],
    ["returns nothing", () => undefined],
  ])("that %s hides the value", async (_name, redact) => {
    const emitted: unknown[] = [];
    const agent = createAgent({ tools: [createFakeTool({ name: "A" })], redact });
    agent.subscribe((event) => emitted.push(event));
    const result = await agent.execute({ steps: [{ id: "a", tool: "A", input: { secret: "secret-text" } }] } as never);
    expect(result.steps[0]?.input).toBe(hiddenText);
    expectHidden(emitted, ["secret-text"]);
  });
});

describe("redact of an error", () => {
  const wanted = "private-42";
  const tool = defineTool({
    name: "T",
    description: "t",
    inputSchema: z.object({ x: z.string(), thrown: z.enum(["own", "foreign", "alike"]) }),
    effect: "idempotent",
    retry: { maxAttempts: 2, minDelayMs: 0 },
    execute: ({ x, thrown }) => {
      const details = { account: x, [x]: 1, list: [{ x }] };
      if (thrown === "own")
        throw new AgentError("todo-not-found", `No ${x}.`, {
          details: { wanted: x, near: [{ id: "t1", title: x, list: x, completed: false }] },
        });
      const name = thrown === "alike" ? "AgentError" : "BankError";
      throw Object.assign(new Error(`No ${x}.`, { cause: { message: x, details } }), { name, details, code: x });
    },
  });

  it.each(
    (["own", "foreign", "alike"] as const).flatMap((thrown) =>
      [
        {
          what: "throws",
          redact: () => {
            throw new Error("no");
          },
        },
        { what: "returns nothing", redact: () => undefined },
        { what: "returns a number", redact: () => 1 },
        {
          what: "replaces",
          redact: (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll(wanted, "<hidden>")),
        },
      ].map((redacting) => ({ thrown, ...redacting })),
    ),
  )("that is $thrown and redact $what hides its details wherever it is shown", async ({ thrown, redact }) => {
    const shown: unknown[] = [];
    const agent = createAgent({
      tools: [tool],
      redact,
      onWarning: () => {},
      onToolError: (error) => shown.push(error),
    });
    agent.subscribe((event) => shown.push(event));
    const step = { id: "a", tool: "T" as const, input: { x: wanted, thrown }, reasoning: "why" };
    shown.push(await agent.execute({ steps: [step] }, { runId: "r" }), await agent.listRuns());
    const run = (await agent.getRun("r")) as RunSnapshot;
    expect(run.error).toMatchObject({ code: "tool-failed", details: { tool: "T", stepId: "a" } });
    for (const draw of [toHtml, toMermaid]) shown.push(draw(run));
    expectHidden([...shown, run], [wanted]);
  });

  it("is asked for the details of what a tool throws as a whole", async () => {
    const places: RedactPlace[] = [];
    const redact = (value: unknown, place: RedactPlace) => {
      places.push(place);
      return place.kind === "details" ? { account: "…42" } : value;
    };
    const agent = createAgent({ tools: [tool], redact, retry: { maxAttempts: 1 } });
    const input = { x: wanted, thrown: "foreign" as const };
    const { error } = await agent.execute({ steps: [{ id: "a", tool: "T", input }] }, { runId: "r" });
    expect(error?.details).toMatchObject({ errors: [{ details: { account: "…42" } }, {}] });
    expect(places).toContainEqual({ kind: "details", runId: "r", stepId: "a", tool: "T" });
  });
});

it("a settled value is sealed, and the comment on it hidden", async () => {
  const { tools } = secretTools();
  const once = tools.map((tool) => ({
    ...tool,
    effect: () => "once" as const,
    execute: () => Promise.reject(new Error(password)),
  }));
  const store = createMemoryRunStore();
  const agent = createAgent({ tools: once, store, stepTimeoutMs: 1, abortGraceMs: 0 });
  const hanging = createAgent({
    tools: once.map((tool) => ({ ...tool, execute: () => new Promise<never>(() => {}) })),
    store,
    stepTimeoutMs: 1,
    abortGraceMs: 0,
  });
  const suspended = await hanging.execute({ steps: secretPlan.steps.slice(0, 1) }, { runId: "r1" });
  expect(suspended.status).toBe("suspended");
  const settled = await agent.settle("r1", "in", { output: { user: "ann", token } as never }).result;
  expect(settled).toMatchObject({ status: "completed", output: { token } });
  expectHidden(await store.read("r1"));
  const second = await hanging.execute({ steps: secretPlan.steps.slice(0, 1) }, { runId: "r2" });
  expect(second.status).toBe("suspended");
  const failed = await agent.settle("r2", "in", { failed: `wrong: ${password}` }).result;
  expect(failed.error?.message).toBe(`wrong: ${hiddenText}`);
  expectHidden(await store.read("r2"));
});

it("a dry run shows no secrets, and asks without them", async () => {
  const asked: unknown[] = [];
  const agent = createAgent({ tools: secretTools().tools, needsApproval: (question) => asked.push(question) > 0 });
  const { plan, steps } = await agent.dryRun(secretPlan);
  expect(plan.steps[0]?.input).toEqual({ user: "ann", password });
  expect(steps[0]?.input).toEqual({ user: "ann", password: hiddenText });
  expect(asked.length).toBeGreaterThan(1);
  expectHidden(asked);
});

it("a question, and an approved hash, remain valid after the key they were created with is gone", async () => {
  const store = Object.assign(Object.create(createMemoryRunStore()), { isVolatile: false });
  const approvedHash = await hashPlan(secretPlan);
  const asked: string[] = [];
  const agentWith = (keys: readonly SecretKey[], needsApproval = false) => {
    const { tools } = secretTools({ needsApproval: true });
    const agent = createAgent({
      tools,
      store,
      secrets: { keys },
      needsApproval: ({ kind }) => needsApproval && kind === "plan",
    });
    agent.subscribe(({ type }) => type === "approval-request" && asked.push(type));
    return agent;
  };
  const rotated = [keyOf("k2", 9), keyOf("k1")];
  const step = await agentWith([keyOf("k1")]).execute(secretPlan, { runId: "r1", approvedHash });
  expect(step).toMatchObject({ status: "suspended", pending: [{ kind: "approval", input: { password: hiddenText } }] });
  const done = await agentWith(rotated).approve("r1", step.pending?.[0] as ApprovalItem).result;
  expect(done).toMatchObject({ status: "completed", steps: [{ status: "completed" }, { status: "completed" }] });
  const plan = await agentWith([keyOf("k1")], true).execute(secretPlan, { runId: "r2" });
  expect(plan.pending).toMatchObject([{ kind: "plan-approval" }]);
  expect(JSON.stringify(plan.pending)).not.toContain(approvedHash);
  const second = await agentWith(rotated, true).approve("r2", plan.pending?.[0] as ApprovalItem).result;
  expect(second).toMatchObject({ status: "suspended", pending: [{ kind: "approval" }] });
  expect(asked).toHaveLength(3);
});

it("a planner that emits its steps as they come reveals no secret of them", async () => {
  const planner = {
    name: "telling",
    plan: async ({ emit }: PlanRequest) => {
      const [step] = secretPlan.steps as unknown as PlanStep[];
      await emit?.({ type: "plan-delta", planner: "telling", attempt: 1, index: 0, step: step as PlanStep });
      return secretPlan as unknown as PlanDraft;
    },
  };
  const { events } = await runScenario(() => ({
    tools: secretTools().tools,
    planner,
    secrets,
    request: "log in",
    isResumable: false,
  }));
  const emitted: unknown[] = [];
  const agent = createAgent({ tools: secretTools().tools, planner });
  agent.subscribe((event) => emitted.push(event));
  await agent.plan("log in");
  for (const shown of [events, emitted]) {
    expect(shown).toContainEqual(
      expect.objectContaining({
        type: "plan-delta",
        step: expect.objectContaining({ input: { user: "ann", password: hiddenText } }),
      }),
    );
    expectHidden(shown);
  }
});

it("starting a stopped run again requires its keys, and resumes it", async () => {
  const store = createMemoryRunStore();
  const { tools } = secretTools();
  const whole = createAgent({ tools, store });
  await whole.execute(secretPlan, { runId: "r1" });
  const cut = createMemoryRunStore();
  cut.append("r1", (await store.read("r1")).slice(0, 3), { sequence: 1 });
  const result = await createAgent({ tools, store: cut }).execute(secretPlan, { runId: "r1" });
  expect(result).toMatchObject({ status: "completed", output: { ok: true } });
  expectHidden(await cut.read("r1"));
});

it("fields of zod 3 are sealed, and redact receives the iterations of a loop", async () => {
  const given: unknown[] = [];
  const tool = defineTool({
    name: "Old",
    description: "d",
    inputSchema: z3.object({ pin: sensitive(z3.string()).nullable(), n: z3.number() }),
    effect: "idempotent",
    outputSchema: z3.object({ list: z3.array(sensitive(z3.string())) }),
    execute: (input) => {
      given.push(input);
      return { list: ["first-secret", "other-secret"] };
    },
  });
  const store = createMemoryRunStore();
  const places: RedactPlace[] = [];
  const redact = (value: unknown, place: RedactPlace) => {
    places.push(place);
    return value;
  };
  const agent = createAgent({ tools: [tool], store, redact });
  const steps = [
    { id: "a", tool: "Old", input: { pin: "pin-secret", n: 1 } },
    { id: "b", tool: "Old", input: { pin: { $ref: "item" }, n: { $ref: "index" } }, forEach: "a.list" },
  ];
  const result = await agent.execute({ steps } as never, { runId: "r1" });
  expect(result.status).toBe("completed");
  expect(given).toEqual([
    { pin: "pin-secret", n: 1 },
    { pin: "first-secret", n: 0 },
    { pin: "other-secret", n: 1 },
  ]);
  expectHidden([await store.read("r1"), result.steps], ["pin-secret", "first-secret", "other-secret"]);
  expect(places).toContainEqual({ kind: "input", runId: "r1", stepId: "b", iteration: 1, tool: "Old" });
});
