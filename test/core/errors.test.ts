import fc from "fast-check";
import { AgentError, type AgentErrorData, type ErrorData, isAgentError } from "planwright";
import { describe, expect, it } from "vitest";
import { toErrorData } from "../../src/core/error-data.ts";
import { fromErrorData } from "../../src/core/errors.ts";

const timeout = () =>
  new AgentError("timeout", "Too slow.", { details: { scope: "step", timeoutMs: 5 }, cause: new TypeError("inner") });

describe("AgentError", () => {
  it("is an Error with a name, a code, details and a cause", () => {
    const error = timeout();
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: "AgentError", code: "timeout", details: { scope: "step", timeoutMs: 5 } });
    expect(error.message).toBe("Too slow.");
    expect(error.cause).toBeInstanceOf(TypeError);
    expect(String(error)).toBe("AgentError: Too slow.");
    expect(error.stack).toContain("errors.test.ts");
  });

  it("has no cause unless one is given", () => {
    const error = new AgentError("cancelled", "Stop.", { details: { reason: "Stop" } });
    expect("cause" in error).toBe(false);
    expect(error.toJSON()).toEqual({
      name: "AgentError",
      code: "cancelled",
      message: "Stop.",
      retryable: false,
      details: { reason: "Stop" },
    });
  });

  it("is retryable or not by its code, unless it is told otherwise", () => {
    const details = { reason: "" };
    expect(timeout().retryable).toBe(true);
    expect(new AgentError("planning-failed", "", { details: { planner: "p" } }).retryable).toBe(true);
    expect(new AgentError("cancelled", "", { details }).retryable).toBe(false);
    expect(new AgentError("cancelled", "", { details, retryable: true }).retryable).toBe(true);
  });

  it("becomes data in JSON, and an error again from data", () => {
    const data = JSON.parse(JSON.stringify(timeout())) as AgentErrorData<"timeout">;
    expect(data).toEqual({
      name: "AgentError",
      code: "timeout",
      message: "Too slow.",
      retryable: true,
      details: { scope: "step", timeoutMs: 5 },
      cause: { name: "TypeError", message: "inner" },
    });
    const live = fromErrorData(data);
    expect(live).toBeInstanceOf(AgentError);
    expect(live.details.timeoutMs).toBe(5);
    expect(live.toJSON()).toEqual(data);
  });

  it("becomes data that its reader may add to, as a serializer does, its causes included", () => {
    const data = timeout().toJSON();
    expect(Object.assign(data, { cause: Object.assign(data.cause as object, { stack: "" }) }).cause).toEqual({
      name: "TypeError",
      message: "inner",
      stack: "",
    });
  });

  it("becomes the same data however often it is converted", () => {
    const thrown = fc.record({
      message: fc.string({ maxLength: 30_000 }),
      cause: fc.option(fc.string({ maxLength: 20_000 }), { nil: undefined }),
      details: fc.record({ reason: fc.string({ maxLength: 30_000 }) }),
    });
    fc.assert(
      fc.property(thrown, ({ message, details, cause }) => {
        const first = new AgentError("cancelled", message, { details, cause }).toJSON();
        expect(fromErrorData(JSON.parse(JSON.stringify(first)) as typeof first).toJSON()).toEqual(first);
      }),
      { numRuns: 50 },
    );
  });
});

describe("isAgentError", () => {
  it("recognizes errors, their JSON, and errors of another copy of the package", () => {
    class OtherCopy extends Error {
      override name = "AgentError";
      code = "timeout";
    }
    for (const error of [timeout(), timeout().toJSON(), JSON.parse(JSON.stringify(timeout())), new OtherCopy()]) {
      expect(isAgentError(error)).toBe(true);
      expect(isAgentError(error, "timeout")).toBe(true);
      expect(isAgentError(error, "cancelled")).toBe(false);
    }
  });

  it("recognizes a code of a later version", () => {
    expect(isAgentError({ name: "AgentError", code: "from-the-future" })).toBe(true);
  });

  it.each([
    ["null", null],
    ["undefined", undefined],
    ["text", "AgentError"],
    ["another error", new TypeError("no")],
    ["an error of the right name without a code", { name: "AgentError" }],
    ["an error of the right name with a number", { name: "AgentError", code: 5 }],
    ["a code without the name", { code: "timeout" }],
  ])("refuses %s", (_name, value) => {
    expect(isAgentError(value)).toBe(false);
  });

  it("refuses unreadable values without throwing", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const fragile = {
      name: "AgentError",
      get code() {
        throw new Error("no");
      },
    };
    expect([proxy, fragile].map((value) => isAgentError(value))).toEqual([false, false]);
  });
});

describe("toErrorData", () => {
  it.each([
    ["an error", new RangeError("no"), { name: "RangeError", message: "no" }],
    ["text", "boom", { name: "Error", message: "boom" }],
    ["undefined", undefined, { name: "Error", message: "undefined" }],
    ["null", null, { name: "Error", message: "null" }],
    ["a symbol", Symbol("s"), { name: "Error", message: "Symbol(s)" }],
    ["a BigInt", 5n, { name: "Error", message: "5" }],
    ["a function", () => 1, { name: "Error", message: "a function" }],
    [
      "an object with a message",
      { message: "no", retryable: false },
      { name: "Error", message: "no", retryable: false },
    ],
    [
      "an object with a message of another type",
      { message: 5 },
      { name: "Error", message: "Object with the keys message" },
    ],
    ["an empty object", {}, { name: "Error", message: "Object without keys" }],
    ["a numeric code", Object.assign(new Error("no"), { code: 404 }), { name: "Error", message: "no", code: "404" }],
    ["a code of another type", { message: "no", code: {} }, { name: "Error", message: "no" }],
    ["retryable of another type", { message: "no", retryable: "yes" }, { name: "Error", message: "no" }],
    [
      "a system error",
      Object.assign(new Error("no"), { code: "ENOENT", errno: -2 }),
      { name: "Error", message: "no", code: "ENOENT" },
    ],
    ["an empty cause", { message: "no", cause: null }, { name: "Error", message: "no" }],
    [
      "a cause that is text",
      { message: "no", cause: "why" },
      { name: "Error", message: "no", cause: { name: "Error", message: "why" } },
    ],
  ])("converts %s", (_name, thrown, expected) => {
    expect(toErrorData(thrown)).toEqual(expected);
  });

  it("drops stacks, headers, bodies and other properties, at every depth", () => {
    const secret = "Bearer 123";
    const response = { status: 500, headers: { authorization: secret }, body: secret, stack: secret };
    const error = Object.assign(new Error("failed", { cause: Object.assign(new Error("inner"), response) }), response);
    const several = [error, response, { response }, [secret], new AggregateError([error], "all failed")];
    for (const thrown of several) {
      const text = JSON.stringify(toErrorData(thrown));
      expect(text).not.toContain(secret);
      expect(text).not.toContain("errors.test.ts");
    }
    expect(toErrorData(response).message).toBe("Object with the keys status, headers, body, stack");
  });

  it("leaves out what cannot be read", () => {
    const fragile = {
      name: "Fragile",
      get message(): string {
        throw new Error("no");
      },
      get details() {
        throw new Error("no");
      },
      code: "E",
    };
    expect(toErrorData(fragile)).toEqual({
      name: "Fragile",
      message: "Object with the keys name, message, details, code",
      code: "E",
    });
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(toErrorData(proxy)).toEqual({ name: "Error", message: "something that cannot be read" });
    const { proxy: called, revoke: revokeCalled } = Proxy.revocable(() => 1, {});
    revokeCalled();
    expect(toErrorData(called).name).toBe("Error");
  });

  it("never throws, and returns JSON for any value", () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withMap: true, withNullPrototype: true }), (thrown) => {
        for (const data of [toErrorData(thrown), toErrorData({ message: thrown, details: thrown, cause: thrown })]) {
          expect(JSON.parse(JSON.stringify(data))).toEqual(data);
        }
      }),
    );
  });
});

describe("the limits of error data", () => {
  it("cut a long message once, and not within a character", () => {
    const data = toErrorData(new Error("😀".repeat(10_000)));
    expect(data.message.length).toBeLessThanOrEqual(8_192);
    expect(data.message).toMatch(/^(😀)+… \(20000 characters\)$/u);
    expect(toErrorData(data)).toEqual(data);
    const shifted = toErrorData(`a${"😀".repeat(10_000)}`);
    expect(shifted.message).toMatch(/^a(😀)+… /u);
  });

  it("keep at most five causes, even in a circle", () => {
    const error = new Error("round");
    error.cause = error;
    let depth = 0;
    for (let data = toErrorData(error).cause; data !== undefined; data = (data as ErrorData).cause) depth++;
    expect(depth).toBe(5);
  });

  it("keep small details", () => {
    expect(toErrorData({ message: "no", details: { a: [1, { b: null }] } }).details).toEqual({ a: [1, { b: null }] });
  });

  it.each([
    ["text", "a"],
    ["null", null],
    [
      "a cycle",
      (() => {
        const a: { a?: unknown } = {};
        a.a = a;
        return a;
      })(),
    ],
    ["a BigInt within", { a: 1n }],
    ["what becomes text", new Date(0)],
    ["what becomes nothing", { toJSON: () => undefined }],
    [
      "what throws",
      {
        get a() {
          throw new Error("no");
        },
      },
    ],
  ])("drop details that are %s", (_name, details) => {
    expect(toErrorData({ message: "no", details })).toEqual({ name: "Error", message: "no" });
  });

  it("shorten large details but keep their keys and types, as for three failures with a page of HTML", () => {
    const errors = [1, 2, 3].map((attempt) => toErrorData(new Error(`${attempt} ${"<p>".repeat(5_000)}`)));
    const details = { tool: "Fetch", stepId: "s1", attempts: 3, errors };
    const data = new AgentError("tool-failed", "Failed.", { details }).toJSON();
    expect(JSON.stringify(data.details).length).toBeLessThanOrEqual(16_384);
    expect(data.details).toMatchObject({ tool: "Fetch", stepId: "s1", attempts: 3 });
    expect(data.details.errors.map(({ message }) => message.slice(0, 5))).toEqual(["1 <p>", "2 <p>", "3 <p>"]);
  });

  it.each(["object", "list"])("shorten details that are nested too deeply, even small ones, within a %s", (kind) => {
    const nest = (levels: number): unknown =>
      levels === 0 ? "end" : kind === "list" ? [nest(levels - 1)] : { a: nest(levels - 1) };
    const levelsOf = (value: unknown): number =>
      typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(levelsOf)) : 0;
    for (const levels of [1, 49, 50, 1_000, 2_000]) {
      const data = toErrorData({ message: "no", details: { status: 500, a: nest(levels) } });
      expect(data.details).toMatchObject({ status: 500 });
      expect(levelsOf(data.details)).toBe(Math.min(levels, 50) + 1);
      // One error within the details of another one.
      const details = { tool: "Fetch", stepId: "s1", attempts: 1, errors: [data] };
      const failed = new AgentError("tool-failed", "Failed.", { details, cause: data }).toJSON();
      expect(failed.details).toMatchObject({ tool: "Fetch", errors: [{ message: "no", details: { status: 500 } }] });
      expect(levelsOf(failed)).toBeLessThan(60);
    }
  });

  it("keep the first of many issues", () => {
    const issues = Array.from({ length: 5_000 }, (_, index) => ({
      code: "unknown-tool" as const,
      path: ["steps", index, "tool"],
      message: `There is no tool "${index}".`,
    }));
    const data = new AgentError("invalid-plan", "Wrong.", { details: { issues } }).toJSON();
    expect(data.details.issues.length).toBeGreaterThan(3);
    expect(data.details.issues[0]).toEqual(issues[0]);
  });

  it("shorten further until the data fits, and keep the keys of what never fits", () => {
    const wide = (width: number, item: unknown) =>
      Object.fromEntries(Array.from({ length: width }, (_, index) => [`key ${index}`, item]));
    const detailsOf = (details: object) => toErrorData({ message: "no", details }).details;
    const list = new Array(15).fill(new Array(15).fill("x".repeat(2_500)));
    expect(detailsOf({ reason: "r", list })).toMatchObject({ reason: "r", list: { length: 4 } });
    expect(Object.keys(detailsOf(wide(5_000, 1)) ?? {})).toHaveLength(30);
    expect(detailsOf(wide(30, wide(30, wide(30, 1))))).toEqual(wide(30, {}));
  });
});
