import { describe, expect, it } from "vitest";
import { Scanner } from "../../../src/tools/calculator/parse.ts";

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
    expect(scanner.isBeforeOperand()).toBe(expected);
    expect(scanner.position).toBe(1);
  });

  it("returns undefined at the end", () => {
    expect(new Scanner(" ").peek()).toBeUndefined();
  });
});
