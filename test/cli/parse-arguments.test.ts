import { describe, expect, it } from "vitest";
import { parseArguments } from "../../src/cli/parse-arguments.ts";
import { createFakeIo } from "./fake-io.ts";

function parse(...argv: readonly string[]) {
  const io = createFakeIo();
  return { parsed: parseArguments(argv, io), ...io.written };
}

const noOptions = { planOnly: false, json: false, color: true };

describe("parseArguments", () => {
  it("joins the words of a request", () => {
    const expected = { type: "request", request: "add milk to my list", options: noOptions };
    expect(parse("add milk to my list").parsed).toEqual(expected);
    expect(parse("add", "milk", "to", "my", "list").parsed).toEqual(expected);
  });

  it("reads options before, between and behind the words", () => {
    const options = { planOnly: true, json: true, color: false };
    const expected = { type: "request", request: "add milk", options };
    expect(parse("--plan-only", "--json", "--no-color", "add milk").parsed).toEqual(expected);
    expect(parse("add", "--json", "milk", "--no-color", "--plan-only").parsed).toEqual(expected);
  });

  it.each([
    [["-3 + 5"], "-3 + 5"],
    [["-3", "+", "5"], "-3 + 5"],
    [["- milk"], "- milk"],
    [["--", "--json", "is", "a", "format"], "--json is a format"],
    [["add", "--", "-x"], "add -x"],
  ])("takes %j for words", (argv, request) => {
    expect(parse(...argv).parsed).toEqual({ type: "request", request, options: noOptions });
  });

  it.each([[[]], [[""]], [["  ", ""]], [["--json"]]])("shows how it is used where %j has no request", (argv) => {
    const { parsed, stdout, stderr } = parse(...argv);
    expect(parsed).toEqual({ type: "exit", exitCode: 2 });
    expect(stdout).toBe("");
    expect(stderr).toContain("Usage: planwright");
  });

  it.each([["--bogus"], ["-x"], ["--jsn"]])("does not know %s", (option) => {
    const { parsed, stdout, stderr } = parse(option, "add milk");
    expect(parsed).toEqual({ type: "exit", exitCode: 2 });
    expect(stdout).toBe("");
    expect(stderr).toContain(`unknown option '${option}'`);
    expect(stderr).toContain("--help");
  });

  it("prints help that fits a screen", () => {
    const { parsed, stdout, stderr } = parse("--help");
    expect(parsed).toEqual({ type: "exit", exitCode: 0 });
    expect(stderr).toBe("");
    const lines = stdout.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines.every((line) => line.length <= 80)).toBe(true);
    for (const option of ["--plan-only", "--json", "--no-color", "--version", "--help"])
      expect(stdout).toContain(option);
  });

  it("prints its version", () => {
    expect(parse("--version")).toMatchObject({ parsed: { type: "exit", exitCode: 0 }, stdout: "1.2.3\n", stderr: "" });
  });
});
