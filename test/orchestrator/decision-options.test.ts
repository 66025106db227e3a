import { describe, expect, it } from "vitest";
import { createAgent } from "../../src/agent.ts";
import type { RunApprover } from "../../src/orchestrator/orchestrator.ts";
import { createOrchestrator } from "../../src/orchestrator/orchestrator.ts";
import { createMemoryRunStore } from "../../src/stores/memory-run-store.ts";
import { createFakeTool } from "../../src/testing/fake-tool.ts";

const tools = [createFakeTool({ name: "A" })];
const hash = "0a".repeat(32);
const agent: RunApprover = createAgent({ tools });

type Method = keyof RunApprover;
type Call = (runId: unknown, ...rest: unknown[]) => { readonly result: Promise<unknown> };

/** Decides with what no compiler has looked at. */
function decide(method: Method, options: unknown, { runId = "r", stepId = "s1" }: Record<string, unknown> = {}) {
  const call = agent[method] as Call;
  return method.endsWith("Plan") ? call(runId, options) : call(runId, stepId, options);
}

const invalid = (option: string, expected = "") =>
  expect.objectContaining({
    code: "invalid-options",
    details: expect.objectContaining({ option, expected: expect.stringContaining(expected) }),
  });

const ofSteps: readonly Method[] = ["approve", "reject"];
const ofPlans: readonly Method[] = ["approvePlan", "rejectPlan"];

describe.each([...ofSteps, ...ofPlans])("the options of %s", (method) => {
  const key = ofPlans.includes(method) ? "planHash" : "inputHash";
  const right = { [key]: hash };

  it.each([undefined, null, 5, "abc", []])("must be there: %s", (options) => {
    expect(() => decide(method, options)).toThrow(invalid("options", `an object with ${key}`));
  });

  it.each([undefined, 5, "x", "", hash.toUpperCase(), hash.slice(1), `${hash}0`, `${hash}\n`])(
    "have a hash, not %j",
    (given) => {
      expect(() => decide(method, { [key]: given })).toThrow(invalid(key, "64 lowercase hex digits"));
    },
  );

  it.each([
    ["signal", { signal: 1 }],
    ["signal", { signal: null }],
    ["throwOnFailure", { throwOnFailure: "yes" }],
    ["options.concurrency", { concurrency: 2 }],
    ["options.hash", { hash }],
  ])("are checked at once: %s", (option, options) => {
    expect(() => decide(method, { ...right, ...options })).toThrow(invalid(option));
  });

  it("are named where one is unknown, and no other", () => {
    const own = ofPlans.includes(method) ? "planHash" : "inputHash, iteration";
    const reason = method.startsWith("reject") ? ", reason" : "";
    const only = `there is no such option, only ${own}${reason}, resources, signal, throwOnFailure`;
    expect(() => decide(method, { ...right, x: 1 })).toThrow(`${only}; received 1.`);
    expect(() => decide(method, { ...right, toString: 1 })).toThrow(`${only}; received 1.`);
  });

  it("come with ids", () => {
    for (const runId of [5, "", null]) expect(() => decide(method, right, { runId })).toThrow(invalid("runId", "text"));
  });

  it("may have all that is there", async () => {
    const { signal } = new AbortController();
    const handle = decide(method, { ...right, resources: {}, signal, throwOnFailure: true });
    await expect(handle.result).rejects.toMatchObject({ code: "run-not-found" });
    const none = decide(method, { ...right, resources: undefined, signal: undefined, throwOnFailure: undefined });
    await expect(none.result).rejects.toMatchObject({ code: "run-not-found" });
  });

  it("may be the pending item or the event, whatever stands there besides", async () => {
    const item = { kind: 1, stepId: 2, tool: 3, input: 4, effect: 5, reasoning: 6 };
    const event = { ...item, type: 7, runId: 8, sequence: 9, timestamp: 10, iterations: 11 };
    await expect(decide(method, { ...right, ...event }).result).rejects.toMatchObject({ code: "run-not-found" });
  });
});

describe.each(ofSteps)("the options of %s", (method) => {
  it.each([-1, 1.5, "0", null, Number.NaN])("have an iteration that is a whole number from 0, not %s", (iteration) => {
    expect(() => decide(method, { inputHash: hash, iteration })).toThrow(invalid("iteration", "a whole number"));
  });

  it("come with the id of a step", () => {
    for (const stepId of [5, "", null])
      expect(() => decide(method, { inputHash: hash }, { stepId })).toThrow(invalid("stepId", "text"));
  });
});

describe("a reason", () => {
  it.each(["reject", "rejectPlan"] as const)("of %s is text", (method) => {
    const right = { planHash: hash, inputHash: hash };
    const own = method === "reject" ? { inputHash: hash } : { planHash: hash };
    for (const reason of [5, null, {}])
      expect(() => decide(method, { ...own, reason })).toThrow(invalid("reason", "text"));
    expect(() => decide(method, right)).toThrow(
      invalid(method === "reject" ? "options.planHash" : "options.inputHash"),
    );
  });

  it.each(["approve", "approvePlan"] as const)("is none of %s", (method) => {
    const own = method === "approve" ? { inputHash: hash } : { planHash: hash };
    expect(() => decide(method, { ...own, reason: "why not" })).toThrow(invalid("options.reason"));
  });
});

it("an orchestrator checks them as well", () => {
  const orchestrator = createOrchestrator({ tools, store: createMemoryRunStore() });
  expect(() => orchestrator.approve("r", "s1", { inputHash: "x" })).toThrow(invalid("inputHash"));
});
