import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAgent } from "planwright";
import { createSqliteRunStore } from "planwright/sqlite";
import { describe, expect, it } from "vitest";
import { loadTools } from "../../src/cli/load-tools.ts";
import { newFolder } from "../new-folder.ts";
import { call } from "./call-with-db.ts";

const text = `const schema = { type: "object", properties: { to: { type: "string" }, euros: { type: "number" },
  fast: { type: "boolean", default: true } }, required: ["to", "euros"], additionalProperties: false };
const inputSchema = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value: { fast: true, ...value } }),
  jsonSchema: { input: () => schema, output: () => schema } } };
export default async () => [{ name: "Transfer", description: "Sends money", effect: "once", inputSchema,
  phrases: async () => ["send {euros} euros to {to}"], needsApproval: ({ euros }) => euros > 100, execute: () => "sent" }];`;

/** A run of an app's own tools in a file: Ada is paid, and Ben waits for a person. */
async function startApp() {
  const folder = newFolder();
  const [db, tools, page] = ["runs.db", "tools.mjs", "page.html"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(tools, text);
  const store = createSqliteRunStore({ path: db });
  const agent = createAgent({ tools: await loadTools(tools), store });
  const plan = await agent.plan("send 20 euros to Ada, then send 500 euros to Ben");
  const { pending: [item] = [] } = await agent.execute(plan, { runId: "run_1" });
  const close = async () => {
    await agent.close();
    store.close();
  };
  return { db, tools, page, agent, item: item as never, close };
}

describe("the command with the tools of an app", () => {
  it("shows a run in their words, on a page, too", async () => {
    const { db, tools, page, close } = await startApp();
    await close();
    const { stdout, stderr } = await call(db, "show", "run_1", "--tools", tools);
    expect(stderr).toBe("");
    expect(stdout).toContain("\n  send 20 euros to Ada, then send 500 euros to Ben\n");
    expect(stdout).toContain(`  s2  send 500 euros to Ben
      Transfer {"euros":500,"to":"Ben"}
      fast: yes, by default
      once, may ask first, after s1`);
    expect(stdout).toContain("s2 needs approval: send 500 euros to Ben (fast: yes, by default)\n");
    expect((await call(db, "show", "run_1")).stdout).toContain("unknown tool");
    expect((await call(db, "watch", "run_1", "--tools", tools)).stdout).toContain("s1  send 20 euros to Ada");
    await call(db, "show", "run_1", "--tools", tools, "--html", page);
    expect(readFileSync(page, "utf8")).toContain("<b>s2</b> send 500 euros to Ben (fast: yes, by default) ");
    await call(db, "runs", "--tools", tools, "--html", page);
    expect(readFileSync(page, "utf8")).toMatch(/send 20 euros to Ada, then[\s\S]*about step .*: send 500 euros to Ben/);
  });

  it("shows a run that a person refused: by whom and why", async () => {
    const { db, tools, page, agent, item, close } = await startApp();
    await agent.reject("run_1", item, { by: "Cleo", reason: "too much" }).result;
    await close();
    const { stdout } = await call(db, "show", "run_1", "--tools", tools);
    expect(stdout).toContain("\n  refused, ");
    expect(stdout).toContain('\nplanwright: Step "s2" was refused by Cleo: too much\n');
    expect((await call(db, "runs")).stdout).toMatch(/^run_1 {2}refused {6}.*send 20 euros/);
    await call(db, "show", "run_1", "--html", page);
    const html = readFileSync(page, "utf8");
    expect(html).toContain('<div class="notice wait">Step &quot;s2&quot; was refused by Cleo: too much</div>');
    expect(html).not.toContain("AgentError");
    await call(db, "runs", "--html", page);
    expect(readFileSync(page, "utf8")).toMatch(
      /What was refused[\s\S]*Step &quot;s2&quot; was refused by Cleo: too much/,
    );
  });

  it.each([
    ["a file that throws", 'throw new Error("no key");', /: Error: no key$/],
    ["a file that throws null", "throw null;", /: null$/],
    ["a function that throws", "export default () => { throw 5; };", /: 5$/],
    ["a file that exports nothing", "", /whose default export is a list of tools/],
    ["a tool that is none", "export default [5];", /tools\[0\]/],
    [
      "two tools of one name",
      text.replace("() => [", "() => [0, 0].map(() => (").replace("}];", "}));"),
      /: Two tools/,
    ],
  ])("refuses %s", async (_name, content, message) => {
    const file = join(newFolder(), "t.mjs");
    writeFileSync(file, content);
    const error = await loadTools(file).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: "invalid-options", message: expect.stringMatching(message) });
    expect(error.message.startsWith(`Cannot load "${file}": `)).toBe(true);
  });

  it("takes --tools for explain, show, runs and watch alone", async () => {
    const { stderr } = await call(join(newFolder(), "runs.db"), "resume", "run_1", "--tools", "./tools.ts");
    expect(stderr).toContain("option '--tools' is for 'explain', 'show', 'runs', 'watch'");
  });
});
