import {
  type AgentEvent,
  type ApprovalQuestion,
  createAgent,
  createMemoryRunStore,
  defineTool,
  hashPlan,
  type PlanDraft,
  type PlanInput,
  type PlanRequest,
  type PlanStep,
  sensitive,
} from "planwright";
import { collectEvents, createScriptedPlanner, type ManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { hiddenText } from "../../../src/core/json.ts";
import { type Played, runScenario, type Scenario } from "../../scenario/run-scenario.ts";
import { expectHidden, keyOf, password, secretPlan, secretTools, token } from "../../scenario/secret-tools.ts";

/** Like {@link runScenario}, with a key for the store that outlives the process. */
const play = (create: (clock: ManualClock) => Scenario): Promise<Played> =>
  runScenario((clock) => ({ secrets: { keys: [keyOf("k1")] }, ...create(clock) }));

const used = { header: `Bearer ${token}`, url: "https://example.test/?q=ann" };
const failing = { use: () => Promise.reject(new Error(`no: ${token} at https://x.test/?password=${password}&n=1`)) };

describe("a run with sensitive fields", () => {
  it("passes them to its tools, and to nobody else, whenever its process is killed", async () => {
    const all: unknown[] = [];
    const { result, events, recorded } = await play(() => {
      const { tools, calls } = secretTools();
      all.push(calls);
      return { tools, plan: secretPlan };
    });
    expect(result.status).toBe("completed");
    for (const { logins, fetches } of all as ReturnType<typeof secretTools>["calls"][]) {
      for (const login of logins) expect(login).toEqual({ user: "ann", password });
      for (const one of fetches) expect(one).toEqual(used);
    }
    expectHidden(recorded);
    expectHidden(events);
    expectHidden(result);
    const [login, get] = result.steps;
    expect(login).toMatchObject({
      input: { user: "ann", password: hiddenText },
      output: { user: "ann", token: hiddenText },
    });
    expect(get?.input).toEqual({ ...used, header: hiddenText });
    expect(recorded[0]).toMatchObject({
      mayBeSealed: true,
      plan: { steps: [{ input: { password: { $sealed: expect.any(String) } } }, {}] },
    });
    expect(events[0]).toMatchObject({ plan: { steps: [{ input: { user: "ann", password: hiddenText } }, {}] } });
    expect(Object.isFrozen((events[0] as unknown as { plan: { steps: unknown[] } }).plan.steps)).toBe(true);
  });

  it("returns the tool's output to its caller, and [sensitive] to later readers", async () => {
    const { tools } = secretTools();
    const agent = createAgent({ tools });
    const result = await agent.execute({ steps: secretPlan.steps.slice(0, 1) }, { runId: "r1" });
    expect(result.output).toEqual({ user: "ann", token });
    expectHidden(await agent.getRun("r1"));
    expectHidden(await agent.listRuns());
    const again = await agent.execute({ steps: secretPlan.steps.slice(0, 1) }, { runId: "r1" });
    expect(again).toMatchObject({ status: "completed", output: { token: hiddenText } });
    const other = { steps: [{ ...secretPlan.steps[0], input: { user: "ann", password: "another" } }] };
    await expect(agent.execute(other as never, { runId: "r1" })).rejects.toMatchObject({ code: "run-conflict" });
  });

  it("joins an active run of the same plan", async () => {
    const { tools, calls } = secretTools();
    const agent = createAgent({ tools });
    const [one, other] = await Promise.all([
      agent.execute(secretPlan, { runId: "r1" }),
      agent.execute(secretPlan, { runId: "r1" }),
    ]);
    expect([one.status, other.status, calls.logins.length]).toEqual(["completed", "completed", 1]);
  });

  it("contains none in errors, retries, progress and late values", async () => {
    const { result, events, recorded } = await play(() => ({
      tools: secretTools({
        use: ({ header }, { progress }) => {
          progress({ at: `with ${header}`, n: 1, list: [token] });
          return failing.use();
        },
      }).tools,
      plan: secretPlan,
      isResumable: false,
    }));
    expect(result).toMatchObject({ status: "failed", error: { code: "tool-failed" } });
    expect(result.error?.message).toContain(`no: ${hiddenText} at https://x.test/?password=${hiddenText}&n=1`);
    expect(events.find(({ type }) => type === "step-progress")).toMatchObject({
      value: { at: `with ${hiddenText}`, n: 1, list: [hiddenText] },
    });
    expect(events.map(({ type }) => type)).toContain("step-retry");
    // The output of its last successful step is for its caller.
    const { output, ...rest } = result;
    expect(output).toEqual({ user: "ann", token });
    for (const value of [rest, events, recorded]) expectHidden(value);
  });

  it.each([token, "details", "message", "AgentError", "tool-failed", "errors", "12345"])(
    "contains none as a key of what a tool made, and errors keep their form, with the secret %s",
    async (secret) => {
      const made = { sessions: { [secret]: { list: [{ [`of ${secret}`]: 1 }] } } };
      const login = defineTool({
        name: "Login",
        description: "Logs in",
        inputSchema: z.object({ password: sensitive(z.string()) }),
        effect: "idempotent",
        retry: { maxAttempts: 2, minDelayMs: 0 },
        execute: (_input, { progress }) => {
          progress(made);
          throw Object.assign(new Error("refused", { cause: { message: "no", details: made } }), { details: made });
        },
      });
      const emitted: AgentEvent[] = [];
      const store = createMemoryRunStore();
      const agent = createAgent({ tools: [login], store });
      agent.subscribe((event) => emitted.push(event));
      const step = { id: "s", tool: "Login" as const, input: { password: secret } };
      const result = await agent.execute({ steps: [step] }, { runId: "r" });
      const hidden = { sessions: { [hiddenText]: { list: [{ [`of ${hiddenText}`]: 1 }] } } };
      expect(result.error?.details).toMatchObject({ attempts: 2, errors: [{ details: hidden }, { details: hidden }] });
      expect(emitted.find(({ type }) => type === "step-progress")).toMatchObject({ value: hidden });
      const recorded = await store.read("r");
      for (const made of [recorded, emitted, await agent.getRun("r")])
        expect(JSON.stringify(made)).not.toMatch(new RegExp(`"(of )?${secret}":(\\{"list"|1)`));
      if (secret === token) expectHidden([recorded, emitted, result]);
    },
  );

  it("contains none in values that come late", async () => {
    const { events, recorded } = await play((clock) => ({
      tools: secretTools({
        use: () => new Promise((resolve) => clock.setTimeout(() => resolve({ token, n: 1 }), 2_500)),
      }).tools,
      plan: secretPlan,
      stepTimeoutMs: 1_000,
      retry: { maxAttempts: 2, minDelayMs: 5_000 },
      leftoverTimers: 1,
      isResumable: false,
    }));
    expect(events.find(({ type }) => type === "step-late")).toMatchObject({
      outcome: { output: { token: hiddenText, n: 1 } },
    });
    for (const value of [events, recorded]) expectHidden(value);
  });

  it("uses them to undo", async () => {
    let undone: unknown[] = [];
    const { result, events, recorded } = await play(() => {
      const { tools, calls } = secretTools(failing);
      undone = calls.undone;
      return { tools, plan: secretPlan, options: { undoOnFailure: true }, isResumable: false };
    });
    expect(undone).toEqual([{ input: { user: "ann", password }, output: { user: "ann", token } }]);
    expect(result.steps[0]?.status).toBe("undone");
    for (const value of [result, events, recorded]) expectHidden(value);
  });

  it("is approved by somebody who does not see them, even after its process is gone", async () => {
    const { result, events, recorded } = await play(() => ({
      tools: secretTools({ needsApproval: true }).tools,
      plan: secretPlan,
      isResumable: true,
      executions: [({ result, runId, another }) => another().approve(runId, result.pending?.[0] as never)],
    }));
    expect(result.status).toBe("completed");
    expect(events.filter(({ type }) => type === "approval-request")).toHaveLength(1);
    expect(events.find(({ type }) => type === "run-suspend")).toMatchObject({
      pending: [{ input: { password: hiddenText } }],
    });
    for (const value of [result, events, recorded]) expectHidden(value);
  });

  it("shows none to policies and approvers, for steps and for the whole plan", async () => {
    const asked: unknown[] = [];
    const { result } = await play(() => ({
      tools: secretTools().tools,
      plan: secretPlan,
      needsApproval: (question) => asked.push(question) > 0,
      requestApproval: async (request) => {
        asked.push(request);
        return "approve";
      },
      isResumable: false,
    }));
    expect(result.status).toBe("completed");
    expect(JSON.stringify(asked)).toContain(hiddenText);
    expectHidden(asked);
  });

  it("records no hash from which a secret can be guessed", async () => {
    const approvedHash = await hashPlan(secretPlan);
    const { result, recorded } = await play(() => ({
      tools: secretTools().tools,
      plan: secretPlan,
      options: { approvedHash },
    }));
    expect(result.status).toBe("completed");
    expectHidden(recorded, [approvedHash]);
    expect(recorded[0]).toMatchObject({ options: { approvedHash: expect.stringMatching(/^[\da-f]{64}$/) } });
  });

  it("refuses a plan other than the approved one without revealing its hash", async () => {
    const { result, recorded } = await play(() => ({
      tools: secretTools().tools,
      planner: createScriptedPlanner([secretPlan as never]),
      request: "log in",
      options: { approvedHash: "0".repeat(64) },
    }));
    expect(result).toMatchObject({ status: "failed", error: { code: "plan-not-approved" } });
    expectHidden(recorded, [await hashPlan({ ...secretPlan, request: "log in" }), password]);
  });
});

describe("a reasoning that repeats a secret", () => {
  const reasoning = `Log in with ${password}`;
  const plan = { steps: secretPlan.steps.map((step) => ({ ...step, reasoning })) } as typeof secretPlan;

  it("is recorded sealed, so that the plan is still the approved one, also for a later process", async () => {
    const approvedHash = await hashPlan(plan);
    const { result, events, recorded } = await play(() => ({
      tools: secretTools().tools,
      plan,
      options: { approvedHash },
    }));
    expect(result.status).toBe("completed");
    expect(result.steps.map((step) => step.reasoning)).toEqual([hiddenText, hiddenText]);
    for (const value of [result, events, recorded]) expectHidden(value);
    const agent = createAgent({ tools: secretTools().tools });
    await agent.execute(plan, { runId: "r1" });
    expect(await agent.execute(plan, { runId: "r1" })).toMatchObject({ status: "completed" });
    expect((await agent.fork("r1", { after: 3 }).result).steps[1]?.reasoning).toBe(hiddenText);
  });

  it("is masked in a plan by a planner, and in a dry run", async () => {
    const agent = createAgent({ tools: secretTools().tools, planner: createScriptedPlanner([plan as never]) });
    const planned = await agent.plan("log in");
    expect(planned.steps[0]?.reasoning).toBe(`Log in with ${hiddenText}`);
    expect((await agent.dryRun(plan)).steps[0]?.reasoning).toBe(`Log in with ${hiddenText}`);
  });

  it("shows nowhere before the step whose secret it repeats", async () => {
    const [login] = secretPlan.steps;
    const early = {
      steps: [
        { id: "wait", wait: { forMs: 1 }, reasoning },
        { id: "first", tool: "Fetch", input: { header: "", url: "" }, reasoning },
        login,
      ],
    };
    const planner = {
      name: "telling",
      async plan({ emit }: PlanRequest) {
        for (const [index, step] of early.steps.entries())
          await emit?.({ type: "plan-delta", planner: "telling", attempt: 1, index, step: step as PlanStep });
        return early as unknown as PlanDraft;
      },
    };
    const asked: unknown[] = [];
    const needsApproval = (question: ApprovalQuestion) => asked.push(question) > 0;
    const agent = createAgent({ tools: secretTools().tools, planner, needsApproval });
    const collected = collectEvents(agent);
    await agent.plan("log in");
    const deltas = collected.events.flatMap((event) => (event.type === "plan-delta" ? [event.step.reasoning] : []));
    expect(deltas).toEqual([undefined, undefined, undefined]);
    const { steps, planHash } = await agent.dryRun(early as unknown as PlanInput);
    const masked = `Log in with ${hiddenText}`;
    expect(steps.map((step) => step.reasoning)).toEqual([masked, masked, undefined]);
    expect(planHash).toBe(await hashPlan(early as unknown as PlanInput));
    expect(asked).toHaveLength(3);
    for (const shown of [collected.events, steps, asked]) expectHidden(shown);
  });

  it("is not written by the rules, as the words of the request may be the secret in another form", async () => {
    const inputSchema = z.object({ user: z.string(), password: sensitive(z.string()) });
    const execute = () => null;
    const phrases = ["log in {user} with {password}"];
    const login = defineTool({
      name: "Login",
      description: "d",
      inputSchema,
      effect: "idempotent",
      needsApproval: true,
      phrases,
      execute,
    });
    const { pending, steps } = await createAgent({ tools: [login] }).run("log in ada with hunter2222");
    expectHidden([pending, steps], ["hunter2222"]);
    expect(steps[0]).toMatchObject({ input: { user: "ada", password: hiddenText } });
  });
});

describe("a reference to a secret", () => {
  const vault = (output: unknown) =>
    defineTool({
      name: "Vault",
      description: "d",
      inputSchema: z.object({ n: z.number().optional() }),
      effect: "idempotent",
      outputSchema: z.object({
        one: sensitive(z.unknown()),
        rows: z.array(z.object({ name: z.string(), key: sensitive(z.string()) })).optional(),
      }),
      execute: () => output as never,
    });
  const sink = (seen: unknown[]) =>
    defineTool({
      name: "Sink",
      description: "d",
      inputSchema: z.object({ value: z.unknown() }),
      effect: "idempotent",
      execute: ({ value }) => {
        seen.push(value);
        return null;
      },
    });

  async function give(output: unknown, value: unknown, more: object = {}) {
    const seen: unknown[] = [];
    const played = await play(() => {
      return {
        tools: [vault(output), sink(seen)],
        plan: {
          steps: [
            { id: "v", tool: "Vault", input: {} },
            { id: "s", tool: "Sink", input: { value }, ...more },
          ],
        } as never,
      };
    });
    return { ...played, seen };
  }

  it.each([
    ["a value", { one: "secret-text" }, { $ref: "v.one" }, "secret-text", hiddenText],
    ["a short one in text", { one: "x1" }, "pin ${v.one}!", "pin x1!", hiddenText],
    ["a number", { one: 48151623 }, [{ $ref: "v.one" }, 1], [48151623, 1], [hiddenText, 1]],
    ["a part of one", { one: { a: { b: "nested" } } }, { $ref: "v.one.a" }, { b: "nested" }, hiddenText],
    ["a part of a list", { one: ["zero", "second"] }, { $ref: "v.one[1]" }, "second", hiddenText],
    ["the whole output", { one: "secret-text" }, { $ref: "v" }, { one: "secret-text" }, { one: hiddenText }],
    ["the whole output as text", { one: "secret-text" }, "${v}", '{"one":"secret-text"}', hiddenText],
  ])("yields a secret: %s", async (_name, output, value, given, shown) => {
    const { seen, result, recorded } = await give(output, value);
    expect(seen.length).toBeGreaterThan(1);
    for (const one of seen) expect(one).toEqual(given);
    expect(result.steps[1]?.input).toEqual({ value: shown });
    expectHidden(recorded, ["secret-text", "pin x1", "48151623", "nested", "second"]);
  });

  it("reveals nothing of it when its path is wrong", async () => {
    const { result, recorded } = await give({ one: { secretKeyName: "v" } }, { $ref: "v.one.other" });
    expect(result).toMatchObject({
      status: "failed",
      error: { code: "invalid-reference", details: { available: [] } },
    });
    expectHidden(recorded, ["secretKeyName"]);
  });

  it("yields a secret in each iteration of a loop", async () => {
    const rows = [
      { name: "Ann", key: "key-of-ann" },
      { name: "Bob", key: "key-of-bob" },
    ];
    const { seen, result, recorded } = await give(
      { one: 1, rows },
      { $ref: "item" },
      { forEach: "v.rows", when: "item.key != 'x'" },
    );
    expect(seen.slice(0, 2)).toEqual(rows);
    for (const one of seen) expect(rows).toContainEqual(one);
    expect(result.steps.slice(1).map(({ input }) => input)).toEqual(
      rows.map(({ name }) => ({ value: { name, key: hiddenText } })),
    );
    expectHidden(recorded, ["key-of-ann", "key-of-bob"]);
  });
});

it("a secret of a plan may contain references and literals, and waits for the steps it refers to", async () => {
  const given: unknown[] = [];
  const field = sensitive(z.unknown());
  const tool = defineTool({
    name: "Keep",
    description: "d",
    inputSchema: z.object({ text: field, whole: field, as: field, open: z.unknown().optional() }),
    effect: "idempotent",
    execute: (input) => {
      given.push(input);
      return { ok: true };
    },
  });
  const input = {
    text: "secret-${get.ok}-text",
    whole: {
      user: "user-name",
      n: 48151623,
      list: ["one-of-list"],
      same: { $ref: "get" },
      raw: { $literal: { $ref: "left" } },
    },
    as: { $literal: "${raw}" },
    open: { $literal: { a: "seen" } },
  };
  const { result, recorded } = await play(() => ({
    tools: [...secretTools().tools, tool],
    plan: {
      steps: [
        { id: "get", tool: "Fetch", input: { header: "h", url: "u" } },
        { id: "keep", tool: "Keep", input, dependsOn: [] },
      ],
    } as never,
    options: { concurrency: 2 },
  }));
  expect(result.status).toBe("completed");
  const whole = { user: "user-name", n: 48151623, list: ["one-of-list"], same: { ok: true }, raw: { $ref: "left" } };
  for (const one of given) expect(one).toEqual({ text: "secret-true-text", whole, as: "${raw}", open: { a: "seen" } });
  expectHidden(recorded, ["secret-", "user-name", "48151623", "one-of-list", "${raw}"]);
  expect(result.steps[1]?.input).toMatchObject({ text: hiddenText, whole: hiddenText, open: { a: "seen" } });
});

describe("a plan that is refused by a schema that quotes the value", () => {
  const login = defineTool({
    name: "Login",
    description: "Logs in",
    inputSchema: z.object({
      password: sensitive(
        z.string().superRefine((value, context) => {
          context.addIssue({ code: "custom", message: `"${value}" is too weak` });
        }),
      ),
    }),
    effect: "idempotent",
    execute: () => 1,
  });
  const steps = [{ id: "in", tool: "Login", input: { password } }];

  it("shows no secret, whichever planner created it", async () => {
    const planner = { name: "scripted", plan: async () => ({ steps }) };
    const { result, events, recorded } = await play(() => ({
      tools: [login],
      planner,
      request: "log in",
      isResumable: false,
    }));
    expect(result.error?.message).toContain(`"${hiddenText}" is too weak`);
    for (const value of [result, events, recorded]) expectHidden(value, [password]);
  });

  it("shows none if it was written by hand", async () => {
    const warnings: unknown[] = [];
    const agent = createAgent({ tools: [login], onWarning: (warning) => warnings.push(warning) });
    const refusal: unknown = await agent.start({ steps }).result.catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "invalid-plan" });
    expect(warnings).toMatchObject([{ code: "start-refused" }]);
    expectHidden([(refusal as Error).message, refusal, warnings], [password]);
  });
});

describe("a value that is already sealed", () => {
  const brought = { $sealed: "1.process.AAAA" };

  it("is refused in a plan, metadata and an output", async () => {
    const { tools } = secretTools({ use: () => ({ nested: [brought] }) });
    const agent = createAgent({ tools, retry: { maxAttempts: 1 } });
    const plan = { steps: [{ id: "a", tool: "Login", input: { user: "u", password: brought } }] };
    await expect(agent.execute(plan as never)).rejects.toMatchObject({ details: { issues: [{ code: "not-json" }] } });
    await expect(agent.execute(secretPlan, { metadata: { brought } })).rejects.toMatchObject({
      code: "invalid-options",
    });
    const result = await agent.execute(secretPlan);
    expect(result).toMatchObject({ status: "failed", error: { code: "invalid-tool-output" } });
  });

  it("is refused as [sensitive], which is not the value", async () => {
    const { tools } = secretTools();
    const plan = { steps: [{ id: "a", tool: "Login", input: { user: "u", password: hiddenText } }] };
    await expect(createAgent({ tools }).execute(plan)).rejects.toMatchObject({
      details: { issues: [{ code: "invalid-input", path: ["steps", 0, "input", "password"] }] },
    });
  });
});

describe("a store that outlives the process", () => {
  const lasting = () => Object.assign(Object.create(createMemoryRunStore()), { isVolatile: false });

  it("warns without keys, and refuses plans with sensitive fields", async () => {
    const warnings: unknown[] = [];
    const { tools, calls } = secretTools();
    const agent = createAgent({ tools, store: lasting(), onWarning: (warning) => warnings.push(warning) });
    expect(warnings).toEqual([
      { code: "no-secret-keys", message: expect.stringContaining("and these tools have sensitive fields: Login.") },
    ]);
    await expect(agent.execute(secretPlan)).rejects.toMatchObject({
      code: "invalid-plan",
      details: {
        issues: [{ code: "no-secret-key", path: ["steps", 0, "input", "password"] }, { path: ["steps", 0, "tool"] }],
      },
    });
    const get = { id: "get", tool: "Fetch", input: { header: "h", url: "u" } };
    const reference = [get, { id: "x", tool: "Login", input: { user: "u", password: { $ref: "get.p" } } }];
    await expect(agent.execute({ steps: reference } as never)).rejects.toThrow("no key to seal");
    expect(calls.logins).toEqual([]);
    const open = await agent.execute({ steps: [{ id: "a", tool: "Fetch", input: { header: "h", url: "u" } }] });
    expect(open.status).toBe("completed");
  });
});

it("planning alone emits no secrets, and returns them", async () => {
  const emitted: unknown[] = [];
  const agent = createAgent({
    tools: secretTools().tools,
    planner: createScriptedPlanner([secretPlan as never]),
  });
  agent.subscribe((event) => emitted.push(event));
  const plan = await agent.plan("log in");
  expect(plan.steps[0]?.input).toEqual({ user: "ann", password });
  expect(JSON.stringify(emitted)).toContain(hiddenText);
  expectHidden(emitted);
});
