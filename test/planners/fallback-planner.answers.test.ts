import { AgentError, type PlanDraft, type Proposal } from "planwright";
import { describe, expect, it } from "vitest";
import { ask, cannotOf, failure } from "./ask-fallback-planner.ts";
import { draft, fails, plannerOf, throws, works } from "./fake-planners.ts";

describe("a planner with an invalid answer", () => {
  const hostile = {
    name: "AgentError",
    code: "cannot-plan",
    get message(): string {
      throw new Error("a message");
    },
    get details(): object {
      throw new Error("details");
    },
  };
  let reads = 0;
  const unsteady = {
    name: "AgentError",
    get code() {
      if (++reads > 1) throw new Error("the second time");
      return "planning-failed";
    },
  };
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();

  it.each<[string, unknown, object]>([
    ["a text", "oops", { code: "planning-failed", message: expect.stringContaining("oops") }],
    ["undefined", undefined, { code: "planning-failed", message: expect.stringContaining("undefined") }],
    ["null", null, { code: "planning-failed" }],
    [
      "an object",
      { headers: { key: "secret" } },
      { code: "planning-failed", message: expect.not.stringContaining("secret") },
    ],
    [
      "an error with details that are not JSON",
      Object.assign(new Error("no"), { details: { big: 1n } }),
      { code: "planning-failed" },
    ],
    ["getters that throw", Object.create(hostile, { code: { value: "timeout" } }), { code: "timeout" }],
    ["a code that can be read once", unsteady, { code: "planning-failed" }],
    ["a proxy that was revoked", revoked.proxy, { code: "planning-failed" }],
    [
      "planning-failed without details",
      { name: "AgentError", code: "planning-failed", message: "no" },
      { code: "planning-failed", message: "no" },
    ],
    [
      "failures that are not a list",
      { name: "AgentError", code: "planning-failed", message: "no", details: { failures: "many" } },
      { message: "no" },
    ],
    ["a message that is a symbol", { name: "AgentError", code: "timeout", message: Symbol("x") }, { code: "timeout" }],
    [
      "an error that went through JSON",
      JSON.parse(JSON.stringify(cannotOf("cost"))),
      { code: "limit-exceeded", message: "No more cost." },
    ],
    [
      "details that are missing",
      new AgentError("planning-failed", "no", { details: undefined as never }),
      { message: "no" },
    ],
    [
      "too many details",
      new AgentError("planning-failed", "no", { details: { planner: "x", ...tooMany() } }),
      { message: "no" },
    ],
    [
      "cancelled, which nobody did",
      new AgentError("cancelled", "no", { details: { reason: "" } }),
      { code: "planning-failed" },
    ],
  ])("is followed by the next planner if it throws %s", async (_what, thrown, expected) => {
    const { plan, emitted } = await ask([throws("first", thrown), works("second")]);
    expect(plan?.source).toEqual({
      planner: "second",
      failures: [expect.objectContaining({ planner: "first", ...expected })],
    });
    expect(emitted).toMatchObject([{ type: "plan-fallback", planner: "first", next: "second", error: expected }]);
  });

  it("ends the chain if it throws a cannot-plan error of another copy, with getters that throw", async () => {
    const { error } = await ask([fails("first", hostile), works("second")]);
    expect(error).toMatchObject({ code: "cannot-plan", details: {} });
  });

  it.each<[string, unknown, string]>([
    ["nothing", undefined, "planning-failed"],
    ["null", null, "planning-failed"],
    ["a text", "Do A", "planning-failed"],
    ["an object", {}, "invalid-plan"],
    ["no steps", { steps: [] }, "invalid-plan"],
    ["invalid steps", { steps: [null, 5] }, "invalid-plan"],
    [
      "too many steps",
      { steps: Array.from({ length: 11 }, (_, index) => ({ id: `s${index}`, tool: "A", input: {} })) },
      "invalid-plan",
    ],
    ["steps that are not JSON", { steps: [{ id: "s1", tool: "A", input: { big: 1n } }] }, "invalid-plan"],
    ["a source that is not JSON", { ...draft, source: { planner: "x", attempts: 1n } }, "invalid-plan"],
    ["a source without a name", { ...draft, source: { planner: 5 } }, "invalid-plan"],
    [
      "getters that throw",
      {
        get steps() {
          throw new Error("no steps");
        },
      },
      "planning-failed",
    ],
  ])("is followed by the next planner if it answers with %s", async (_what, answer, code) => {
    const { plan } = await ask([plannerOf("first", () => answer as PlanDraft), works("second")]);
    expect(plan?.source?.failures).toEqual([failure("first", code, expect.stringContaining('"first"'))]);
  });

  it.each([undefined, null, 5, "text", [1]])(
    "is accepted if the source of its plan is %j, which is ignored or kept as JSON",
    async (source) => {
      const { plan } = await ask([works("first", { ...draft, source: source as never })]);
      expect(plan?.source?.planner).toBe("first");
    },
  );

  it("loses failures in its source that are not a list", async () => {
    const source = { planner: "x", failures: "many" as never };
    const { plan } = await ask([fails("a"), works("b", { ...draft, source })]);
    expect(plan?.source?.failures).toHaveLength(1);
  });

  it("cannot change its plan afterwards", async () => {
    const own = { steps: [{ id: "s1", tool: "A", input: { n: 1 }, dependsOn: [] }] };
    const { plan } = await ask([works("first", own)]);
    own.steps[0] = { id: "s1", tool: "B", input: { n: 2 }, dependsOn: [] };
    expect(plan?.steps).toMatchObject([{ tool: "A", input: { n: 1 } }]);
    expect(Object.isFrozen(plan?.steps[0])).toBe(true);
  });

  it("fails with the number of issues", async () => {
    const steps = Array.from({ length: 6 }, (_, index) => ({ id: `s${index}`, tool: "B", input: {} }));
    const { error } = await ask([works("first", { steps })]);
    expect(error?.message).toMatch(/ … and 1 more\.$/);
  });
});

/** Details that are cut off whole: nothing less than all of them would be small. */
function tooMany(): object {
  const level = (depth: number): object =>
    Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`key${index}`, depth === 0 ? "x".repeat(99) : level(depth - 1)]),
    );
  return { tried: level(2) };
}

describe("the proposals of several planners", () => {
  const proposalOf = (title: string, certainty: number): Proposal => ({
    steps: [{ id: "s1", tool: "Note", input: { title } }],
    text: `note ${title}`,
    certainty,
    unused: [],
  });
  const refusing = (name: string, reason: "unsure" | "not-understood", ...proposals: Proposal[]) => {
    const details = { reason, examples: [], ...(proposals.length > 0 && { proposals }) };
    return throws(name, new AgentError("cannot-plan", `${name} refuses.`, { details }));
  };

  it("are one list: equal ones become one and rank higher, at most three", async () => {
    const rules = refusing("rules", "not-understood", proposalOf("a", 0.6), proposalOf("b", 0.5), proposalOf("c", 0.1));
    const model = refusing("model", "unsure", proposalOf("b", 0.4), proposalOf("d", 0.3));
    const { error } = await ask([rules, model], { continueOnCannotPlan: true });
    expect(error).toMatchObject({
      details: {
        reason: "unsure",
        proposals: [
          { text: "note b", certainty: 0.7 },
          { text: "note a", certainty: 0.6 },
          { text: "note d", certainty: 0.3 },
        ],
      },
    });
  });

  it("are kept if the last planner has none", async () => {
    const rules = refusing("rules", "not-understood", proposalOf("a", 0.6));
    const { error } = await ask([rules, refusing("model", "not-understood")], { continueOnCannotPlan: true });
    expect(error).toMatchObject({
      message: "rules refuses.",
      details: { proposals: [{ text: "note a", certainty: 0.6 }] },
    });
  });
});
