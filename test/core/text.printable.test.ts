import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printable, printableJson } from "../../src/core/text.ts";

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
