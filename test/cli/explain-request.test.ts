import { spawnSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createCliAgent } from "../../src/cli/cli-io.ts";
import { loadTools } from "../../src/cli/load-tools.ts";
import { buildChild } from "../adapters/sqlite/processes/start-child.ts";
import { newFolder } from "../new-folder.ts";
import { callCli, createFakeIo } from "./fake-io.ts";

const call = (...argv: readonly string[]) => callCli(argv, { ...createFakeIo(), createAgent: createCliAgent });

const tools = `[{
  name: "Cancel", description: "Cancels an order", effect: "once", phrases: ["cancel order {order}"], execute() {},
  inputSchema: { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }),
    jsonSchema: { input: () => schema, output: () => schema } } },
}]`;
const schema = `const schema = { type: "object", properties: { order: { type: "number" } }, required: ["order"], additionalProperties: false };`;

function write(name: string, text: string): string {
  const path = join(newFolder(), name);
  writeFileSync(path, text);
  return path;
}

const list = `${schema}\nexport default ${tools};`;
const made = `${schema}\nexport default async () => ${tools};`;

describe("planwright explain", () => {
  it.each([
    ["a list", "tools.mjs", list],
    ["a function", "tools.mjs", made],
    ["TypeScript", "tools.ts", `${schema}\nconst count: number = 1;\nexport default ${tools}.slice(0, count);`],
  ])("shows the phrases and the plan of a request, with the tools of a file that exports %s", async (_, name, text) => {
    const file = write(name, text);
    for (const words of [
      ["explain", "--tools", file, "cancel order 12"],
      ["--tools", file, "explain", "cancel", "order", "12"],
      ["explain", "cancel order 12", "--tools", file],
    ]) {
      const { exitCode, stdout, stderr } = await call(...words);
      expect([exitCode, stderr]).toEqual([0, ""]);
      expect(stdout).toBe(
        `cancel order 12: Cancel, by the phrase "cancel order {order}"\n  "cancel order" is part of the phrase\n  "12" is the order\ns1  cancel order 12\n    Cancel {"order":12}\n    once\n`,
      );
    }
  });

  it("shows a refusal and requests that are planned, and knows the tools of the command", async () => {
    const { exitCode, stdout, stderr } = await call("explain", "remind me to");
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^planwright: .*does not say the title/);
    const { stdout: json } = await call("--json", "explain", "add", "milk", "to", "my", "list");
    expect(JSON.parse(json)).toMatchObject({ steps: [{ tool: "TodoStore" }], parts: [{ tool: "TodoStore" }] });
  });

  it.each([
    ["a file that is missing", () => "/nowhere/tools.mjs", /"--tools" must be a file that exists/],
    ["no list", () => write("t.mjs", "export default 5;"), /whose default export is a list of tools/],
    ["a tool that is none", () => write("t.mjs", "export default [5];"), /tools\[0\]/],
  ])("refuses %s", async (_, file, message) => {
    const { exitCode, stderr } = await call("explain", "--tools", file(), "cancel order 12");
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
  });

  it("finds phrases that compete, with --lint", async () => {
    expect(await call("explain", "--lint")).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^Each phrase that could be tried \(all but \d+\) is planned as intended\.\n$/),
      stderr: "",
    });
    const file = write("tools.mjs", `${list.replace("cancel order {order}", "cancel {order}, then add milk")}`);
    const { exitCode, stdout } = await call("explain", "--lint", "--tools", file);
    expect(exitCode).toBe(1);
    const said =
      'the phrase "cancel {order}, then add milk" is refused, as in "cancel 3, then add milk". The request cannot';
    expect(stdout.startsWith(`Cancel: ${said} be planned: `)).toBe(true);
    const { stdout: json } = await call("--json", "explain", "--tools", file, "--lint");
    expect(JSON.parse(json)).toMatchObject({ problems: [{ tool: "Cancel", problem: "refused" }] });
  });

  it("says with --lint how many phrases could not be tried", async () => {
    const phrases = ["() => undefined", "() => { throw new Error(); }", "() => ({ order: 1 })"].map(
      (toInput, index) => `{ phrase: "undo {order} for ${index}", slots: {}, toInput: ${toInput} }`,
    );
    const file = write("tools.mjs", list.replace('"cancel order {order}"', phrases.join(", ")));
    const { exitCode, stdout } = await call("explain", "--lint", "--tools", file);
    expect([exitCode, stdout]).toEqual([0, "Each phrase that could be tried (all but 2) is planned as intended.\n"]);
    const { stdout: json } = await call("--json", "explain", "--lint", "--tools", file);
    expect(JSON.parse(json)).toEqual({ problems: [], untried: 2 });
  });

  it.each([[["explain"]], [["explain", "--lint", "add milk"]]])("refuses %j", async (argv) => {
    const { exitCode, stderr } = await call(...argv);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("'explain' takes a request or --lint");
  });

  it("reads what Node cannot by the tsx beside the file, or names both", async () => {
    const file = write("tools.ts", `${schema}\nenum Kind { order }\nexport default ${tools} as readonly object[];`);
    const failing = (code: string, message: string) => () =>
      Promise.reject(Object.assign(new TypeError(message), { code }));
    const old = failing("ERR_UNKNOWN_FILE_EXTENSION", `Unknown file extension ".ts" for ${file}`);
    const strict = failing("ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX", "TypeScript enum is not supported in strip-only mode");
    const advice = 'un "npm install --save-dev tsx".';
    for (const [load, message] of [
      [old, `This version of Node cannot load this TypeScript file. Use Node 22.18 or later, or r${advice}`],
      [strict, `This version of Node cannot load this TypeScript file. R${advice}`],
    ] as const)
      await expect(loadTools(file, load)).rejects.toMatchObject({ code: "missing-dependency", message });
    const imported = 'Unknown file extension ".graphql" for /q.graphql';
    await expect(loadTools(file, failing("ERR_UNKNOWN_FILE_EXTENSION", imported))).rejects.toMatchObject({
      code: "invalid-options",
      message: `Cannot load "${file}": TypeError: ${imported}`,
    });
    symlinkSync(resolve("node_modules"), join(dirname(file), "node_modules"), "dir");
    const { script, remove } = buildChild("src/cli/load-tools.ts");
    onTestFinished(remove);
    const code = `import { loadTools } from ${JSON.stringify(script)};
      console.log(...(await loadTools(${JSON.stringify(file)})).map(({ name }) => name));`;
    const child = spawnSync(process.execPath, ["--input-type=module", "-e", code], { cwd: "/", encoding: "utf8" });
    expect([child.stdout, child.stderr]).toEqual(["Cancel\n", ""]);
  });

  it("ends although a file of tools keeps a timer, with all that it has printed", () => {
    const file = write("tools.mjs", `setInterval(() => {}, 1_000);\n${list}`);
    const argv = ["--import", "tsx", "src/cli/main.ts", "--tools", file, "explain", "--json", "cancel order 12"];
    const child = spawnSync(process.execPath, argv, { encoding: "utf8", timeout: 60_000 });
    expect([child.status, child.stderr]).toEqual([0, ""]);
    expect(JSON.parse(child.stdout)).toMatchObject({ steps: [{ tool: "Cancel" }] });
  });

  it("is for --tools, which nothing else takes", async () => {
    const { exitCode, stderr } = await call("--tools", "./tools.ts", "add milk");
    expect(exitCode).toBe(2);
    expect(stderr).toContain("option '--tools' is for 'explain'");
  });
});
