import { describe, expect, it } from "vitest";
import { cutText, describeThrown, suggestName } from "../../src/core/text.ts";

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
