import {
  type AgentEvent,
  type ApprovalAnswer,
  createAgent,
  createMemoryRunStore,
  defineTool,
  type RunStore,
  sensitive,
} from "planwright";
import { createFakeTool } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { hiddenText } from "../../../src/core/json.ts";
import { approvalOf } from "../../scenario/ask-for-approval.ts";
import { runScenario, type Scenario } from "../../scenario/run-scenario.ts";
import { expectHidden, keyOf, password, secretPlan, secretTools, token } from "../../scenario/secret-tools.ts";
import { share, withMethods } from "../../scenario/two-processes.ts";

const secrets = { keys: [keyOf("k1")] };
const other = "Sesame-0pen";
const all = [password, token, other];

/** Plays a run whose first step is approved with an input, and returns the input of its tool. */
async function approving(input: { readonly password?: string }, rest: Partial<Scenario> = {}) {
  const logins: unknown[][] = [];
  const played = await runScenario(() => {
    const { tools, calls } = secretTools({ needsApproval: true });
    logins.push(calls.logins);
    return {
      ...{ tools, secrets, plan: secretPlan },
      executions: [
        ({ another, runId, result }) =>
          another().approve(runId, approvalOf(result, "in"), {
            input,
            by: password,
            comment: `${password} to ${input.password}`,
          }),
      ],
      ...rest,
    };
  });
  return { ...played, logins };
}

describe("a step whose input its approver changes", () => {
  it.each([
    ["keeps the secret that was shown as [sensitive]", { user: "bob", password: hiddenText }, password],
    ["has the secret that was given", { user: "bob", password: other }, other],
  ])("%s, wherever its process dies", async (_what, input, expected) => {
    const { result, events, recorded, logins } = await approving(input);
    expect(result.status).toBe("completed");
    expect(logins.every((calls) => calls.length <= 1)).toBe(true);
    expect(logins[0]).toEqual([{ user: "bob", password: expected }]);
    expect(result.approvals).toMatchObject([
      { by: hiddenText, comment: `${hiddenText} to ${hiddenText}`, input: { user: "bob", password: hiddenText } },
    ]);
    for (const value of [result, events, recorded]) expectHidden(value, all);
  });

  it("has the input that requestApproval returns, and the approver sees no secret", async () => {
    const shown: unknown[] = [];
    const answer: ApprovalAnswer = { decision: "approve", input: { user: "bob", password: other } };
    const { recorded, logins } = await approving(
      {},
      {
        executions: [],
        requestApproval: async (request) => {
          shown.push(request);
          return answer;
        },
      },
    );
    expect(logins[0]).toEqual([{ user: "bob", password: other }]);
    expect(shown[0]).toMatchObject({ input: { user: "ann", password: hiddenText } });
    expectHidden([shown, recorded], all);
  });

  it("needs no new approval once its key has changed, and repeating the decision changes nothing", async () => {
    const store = createMemoryRunStore();
    const { tools, calls } = secretTools({ needsApproval: true });
    const plan = { steps: [...secretPlan.steps, { id: "more", tool: "Login", input: { user: "eve", password: "x" } }] };
    const agentWith = (...keys: string[]) =>
      createAgent({ tools, store, secrets: { keys: keys.map((id) => keyOf(id, id.charCodeAt(0))) } });
    const first = await agentWith("a").execute(plan, { runId: "r1" });
    const item = approvalOf(first, "in");
    const input = { user: "bob", password: other };
    const second = await agentWith("b", "a").approve("r1", item, { input }).result;
    expect(second.pending).toMatchObject([{ stepId: "more" }]);
    const again = await agentWith("b", "a").approve("r1", item, { input }).result;
    expect(again).toMatchObject({ status: "suspended", pending: second.pending });
    const changed = agentWith("b", "a").approve("r1", item, { input: { ...input, password } });
    await expect(changed.result).rejects.toMatchObject({ code: "run-conflict" });
    const third = await agentWith("b", "a").approve("r1", approvalOf(again, "more")).result;
    expect(third.status).toBe("completed");
    expect(calls.logins).toEqual([input, { user: "eve", password: "x" }]);
  });

  it("keeps the value that a reference has brought into an unmarked field", async () => {
    const store = createMemoryRunStore();
    const { tools, calls } = secretTools();
    const agent = createAgent({
      tools,
      store,
      secrets,
      needsApproval: (asked) => asked.kind === "step" && asked.tool === "Fetch",
    });
    const first = await agent.execute(secretPlan, { runId: "r1" });
    const input = { header: hiddenText, url: "u" };
    const { status } = await agent.approve("r1", approvalOf(first, "get"), { input }).result;
    expect([status, calls.fetches]).toEqual(["completed", [{ header: `Bearer ${token}`, url: "u" }]]);
    expectHidden(await store.read("r1"));
  });

  it.each([
    ["a secret that is only shown", secrets, hiddenText, /stands for a value that is not shown/],
    ["a secret without a key", undefined, other, /there is no key to seal them/],
  ])("is refused with %s", async (_what, keys, value, message) => {
    const login = defineTool({
      name: "Login",
      description: "Logs in",
      inputSchema: z.object({ user: z.string(), password: sensitive(z.string()).optional() }),
      effect: "idempotent",
      needsApproval: true,
      execute: () => 1,
    });
    const { process } = await share(() => [login]);
    const agent = process({ secrets: keys, onWarning: () => {} });
    const plan = { steps: [{ id: "in", tool: "Login", input: { user: "ann" } }] };
    const first = await agent.execute(plan as never, { runId: "r1" });
    const refused = agent.approve("r1", approvalOf(first, "in"), { input: { user: "ann", password: value } });
    await expect(refused.result).rejects.toMatchObject({ code: "invalid-tool-input", message });
    expect((await agent.getRun("r1"))?.status).toBe("suspended");
  });
});

describe("a message posted to the process that owns a run", () => {
  /** A store that keeps all posted messages. */
  const keeping = (posted: unknown[]) => (store: RunStore) =>
    withMethods(store, {
      post: (runId, message) => {
        posted.push(message);
        return store.post(runId, message);
      },
    });

  it("contains no secret in a decision, and the decision takes effect", async () => {
    const calls: unknown[][] = [];
    const posted: unknown[] = [];
    const { clock, store, process } = await share(() => {
      const made = secretTools({ needsApproval: true });
      calls.push(made.calls.logins);
      return [...made.tools, createFakeTool({ name: "Slow", outcomes: [{ hangs: "until-aborted" }] })];
    });
    const steps = [
      { ...secretPlan.steps[0], dependsOn: [] },
      { id: "slow", tool: "Slow", input: {}, dependsOn: [] },
    ];
    const running = process({ secrets }).start({ steps } as never, { runId: "r1", concurrency: 2 });
    const asked = () => store.read("r1") as Promise<AgentEvent[]>;
    await expect.poll(async () => (await asked()).some(({ type }) => type === "approval-request")).toBe(true);
    const item = (await asked()).find(({ type }) => type === "approval-request") as never;
    const said = { input: { user: password, password: other }, by: password, comment: other };
    const decided = process({ secrets }, keeping(posted)).approve("r1", item, said);
    await expect.poll(() => posted.length).toBe(1);
    await clock.advance(300);
    await expect.poll(() => calls.flat()).toEqual([said.input]);
    running.cancel();
    expect((await clock.runUntil(running.result)).status).toBe("cancelled");
    expect((await clock.runUntil(decided.result)).status).toBe("cancelled");
    const decision = { input: { password: { $sealed: expect.any(String) } }, by: hiddenText, comment: hiddenText };
    expect(posted).toMatchObject([{ type: "decide", decision }]);
    expectHidden((posted[0] as { decision: { input: { password: unknown } } }).decision.input.password, all);
  });

  it("contains no secret in the reason of a cancel", async () => {
    const posted: unknown[] = [];
    const hangs = createFakeTool({ name: "Slow", outcomes: [{ hangs: "until-aborted" }] });
    const { clock, process } = await share(() => [...secretTools().tools, hangs]);
    const steps = [...secretPlan.steps, { id: "slow", tool: "Slow", input: {} }];
    const running = process({ secrets }).start({ steps } as never, { runId: "r1" });
    await expect.poll(() => hangs.calls.length).toBe(1);
    const cancelled = process({ secrets }, keeping(posted)).cancel("r1", `it said ${password}`);
    await expect.poll(() => posted).toEqual([{ type: "cancel", reason: `it said ${hiddenText}` }]);
    await clock.advance(300);
    expect((await clock.runUntil(running.result)).status).toBe("cancelled");
    expectHidden(await clock.runUntil(cancelled), all);
    await process({ secrets: { keys: [keyOf("k2")] } }, keeping(posted))
      .cancel("r1", password)
      .catch(() => {});
    expectHidden(posted, all);
  });

  it("contains no secret in a settlement, whose value its dependents receive", async () => {
    const posted: unknown[] = [];
    const made = secretTools();
    const { clock, store, process } = await share((clock) => [
      ...made.tools,
      defineTool({
        name: "Once",
        description: "Gives a token",
        inputSchema: z.object({}),
        outputSchema: z.object({ token: sensitive(z.string()) }),
        effect: "once",
        timeoutMs: 10,
        execute: () => new Promise<never>(() => {}),
      }),
      createFakeTool({ name: "Slow", outcomes: [{ afterMs: 2_000, returns: 1 }], clock }),
    ]);
    const steps = [
      { id: "in", tool: "Once", input: {}, dependsOn: [] },
      { id: "slow", tool: "Slow", input: {}, dependsOn: [] },
      { id: "get", tool: "Fetch", input: { header: "${in.token}", url: "u" } },
    ];
    const running = process({ secrets, abortGraceMs: 0 }).start({ steps } as never, { runId: "r1", concurrency: 2 });
    await expect.poll(async () => (await store.read("r1")).length).toBeGreaterThan(2);
    await clock.advance(20);
    const ended = async () => (await store.read("r1")).some(({ type }) => type === "step-end");
    await expect.poll(ended).toBe(true);
    const settled = process({ secrets }, keeping(posted)).settle("r1", "in", { output: { token } });
    await expect.poll(() => posted.length).toBe(1);
    expect(posted).toMatchObject([{ type: "settle", outcome: { output: { token: { $sealed: expect.any(String) } } } }]);
    expect((await clock.runUntil(running.result)).status).toBe("suspended");
    expect((await clock.runUntil(settled.result)).status).toBe("completed");
    expect(made.calls.fetches).toEqual([{ header: token, url: "u" }]);
    expectHidden([posted, await store.read("r1")], all);
  });
});

describe("an error that a tool throws", () => {
  const failing = (message: string) => ({
    use: (_input: unknown, { progress }: { progress: (value: unknown) => void }) => {
      progress({ with: message, at: "https://x.test/?api_key=abcdefgh" });
      throw Object.assign(new Error(`${"x".repeat(480)} ${message} https://x.test/?api_key=abcdefgh`), {
        retryable: false,
        headers: message,
      });
    },
  });

  it("is reported as data in a run with secrets, and its stack and last progress contain none", async () => {
    const { result, events, recorded } = await runScenario(() => ({
      ...{ tools: secretTools(failing(token)).tools, secrets, plan: secretPlan, isResumable: false },
    }));
    const { output: _output, ...rest } = result;
    expect(result.error).toMatchObject({ cause: { name: "Error", message: expect.stringContaining(hiddenText) } });
    expect(result.error?.cause).not.toBeInstanceOf(Error);
    const end = events.findLast(({ type }) => type === "step-end");
    expect(end).toMatchObject({
      progress: { with: hiddenText, at: `https://x.test/?api_key=${hiddenText}` },
      outcome: { error: { stack: expect.stringMatching(/^Error: x+/) } },
    });
    // Not even the rest of it where the stack is cut off.
    for (const value of [rest, events, recorded]) expectHidden(value, [...all, token.slice(0, 8), "abcdefgh"]);
  });

  it("is the cause of what is thrown in a run without secrets, unless part of it is hidden", async () => {
    const plan = { steps: [{ id: "get", tool: "Fetch", input: { header: "h", url: "u" } }] };
    const failureOf = (redact: (value: unknown) => unknown, given: object) => {
      const agent = createAgent({ tools: secretTools(failing("no")).tools, secrets, redact });
      return agent.execute(given as never, { throwOnFailure: true }).catch((error: unknown) => error);
    };
    expect(await failureOf((value) => value, plan)).toMatchObject({ cause: { headers: "no" } });
    expect(await failureOf((value) => value, secretPlan)).not.toHaveProperty("cause.headers");
    const error = await failureOf(() => "?", plan);
    expect(error).toMatchObject({ message: "?", cause: { message: "?" } });
    expect(error).not.toHaveProperty("cause.headers");
  });
});

describe("the events of a run by its id", () => {
  it("appear as listeners receive them, while the run is executing and after it has ended", async () => {
    const { tools } = secretTools();
    const agent = createAgent({ tools, secrets, redact: (value, { kind }) => (kind === "input" ? "?" : value) });
    const emitted: AgentEvent[] = [];
    agent.subscribe((event) => emitted.push(event));
    const { result } = agent.start(secretPlan, { runId: "r1" });
    const read = async () => {
      const events: AgentEvent[] = [];
      for await (const event of agent.events("r1")) events.push(event);
      return events;
    };
    const live = await read();
    await result;
    expect(live).toEqual(emitted);
    expect(await read()).toEqual(emitted);
    expect(JSON.stringify(live)).toContain(hiddenText);
    expectHidden(live);
  });
});
