import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { upgrades } from "../../../src/adapters/sqlite/formats.ts";
import { createSqliteTodos } from "../../../src/adapters/sqlite/sqlite-todos.ts";
import { createAgent } from "../../../src/agent.ts";
import type { ApprovalItem } from "../../../src/runs/decisions/decision-options.ts";
import { createFixtureTools } from "./formats/fixture-tools.ts";
import { checkIntegrity, drivers, newPath, openStore } from "./sqlite-files.ts";

/** A copy of a database as a released version has left it behind. */
function copyFixture(format: number): string {
  const path = newPath();
  writeFileSync(path, gunzipSync(readFileSync(new URL(`./formats/format-${format}.db.gz`, import.meta.url))));
  return path;
}

const formats = upgrades.map((_, index) => index + 1);

it("each format has a fixture: write-fixture.ts writes the newest", () => {
  const missing = formats.filter((format) => !existsSync(new URL(`./formats/format-${format}.db.gz`, import.meta.url)));
  expect(missing).toEqual([]);
  const files = readdirSync(new URL("./formats/", import.meta.url)).filter((name) => name.endsWith(".gz"));
  expect(files).toHaveLength(formats.length);
});

const cases = formats.flatMap((format) => drivers.map((driver) => ({ format, driver })));

describe.each(cases)("a file of format $format, opened with $driver,", ({ format, driver }) => {
  function open() {
    const path = copyFixture(format);
    const store = openStore(path, { driver });
    const todos = createSqliteTodos({ path, driver });
    onTestFinished(() => todos.close());
    return { path, todos, agent: createAgent({ tools: createFixtureTools(todos), store }) };
  }

  it("has all its runs and todos", async () => {
    const { path, agent, todos } = open();
    const { runs } = await agent.listRuns();
    expect(Object.fromEntries(runs.map(({ runId, status }) => [runId, status]))).toEqual({
      "todo-milk": "completed",
      "todo-call": "completed",
      "todo-done": "completed",
      completed: "completed",
      failed: "failed",
      undone: "failed",
      cancelled: "cancelled",
      waiting: "suspended",
      killed: "running",
      "killed-in-loop": "running",
      "in-doubt": "running",
      interrupted: "interrupted",
      unplanned: "planning",
    });
    const byUser = await agent.listRuns({ metadata: { user: "ada" } });
    expect(byUser.runs.map(({ runId }) => runId)).toEqual(["todo-milk"]);
    const summaries = new Map(runs.map((run) => [run.runId, run]));
    expect(summaries.get("todo-milk")).toMatchObject({ metadata: { user: "ada" }, startedAt: expect.any(String) });
    expect(summaries.get("waiting")?.pending?.count).toBe(format < 3 ? 0 : 1);
    expect(summaries.get("failed")?.error).toMatchObject({ code: "tool-failed" });
    expect(summaries.get("unplanned")).not.toHaveProperty("startedAt");
    expect((await agent.getRun("completed"))?.output).toEqual({ value: 2 });
    const { todos: kept } = todos.find("default", { limit: 10 });
    expect(kept.map(({ title, completed }) => [title, completed])).toEqual([
      ["milk", true],
      ["call \u{1F600}", false],
    ]);
    expect(checkIntegrity(path, driver)).toBe("ok");
  });

  it("has runs that can be resumed", async () => {
    const { agent, todos } = open();
    const resumed = await agent.resumeAll();
    // Several go on at once.
    const inOrder = [...resumed].sort((a, b) => (a.runId < b.runId ? -1 : 1));
    expect(inOrder.map(({ runId, result, error }) => [runId, result?.status ?? error, result?.output])).toEqual([
      ["in-doubt", "suspended", { numbers: [0, 1, 2] }],
      ["interrupted", "completed", { value: 2 }],
      ["killed", "completed", { value: 2 }],
      ["killed-in-loop", "completed", [{ value: 1 }, { value: 2 }, { value: 3 }]],
      ["unplanned", "completed", expect.objectContaining({ title: "bread" })],
    ]);
    expect(todos.find("default", { limit: 10 }).count).toBe(3);
    expect(await agent.resume("failed")).toMatchObject({ status: "completed", output: { value: 2 } });
    expect(await agent.resume("undone")).toMatchObject({ status: "failed" });
    const settled = await agent.settle("in-doubt", "act", { output: { value: 2 } }).result;
    expect(settled).toMatchObject({ status: "completed", output: { value: 2 } });
  });

  if (format <= 2)
    it("requests approvals again that were requested under a hash of the input alone", async () => {
      const { agent } = open();
      expect(await agent.getRun("waiting")).toMatchObject({ status: "suspended", pending: [] });
      const old: ApprovalItem = { kind: "approval", stepId: "act", hash: "0".repeat(64) };
      await expect(agent.approve("waiting", old).result).rejects.toMatchObject({
        code: "run-conflict",
        message: expect.stringContaining(
          'the question about step "act" was withdrawn; resume the run to be asked again',
        ),
      });
      const { status, pending = [] } = await agent.resume("waiting");
      expect(status).toBe("suspended");
      const [item, ...others] = pending;
      expect(others).toEqual([]);
      const approved = await agent.approve("waiting", item as ApprovalItem).result;
      expect(approved).toMatchObject({ status: "completed", output: { value: 2 } });
    });
});
