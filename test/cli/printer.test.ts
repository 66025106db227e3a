import { expect, it } from "vitest";
import { createColors } from "../../src/cli/printer.ts";

it("createColors colours text or leaves it unchanged, whatever Node detects about the terminal", () => {
  expect(createColors(true).bold("a")).toBe("\u001b[1ma\u001b[22m");
  expect(createColors(true).yellow("a")).toBe("\u001b[33ma\u001b[39m");
  expect(createColors(false).red("a")).toBe("a");
});
