import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { selections } from "../vitest.config.ts";

const paths = readdirSync("test", { recursive: true, encoding: "utf8" })
  .map((path) => `test/${path.replaceAll("\\", "/")}`)
  .filter((path) => path.endsWith(".test.ts"));

/** Reads `*` and `**`, which is all that the configuration uses. */
function toPattern(selection: string | RegExp): RegExp {
  if (typeof selection !== "string") return selection;
  const parts = selection.split("**").map((part) => part.replaceAll(".", "\\.").replaceAll("*", "[^/]*"));
  return new RegExp(`^${parts.join(".*").replaceAll(".*/", "(?:.*/)?")}$`);
}

it.each(selections.map((selection) => [String(selection), toPattern(selection)] as const))(
  "%s selects a file of tests",
  (_, pattern) => {
    expect(paths.some((path) => pattern.test(path))).toBe(true);
  },
);
