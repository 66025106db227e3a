import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentEvent, createMemoryRunStore, type RunSnapshot } from "planwright";
import { createFakeTool } from "planwright/testing";
import { describe, expect, it, vi } from "vitest";
import { newFolder } from "../new-folder.ts";
import { call, fakeIo, listIds } from "./call-with-db.ts";
import { callCli, createFakeAgent, createFakeIo } from "./fake-io.ts";

async function addMilk() {
  const folder = newFolder();
  const db = join(folder, "todo.db");
  await call(db, "add a todo to buy milk");
  const [runId = ""] = await listIds(db);
  return { folder, db, runId };
}

/** What the command is given, with a store of its own. */
function ioWith(store = createMemoryRunStore()) {
  const agent = createFakeAgent({ store });
  return { ...createFakeIo(), store, createAgent: async () => ({ agent, store, close: () => {} }) };
}

/** The events of a run that has not ended, as its process has died, after many retries of its only step. */
async function cutOff(retries: number): Promise<readonly AgentEvent[]> {
  const agent = createFakeAgent({ createId: () => "1" });
  const { runId } = await agent.run("add milk");
  const events: AgentEvent[] = [];
  for await (const event of agent.events(runId)) if (event.sequence <= 4) events.push(event);
  const error = { name: "Error", message: "no" };
  for (let attempt = 1; attempt <= retries; attempt++) {
    events.push({
      type: "step-retry",
      stepId: "s1",
      tool: "Fake",
      attempt,
      delayMs: 1,
      error,
    } as unknown as AgentEvent);
  }
  // All at the same time, which therefore does not tell which is the last.
  const timestamp = "2026-01-01T00:00:00.000Z";
  return events.map((event, index) => ({ ...event, runId, timestamp, sequence: index + 1 }));
}

describe("planwright show --html", () => {
  it("draws a run as a page, in place of a file that exists", async () => {
    const { folder, db, runId } = await addMilk();
    const file = join(folder, "run.html");
    writeFileSync(file, "x".repeat(1_000_000));
    expect(await call(db, "show", runId, "--html", file)).toEqual({
      exitCode: 0,
      stdout: `Wrote ${file}.\n`,
      stderr: "",
    });
    const page = readFileSync(file, "utf8");
    expect(page).toMatch(/^<!doctype html>/i);
    expect(page).toMatch(/<\/html>\s*$/);
    expect(page).toContain(runId);
    // Only its events tell of its executions.
    expect(page).toContain("planning");
  });

  it("draws a run that has not ended as it is now", async () => {
    const folder = newFolder();
    const db = join(folder, "todo.db");
    const io = fakeIo(db, { tools: [{ ...createFakeTool({ name: "Fake" }), needsApproval: () => true }] });
    expect((await callCli(["add milk", "--db", db], io)).exitCode).toBe(1);
    const file = join(folder, "run.html");
    expect((await call(db, "show", "run_1", "--html", file)).exitCode).toBe(0);
    expect(readFileSync(file, "utf8")).toContain("suspended");
  });

  it("says in one line why the file cannot be written, and does not write over the runs", async () => {
    const { folder, db, runId } = await addMilk();
    for (const command of [["show", runId], ["runs"]]) {
      const missing = join(folder, "none", "\u001b[2J.html");
      expect(await call(db, ...command, "--html", missing)).toEqual({
        exitCode: 1,
        stdout: "",
        stderr: `planwright: The file "${missing.replace("\u001b", "\\u001b")}" cannot be written: no such file or folder.\n`,
      });
      const { exitCode, stderr } = await call(db, ...command, "--html", db);
      expect([exitCode, stderr]).toEqual([1, `planwright: The file "${db}" contains the runs. Choose another file.\n`]);
    }
    expect(await listIds(db)).toEqual([runId]);
  });

  it("reports an unknown run, and writes nothing", async () => {
    const { folder, db } = await addMilk();
    const file = join(folder, "run.html");
    for (const option of [["--html", file], ["--mermaid"], ["--events"]]) {
      const { exitCode, stdout, stderr } = await call(db, "show", "tasks", ...option);
      expect([exitCode, stdout]).toEqual([1, ""]);
      expect(stderr).toBe(
        `planwright: There is no run "tasks" in "${db}". To list the runs: planwright runs --db ${db}\n`,
      );
    }
    expect(existsSync(file)).toBe(false);
  });
});

describe("planwright show --mermaid", () => {
  it("prints the flowchart and nothing else", async () => {
    const { db, runId } = await addMilk();
    const { exitCode, stdout, stderr } = await call(db, "show", runId, "--mermaid");
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(
      'flowchart TD\n  n0["s1<br/>Add a todo to buy milk<br/>TodoStore"]:::completed\n  classDef completed fill:#e3f1e6,stroke:#2f7d46,color:#12351d\n',
    );
  });
});

describe("planwright show --events", () => {
  it("prints each recorded event as a line of JSON", async () => {
    const { db, runId } = await addMilk();
    const { exitCode, stdout, stderr } = await call(db, "show", runId, "--events");
    expect([exitCode, stderr]).toEqual([0, ""]);
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.map(({ type }) => type)).toEqual([
      "run-start",
      "plan-start",
      "plan-end",
      "step-start",
      "step-end",
      "run-end",
    ]);
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("does not wait for a run that has not ended", async () => {
    for (const retries of [0, 95, 96, 97, 400]) {
      const io = ioWith();
      const db = join(newFolder(), "x.db");
      writeFileSync(db, "");
      const events = await cutOff(retries);
      await io.store.append("run_1", events, { sequence: 1 });
      const { exitCode, stdout, stderr } = await callCli(["show", "run_1", "--events", "--db", db], io);
      expect([exitCode, stderr]).toEqual([0, ""]);
      expect(
        stdout
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line)),
      ).toEqual(events);
    }
  });

  it("prints 100 000 events without reading more than a few at a time", async () => {
    const store = createMemoryRunStore();
    const events = await cutOff(100_000);
    await store.append("run_1", events, { sequence: 1 });
    const read = vi.spyOn(store, "read");
    const io = ioWith(store);
    const db = join(newFolder(), "x.db");
    writeFileSync(db, "");
    let lines = 0;
    const stdout = { write: (text: string) => (lines += text.split("\n").length - 1) };
    expect((await callCli(["show", "run_1", "--events", "--db", db], { ...io, stdout })).exitCode).toBe(0);
    expect(lines).toBe(events.length);
    const limits = read.mock.calls.map(([, options]) => options?.limit ?? Number.POSITIVE_INFINITY);
    expect(Math.max(...limits)).toBeLessThanOrEqual(101);
  });

  it("is cancelled by Ctrl-C", async () => {
    const { db, runId } = await addMilk();
    const io = fakeIo(db, {});
    io.controller.abort("Ctrl-C was pressed");
    expect((await callCli(["show", runId, "--events", "--db", db], io)).exitCode).toBe(130);
  });
});

describe("planwright runs --html", () => {
  it("draws all runs as a page", async () => {
    const { folder, db } = await addMilk();
    await call(db, "Sing a song");
    const file = join(folder, "runs.html");
    expect(await call(db, "runs", "--html", file)).toEqual({ exitCode: 0, stdout: `Wrote ${file}.\n`, stderr: "" });
    const page = readFileSync(file, "utf8");
    for (const text of ["2 runs", "buy milk", "Sing a song", "What was refused", "TodoStore"])
      expect(page).toContain(text);
  });

  it("draws a page if there are no runs", async () => {
    const { folder, db, runId } = await addMilk();
    await call(db, "delete", runId);
    const file = join(folder, "runs.html");
    expect((await call(db, "runs", "--html", file)).exitCode).toBe(0);
    expect(readFileSync(file, "utf8")).toContain("0 runs");
    expect(readdirSync(folder)).toContain("runs.html");
  });

  it("loads and lists the newest 1000, without their values, and says how many are left out", async () => {
    const folder = newFolder();
    const [db, file] = [join(folder, "todo.db"), join(folder, "runs.html")];
    writeFileSync(db, "");
    const createdAt = "2026-01-01T00:00:00.000Z";
    const summary = (index: number) =>
      ({ runId: `run_${index}`, status: "completed", metadata: {}, createdAt, updatedAt: createdAt }) as const;
    const steps = [
      { stepId: "s1", tool: "Fake", input: { text: "private" }, attempts: 1, status: "completed", output: "private" },
    ] as const;
    const plan = { source: { planner: "p" }, steps: [{ id: "s1", tool: "Fake", input: { text: "private" } }] };
    const loaded: string[] = [];
    const all = Array.from({ length: 1_234 }, (_, index) => summary(index));
    const listRuns = async ({
      limit = 100,
      cursor = "0",
    }: {
      limit?: number | undefined;
      cursor?: string | undefined;
    } = {}) => {
      const end = Number(cursor) + limit;
      return { runs: all.slice(Number(cursor), end), ...(end < all.length && { cursor: String(end) }) };
    };
    const getRun = async (runId: string) => {
      loaded.push(runId);
      // Deleted after the list was read.
      if (runId === "run_7") return undefined;
      return { ...summary(Number(runId.slice(4))), steps, plan, output: "private" } as unknown as RunSnapshot;
    };
    const io = createFakeIo({
      agent: { ...createFakeAgent(), listRuns, getRun } as ReturnType<typeof createFakeAgent>,
    });
    expect(await callCli(["runs", "--html", file, "--db", db], io)).toEqual({
      exitCode: 0,
      stderr: "",
      stdout: `Wrote ${file}. It lists the newest 1000 of 1234 runs.\n`,
    });
    expect(loaded).toHaveLength(1_000);
    const page = readFileSync(file, "utf8");
    expect(page).toContain("run_999");
    expect(page).not.toContain("run_1000");
    expect(page).not.toContain("private");
  });
});
