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

  it("reads options before the words and behind them", () => {
    const options = { planOnly: true, json: true, color: false };
    const expected = { type: "request", request: "add milk", options };
    expect(parse("--plan-only", "--json", "--no-color", "add milk").parsed).toEqual(expected);
    expect(parse("--json", "add", "milk", "--no-color", "--plan-only").parsed).toEqual(expected);
    expect(parse("add milk", "--json", "--no-color", "--plan-only").parsed).toEqual(expected);
  });

  it.each([
    ["add a todo to use --json flag", "add a todo to use --json flag"],
    ["Calculate -pi + 3", "Calculate -pi + 3"],
    ["Calculate 3 + -pi", "Calculate 3 + -pi"],
    ["add --bogus milk", "add --bogus milk"],
  ])("leaves the words of %j as they are", (line, request) => {
    expect(parse(...line.split(" ")).parsed).toEqual({ type: "request", request, options: noOptions });
  });

  it("takes an unknown --option behind the words for a mistake, and says how to write it as a word", () => {
    const { parsed, stderr } = parse("add", "milk", "--jsn");
    expect(parsed).toEqual({ type: "exit", exitCode: 2 });
    expect(stderr).toContain('behind "--"');
    expect(parse("--", "add", "milk", "--jsn").parsed).toMatchObject({ request: "add milk --jsn" });
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

  it.each(["--help", "-h"])("prints help that fits a screen for %s", (option) => {
    const { parsed, stdout, stderr } = parse(option);
    expect(parsed).toEqual({ type: "exit", exitCode: 0 });
    expect(stderr).toBe("");
    const lines = stdout.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines.every((line) => line.length <= 80)).toBe(true);
    for (const known of ["--plan-only", "--json", "--no-color", "--version", "-h, --help"])
      expect(stdout).toContain(known);
  });

  it("prints its version", () => {
    expect(parse("--version")).toMatchObject({ parsed: { type: "exit", exitCode: 0 }, stdout: "1.2.3\n", stderr: "" });
  });
});
