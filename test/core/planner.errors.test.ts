import { AgentError, type AgentErrorData, isAgentError } from "planwright";
import { describe, expect, it } from "vitest";
import { toPlanningError } from "../../src/core/planner.ts";

const planner = { name: "mine" };
const ofPlanning: readonly AgentError[] = [
  new AgentError("cannot-plan", "What?", { details: { reason: "not-understood", examples: ["add milk"] } }),
  new AgentError("planning-failed", "No.", { details: { planner: "other" }, retryable: false }),
  new AgentError("invalid-plan", "No.", { details: { issues: [] } }),
  new AgentError("invalid-request", "No.", { details: { length: 0, maxLength: 1 } }),
  new AgentError("timeout", "Late.", { details: { scope: "planner", timeoutMs: 5 } }),
  new AgentError("limit-exceeded", "No more.", { details: { limit: "cost", max: 1, used: 2 } }),
];
const others: readonly AgentError[] = [
  new AgentError("cancelled", "No.", { details: { reason: "" } }),
  new AgentError("invalid-options", "No.", { details: { option: "x", received: "1", expected: "2" } }),
  new AgentError("model-failed", "No.", { details: { model: "a/b", reason: "busy" } }),
];

describe("toPlanningError", () => {
  it.each(ofPlanning.map((error) => [error.code, error] as const))("returns %s unchanged", (_code, error) => {
    expect(toPlanningError(planner, error)).toBe(error);
  });

  it.each(ofPlanning.map((error) => [error.code, error] as const))(
    "recognizes %s of another copy of the package",
    (_code, error) => {
      const again = toPlanningError(planner, JSON.parse(JSON.stringify(error)));
      expect(again).toBeInstanceOf(AgentError);
      expect(again.toJSON()).toEqual(error.toJSON());
      const foreign = Object.assign(new Error(error.message, { cause: new Error("why") }), { ...error.toJSON() });
      expect(toPlanningError(planner, foreign)).toMatchObject({ code: error.code, cause: { message: "why" } });
    },
  );

  it.each([...others, new TypeError("oops"), "oops", 5, null, undefined, {}, () => 0, Symbol("x"), 1n])(
    "wraps %s in planning-failed, as its cause",
    (thrown) => {
      const error = toPlanningError(planner, thrown);
      expect(error).toMatchObject({ code: "planning-failed", details: { planner: "mine" }, retryable: true });
      expect(error.message).toMatch(/^The planner "mine" failed: ./);
      expect(error.cause).toBe(thrown);
      expect(isAgentError(JSON.parse(JSON.stringify(error)), "planning-failed")).toBe(true);
    },
  );

  it("reads each property once, and omits what cannot be read", () => {
    let reads = 0;
    const hostile = {
      name: "AgentError",
      get code() {
        if (++reads > 1) throw new Error("twice");
        return "timeout";
      },
      get message(): string {
        throw new Error("message");
      },
      get details(): object {
        throw new Error("details");
      },
    };
    const error = toPlanningError(planner, hostile);
    expect(error.toJSON()).toMatchObject({ code: "timeout", details: {}, retryable: true });
    expect(reads).toBe(1);
  });

  it.each<[string, object]>([
    ["no details", {}],
    ["invalid details", { details: 5 }],
    ["an invalid message", { message: Symbol("x") }],
    ["an unknown code", { code: "no-such-code" }],
    ["an invalid retryable", { retryable: "yes" }],
  ])("accepts an error with %s", (_what, rest) => {
    const error = toPlanningError(planner, { name: "AgentError", code: "timeout", message: "Late.", ...rest });
    const data: AgentErrorData = error.toJSON();
    expect(data.details).toBeTypeOf("object");
    expect(data.message).toBeTypeOf("string");
    expect(data.retryable).toBe(true);
  });
});
