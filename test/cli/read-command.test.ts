import { describe, expect, it } from "vitest";
import { isCommandOfAnyRun, readCommand } from "../../src/cli/parse-arguments.ts";

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
