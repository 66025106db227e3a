import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutText, describeThrown, printable, printableJson, suggestName } from "../../src/core/text.ts";

const unreadable = Proxy.revocable({}, {});
unreadable.revoke();

it.each([
  ["an error", new TypeError("no"), "TypeError: no"],
  ["text", "no", "no"],
  ["nothing", undefined, "undefined"],
  ["a symbol", Symbol("s"), "Symbol(s)"],
  ["a function", () => "secret", "a function"],
  ["an empty object", Object.create(null), "Object without keys"],
  ["a list", ["secret"], "Array with the keys 0"],
  ["an object", { body: "secret", headers: {} }, "Object with the keys body, headers"],
  ["an object of a class of the platform", new Headers(), "Headers without keys"],
  ["many keys", Object.fromEntries(new Array(30).fill(0).map((_, index) => [`k${index}`, 1])), /k0, .*k19 …$/],
  ["what cannot be read", unreadable.proxy, "something that cannot be read"],
])("describeThrown reveals only the safe parts of %s", (_name, thrown, expected) => {
  expect(describeThrown(thrown)).toMatch(expected);
});

describe("cutText", () => {
  it.each([
    ["abc", 3, "abc"],
    ["abcd", 3, "ab…"],
    ["", 3, ""],
    ["ab\u{1F600}d", 4, "ab…"],
    ["a\u{1F600}cd", 4, "a\u{1F600}…"],
  ])("cuts %j to %i as %j", (text, max, expected) => {
    expect(cutText(text, max)).toBe(expected);
    expect(expected.isWellFormed()).toBe(true);
  });

  it("ends with the given text instead of …", () => {
    expect(cutText("abcdefgh", 6, " (8)")).toBe("ab (8)");
    expect(cutText("abcd", 3, "")).toBe("abc");
  });
});

describe("suggestName", () => {
  it.each([
    ["sqr", ' Did you mean "sqrt"?'],
    ["SQTR", ' Did you mean "sqrt"?'],
    ["cosine", ""],
    ["flor", ' Did you mean "floor"?'],
    ["maximum", ""],
    ["a", ""],
    ["", ""],
  ])("after %j adds %j", (name, expected) => {
    expect(suggestName(name, ["max", "cos", "sqrt", "floor"])).toBe(expected);
  });
});

const obeyed = /[\u0080-\u009f\u202a-\u202e\u2066-\u2069]|[^\P{Cc}\n]/u;

describe("printable", () => {
  it("escapes what a terminal would obey", () => {
    expect(printable("a\nb\r\t\u001b[31mred\u0007\u007f\u009b2J\u202e")).toBe(
      "a\\nb\\r\\t\\u001b[31mred\\u0007\\u007f\\u009b2J\\u202e",
    );
  });

  it("leaves all other text unchanged, including emoji of several code points", () => {
    const text = "Grüße, 你好, שלום, \u{1F468}\u200d\u{1F469}\u200d\u{1F467} \\n ${HOME}";
    expect(printable(text)).toBe(text);
  });

  it("leaves no control character in any text", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => !/\p{Cc}|\p{Bidi_C}/u.test(printable(text))));
  });
});

describe("printableJson", () => {
  it("is the same JSON, without control characters", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = printableJson(value, indent);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        return !obeyed.test(text);
      }),
    );
    expect(printableJson({ a: "\u001b\u009b\u2028" })).toBe('{"a":"\\u001b\\u009b\\u2028"}');
  });

  it("prints null for a value that is not JSON", () => {
    expect(printableJson(undefined)).toBe("null");
  });
});
