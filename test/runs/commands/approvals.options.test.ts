import { type Agent, createAgent, createMemoryRunStore, createOrchestrator } from "planwright";
import { createFakeTool } from "planwright/testing";
import { describe, expect, it } from "vitest";

const tools = [createFakeTool({ name: "A" })];
const hash = "0a".repeat(32);
const agent: Pick<Agent, Method> = createAgent({ tools });

type Method = "approve" | "reject";
type Call = (runId: unknown, ...rest: unknown[]) => { readonly result: Promise<unknown> };

/** Decides with arguments that no compiler has checked. */
function decide(method: Method, item: unknown, options?: unknown, runId: unknown = "r") {
  return (agent[method] as Call)(runId, item, options);
}

const invalid = (option: string, expected = "") =>
  expect.objectContaining({
    code: "invalid-options",
    details: expect.objectContaining({ option, expected: expect.stringContaining(expected) }),
  });

const ofStep = { kind: "step", stepId: "s1", hash };
const right = [ofStep, { ...ofStep, kind: "approval" }, { kind: "plan", hash }, { kind: "plan-approval", hash }];
const methods: readonly Method[] = ["approve", "reject"];
const cases = methods.flatMap((method) => right.map((item) => ({ method, kind: item.kind, item })));

describe.each(cases)("$method of an item of kind $kind", ({ method, item }) => {
  it.each([undefined, 5, "x", "", hash.toUpperCase(), hash.slice(1), `${hash}0`, `${hash}\n`])(
    "needs a hash, not %j",
    (given) => {
      expect(() => decide(method, { ...item, hash: given })).toThrow(invalid("item.hash", "64 lowercase hex digits"));
    },
  );

  it.each([
    ["signal", { signal: 1 }],
    ["signal", { signal: null }],
    ["throwOnFailure", { throwOnFailure: "yes" }],
    ["by", { by: 5 }],
    ["by", { by: "a".repeat(201) }],
    ["comment", { comment: ["fine"] }],
    ["comment", { comment: "a".repeat(2_001) }],
    ["options.concurrency", { concurrency: 2 }],
    ["options.hash", { hash }],
    ["options", null],
    ["options", []],
  ])("checks its options at once: %s", (option, options) => {
    expect(() => decide(method, item, options)).toThrow(invalid(option));
  });

  it("names the valid options when one is unknown", () => {
    const own = method === "reject" ? "reason" : "input";
    const only = `The options are resources, signal, throwOnFailure, thread, resume, by, comment, ${own}`;
    expect(() => decide(method, item, { x: 1 })).toThrow(`${only}.`);
    expect(() => decide(method, item, { toString: 1 })).toThrow(`${only}.`);
  });

  it("needs the id of a run", () => {
    for (const runId of [5, "", null]) expect(() => decide(method, item, {}, runId)).toThrow(invalid("runId", "text"));
  });

  it("accepts all options, or none", async () => {
    const { signal } = new AbortController();
    const said = { by: "a".repeat(200), comment: "a".repeat(2_000) };
    const all = { resources: {}, signal, throwOnFailure: true, ...said };
    for (const options of [all, { resources: undefined, signal: undefined, throwOnFailure: undefined }, {}, undefined])
      await expect(decide(method, item, options).result).rejects.toMatchObject({ code: "run-not-found" });
  });

  it("ignores other fields of the item", async () => {
    const rest = { tool: 3, input: 4, effect: 5, reasoning: 6, type: 7, runId: 8, sequence: 9, timestamp: 10, x: 11 };
    await expect(decide(method, { ...item, ...rest }).result).rejects.toMatchObject({ code: "run-not-found" });
  });
});

describe.each(methods)("%s", (method) => {
  it.each([undefined, null, 5, "s1", [], {}, { stepId: "s1", hash }, { kind: "no", hash }])(
    "needs an item: not %j",
    (item) => {
      expect(() => decide(method, item)).toThrow(
        invalid("item", "an approval in result.pending, or an approval-request event"),
      );
    },
  );

  it("refers to settle for a step in doubt", () => {
    expect(() => decide(method, { kind: "outcome", stepId: "s1" })).toThrow(invalid("item", "call settle"));
  });

  it.each([-1, 1.5, "0", null, Number.NaN])("needs an iteration that is a whole number from 0, not %s", (iteration) => {
    expect(() => decide(method, { ...ofStep, iteration })).toThrow(invalid("item.iteration", "a whole number"));
  });

  it.each([undefined, 5, "", null])("needs the id of a step, not %j", (stepId) => {
    expect(() => decide(method, { ...ofStep, stepId })).toThrow(invalid("item.stepId", "text"));
  });
});

describe("a reason", () => {
  it.each(right)("for reject must be text: $kind", (item) => {
    for (const reason of [5, null, {}])
      expect(() => decide("reject", item, { reason })).toThrow(invalid("reason", "text"));
  });

  it("is not an option of approve", () => {
    expect(() => decide("approve", ofStep, { reason: "why not" })).toThrow(invalid("options.reason"));
  });
});

it("an orchestrator checks decisions as well", () => {
  const orchestrator = createOrchestrator({ tools, store: createMemoryRunStore() });
  expect(() => orchestrator.approve("r", { kind: "step", stepId: "s1", hash: "x" })).toThrow(invalid("item.hash"));
});

describe("another input", () => {
  it.each([
    ["input", 5, "a JSON object"],
    ["input", ["a"], "a JSON object"],
    ["input", null, "a JSON object"],
    ["input.a", { a: new Map() }, "JSON"],
    ["input.a.0", { a: [Number.NaN] }, "JSON"],
  ])("must be JSON: %s", (option, input, expected) => {
    expect(() => decide("approve", ofStep, { input })).toThrow(invalid(option, expected));
  });

  it("is only valid for a step that is approved", () => {
    expect(() => decide("approve", { kind: "plan", hash }, { input: {} })).toThrow(
      invalid("input", "a plan is approved"),
    );
    expect(() => decide("reject", ofStep, { input: {} })).toThrow(invalid("options.input", "one of "));
  });

  it("requires an existing run", async () => {
    await expect(decide("approve", ofStep, { input: {} }).result).rejects.toMatchObject({ code: "run-not-found" });
  });
});
