import { isAgentError } from "planwright";
import { describe, expect, it } from "vitest";
import { toErrorData } from "../../../src/core/error-data.ts";
import {
  calculationFailed,
  type Instruction,
  operandStart,
  parse,
  Scanner,
  unexpectedCharacter,
  unknownFunction,
  unknownName,
} from "../../../src/tools/calculator/parse.ts";

const limits = { maxLength: 1_000, maxDepth: 10, isVariable: (name: string) => name === "x" || name === "sum" };

/** The instructions in the notation of a pocket calculator that takes operands first. */
function postfix(expression: string): string {
  return parse(expression, limits).map(show).join(" ");
}

function show(instruction: Instruction): string {
  switch (instruction.type) {
    case "number":
      return instruction.text;
    case "name":
      return instruction.name;
    case "operator":
      return instruction.operator;
    case "call":
      return `${instruction.name}/${instruction.argumentCount}`;
  }
}

function fault(expression: string): string {
  try {
    parse(expression, limits);
  } catch (error) {
    if (isAgentError(error, "calculation-failed"))
      return `${error.details.problem} at ${error.details.position}: ${error.message}`;
  }
  return "none";
}

describe("parse", () => {
  it.each([
    ["1 + 2 * 3", "1 2 3 multiply add"],
    ["(1 + 2) * 3", "1 2 add 3 multiply"],
    ["1 - 2 - 3", "1 2 subtract 3 subtract"],
    ["8 / 4 * 2", "8 4 divide 2 multiply"],
    ["2 ^ 3 ^ 2", "2 3 2 power power"],
    ["-3 ^ 2", "3 2 power negate"],
    ["2 ^ -3 ^ 2", "2 3 2 power negate power"],
    ["2 ^ -3 * 4", "2 3 negate power 4 multiply"],
    ["2 * -3", "2 3 negate multiply"],
    ["+-+1", "1 negate"],
    ["-3!", "3 factorial negate"],
    ["2 ^ 3!", "2 3 factorial power"],
    ["8 % 3", "8 3 remainder"],
    ["8 % (3)", "8 3 remainder"],
    ["8 % x", "8 x remainder"],
    ["8 %", "8 percent"],
    ["8% * 3", "8 percent 3 multiply"],
    ["8% - 3", "8 percent 3 subtract"],
    ["(8%)", "8 percent"],
    ["max(8%, 3)", "8 percent 3 max/2"],
    ["2 ^ 50%", "2 50 percent power"],
    ["2 ** 3 ** 2", "2 3 2 power power"],
    ["6 × 2 ÷ 3 − 1 · 4 ⋅ 5", "6 2 multiply 3 divide 1 4 multiply 5 multiply subtract"],
    ["−2", "2 negate"],
    ["sqrt(4) + MAX(1, 2, 3)", "4 sqrt/1 1 2 3 max/3 add"],
    ["max ( 1 , min(2, 3) )", "1 2 3 min/2 max/2"],
    ["pi * x", "pi x multiply"],
    ["sum", "sum"],
    ["sum(sum, 1)", "sum 1 sum/2"],
    [".5 + 5. + 1e3 + 1.5E-2 + 2.e+1", ".5 5. add 1e3 add 1.5E-2 add 2.e+1 add"],
    ["1\u00a0+\t2\n", "1 2 add"],
  ])("%s is %s", (expression, expected) => {
    expect(postfix(expression)).toBe(expected);
  });

  it("records the position of each instruction", () => {
    expect(parse("1 + max(22, 3)", limits).map(({ position }) => position)).toEqual([0, 8, 12, 4, 2]);
  });

  it.each([
    ["", "syntax at 0: The expression is empty"],
    ["  ", "syntax at 2: The expression is empty"],
    ["1 +", "syntax at 3: The expression ends too early"],
    ["(", "syntax at 1: The expression ends too early"],
    ["2 * (3 + 4", 'syntax at 4: This "(" is never closed'],
    ["1 + sqrt (4", 'syntax at 9: This "(" is never closed'],
    ["2)", 'syntax at 1: There is no "(" for this ")"'],
    ["()", 'syntax at 1: Unexpected ")"; a number'],
    ["* 2", 'syntax at 0: Unexpected "*"; a number'],
    ["1 2", 'syntax at 2: An operator is missing before "2"'],
    ["2(3)", 'syntax at 1: An operator is missing before "("; to multiply, write *'],
    ["2 pi", 'syntax at 2: An operator is missing before "pi"'],
    ["50% of 200", 'syntax at 4: An operator is missing before "of"'],
    ["1.2.3", 'syntax at 3: An operator is missing before ".3"'],
    ["1e5e", 'syntax at 3: An operator is missing before "e"'],
    [".", 'syntax at 0: Unexpected "."'],
    ["2 + 2 =", 'syntax at 6: Unexpected "="; leave out "="'],
    ["1,000", 'syntax at 1: "," only separates'],
    ["(1, 2)", 'syntax at 2: "," only separates'],
    ["max(1,000)", 'syntax at 6: ",000" looks like a thousands separator'],
    ["max(1,)", 'syntax at 6: Unexpected ")"'],
    ["3!!", 'syntax at 2: "!!" can be'],
    ["3! !", 'syntax at 3: "!!" can be'],
    ["sqrt()", "wrong-arguments at 0: sqrt takes 1 argument; it was given 0."],
    ["1 + round(1, 2, 3)", "wrong-arguments at 4: round takes 1 or 2 arguments; it was given 3."],
    ["max()", "wrong-arguments at 0: max takes at least 1 argument; it was given 0."],
    ["mod(1)", "wrong-arguments at 0: mod takes 2 arguments; it was given 1."],
    ["sqr(4)", 'unknown-function at 0: There is no function "sqr". Did you mean "sqrt"? The functions are abs, '],
    ["constructor(4)", 'unknown-function at 0: There is no function "constructor". The functions are'],
    ["x(4)", 'unknown-function at 0: There is no function "x". To multiply, write x * ( … ).'],
    ["pi(4)", 'unknown-function at 0: There is no function "pi". To multiply, write pi * ( … ).'],
    ["sqrt 4", 'unknown-name at 0: "sqrt" is a function; write sqrt(x).'],
    [`${"(".repeat(11)}1`, "too-deep at 10: More than 10 parentheses are open at once."],
    ["1".repeat(1_001), "too-long at 1000: The expression has 1001 characters; at most 1000 are allowed."],
  ])("refuses %j", (expression, expected) => {
    expect(fault(expression)).toContain(expected);
  });

  it("ends each message with the character position, counted from 1", () => {
    expect(fault("1 2")).toMatch(/\(at character 3\)$/);
  });

  it("limits the length of a number", () => {
    expect(() => parse(`1 + ${"7".repeat(1_001)}`, { ...limits, maxLength: 5_000 })).toThrow(
      "A number has 1001 characters; at most 1000 are allowed. (at character 5)",
    );
  });

  it("limits the number of open parentheses, not of all", () => {
    expect(parse("(1)+".repeat(100).concat("1"), limits)).toHaveLength(201);
  });
});

describe("Scanner", () => {
  it("reads numbers and names, and skips spaces", () => {
    const scanner = new Scanner("  12.5e-3 \n x_1(");
    expect(scanner.peek()).toBe("1");
    expect(scanner.takeName()).toBeUndefined();
    expect(scanner.takeNumber()).toBe("12.5e-3");
    expect(scanner.peek()).toBe("x");
    expect(scanner.takeNumber()).toBeUndefined();
    expect(scanner.takeName()).toBe("x_1");
    expect(scanner.peek()).toBe("(");
    expect(scanner.position).toBe(15);
  });

  it("does not skip a zero-width space or NUL", () => {
    expect(new Scanner("\u200b1").peek()).toBe("\u200b");
    expect(new Scanner("\u00001").peek()).toBe("\u0000");
  });

  it.each([
    ["%3", true],
    ["% x", true],
    ["%(", true],
    ["% .5", true],
    ["% offer", true],
    ["% of 3", false],
    ["% + 3", false],
    ["%", false],
  ])("detects whether an operand follows in %s", (text, expected) => {
    const scanner = new Scanner(text);
    scanner.position = 1;
    expect(scanner.isBefore(operandStart)).toBe(expected);
    expect(scanner.position).toBe(1);
  });

  it("returns undefined at the end", () => {
    expect(new Scanner(" ").peek()).toBeUndefined();
  });
});

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
