import { describe, expect, it } from "vitest";
import { toErrorData } from "../../../src/core/error-data.ts";
import {
  calculationFailed,
  unexpectedCharacter,
  unknownFunction,
  unknownName,
} from "../../../src/tools/calculator/parse.ts";

describe("a calculation-failed error", () => {
  it("is data that survives JSON", () => {
    const error = calculationFailed("overflow", "The result is too large.", 4);
    expect(error).toBeInstanceOf(Error);
    expect(toErrorData(error)).toEqual({
      name: "AgentError",
      code: "calculation-failed",
      message: "The result is too large. (at character 5)",
      retryable: false,
      details: { problem: "overflow", position: 4 },
    });
  });
});

const messageFor = (text: string) => unexpectedCharacter(text, 0, "a number was expected").message;

describe("unexpectedCharacter", () => {
  it.each([
    ["–", 'Unexpected "–" (U+2013); write -.'],
    ["＋", 'Unexpected "＋" (U+FF0B); write +.'],
    ["∗", 'Unexpected "∗" (U+2217); write *.'],
    ["√", 'Unexpected "√" (U+221A); write sqrt(x).'],
    ["²", 'Unexpected "²" (U+00B2); write ^2.'],
    ["[", 'Unexpected "["; write (.'],
    [";", 'Unexpected ";"; write ,.'],
    ["=", 'Unexpected "="; leave out "="'],
    ["$", 'Unexpected "$"; leave out currency signs.'],
    ["€", 'Unexpected "€" (U+20AC); leave out currency signs.'],
    ["٣", 'Unexpected "٣" (U+0663); write numbers with the digits 0 to 9.'],
    ["е", 'Unexpected "е" (U+0435); names consist of A-Z, a-z, 0-9 and _.'],
    ["😀", 'Unexpected "😀" (U+1F600); a number was expected.'],
    ["\u0000", "Unexpected U+0000; a number was expected."],
    ["\u200b", "Unexpected U+200B; a number was expected."],
    ["\ud800", "Unexpected U+D800; a number was expected."],
    ["&", 'Unexpected "&"; a number was expected.'],
  ])("names %j", (character, expected) => {
    expect(messageFor(character)).toContain(expected);
  });
});

describe("unknownName", () => {
  it("lists the known names, and suggests the closest one", () => {
    expect(unknownName("totl", 3, ["total", "x"]).message).toBe(
      'There is no variable or constant "totl". Did you mean "total"? The variables are total, x; the constants are e, pi, tau. (at character 4)',
    );
    expect(unknownName("q", 0, []).message).toBe(
      'There is no variable or constant "q". No variables are given; the constants are e, pi, tau. (at character 1)',
    );
  });
});

describe("unknownFunction", () => {
  it("shortens a long name", () => {
    const { message } = unknownFunction("f".repeat(1_000), 0, true);
    expect(message).toContain(`"${"f".repeat(39)}…". To multiply, write ${"f".repeat(39)}… * ( … ).`);
  });
});
