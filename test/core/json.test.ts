import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { copyJson, setOwn, toJson } from "../../src/core/json.ts";

const jsonOf = (value: unknown) => {
  const json = toJson(value);
  if (!json.ok) throw new Error(`not JSON at ${json.issue.path.join(".")}: ${json.issue.message}`);
  return json.value;
};
const issueOf = (value: unknown) => {
  const json = toJson(value);
  return json.ok ? undefined : json.issue;
};

describe("toJson", () => {
  it("copies any JSON value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(jsonOf(value)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("treats plain objects, dates and missing values like JSON.stringify", () => {
    const values = fc.anything({ withDate: false, withNullPrototype: true, maxDepth: 3 });
    fc.assert(
      fc.property(values, (value) => {
        const json = toJson(value);
        if (json.ok && value !== undefined) expect(json.value).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it.each([
    ["a Date as ISO text", new Date(Date.UTC(2026, 0, 2)), "2026-01-02T00:00:00.000Z"],
    ["undefined as null", undefined, null],
    ["undefined in a list as null", [1, undefined], [1, null]],
    ["a hole in a list as null", Object.assign(new Array(3), { 0: 1, 2: 2 }), [1, null, 2]],
    ["an object without its undefined keys", { a: undefined, b: 1 }, { b: 1 }],
    ["an object without its symbol keys", { [Symbol("a")]: 1, b: 1 }, { b: 1 }],
    ["an object without what toJSON makes undefined", { a: { toJSON: () => undefined }, b: 1 }, { b: 1 }],
    ["what toJSON returns", { toJSON: () => ({ a: [1] }) }, { a: [1] }],
    ["what toJSON of a list returns", Object.assign([1], { toJSON: () => "list" }), "list"],
    ["a URL as text", new URL("https://example.com/a"), "https://example.com/a"],
    [
      "an instance of a class as its own keys",
      new (class Point {
        x = 1;
        get y() {
          return 2;
        }
      })(),
      { x: 1 },
    ],
    ["an object without a prototype", Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ["an object of another realm", runInNewContext("({ a: [new Date(0)] })"), { a: ["1970-01-01T00:00:00.000Z"] }],
    [
      "a getter's value",
      {
        get a() {
          return 1;
        },
      },
      { a: 1 },
    ],
  ])("converts %s", (_name, value, expected) => {
    expect(jsonOf(value)).toEqual(expected);
  });

  it("passes the key to toJSON", () => {
    const keyed = { toJSON: (key: string) => `key ${key}` };
    expect(jsonOf({ a: keyed, b: [keyed] })).toEqual({ a: "key a", b: ["key 0"] });
    expect(jsonOf(keyed)).toBe("key ");
  });

  it("converts -0 to 0", () => {
    expect(Object.is(jsonOf(-0), 0)).toBe(true);
  });

  it("keeps __proto__ as a plain key", () => {
    const value = jsonOf(JSON.parse('{"__proto__":{"admin":true},"a":{"__proto__":1}}'));
    expect(JSON.stringify(value)).toBe('{"__proto__":{"admin":true},"a":{"__proto__":1}}');
    expect((value as { admin?: unknown }).admin).toBeUndefined();
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it("accepts a repeated part, which is not a cycle", () => {
    const part = { a: 1 };
    expect(jsonOf([part, part, { part }])).toEqual([part, part, { part }]);
  });

  it("reads every getter once", () => {
    let reads = 0;
    jsonOf({
      get a() {
        reads++;
        return [1];
      },
    });
    expect(reads).toBe(1);
  });

  it("returns a deeply frozen copy", () => {
    const source = { a: [{ b: 1 }] };
    const copy = jsonOf(source) as { a: { b: number }[] };
    source.a[0] = { b: 2 };
    expect(copy).toEqual({ a: [{ b: 1 }] });
    expect([copy, copy.a, copy.a[0]].every(Object.isFrozen)).toBe(true);
  });

  it("does not change its own results", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => void expect(jsonOf(jsonOf(value))).toEqual(jsonOf(value))));
  });
});

describe("toJson refuses, with the path", () => {
  const path = ["rows", 1, "cell"];
  it.each([
    ["a BigInt", 1n, "BigInt"],
    ["NaN", Number.NaN, "NaN"],
    ["Infinity", Number.POSITIVE_INFINITY, "Infinity"],
    ["-Infinity", Number.NEGATIVE_INFINITY, "-Infinity"],
    ["a Map", new Map(), "Map"],
    ["a Set", new Set(), "Set"],
    ["a WeakMap", new WeakMap(), "WeakMap"],
    ["a Promise", Promise.resolve(), "Promise"],
    ["a RegExp", /a/, "RegExp"],
    ["an Error", new Error("no"), "Error"],
    ["binary data", new Uint8Array(2), "binary"],
    ["a Buffer, although it has toJSON", Buffer.from("a"), "binary"],
    ["a DataView", new DataView(new ArrayBuffer(2)), "binary"],
    ["an ArrayBuffer", new ArrayBuffer(2), "ArrayBuffer"],
    ["a boxed text", Object("a"), "String"],
    ["an iterator", [1].values(), "Iterator"],
    ["headers", new Headers(), "Headers"],
    ["a function", () => 1, "function"],
    ["a class", class {}, "function"],
    ["a symbol", Symbol("a"), "symbol"],
    ["an invalid Date", new Date(Number.NaN), "invalid Date"],
    ["a toJSON that returns a BigInt", { toJSON: () => 1n }, "BigInt"],
    ["a toJSON that returns a Map", { toJSON: () => new Map() }, "Map"],
    ["an Error of another realm", runInNewContext("new Error('no')"), "Error"],
  ])("%s", (_name, value, word) => {
    const issue = issueOf({ rows: [{}, { cell: value }] });
    expect(issue?.path).toEqual(path);
    expect(issue?.message).toContain(word);
    expect(issueOf(value)?.path).toEqual([]);
  });

  it("a cycle", () => {
    const node: { next?: unknown; list: unknown[] } = { list: [] };
    node.next = node;
    expect(issueOf({ a: [node] })?.path).toEqual(["a", 0, "next"]);
    const list: unknown[] = [];
    list.push({ list });
    expect(issueOf(list)?.path).toEqual([0, "list"]);
    expect(issueOf(list)?.message).toMatch(/cycle/);
  });

  it("a cycle of fresh objects, and one of getters that throw when read again", () => {
    const endless = {
      get next(): unknown {
        return { ...Object.create(null), next: Object.create(endless) };
      },
    };
    expect(issueOf(endless)).toBeUndefined();
    const chain = (): object => ({
      get next() {
        return chain();
      },
    });
    expect(issueOf(chain())?.message).toMatch(/500 levels/);
    const once = (): object => {
      let isRead = false;
      return {
        get next() {
          if (isRead) throw new Error("read again");
          isRead = true;
          return once();
        },
      };
    };
    expect(issueOf(once())?.message).toMatch(/500 levels/);
  });

  it("more than 500 levels of nesting, even 100 000", () => {
    const nest = (levels: number) => {
      let value: unknown = 1;
      for (let level = 0; level < levels; level++) value = [value];
      return value;
    };
    expect(issueOf(nest(500))).toBeUndefined();
    expect(issueOf(nest(100_000))).toMatchObject({ path: new Array(10).fill(0) });
  });

  it.each([
    ["an error", new Error("boom"), "Error: boom"],
    ["text", "boom", "boom"],
    ["an object that cannot be text", Object.create(null), "Object without keys"],
  ])("a getter, toJSON or proxy that throws %s", (_name, thrown, thrownText) => {
    const getter = {
      a: {
        get b() {
          throw thrown;
        },
      },
    };
    const json = {
      a: {
        b: {
          toJSON() {
            throw thrown;
          },
        },
      },
    };
    const trap = {
      a: {
        b: new Proxy(
          {},
          {
            ownKeys() {
              throw thrown;
            },
          },
        ),
      },
    };
    for (const value of [getter, json, trap]) {
      expect(issueOf(value)?.path).toEqual(["a", "b"]);
      expect(issueOf(value)?.message).toContain(thrownText);
    }
  });

  it("a revoked proxy", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(issueOf({ a: proxy })?.path).toEqual(["a"]);
  });

  it("any invalid value without throwing", () => {
    const anything = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withObjectString: true,
      withSparseArray: true,
      withTypedArray: true,
    });
    fc.assert(fc.property(anything, (value) => void expect(typeof toJson(value).ok).toBe("boolean")));
  });
});

describe("copyJson", () => {
  it("returns a deep copy that can be changed", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const frozen = jsonOf(value);
        const copy = copyJson(frozen);
        expect(copy).toEqual(frozen);
        if (typeof copy === "object" && copy !== null) expect(Object.isFrozen(copy)).toBe(false);
      }),
    );
  });

  it("keeps __proto__ as a plain key", () => {
    const copy = copyJson(JSON.parse('{"a":{"__proto__":{"admin":true}}}'));
    expect(JSON.stringify(copy)).toBe('{"a":{"__proto__":{"admin":true}}}');
    expect(copy.a.admin).toBeUndefined();
  });
});

it("setOwn never sets a prototype", () => {
  const target: Record<string, unknown> = {};
  setOwn(target, "__proto__", { admin: true });
  setOwn(target, "a", 1);
  expect(Object.keys(target)).toEqual(["__proto__", "a"]);
  expect(target.admin).toBeUndefined();
});

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
