import { describe, expect, it } from "vitest";
import { isCommandOfAnyRun, markRequest, parseArguments, readCommand } from "../../src/cli/parse-arguments.ts";
import { createFakeIo } from "./fake-io.ts";

function parse(...argv: readonly string[]) {
  return parseIn({}, ...argv);
}

function parseIn(env: Readonly<Record<string, string>>, ...argv: readonly string[]) {
  const io = createFakeIo({ env });
  return { parsed: parseArguments(argv, io), ...io.written };
}

const planner = { type: "rules" };
const noOptions = { planOnly: false, json: false, color: true, planner };

describe("parseArguments", () => {
  it("joins the words of a request", () => {
    const expected = { type: "request", request: "add milk to my list", options: noOptions };
    expect(parse("add milk to my list").parsed).toEqual(expected);
    expect(parse("add", "milk", "to", "my", "list").parsed).toEqual(expected);
  });

  it("reads options before and after the words", () => {
    const options = { planOnly: true, json: true, color: false, planner };
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
  ])("keeps the words of %j unchanged", (line, request) => {
    expect(parse(...line.split(" ")).parsed).toEqual({ type: "request", request, options: noOptions });
  });

  it("refuses an unknown --option after the words, and says how to write it as a word", () => {
    const { parsed, stderr } = parse("add", "milk", "--jsn");
    expect(parsed).toEqual({ type: "exit", exitCode: 2 });
    expect(stderr).toContain('after "--"');
    expect(parse("--", "add", "milk", "--jsn").parsed).toMatchObject({ request: "add milk --jsn" });
  });

  it.each([
    [["-3 + 5"], "-3 + 5"],
    [["-3", "+", "5"], "-3 + 5"],
    [["- milk"], "- milk"],
    [["--", "--json", "is", "a", "format"], "--json is a format"],
    [["add", "--", "-x"], "add -x"],
  ])("reads %j as words", (argv, request) => {
    expect(parse(...argv).parsed).toEqual({ type: "request", request, options: noOptions });
  });

  it.each([[[]], [[""]], [["  ", ""]], [["--json"]]])("shows its usage if %j has no request", (argv) => {
    const { parsed, stdout, stderr } = parse(...argv);
    expect(parsed).toEqual({ type: "exit", exitCode: 2 });
    expect(stdout).toBe("");
    expect(stderr).toContain("Usage: planwright");
  });

  it.each([["--bogus"], ["-x"], ["--jsn"]])("refuses the unknown option %s", (option) => {
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
    for (const known of [
      "--plan-only",
      "--json",
      "--no-color",
      "--version",
      "-h, --help",
      "--db",
      "show <run id>",
      "watch <run id>",
      "  tools ",
      "  chat ",
    ])
      expect(stdout).toContain(known);
  });

  it.each([
    [["--model", "qwen3", "add", "milk"]],
    [["--planner", "ollama", "--model", "qwen3", "add", "milk"]],
    [["add", "milk", "--model", "qwen3", "--planner", "ollama"]],
    [["--planner=ollama", "add milk", "--model=qwen3"]],
    [["--planner", "ollama", "add", "milk", "--model", "qwen3"]],
  ])("chooses an Ollama model as planner for %j", (argv) => {
    const choice = { type: "ollama", model: "qwen3", host: undefined };
    const expected = { type: "request", request: "add milk", options: { ...noOptions, planner: choice } };
    expect(parse(...argv).parsed).toEqual(expected);
  });

  it("reads the model and the host from the environment unless options name them", () => {
    const env = { OLLAMA_MODEL: "gemma4", OLLAMA_HOST: "box:11434" };
    const plannerOf = (...argv: readonly string[]) => {
      const { parsed } = parseIn(env, "--planner", "ollama", ...argv, "add milk");
      return parsed.type === "request" ? parsed.options.planner : parsed;
    };
    expect(plannerOf()).toEqual({ type: "ollama", model: "gemma4", host: "box:11434" });
    expect(plannerOf("--model", "qwen3", "--host", "http://here")).toMatchObject({
      model: "qwen3",
      host: "http://here",
    });
    expect(parseIn(env, "add milk").parsed).toMatchObject({ options: { planner } });
  });

  it.each([
    [["--planner", "ollama", "add milk"], "needs the name of a model: --model qwen3"],
    [["--model", "qwen3", "--planner", "rules", "add milk"], "option '--model' works only with the planner ollama"],
    [["--host", "box", "add milk"], "option '--host' works only with the planner ollama"],
    [["--planner", "gpt", "add milk"], "Allowed choices are rules, ollama"],
  ])("refuses %j", (argv, complaint) => {
    const { parsed, stderr } = parse(...argv);
    expect(parsed).toEqual({ type: "exit", exitCode: 2 });
    expect(stderr).toContain(complaint);
  });

  it("keeps words that look like planner options in the request", () => {
    const request = "add a todo to try --planner ollama today";
    expect(parse(...request.split(" ")).parsed).toMatchObject({ request, options: noOptions });
  });

  it("reads the path of the database", () => {
    const expected = { type: "request", request: "show me my tasks", options: { ...noOptions, db: "./todo.db" } };
    expect(parse("--db", "./todo.db", "show me my tasks").parsed).toEqual(expected);
    expect(parse("--db=./todo.db", "show", "me", "my", "tasks").parsed).toEqual(expected);
    expect(parse("show", "me", "my", "tasks", "--db", "./todo.db").parsed).toEqual(expected);
    const request = "add a todo to try --db a.db today";
    expect(parse(...request.split(" ")).parsed).toMatchObject({ request });
    expect(parseIn({ PLANWRIGHT_DB: "x", DB: "x" }, "add milk").parsed).toEqual({
      type: "request",
      request: "add milk",
      options: noOptions,
    });
  });

  it.each([
    [["runs"], { type: "runs" }],
    [["show", "run_1f-3.a"], { type: "show", runId: "run_1f-3.a" }],
    [["resume", "run_1"], { type: "resume", runId: "run_1" }],
    [["watch", "run_1"], { type: "watch", runId: "run_1" }],
    [["delete", "run_1"], { type: "delete", runId: "run_1" }],
    [["runs", "delete", "nightly"], { type: "delete", runId: "nightly" }],
  ])("reads %j as a command about stored runs, which needs a database", (words, command) => {
    const options = { ...noOptions, json: true, db: "a.db" };
    expect(parse("--json", "--db", "a.db", ...words).parsed).toEqual({ ...command, options });
    expect(parse(...words, "--db", "a.db", "--json").parsed).toEqual({ ...command, options });
    const { parsed, stdout, stderr } = parse(...words);
    expect([parsed, stdout]).toEqual([{ type: "exit", exitCode: 2 }, ""]);
    expect(stderr).toContain(`planwright ${words.join(" ")} --db ./todo.db`);
    const planOnly = parse("--plan-only", "--db", "a.db", ...words);
    expect(planOnly.parsed).toEqual({ type: "exit", exitCode: 2 });
    expect(planOnly.stderr).toContain("'--plan-only' is for a request");
  });

  it.each([
    [["show me my tasks"]],
    [["show", "me", "my", "tasks"]],
    [["show"]],
    [["show", "run_1", "again"]],
    [["show run_1"]],
    [["show", "run_1/2"]],
    [["Show", "run_1"]],
    [["resume"]],
    [["runs", "today"]],
    [["runs today"]],
    [["add", "runs"]],
    [["tools", "today"]],
    [["--", "tools"]],
    [["--", "runs"]],
    [["--", "show", "run_1"]],
    [["show", "--", "run_1"]],
  ])("reads %j as a request, with and without a database", (words) => {
    const request = words.filter((word) => word !== "--").join(" ");
    expect(parse(...words).parsed).toEqual({ type: "request", request, options: noOptions });
    const { parsed } = parse("--db", "a.db", ...words);
    expect(parsed).toEqual({ type: "request", request, options: { ...noOptions, db: "a.db" } });
  });

  it.each([
    [["show", "tasks"], { type: "show", runId: "tasks" }],
    [["show", "2026-11.nightly"], { type: "show", runId: "2026-11.nightly" }],
    [["watch", "movies"], { type: "watch", runId: "movies" }],
    [["resume", "nightly"], { type: "resume", runId: "nightly" }],
  ])("reads %j as a request, unless a run has that id", (words, ifRun) => {
    const request = words.join(" ");
    expect(parse(...words).parsed).toEqual({ type: "request", request, options: noOptions, ifRun });
    const kept = parse(...words, "--db", "a.db").parsed;
    expect(kept).toEqual({ type: "request", request, options: { ...noOptions, db: "a.db" }, ifRun });
    const planned = parse("--plan-only", ...words, "--db", "a.db").parsed;
    expect(planned).toEqual({ type: "request", request, options: { ...noOptions, planOnly: true, db: "a.db" } });
  });

  it.each([[["add", "milk", "--db"]], [["--db", "--json", "add milk"]], [["--db", "", "add milk"]]])(
    "requires a file in %j",
    (argv) => {
      const { parsed, stderr } = parse(...argv);
      expect(parsed).toEqual({ type: "exit", exitCode: 2 });
      expect(stderr).toContain("It must be a file name without");
    },
  );

  it.each([
    [["show", "run_1", "--html", "run.html"], { type: "show", runId: "run_1", html: "run.html" }],
    [["show", "run_1", "--mermaid"], { type: "show", runId: "run_1", mermaid: true }],
    [["--events", "show", "run_1"], { type: "show", runId: "run_1", events: true }],
    [["show", "nightly", "--mermaid"], { type: "show", runId: "nightly", mermaid: true }],
    [["--html=runs.html", "runs"], { type: "runs", html: "runs.html" }],
  ])("reads %j as a command with a form of its own, of a run with any id", (words, command) => {
    const options = { ...noOptions, db: "a.db" };
    expect(parse(...words, "--db", "a.db").parsed).toEqual({ ...command, options });
    expect(parse(...words).stderr).toContain("needs the file that contains the runs");
  });

  it.each([
    [["add milk", "--html", "x"], "option '--html' is for 'show', 'runs'"],
    [["watch", "run_1", "--html", "x"], "option '--html' is for 'show', 'runs'"],
    [["watch", "movies", "--events"], "option '--events' is for 'show'"],
    [["runs", "--mermaid"], "option '--mermaid' is for 'show'"],
    [["tools", "--events"], "option '--events' is for 'show'"],
    [["show", "run_1", "--html", "x", "--events"], "options '--html' and '--events' cannot be combined"],
    [["show", "run_1", "--mermaid", "--json"], "options '--mermaid' and '--json' cannot be combined"],
    [["runs", "--html", "x", "--json"], "options '--html' and '--json' cannot be combined"],
    [["show", "run_1", "--mermaid", "--plan-only"], "'--plan-only' is for a request, not for 'show'"],
    [["runs", "--html"], "It must be a file name without"],
    [["runs", "--html", "--json"], "It must be a file name without"],
    [["runs", "--html", ""], "It must be a file name without"],
  ])("refuses %j", (words, complaint) => {
    const { parsed, stdout, stderr } = parse("--db", "a.db", ...words);
    expect([parsed, stdout]).toEqual([{ type: "exit", exitCode: 2 }, ""]);
    expect(stderr).toContain(complaint);
  });

  it("reads tools as a command, with and without a database, but not with --plan-only", () => {
    expect(parse("tools").parsed).toEqual({ type: "tools", options: noOptions });
    const options = { ...noOptions, json: true, db: "a.db" };
    expect(parse("--json", "--db", "a.db", "tools").parsed).toEqual({ type: "tools", options });
    const planOnly = parse("tools", "--plan-only");
    expect(planOnly.parsed).toEqual({ type: "exit", exitCode: 2 });
    expect(planOnly.stderr).toContain("'--plan-only' is for a request, not for 'tools'");
    expect(parse("tools", "--keep", "1").stderr).toContain("option '--keep' is for 'prune'");
  });

  it("prints its version", () => {
    expect(parse("--version")).toMatchObject({ parsed: { type: "exit", exitCode: 0 }, stdout: "1.2.3\n", stderr: "" });
  });
});

describe("readCommand", () => {
  it.each([
    ["tools", { type: "tools" }],
    ["runs", { type: "runs" }],
    ["prune", { type: "prune" }],
    ["show run_1f-3.a", { type: "show", runId: "run_1f-3.a" }],
    ["watch run_1", { type: "watch", runId: "run_1" }],
    ["resume run_1", { type: "resume", runId: "run_1" }],
    ["delete run_1", { type: "delete", runId: "run_1" }],
    ["runs delete run_1", { type: "delete", runId: "run_1" }],
    ["verify run.json", { type: "verify", file: "run.json" }],
    ["verify ../a/Run.JSON", { type: "verify", file: "../a/Run.JSON" }],
    ["runs delete nightly", { type: "delete", runId: "nightly" }],
  ])("reads %j as a command", (line, command) => {
    const read = readCommand(line.split(" "));
    expect(read).toEqual(command);
    expect(read && isCommandOfAnyRun(read)).toBe(false);
  });

  it.each(["show", "watch", "resume"])(
    "reads %s with any other id as a command only if there is such a run",
    (type) => {
      const read = readCommand([type, "nightly"]);
      expect(read).toEqual({ type, runId: "nightly" });
      expect(read && isCommandOfAnyRun(read)).toBe(true);
    },
  );

  it.each([
    [[]],
    [["show"]],
    [["watch"]],
    [["verify"]],
    [["verify", "milk"]],
    [["verify", "run.json", "again"]],
    [["delete"]],
    [["delete", "milk"]],
    [["runs", "delete"]],
    [["runs", "run_1"]],
    [["tools", "run_1"]],
    [["prune", "run_1"]],
    [["show", "run_1", "again"]],
    [["runs", "delete", "run_1", "now"]],
    [["show run_1"]],
    [["Show", "run_1"]],
    [["watch", ""]],
    [["watch", "run_1/2"]],
    [["watch", `run_${"1".repeat(125)}`]],
    [["constructor", "run_1"]],
  ])("reads %j as no command", (words) => {
    expect(readCommand(words)).toBeUndefined();
  });
});

it.each([
  ["add milk", "-- add milk"],
  ["--json add milk", "--json -- add milk"],
  ["add milk --json", "--json -- add milk"],
  ["--db a.db show run_1 --html run.html", "--db a.db --html run.html -- show run_1"],
  ["show run_1 --mermaid --events", "--mermaid --events -- show run_1"],
  ["say --html x today", "-- say --html x today"],
  ["add -- --json", "-- add --json"],
  ["--json", "--json --"],
])("marks the request in %j", (line, marked) => {
  expect(markRequest(line.split(" "), ["--db", "--html"])).toEqual(marked.split(" "));
});
