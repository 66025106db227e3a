import { describe, expect, it } from "vitest";
import { parseJson } from "../../../../src/planners/llm/reading/parse-json.ts";

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

describe("parseJson", () => {
  it("accepts JSON only", () => {
    expect(parseJson('{"a": [1, null]}')).toEqual({ a: [1, null] });
    expect(parseJson('"text"')).toBe("text");
    for (const text of ["", "{", "{a: 1}", "undefined", "[1,]"]) expect(parseJson(text)).toBeUndefined();
  });

  it("refuses nesting that would overflow the stack of its readers", () => {
    expect(parseJson(nested(100))).toBeDefined();
    expect(parseJson(nested(102))).toBeUndefined();
    expect(parseJson(nested(500_000))).toBeUndefined();
    expect(parseJson(`${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`)).toBeUndefined();
  });

  it("keeps __proto__ as a plain key", () => {
    const value = parseJson('{"__proto__": {"steps": []}}') as object;
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect("steps" in value).toBe(false);
  });
});
