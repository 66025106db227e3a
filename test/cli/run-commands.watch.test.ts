import { join } from "node:path";
import { createSqliteRunStore } from "planwright/sqlite";
import { createFakeTool, createManualClock } from "planwright/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import type { FakeToolOptions } from "../../src/testing/fake-tool.ts";
import { newFolder } from "../new-folder.ts";
import { call, fakeIo } from "./call-with-db.ts";
import { callCli, createFakeAgent } from "./fake-io.ts";

const plan = `Plan
  s1  Because it was asked
      Fake {"text":"add milk"}

Run
`;

/** A run "run_1" that an agent of its own, over its own connection, has started in a file. */
async function startElsewhere({ asks = false, ...options }: Partial<FakeToolOptions> & { asks?: boolean } = {}) {
  const db = join(newFolder(), "todo.db");
  const clock = createManualClock();
  const store = createSqliteRunStore({ path: db });
  const tools = [{ ...createFakeTool({ name: "Fake", clock, ...options }), needsApproval: () => asks }];
  const agent = createFakeAgent({ store, clock, tools, createId: () => "1" });
  const started = new Promise<void>((resolve) => agent.once("step-start", () => resolve()));
  const { result } = agent.start("add milk");
  onTestFinished(async () => {
    await agent.close({ timeoutMs: 0 });
    store.close();
  });
  const asked = new Promise<void>((resolve) => agent.once("run-suspend", () => resolve()));
  await Promise.race([started, asked]);
  return { db, clock, agent, result, io: fakeIo(db, { clock }) };
}

describe("planwright watch", () => {
  it("reports a run of another process while it runs, then its result", async () => {
    const { db, clock, io } = await startElsewhere({ outcomes: [{ returns: { title: "Done so" }, afterMs: 3_000 }] });
    const written: string[] = [];
    const watched = callCli(["watch", "run_1", "--db", db], io);
    await clock.advance(2_900);
    written.push(io.written.stdout);
    expect(await clock.runUntil(watched)).toEqual({
      exitCode: 0,
      stderr: "",
      stdout: `${plan}  > s1 Fake\n  ✔ s1 Fake: Done so 3.0 s\n\nResult\n  Done so\n`,
    });
    expect(written).toEqual([`${plan}  > s1 Fake\n`]);
  });

  it("ends when somebody has to decide, with what it waits for and the exit code of a suspended run", async () => {
    const { db, clock, io } = await startElsewhere({ asks: true });
    const { exitCode, stdout, stderr } = await clock.runUntil(callCli(["watch", "run_1", "--db", db], io));
    expect([exitCode, stdout]).toEqual([1, plan]);
    expect(stderr).toBe("planwright: the run is suspended: s1 needs approval: fake, text: add milk\n");
  });

  it("has the exit code of the run, and one JSON document with --json", async () => {
    const { db, clock, io } = await startElsewhere({
      retry: { maxAttempts: 1 },
      outcomes: [{ throws: new Error("no") }],
    });
    const { exitCode, stderr } = await clock.runUntil(callCli(["watch", "run_1", "--db", db], io));
    expect([exitCode, stderr]).toEqual([1, 'planwright: Step "s1" (Fake) failed: no\n']);
    const json = await call(db, "watch", "run_1", "--json");
    expect(json.exitCode).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ runId: "run_1", status: "failed", request: "add milk" });
    await call(db, "Sing a song");
    const { runs } = JSON.parse((await call(db, "runs", "--json")).stdout);
    expect((await call(db, "watch", runs[0].runId)).exitCode).toBe(2);
  });

  it("is ended by Ctrl-C, which does not touch the run", async () => {
    const { db, clock, io, result } = await startElsewhere({ outcomes: [{ returns: 7, afterMs: 9_000 }] });
    const watched = callCli(["watch", "run_1", "--db", db], io);
    await clock.advance(1_000);
    io.controller.abort("Ctrl-C was pressed");
    expect(await watched).toEqual({
      exitCode: 130,
      stdout: `${plan}  > s1 Fake\n`,
      stderr: 'planwright: Stopped watching run "run_1": Ctrl-C was pressed. The run is not affected.\n',
    });
    expect(await clock.runUntil(result)).toMatchObject({ status: "completed", output: 7 });
    expect(clock.pendingTimers).toBe(0);
  });

  it("reads only new events, twice a second", async () => {
    const { db, clock, io } = await startElsewhere({ outcomes: [{ returns: 7, afterMs: 2_000 }] });
    const reads: number[] = [];
    const { createAgent } = io;
    io.createAgent = async (choice) => {
      const made = await createAgent(choice);
      return {
        ...made,
        agent: {
          ...made.agent,
          events: (runId, options) => {
            reads.push(options?.pollMs ?? 0);
            return made.agent.events(runId, options);
          },
        },
      };
    };
    await clock.runUntil(callCli(["watch", "run_1", "--db", db], io));
    expect(reads).toEqual([500]);
  });

  it("reports an unknown run, and creates no file", async () => {
    const { db } = await startElsewhere();
    const { exitCode, stdout, stderr } = await call(db, "watch", "run_none");
    expect([exitCode, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`There is no run "run_none" in "${db}".`);
    expect((await call(join(newFolder(), "typo.db"), "watch", "run_1")).stderr).toContain("There is no file");
  });
});
