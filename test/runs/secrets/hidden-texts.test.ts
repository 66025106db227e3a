import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HiddenTexts } from "../../../src/core/hidden-texts.ts";

function hiding(...values: readonly unknown[]): HiddenTexts {
  const hidden = new HiddenTexts();
  for (const value of values) hidden.add(value);
  return hidden;
}

describe("HiddenTexts", () => {
  it.each([
    ["abcd", "x abcd y abcd", "x [sensitive] y [sensitive]"],
    ["abcd", "abcdabcd", "[sensitive][sensitive]"],
    ["abc", "x abc y", "x abc y"],
    [1234, "pin 1234", "pin [sensitive]"],
    ["a b&c", "https://x.test/?q=a%20b%26c", "https://x.test/?q=[sensitive]"],
    ['say "x"', '{"a":"say \\"x\\""}', '{"a":"[sensitive]"}'],
    ["half \ud800", "half \ud800!", "[sensitive]!"],
    [{ a: ["deep", { b: "more" }], c: true }, "deep more true", "[sensitive] [sensitive] true"],
  ])("replaces %j", (value, text, shown) => {
    expect(hiding(value).hide(text)).toBe(shown);
  });

  it("replaces the longest of several with the same beginning", () => {
    const hidden = hiding("abcd", "abcdefghijklmnop", "abcdefghijklmnopqr", "abcdef");
    expect(hidden.hide("abcdefghijklmnopqr abcdefghijklmnop abcdefg abcd")).toBe(
      "[sensitive] [sensitive] [sensitive]g [sensitive]",
    );
  });

  it("leaves values unchanged when there is nothing to hide", () => {
    const value = { a: ["none", 1, null, 7351], b: "x" };
    expect(hiding("abcd").hideIn(value)).toBe(value);
    expect(hiding(7351).hideIn(value)).toEqual({ a: ["none", 1, null, "[sensitive]"], b: "x" });
  });

  it("leaves none of them in any text", () => {
    const secret = fc.string({ minLength: 4, maxLength: 30 }).filter((text) => !"[sensitive]".includes(text));
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 5 }), fc.array(fc.string()), (secrets, between) => {
        const text = secrets.map((one, index) => `${between[index] ?? "\u0001"}\u0001${one}\u0001`).join("");
        const parts = hiding(...secrets)
          .hide(text)
          .split("[sensitive]");
        for (const one of secrets) for (const part of parts) expect(part.includes(one)).toBe(false);
      }),
    );
  });
});
