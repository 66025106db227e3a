import { linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSqliteRunStore } from "planwright/sqlite";
import { createFakeTool, createManualClock, createScriptedPlanner } from "planwright/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDatabase } from "../../src/adapters/sqlite/database-file.ts";
import { type CliOptions, createCliAgent } from "../../src/cli/cli-io.ts";
import { describeFileError, saveFile } from "../../src/cli/run-commands.ts";
import { newFolder } from "../new-folder.ts";
import { call, fakeIo, listIds } from "./call-with-db.ts";
import { callCli, createFakeAgent, createFakeIo } from "./fake-io.ts";

describe("--db", () => {
  it("keeps todos and runs for the next call", async () => {
    const db = join(newFolder(), "new", "todo.db");
    expect(await call(db, "add a todo to buy milk")).toMatchObject({ exitCode: 0, stderr: "" });
    const { exitCode, stdout } = await call(db, "show me my tasks");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/Result\n {2}1 open todo: buy milk/);
    expect(await listIds(db)).toHaveLength(2);
  });

  it("keeps notes for the next call", async () => {
    const db = join(newFolder(), "runs.db");
    await call(db, "Add note to PROP-2025-001: Legal review completed");
    const { stdout, exitCode } = await call(db, "List notes for PROP-2025-001");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("Legal review completed");
    expect((await call(db, "List notes for PROP-2")).stdout).toContain("No notes for PROP-2.");
  });

  it("passes the file to the agent, and closes it even if the run fails", async () => {
    const io = createFakeIo();
    expect((await callCli(["--db", "a.db", "add milk"], io)).exitCode).toBe(0);
    expect([io.choices, io.closed]).toEqual([[{ planner: { type: "rules" }, db: "a.db" }], 1]);
    expect(io.terminators.size).toBe(0);
    const failing = createFakeIo({ agent: createFakeAgent({ planner: createScriptedPlanner([new Error("no")]) }) });
    expect((await callCli(["--db", "a.db", "add milk"], failing)).exitCode).toBe(1);
    expect([failing.closed, failing.terminators.size]).toEqual([1, 0]);
  });

  it("creates no file with --plan-only", async () => {
    const folder = newFolder();
    expect((await call(join(folder, "todo.db"), "--plan-only", "add milk")).exitCode).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("reports in one line what is wrong with the file, and exits with 1", async () => {
    const folder = newFolder();
    const db = join(folder, "bad.db");
    writeFileSync(db, "no database\n");
    for (const words of [["add milk"], ["runs"], ["show", "run_1"], ["resume", "run_1"]]) {
      const { exitCode, stdout, stderr } = await call(db, ...words);
      expect([exitCode, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(/^planwright: The database ".*bad\.db" is damaged, or is not a database .*\n$/);
    }
    const { stdout } = await call(db, "--json", "runs");
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "store-failed", details: { problem: "corrupt" } } });
    const broken = join(folder, "broken.db");
    createSqliteRunStore({ path: broken }).close();
    const raw = openDatabase({ path: broken, driver: undefined, busyTimeoutMs: 1 });
    raw.exec("DROP TABLE todos");
    raw.close();
    expect((await call(broken, "add milk")).stderr).toMatch(/is damaged, .*the table "todos" is missing/);
    expect((await call(folder, "add milk")).stderr).toMatch(/is a folder\. Give the path of a file\.\n$/);
    expect(await call("file:x.db", "add milk")).toMatchObject({ exitCode: 2, stdout: "" });
  });

  it("creates no file when there are no runs to read", async () => {
    const folder = newFolder();
    for (const words of [["runs"], ["show", "run_1"], ["resume", "run_1"]]) {
      const { exitCode, stderr } = await call(join(folder, "typo.db"), ...words);
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/^planwright: There is no file ".*typo\.db"/);
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("planwright runs", () => {
  it("lists the newest run first, one per line", async () => {
    const db = join(newFolder(), "todo.db");
    await call(db, "add a todo to buy milk");
    await call(db, "Sing a song");
    const { exitCode, stdout, stderr } = await call(db, "runs");
    expect([exitCode, stderr]).toEqual([0, ""]);
    const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`;
    expect(stdout).toMatch(
      new RegExp(
        `^run_\\S+  refused      ${time}  Sing a song\nrun_\\S+  completed    ${time}  add a todo to buy milk\n$`,
      ),
    );
  });

  it("prints one JSON document with --json, even if there are several pages", async () => {
    const db = join(newFolder(), "todo.db");
    writeFileSync(db, "");
    const at = "1970-01-01T00:00:01.000Z";
    const run = (runId: string) =>
      ({ runId, status: "completed", metadata: {}, createdAt: at, updatedAt: at }) as const;
    const pages = [{ runs: [run("run_3"), run("run_2")], cursor: "next" }, { runs: [run("run_1")] }] as const;
    const listRuns = async ({ cursor }: { cursor?: string | undefined } = {}) => pages[cursor === "next" ? 1 : 0];
    const io = () => createFakeIo({ agent: { ...createFakeAgent(), listRuns } });
    const { stdout } = await callCli(["runs", "--json", "--db", db], io());
    expect(JSON.parse(stdout)).toEqual({ runs: pages.flatMap(({ runs }) => runs) });
    const lines = (await callCli(["runs", "--db", db], io())).stdout.split("\n");
    expect(lines.map((line) => line.slice(0, 5))).toEqual(["run_3", "run_2", "run_1", ""]);
    expect(lines[0]).toBe("run_3  completed    1970-01-01T00:00:01Z  (a plan)");
  });

  it("prints that there are no runs", async () => {
    const db = join(newFolder(), "todo.db");
    createSqliteRunStore({ path: db }).close();
    expect(await call(db, "runs")).toEqual({ exitCode: 0, stdout: "No runs.\n", stderr: "" });
    expect(JSON.parse((await call(db, "runs", "--json")).stdout)).toEqual({ runs: [] });
  });
});

describe("planwright show", () => {
  it("shows the current state of a run", async () => {
    const db = join(newFolder(), "todo.db");
    await call(db, "add a todo to buy milk");
    const [runId = ""] = await listIds(db);
    const { exitCode, stdout, stderr } = await call(db, "show", runId);
    expect([exitCode, stderr]).toEqual([0, ""]);
    const [id, status, ...rest] = stdout.split("\n");
    expect(id).toBe(runId);
    expect(status).toMatch(/^ {2}completed, \S+Z to \S+Z$/);
    expect(rest.join("\n")).toBe(`  add a todo to buy milk

Plan
  s1  add the todo "buy milk"
      TodoStore {"operation":"add","title":"buy milk"}

Run
  ✔ s1 TodoStore: Added "buy milk".

Result
  Added "buy milk".
`);
    const json = JSON.parse((await call(db, "show", runId, "--json")).stdout);
    expect(json).toMatchObject({ runId, status: "completed", request: "add a todo to buy milk", steps: [{}] });
  });

  it("shows the message of a failed step once", async () => {
    const db = join(newFolder(), "todo.db");
    const { stdout, stderr } = await call(db, "Calculate 1 / 0");
    const message = "Division by zero";
    expect([stdout.includes(message), stderr.split(message).length]).toEqual([false, 2]);
    const [failed = ""] = await listIds(db);
    const shown = await call(db, "show", failed);
    expect(shown.stdout).toContain("\n  failed, ");
    expect(shown.stdout).toContain("\n  ✖ s1 Calculator: failed\n");
    expect(shown.stdout.split(message)).toHaveLength(2);
  });

  it("shows why a run was refused or what it waits for, and exits with 0", async () => {
    const db = join(newFolder(), "todo.db");
    await call(db, "Sing a song");
    const [refused = ""] = await listIds(db);
    const { exitCode, stdout, stderr } = await call(db, "show", refused);
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("\n  refused, ");
    expect(stdout).toContain("planwright: The request cannot be planned: ");
    const tools = [
      createFakeTool({ name: "Fake", effect: "once", timeoutMs: 1, outcomes: [{ hangs: "until-aborted" }] }),
    ];
    expect((await callCli(["add milk", "--db", db], fakeIo(db, { tools }))).exitCode).toBe(1);
    const suspended = await call(db, "show", "run_1");
    expect(suspended.stdout).toContain("\n  suspended, ");
    expect(suspended.stdout).toMatch(
      /\n {2}✖ s1 Fake: unknown, .*\n\nplanwright: the run is suspended: it is not known/,
    );
  });

  it("reports an unknown run, as resume does", async () => {
    const db = join(newFolder(), "todo.db");
    createSqliteRunStore({ path: db }).close();
    for (const name of ["show", "resume"]) {
      const { exitCode, stdout, stderr } = await call(db, name, "run_none");
      expect([exitCode, stdout]).toEqual([1, ""]);
      expect(stderr).toBe(
        `planwright: There is no run "run_none" in "${db}". To list the runs: planwright runs --db ${db}\n`,
      );
      const json = await call(db, name, "run_none", "--json");
      expect(JSON.parse(json.stdout)).toMatchObject({ error: { code: "run-not-found" } });
    }
  });
});

describe("planwright resume", () => {
  const steps = ["s1", "s2"].map((id) => ({
    id,
    tool: "Fake",
    input: { id },
    dependsOn: id === "s1" ? [] : ["s1"],
  }));
  const planner = () => createScriptedPlanner([{ steps }]);

  it("continues a run that SIGTERM stopped with exit code 143, and prints the rest of it", async () => {
    const db = join(newFolder(), "todo.db");
    const clock = createManualClock();
    const stopped = createFakeTool({
      name: "Fake",
      clock,
      outcomes: [{ returns: "first" }, { hangs: "until-aborted" }],
    });
    let calls = 0;
    const io = fakeIo(db, { clock, planner: planner(), tools: [stopped] });
    const { createAgent } = io;
    io.createAgent = async (choice) => {
      const made = await createAgent(choice);
      made.agent.on("step-start", () => {
        if (++calls === 2) queueMicrotask(() => io.terminators.forEach((tell) => void tell()));
      });
      return made;
    };
    const first = await clock.runUntil(callCli(["add milk", "--db", db], io));
    expect(first.exitCode).toBe(143);
    expect(first.stderr).toBe(
      `planwright: Interrupted: the agent was closed with a timeoutMs of 5000. The run can be resumed later.\nResume the run: planwright resume run_1 --db ${db}\n`,
    );
    expect(first.stdout).toContain("  ✖ s2 Fake: interrupted 3.0 s\n");
    const shown = await call(db, "show", "run_1");
    expect(shown.stdout).toContain("\n  ✔ s1 Fake: first\n  ✖ s2 Fake: interrupted");
    expect(shown.stdout).toMatch(/\nResume the run: planwright resume run_1 --db .*\n$/);

    const going = createFakeTool({ name: "Fake", outcomes: [{ returns: "second" }] });
    const second = await callCli(["resume", "run_1", "--db", db], fakeIo(db, { tools: [going] }));
    expect(second).toEqual({
      exitCode: 0,
      stderr: "",
      stdout: `Plan
  s1  Fake {"id":"s1"}
  s2  Fake {"id":"s2"}
      after s1

Run
  > s2 Fake
  ✔ s2 Fake: second (attempt 2)

Result
  first
  second
`,
    });
    expect(going.calls).toHaveLength(1);
  });

  it("prints one JSON document with --json, and only the result of a run that has ended", async () => {
    const db = join(newFolder(), "todo.db");
    await call(db, "add a todo to buy milk");
    const [runId = ""] = await listIds(db);
    const json = await call(db, "resume", runId, "--json");
    expect(JSON.parse(json.stdout)).toMatchObject({ runId, status: "completed" });
    expect(await call(db, "resume", runId)).toEqual({
      exitCode: 0,
      stdout: '\nResult\n  Added "buy milk".\n',
      stderr: "",
    });
    expect((await call(db, "show me my tasks")).stdout).toContain("1 open todo: buy milk.");
  });

  it("is cancelled by Ctrl-C", async () => {
    const db = join(newFolder(), "todo.db");
    const failing = createFakeTool({ name: "Fake", retry: { maxAttempts: 1 }, outcomes: [{ throws: "no" }] });
    expect((await callCli(["x", "--db", db], fakeIo(db, { planner: planner(), tools: [failing] }))).exitCode).toBe(1);
    const hanging = createFakeTool({ name: "Fake", outcomes: [{ hangs: "until-aborted" }] });
    const io = fakeIo(db, { tools: [hanging] });
    const { createAgent } = io;
    io.createAgent = async (choice) => {
      const made = await createAgent(choice);
      made.agent.on("step-start", () => queueMicrotask(() => io.controller.abort("Ctrl-C was pressed")));
      return made;
    };
    const { exitCode, stderr } = await callCli(["resume", "run_1", "--db", db], io);
    expect([exitCode, stderr]).toEqual([130, "planwright: Cancelled: Ctrl-C was pressed\n"]);
  });

  it("refuses a run that is active in another process", async () => {
    const db = join(newFolder(), "todo.db");
    const failing = createFakeTool({ name: "Fake", retry: { maxAttempts: 1 }, outcomes: [{ throws: "no" }] });
    await callCli(["x", "--db", db], fakeIo(db, { planner: planner(), tools: [failing] }));
    const store = createSqliteRunStore({ path: db });
    onTestFinished(() => store.close());
    store.claim("run_1", { owner: "another", ttlMs: 1_000_000 });
    const { exitCode, stderr } = await callCli(["resume", "run_1", "--db", db], fakeIo(db, { tools: [failing] }));
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      'planwright: Run "run_1" is active in another process. If that process has died, try again in half a minute.\n',
    );
  });
});

describe("planwright delete and prune", () => {
  it("delete one run, or those that have ended, but never a todo by mistake", async () => {
    const db = join(newFolder(), "todo.db");
    for (const title of ["milk", "eggs", "bread"]) await call(db, `add ${title}`);
    const [newest = ""] = await listIds(db);
    expect(await call(db, "delete", newest)).toMatchObject({ exitCode: 0, stdout: "Deleted 1 run.\n" });
    expect(await listIds(db)).toHaveLength(2);
    expect(await call(db, "delete", newest)).toMatchObject({ exitCode: 1, stdout: "" });
    expect(JSON.parse((await call(db, "prune", "--keep", "1", "--json")).stdout)).toEqual({ deleted: 1 });
    expect((await call(db, "prune", "--before", "2020-01-01", "--status", "failed,completed")).stdout).toBe(
      "Deleted 0 runs.\n",
    );
    expect((await call(db, "delete milk")).stdout).toMatch(/Result/);
    const [first = ""] = await listIds(db);
    expect((await call(db, "runs", "delete", first)).stdout).toBe("Deleted 1 run.\n");
    const { stderr } = await call(db, "runs", "delete", "nightly");
    expect(stderr).toMatch(/There is no run "nightly"/);
  });

  it.each([
    [["prune"], /needs --before, --keep or both/],
    [["prune", "--keep", "-1"], /whole number/],
    [["prune", "--before", "tomorrow"], /must be a time/],
    [["prune", "--keep", "1", "--status", "odd"], /planning, running/],
    [["runs", "--keep", "1"], /'--keep' is for 'prune'/],
    [["add milk", "--before", "2026-01-01"], /'--before' is for 'prune'/],
  ])("refuse %j", async (words, said) => {
    const { exitCode, stderr } = await call(join(newFolder(), "todo.db"), ...words);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(said);
  });
});

it("show, watch and resume find a run by any id, and treat other words as a request", async () => {
  const db = join(newFolder(), "todo.db");
  const io = fakeIo(db, { tools: [createFakeTool({ name: "Fake" })] });
  const { agent, close } = await io.createAgent({ planner: { type: "rules" }, db });
  await agent.execute({ steps: [{ id: "a", tool: "Fake", input: {} }] }, { runId: "nightly" });
  close();
  for (const name of ["show", "watch", "resume"]) {
    expect((await call(db, name, "nightly")).stdout).toMatch(name === "show" ? /^nightly\n/ : /Result/);
    expect((await call(db, name, "--", "nightly")).exitCode).toBe(2);
  }
  expect((await call(db, "show", "tasks")).stdout).toContain("No todos.");
  const unknown = await call(db, "show", "order-4711");
  expect(unknown.exitCode).toBe(2);
  expect(unknown.stderr).toContain(`There is no run "order-4711" in "${db}". To list the runs: planwright`);
  const kept = await callCli(["show", "order-4711"], { ...createFakeIo(), createAgent: createCliAgent });
  expect(kept.stderr).toContain("To show a stored run: planwright show order-4711 --db ./todo.db");
  expect((await call(db, "resume", "order-4711")).stderr).toContain('There is no run "order-4711"');
  const watched = await callCli(["watch", "movies"], { ...createFakeIo(), createAgent: createCliAgent });
  expect(watched.stderr).toContain("To watch a stored run: planwright watch movies --db ./todo.db");
});

function callWith(db?: string) {
  return { options: { planOnly: false, json: false, color: true, planner: { type: "rules" }, db } as CliOptions };
}

describe("saveFile", () => {
  it("writes a new file, or another text into one that exists", async () => {
    const file = join(newFolder(), "run.html");
    for (const text of ["x".repeat(1_000_000), "é 日本", ""]) {
      await saveFile(callWith(), file, text);
      expect(readFileSync(file, "utf8")).toBe(text);
    }
  });

  it.each([
    ["none/run.html", "no such file or folder."],
    ["text/run.html", "part of its path is not a folder."],
    ["folder", "it is a folder."],
    ["x".repeat(300), "ENAMETOOLONG: name too long, open '"],
    ["nul\0", "must be a string, Uint8Array, or URL without null bytes"],
  ])("rejects with the reason for %j", async (name, reason) => {
    const folder = newFolder();
    mkdirSync(join(folder, "folder"));
    writeFileSync(join(folder, "text"), "");
    const saved = saveFile(callWith(join(folder, "text")), join(folder, name), "text");
    await expect(saved).rejects.toThrow(reason);
  });

  it("does not write over the database, whatever the file is called", async () => {
    const folder = newFolder();
    const db = join(folder, "todo.db");
    writeFileSync(db, "runs");
    symlinkSync(db, join(folder, "link"));
    linkSync(db, join(folder, "other"));
    for (const file of [
      db,
      `${folder}/../${folder.split("/").at(-1)}/todo.db`,
      join(folder, "link"),
      join(folder, "other"),
    ]) {
      await expect(saveFile(callWith(db), file, "page")).rejects.toThrow(
        `The file "${file}" contains the runs. Choose another file.`,
      );
    }
    expect(readFileSync(db, "utf8")).toBe("runs");
  });
});

it("describeFileError explains what is common, and repeats what is not", () => {
  expect(describeFileError(Object.assign(new Error("EACCES: …"), { code: "EACCES" }))).toBe("permission denied");
  expect(describeFileError(new Error("odd"))).toBe("odd");
});
