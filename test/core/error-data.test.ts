import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hideUrlKeys, hideUrlKeysIn, recordedStack as recorded, toErrorData } from "../../src/core/error-data.ts";

it.each([
  ["GET https://x.test/a?api_key=abc&q=1 failed", "GET https://x.test/a?api_key=[sensitive]&q=1 failed"],
  ["https://ann:pw@x.test/", "https://[sensitive]@x.test/"],
  ["(https://x.test/#access_token=a.b-c)", "(https://x.test/#access_token=[sensitive])"],
  ["/a?X-Amz-Signature=0f;sig=1", "/a?X-Amz-Signature=[sensitive];sig=[sensitive]"],
  ["https://x.test/?q=key&page=2", "https://x.test/?q=key&page=2"],
  ["mail ann@x.test, a=b", "mail ann@x.test, a=b"],
  ["no such thing", "no such thing"],
])("hides the keys in %s", (text, hidden) => {
  expect(hideUrlKeys(text)).toBe(hidden);
});

it("hides keys in values and in errors, their causes and details", () => {
  const url = "https://x.test/?token=abc";
  const hidden = "https://x.test/?token=[sensitive]";
  expect(hideUrlKeysIn({ a: [url, 1, null] })).toEqual({ a: [hidden, 1, null] });
  const thrown = Object.assign(new Error(url, { cause: url }), { details: { url } });
  expect(toErrorData(thrown)).toEqual({
    name: "Error",
    message: hidden,
    details: { url: hidden },
    cause: { name: "Error", message: hidden },
  });
});

it("takes linear time for text that looks like many URLs", () => {
  const text = `${"?key".repeat(50_000)}${"://a".repeat(50_000)}= @`;
  expect(hideUrlKeys(text)).toBe(text);
});

const withStack = (stack: unknown, message = "broken") => Object.assign(new Error(message), { stack });
const recordedStack = (thrown: unknown) => recorded(thrown, toErrorData(thrown));
const frames = (count: number) => Array.from({ length: count }, (_, index) => `    at f${index} (a.ts:1:1)`).join("\n");

describe("a recorded stack", () => {
  it("consists of the message and 10 frames", () => {
    expect(recordedStack(withStack(`Error: broken\n${frames(30)}`))).toBe(`Error: broken\n${frames(10)}`);
    expect(recordedStack(withStack(`Error: broken\n${frames(3)}`))).toBe(`Error: broken\n${frames(3)}`);
  });

  it("keeps its frames if the message has many lines, or is not in it", () => {
    const message = `it threw\n${frames(20)}`;
    expect(recordedStack(withStack(`Error: ${message}\n    at mine (b.ts:1:1)`, message))).toMatch(
      /mine \(b\.ts:1:1\)$/,
    );
    expect(recordedStack(withStack(`Error\n${frames(2)}`, ""))).toBe(`Error\n${frames(2)}`);
  });

  it.each([
    ["of one line", "Error: before"],
    ["of many lines", "Error: before\nand\n  at before\n(before:1)"],
  ])("begins with the recorded message, not with the one %s that the error was made with", (_what, before) => {
    expect(recordedStack(withStack(`${before}\n${frames(2)}\nCaused by: before`, "after"))).toBe(
      `Error: after\n${frames(2)}`,
    );
  });

  it("keeps the frames of every kind", () => {
    const kinds = [
      "    at async Promise.all (index 0)",
      "    at new Promise (<anonymous>)",
      "    at file:///a/b.js:1:22",
      "    at Array.map (native)",
      "run@http://localhost/a.js:1:22",
    ].join("\n");
    expect(recordedStack(withStack(`Error: broken\n${kinds}`))).toBe(`Error: broken\n${kinds}`);
  });

  it("has at most 2 000 characters, most of them for the frames", () => {
    const long = "x".repeat(100_000);
    const stack = recordedStack(withStack(`Error: ${long}\n    at mine (b.ts:1:1)`, long)) ?? "";
    expect(stack).toMatch(/mine \(b\.ts:1:1\)$/);
    expect(stack.length).toBeLessThan(600);
    expect(
      recordedStack(withStack(`Error: broken\n${`    at ${"f".repeat(400)} (a.ts:1:1)\n`.repeat(9)}`)),
    ).toHaveLength(2_000);
    expect(recordedStack(withStack(`Error: ${long}`, long))).toHaveLength(500);
  });

  it.each([
    ["no error", { stack: "secret" }],
    ["text", "secret"],
    ["null", null],
    ["an error whose stack is empty", withStack("")],
    ["an error whose stack is no text", withStack([1])],
  ])("is undefined for %s", (_what, thrown) => {
    expect(recordedStack(thrown)).toBeUndefined();
  });

  it("is undefined if it cannot be read", () => {
    const fragile = Object.defineProperty(new Error("no"), "stack", {
      get: () => {
        throw new Error("no");
      },
    });
    expect(recordedStack(fragile)).toBeUndefined();
    const { proxy, revoke } = Proxy.revocable(new Error("no"), {});
    revoke();
    expect(recordedStack(proxy)).toBeUndefined();
  });

  it("exists for an error of another realm", () => {
    expect(recordedStack(runInNewContext('new TypeError("broken")'))).toMatch(/^TypeError: broken\n {4}at /);
  });

  it("has a maximum size for any stack and message", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 5_000 }), fc.string({ maxLength: 100 }), (stack, message) => {
        const recorded = recordedStack(withStack(stack, message)) ?? "";
        expect(recorded.length).toBeLessThanOrEqual(2_000);
        expect(recorded.split("\n").length).toBeLessThanOrEqual(11 + (message.match(/\n/g)?.length ?? 0));
      }),
    );
  });
});
