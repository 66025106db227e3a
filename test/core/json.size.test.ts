import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toJson } from "../../src/core/json.ts";

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const anyText = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units));

/** The size is exact if it fits into itself and not into one byte less. */
function expectExactSize(value: unknown): void {
  const bytes = bytesOf(value);
  expect(toJson(value, { maxBytes: bytes }).ok).toBe(true);
  expect(toJson(value, { maxBytes: bytes - 1 }).ok).toBe(false);
}

describe("the size of JSON", () => {
  it("equals the byte length of JSON.stringify, for any JSON", () => {
    fc.assert(fc.property(fc.jsonValue(), expectExactSize), { numRuns: 500 });
  });

  it("is exact for any text, including half surrogate pairs", () => {
    fc.assert(fc.property(anyText, expectExactSize), { numRuns: 500 });
    fc.assert(
      fc.property(anyText, fc.jsonValue(), (key, value) => expectExactSize({ [key]: value })),
      { numRuns: 300 },
    );
  });

  it("is exact for any number", () => {
    const numbers = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer());
    fc.assert(fc.property(numbers, expectExactSize), { numRuns: 500 });
    for (const value of [0, -0, 0.5, 9, 9.5, 10, -1, 1e21, 1e-7, 5e-324, Number.MAX_VALUE]) expectExactSize([value]);
  });

  it.each([
    ["every character of one byte and its escape", Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))],
    ["two, three and four bytes", ["é", "€", "😀", "\u2028", "\u2029", "\ufeff"]],
    ["halves of pairs", ["\ud800", "\udc00", "\ud800\ud800\udc00", "\udc00\ud800", "a\ud800"]],
    ["literals", [true, false, null, undefined, [], {}]],
    ["empty and nested holders", { a: [], b: {}, c: [[], [{}]], "": "" }],
    ["keys that are left out", { a: undefined, b: 1, c: undefined, d: { toJSON: () => undefined } }],
    ["dates and toJSON", { at: new Date(0), price: { toJSON: () => 9.99 } }],
  ])("is exact for %s", (_name, value) => {
    expectExactSize(value);
  });

  it("is reported with the limit and the path where it was exceeded", () => {
    const json = toJson({ a: "x".repeat(10), b: ["y".repeat(10)] }, { maxBytes: 30 });
    expect(json).toEqual({ ok: false, issue: { path: ["b", 0], message: "larger than 30 bytes of JSON" } });
  });

  it("is counted only up to the limit: nothing after it is read", () => {
    let reads = 0;
    const value = {
      big: "x".repeat(100_000_000),
      get after() {
        reads++;
        return 1;
      },
    };
    expect(toJson(value, { maxBytes: 1_048_576 })).toMatchObject({ ok: false, issue: { path: ["big"] } });
    expect(reads).toBe(0);
  });

  it("refuses a list that is too long before reading its items", () => {
    let reads = 0;
    const list = new Proxy(new Array(2 ** 32 - 1), {
      get(target, key) {
        if (key !== "length") reads++;
        return Reflect.get(target, key);
      },
    });
    expect(toJson({ list }, { maxBytes: 1_000 })).toMatchObject({ ok: false, issue: { path: ["list"] } });
    expect(reads).toBeLessThan(5);
  });

  it("is limited even if parts repeat without end", () => {
    let value: unknown = "leaf";
    for (let level = 0; level < 60; level++) value = [value, value];
    expect(toJson(value, { maxBytes: 10_000 }).ok).toBe(false);
  });
});
